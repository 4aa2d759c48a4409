/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hooks: the commands of --setup, --prepare, --conclude and --cleanup. */
#include "measure/child/hook.h"
#include "measure/tree.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

extern char **environ;

static struct et_interrupt interrupt;
static struct et_error err;
static int settled;

static void note_settled(void)
{
	settled++;
}

static struct et_hook hook(const char *shell, const char *directory)
{
	struct et_hook h = { .shell = shell,
		.directory = directory,
		.envp = environ,
		.path_variable = "/usr/local/bin:/usr/bin:/bin",
		.home_fd = -1,
		.interrupt = &interrupt };

	sigemptyset(&h.signals);
	return h;
}

static void plain(void)
{
	struct et_hook words = hook(NULL, tree), shell = hook("sh -e", tree);

	ok(et_hook_run(&words, "--prepare", "X='a file'; touch \"$X\"", &err) == 0,
		"a hook runs by a shell if the programs do not");
	ET_AUTO_FREE char *made = et_asprintf("%s/a file", tree);
	ok(access(made, F_OK) == 0, "a hook runs in the directory of the programs");
	ok(et_hook_run(&shell, "--setup", "test -e 'a file' && rm 'a file'", &err) == 0 &&
			access(made, F_OK) < 0,
		"a hook runs by the shell of the programs");
	ok(et_hook_run(&shell, "--setup", "false; true", &err) == -ECHILD,
		"a hook runs by the shell with its options");
	ok(interrupt.groups[0] == 0, "after a hook signals have no process group to go to");
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "a hook is waited for");
}

static void failures(void)
{
	struct et_hook words = hook(NULL, NULL), shell = hook("sh", NULL);

	ok(et_hook_run(&shell, "--conclude", "exit 7", &err) == -ECHILD &&
			err.exit == ET_EXIT_PROGRAM,
		"a hook that fails is an error");
	is_str(err.what, "--conclude 'exit 7' failed with exit status 7",
		"the error names the option, the hook and its status");
	ok(et_hook_run(&shell, "--setup", "kill -9 $$", &err) == -ECHILD &&
			strstr(err.what, "ended by signal 9"),
		"a hook that a signal ended is an error: %s", err.what);
	ok(et_hook_run(&words, "--setup", "./nosuch-hook 2>&-", &err) == -ECHILD,
		"a hook that does not exist is an error: %s", err.what);
	ok(et_hook_run(&words, "--setup", "exec 2>&-; eval \"echo 'unfinished\"", &err) < 0,
		"a hook with an open quote is an error: %s", err.what);
}

static void interrupted(void)
{
	struct et_hook words = hook(NULL, NULL);

	interrupt.signal = SIGINT;
	interrupt.settled = note_settled;
	ok(et_hook_run(&words, "--cleanup", "true", &err) == -EINTR,
		"after a signal a hook still runs, and the signal is reported");
	ok(settled == 1, "a hook after a signal cancels the timer that kills children");
	interrupt.signal = 0;
	ok(et_hook_run(&words, "--cleanup", "true", &err) == 0 && settled == 1,
		"without a signal the timer is left alone");
}

int main(void)
{
	tree_open();
	plain();
	failures();
	interrupted();
	tree_close();
	return tap_done();
}
