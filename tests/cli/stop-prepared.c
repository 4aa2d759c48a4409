/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stop-prepared SECONDS: stops by SIGSTOP each process of its own user that is still called etalon,
 * which is a child of etalon's before execve(). It looks at the newest PIDs, again and again.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int read_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[n < 0 ? 0 : n] = '\0';
	return n > 0 ? 0 : -1;
}

static int try_to_stop(int pid)
{
	char path[64], name[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	return kill(pid, 0) == 0 && read_text(path, name, sizeof(name)) == 0 &&
	       !strcmp(name, "etalon\n") && kill(pid, SIGSTOP) == 0;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	char load[128];

	while (time(NULL) < end) {
		ssize_t n = pread(fd, load, sizeof(load) - 1, 0);
		load[n < 0 ? 0 : n] = '\0';
		const char *last = strrchr(load, ' '); /* the newest PID */
		int newest = last ? atoi(last + 1) : 0;
		for (int pid = newest - 2; pid <= newest + 1; pid++) {
			if (pid > 0 && try_to_stop(pid)) {
				printf("%d\n", pid);
				return 0;
			}
		}
	}
	return 1;
}
