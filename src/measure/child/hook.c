/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/hook.h"
#include "base/parse.h"
#include "base/shell.h"
#include "measure/child/reap.h"

#include <fcntl.h>
#include <sys/wait.h>

/* The PID is forgotten before it is reaped: once it is, it may belong to another process. */
static int wait_for(struct et_interrupt *interrupt, pid_t pid, int *status)
{
	siginfo_t info;

	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0) {
		if (errno != EINTR)
			return -errno;
		if (interrupt->given_up)
			return -ETIMEDOUT;
	}
	interrupt->groups[0] = 0;
	return waitpid(pid, status, 0) < 0 ? -errno : 0;
}

static int judge(const char *what, const char *text, int status, struct et_error *err)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFSIGNALED(status))
		return et_fail(err, ECHILD, ET_EXIT_PROGRAM, "%s '%s' was ended by signal %d (%s)",
			what, text, WTERMSIG(status), strsignal(WTERMSIG(status)));
	return et_fail_hint(err, ECHILD, ET_EXIT_PROGRAM,
		"if that is expected, append '|| true' to it", "%s '%s' failed with exit status %d",
		what, text, WEXITSTATUS(status));
}

static int spawn_and_wait(const struct et_hook *h, const struct et_child_setup *setup,
	struct et_start *start, int *status)
{
	struct et_snapshot before; /* tells the children of the hook from earlier ones */
	sigset_t all, old;

	(void)!et_reap_list_children("", &before);
	sig_atomic_t earlier = h->interrupt->signal;
	/* After a signal the programs have ended, and a hook (--cleanup) may take its time. */
	if (h->interrupt->signal)
		et_interrupt_settled(h->interrupt);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	if (h->wakeup)
		et_wakeup_prio_lower(h->wakeup);
	/* From here on a signal goes to the child; an earlier one is the caller's to handle. */
	/* Processes of another user could stop it, so it is held: see child.h. */
	pid_t pid = et_child_spawn(setup, start, setup->identity);
	h->interrupt->groups[0] = pid > 0 ? pid : 0;
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (pid > 0 && setup->identity &&
		et_child_wait_ready(pid, start, h->interrupt, UINT64_MAX) == 0)
		et_child_release(start, 1);
	int rc = pid > 0 ? wait_for(h->interrupt, pid, status) : (int)pid;
	h->interrupt->groups[0] = 0;
	if (h->interrupt->overrun || h->interrupt->signal != earlier ||
		(earlier && rc == 0 && WIFSIGNALED(*status))) {
		/*
		 * A hook that was cut short leaves no processes running. A hook that ends by itself
		 * may have started a server for the programs, which --cleanup ends.
		 */
		struct et_reap_result result = { 0 };
		et_interrupt_settled(h->interrupt);
		/* The reason why it was cut short is the one to report. */
		(void)!et_reap_leftovers(
			&(struct et_reaping){ .root = "", .results = &result, .before = &before });
	}
	et_snapshot_free(&before);
	return rc;
}

int et_hook_run(const struct et_hook *h, const char *what, const char *text, struct et_error *err)
{
	ET_AUTO_CLOSE int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct et_child_setup setup = { .envp = h->envp,
		.directory = h->directory,
		.identity = h->identity,
		.in = null,
		.out = h->out_fd ? h->out_fd : null,
		.err = h->out_fd ? h->out_fd : STDERR_FILENO,
		.attach_fd = h->home_fd,
		.source = ET_CPU_BY_WAIT4,
		.usage_fd = -1,
		.signals = h->signals,
		.dispositions = h->dispositions };
	char **argv = NULL;
	ET_AUTO_FREE char *path = NULL;
	struct et_start *start = et_start_map(1);
	int status = 0;
	int rc = start ? 0
		       : et_fail_errno(err, ENOMEM, ET_EXIT_ENVIRONMENT, "cannot run '%s'", text);

	if (rc == 0)
		rc = et_shell_argv(h->shell ? h->shell : "/bin/sh", text, &argv, err);
	if (rc == 0)
		rc = et_child_resolve(argv[0], h->path_variable, h->directory, &path, err);
	if (rc == 0) {
		setup.argv = argv;
		setup.path = path;
		rc = spawn_and_wait(h, &setup, start, &status);
		if (rc)
			et_fail_errno(err, -rc, ET_EXIT_OUTSIDE, "%s '%s'", what, text);
		else if (start->failed_step)
			rc = et_child_start_error(&setup, start, err);
		else if (h->interrupt->signal)
			rc = -EINTR;
		else if (h->interrupt->overrun)
			rc = et_fail(err, ETIME, ET_EXIT_PROGRAM,
				"%s '%s' ran for longer than --time-limit, so it was ended", what,
				text);
		else
			rc = judge(what, text, status, err);
	}
	et_strv_free(argv);
	et_start_unmap(start, 1);
	return rc;
}
