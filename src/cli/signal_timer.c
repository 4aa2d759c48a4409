/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/signal_timer.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static timer_t timer;
static int timer_signal;

static bool is_free(int signal)
{
	struct sigaction old;
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	return sigaction(signal, NULL, &old) == 0 && old.sa_handler == SIG_DFL &&
	       !sigismember(&blocked, signal);
}

void et_signal_timer_make(void)
{
	int signal = SIGALRM;

	for (int i = 0; !is_free(signal); i++) {
		signal = SIGRTMAX - i;
		if (signal < SIGRTMIN)
			return;
	}
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal };
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		timer_signal = signal;
}

void et_signal_timer_start(uint64_t ns, uint64_t interval_ns)
{
	struct itimerspec spec = { .it_value = { .tv_sec = (time_t)(ns / 1000000000u),
					   .tv_nsec = (long)(ns % 1000000000u) },
		.it_interval = { .tv_nsec = (long)interval_ns } };

	if (timer_signal)
		timer_settime(timer, 0, &spec, NULL);
}

int et_signal_timer_signal(void)
{
	return timer_signal;
}
