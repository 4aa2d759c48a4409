/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that answer a question: where their output goes, and what they inherit. */
#include "base/program.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char *const no_environment[] = { NULL };

struct answer {
	int rc, status;
	char out[256], errors[256];
};

static void read_back(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
	close(fd);
}

static struct answer ask(const char *script, bool own_group)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)script, NULL };
	int out = memfd_create("out", MFD_CLOEXEC), errors = memfd_create("errors", MFD_CLOEXEC);
	struct answer a = { .status = -1 };
	pid_t pid;

	if (out < 0 || errors < 0)
		tap_bail("no memory file");
	a.rc = et_spawn(argv, no_environment, out, errors, own_group, &pid);
	if (a.rc == 0 && waitpid(pid, &a.status, 0) != pid)
		tap_bail("the program is lost");
	read_back(out, a.out, sizeof(a.out));
	read_back(errors, a.errors, sizeof(a.errors));
	return a;
}

int main(void)
{
	char *missing[] = { (char *)"/nowhere/program", NULL };
	sigset_t blocked;
	pid_t pid;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	signal(SIGUSR1, SIG_IGN);
	struct answer a = ask("echo answer; echo error >&2; read line && echo input", false);
	ok(a.rc == 0 && !strcmp(a.out, "answer\n") && !strcmp(a.errors, "error\n"),
		"output and errors go to the descriptors, and there is no input");
	a = ask("kill -USR1 $$; echo alive", false);
	ok(a.rc == 0 && WIFSIGNALED(a.status) && WTERMSIG(a.status) == SIGUSR1,
		"a signal that we ignore is not ignored");
	a = ask("kill -TERM $$; echo alive", false);
	ok(a.rc == 0 && WIFSIGNALED(a.status) && WTERMSIG(a.status) == SIGTERM,
		"a signal that we block is not blocked");
	/* The fifth word of stat is the process group. */
	const char *group = "read -r line </proc/$$/stat; set -- $line; [ $5 = $$ ]";
	a = ask(group, true);
	ok(a.rc == 0 && WIFEXITED(a.status) && WEXITSTATUS(a.status) == 0,
		"a program leads its own process group if that is asked for");
	a = ask(group, false);
	ok(a.rc == 0 && WIFEXITED(a.status) && WEXITSTATUS(a.status) == 1,
		"a program is in our process group otherwise");
	/* Under valgrind the child does not share our memory, so it can only exit with 127. */
	int status = 0, rc = et_spawn(missing, no_environment, 1, 2, false, &pid);
	ok(rc == -ENOENT || (rc == 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
				    WEXITSTATUS(status) == 127),
		"a program that does not exist is -ENOENT");
	return tap_done();
}
