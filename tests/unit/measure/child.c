/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting children: PID namespaces, waiting at the start line, how a program's file is found. */
#include "measure/child/child.h"
#include "measure/tree.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/time.h>
#include <sys/wait.h>

static struct et_error err;

static void link_to(const char *path, const char *target)
{
	ET_AUTO_FREE char *full = tree_path(path);

	unlink(full);
	if (symlink(target, full) < 0)
		tap_bail("cannot link %s", full);
}

static void namespaces(void)
{
	ok(et_child_check("", &err) == 0, "children can be started here");
	ok(et_child_check(tree, &err) == 0, "a kernel without pid_for_children is accepted");
	link_to("/proc/self/ns/pid", "pid:[1]");
	link_to("/proc/self/ns/pid_for_children", "pid:[1]");
	ok(et_child_check(tree, &err) == 0, "children in our own PID namespace are accepted");
	link_to("/proc/self/ns/pid_for_children", "pid:[2]");
	ok(et_child_check(tree, &err) == -ECHILD && strstr(err.hint, "--fork"),
		"children in another PID namespace are refused: %s", err.what);
}

static int resolve(const char *name, const char *path, const char *directory, char **out)
{
	*out = NULL;
	return et_child_resolve(name, path, directory, out, &err);
}

static void resolving(void)
{
	ET_AUTO_FREE char *a = et_asprintf("%s/a", tree), *b = et_asprintf("%s/b", tree);
	ET_AUTO_FREE char *path = et_asprintf("%s:%s", a, b);
	ET_AUTO_FREE char *file = et_asprintf("%s/b/program", tree);
	char *out;

	tree_write("/a/program", "not executable\n");
	tree_write("/b/program", "#!/bin/sh\n");
	chmod(file, 0755);
	ok(resolve("program", path, NULL, &out) == 0, "a program is searched for in PATH");
	is_str(out, file, "a file that is not executable is passed over");
	free(out);
	ok(resolve("program", a, NULL, &out) == -EACCES && !out,
		"a file that is not executable is reported: %s", err.what);
	ok(resolve("nosuch", path, NULL, &out) == -ENOENT && !out,
		"a missing program is reported: %s", err.what);
	ok(resolve("./program", path, b, &out) == 0 && !strcmp(out, "./program"),
		"a relative path is looked up in the directory of the program");
	free(out);
	ok(resolve("./program", path, a, &out) == -EACCES && !out,
		"a relative path is not searched for in PATH");
	ok(resolve(b, path, NULL, &out) == -EISDIR && !out, "a directory is no program");
	ok(resolve("cd", path, NULL, &out) == -ENOENT && strstr(err.hint, "--shell"),
		"a shell builtin needs a shell: %s", err.hint);
}

/* --- waiting until a child is ready --- */

static struct et_interrupt interrupt;
static struct et_start *start;
static const uint64_t SHORT_NS = 100000000, LONG_NS = 60000000000;

static void note_signal(int signal)
{
	interrupt.signal = signal;
}

/*
 * Makes a held child that blocks in its preparation until somebody reads from `pipe_fd`: it enters
 * its control group by writing to a pipe that is full.
 */
static pid_t spawn_blocked(int *pipe_fd)
{
	static char name[] = "true";
	static char *const argv[] = { name, NULL };
	struct et_child_setup setup = { .path = "/bin/true",
		.argv = argv,
		.envp = argv + 1,
		.out = 1,
		.err = 2,
		.usage_fd = -1 };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0 || fcntl(ends[1], F_SETPIPE_SZ, 4096) < 0 ||
		write(ends[1], (char[4096]){ 0 }, 4096) != 4096)
		tap_bail("cannot fill a pipe");
	setup.attach_fd = ends[1];
	sigemptyset(&setup.signals);
	interrupt = (struct et_interrupt){ 0 };
	pid_t pid = et_child_spawn(&setup, start, true);
	close(ends[1]);
	*pipe_fd = ends[0];
	return pid;
}

static void let_go(int pipe_fd)
{
	char some[4096];

	if (read(pipe_fd, some, sizeof(some)) < 0)
		tap_bail("cannot empty a pipe");
}

static int end_child(pid_t pid, int signal)
{
	int status = -1;

	if (signal)
		kill(pid, signal);
	waitpid(pid, &status, 0);
	return status;
}

static void waiting(void)
{
	struct itimerval soon = { .it_value.tv_usec = 50000 };
	int fd;

	start = et_start_map(1);
	if (!start)
		tap_bail("no memory");
	pid_t pid = spawn_blocked(&fd);
	ok(et_child_wait_ready(pid, start, &interrupt, SHORT_NS) == -ETIMEDOUT,
		"a child that does not get ready is waited for until the deadline");
	signal(SIGALRM, note_signal);
	setitimer(ITIMER_REAL, &soon, NULL);
	ok(et_child_wait_ready(pid, start, &interrupt, LONG_NS) == -EINTR &&
			interrupt.signal == SIGALRM,
		"a signal ends the wait for a child");
	signal(SIGALRM, SIG_DFL);
	interrupt.signal = 0;
	end_child(pid, SIGKILL);
	ok(et_child_wait_ready(pid, start, &interrupt, LONG_NS) == -ECHILD,
		"a child that was killed is not waited for");
	close(fd);
}

static void stopped(void)
{
	int fd, status;
	pid_t pid = spawn_blocked(&fd);

	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	let_go(fd);
	ok(et_child_wait_ready(pid, start, &interrupt, SHORT_NS) == -ETIMEDOUT,
		"a child that another process has stopped is waited for until the deadline");
	kill(pid, SIGCONT);
	ok(et_child_wait_ready(pid, start, &interrupt, LONG_NS) == 0,
		"a child that continues gets ready");
	et_child_release(start, 1);
	status = end_child(pid, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		"a program runs when its child is released");
	close(fd);
	et_start_unmap(start, 1);
}

int main(void)
{
	tree_open();
	namespaces();
	waiting();
	stopped();
	resolving();
	tree_close();
	return tap_done();
}
