/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stop-prepared SECONDS PARENT: stops by SIGSTOP a child of this process that is still called
 * etalon, because it has not called execve() yet. It looks at the newest PIDs, again and again.
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

static int try_to_stop(int pid, int parent)
{
	char path[64], stat[128], wanted[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (kill(pid, 0) || read_text(path, stat, sizeof(stat)))
		return 0;
	const char *end = strchr(stat, ')');
	int of = end ? atoi(end + strlen(") S ")) : -1;
	snprintf(wanted, sizeof(wanted), "%d (etalon)", pid);
	return !strncmp(stat, wanted, strlen(wanted)) && of == parent && kill(pid, SIGSTOP) == 0;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	int parent = argc > 2 ? atoi(argv[2]) : 0;
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	char load[128];

	while (time(NULL) < end) {
		ssize_t n = pread(fd, load, sizeof(load) - 1, 0);
		load[n < 0 ? 0 : n] = '\0';
		const char *last = strrchr(load, ' '); /* the newest PID */
		int newest = last ? atoi(last + 1) : 0;
		for (int pid = newest - 2; pid <= newest + 1; pid++) {
			if (pid > 0 && try_to_stop(pid, parent)) {
				printf("%d\n", pid);
				return 0;
			}
		}
	}
	return 1;
}
