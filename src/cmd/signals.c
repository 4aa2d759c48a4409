/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/signals.h"

#include <errno.h>
#include <unistd.h>

/* Time that a program has to end after the first signal, before it is killed. */
enum { GRACE_SECONDS = 2 };

static void cancel_grace(void)
{
	alarm(0);
}

static struct et_interrupt state = { .settled = cancel_grace };

static void send_to_children(int signal)
{
	for (size_t i = 0; i < sizeof(state.groups) / sizeof(state.groups[0]); i++) {
		if (state.groups[i] > 0)
			kill(-state.groups[i], signal);
	}
}

static void end(int signal)
{
	int saved = errno;

	/* A second signal kills at once. */
	send_to_children(state.signal ? SIGKILL : signal);
	/* A stopped program handles a signal only after it continues. */
	send_to_children(SIGCONT);
	state.signal = signal;
	alarm(GRACE_SECONDS);
	errno = saved;
}

static void grace_over(int signal)
{
	(void)signal;
	if (state.signal)
		send_to_children(SIGKILL);
}

static void suspend(int signal)
{
	int saved = errno;

	(void)signal;
	send_to_children(SIGSTOP);
	state.suspended = state.suspended + 1;
	kill(getpid(), SIGSTOP);
	send_to_children(SIGCONT);
	errno = saved;
}

/*
 * SIGSTOP cannot be caught, but the SIGCONT after it can. While we were stopped, programs may have
 * ended without our reading the clock, so the samples of that time are marked.
 */
static void resumed(int signal)
{
	(void)signal;
	state.suspended = state.suspended + 1;
}

static void install(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags }, old;

	/* A signal that the caller ignores (nohup) stays ignored. */
	sigaction(signal, NULL, &old);
	if (old.sa_handler == SIG_IGN)
		return;
	sigfillset(&action.sa_mask);
	sigaction(signal, &action, NULL);
}

void et_signals_read_caller(void)
{
	struct sigaction old;

	sigemptyset(&state.ignored);
	for (int i = 1; i < NSIG; i++) {
		if (sigaction(i, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			sigaddset(&state.ignored, i);
	}
}

struct et_interrupt *et_signals_install(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	install(SIGINT, end, 0);
	install(SIGTERM, end, 0);
	install(SIGHUP, end, 0);
	install(SIGALRM, grace_over, SA_RESTART);
	install(SIGTSTP, suspend, 0);
	install(SIGCONT, resumed, SA_RESTART);
	/* If SIGCHLD were ignored, the kernel would reap children before we wait for them. */
	sigaction(SIGCHLD, &dfl, NULL);
	return &state;
}
