/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * This machine's timebase waits for the timer interrupt, and gives back what it takes: the thread's
 * place in the scheduler.
 */
#include "lib/timebase.h"
#include "base/clock.h"
#include "tap.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, PRIORITY = 10 };

/* In a child of its own: what a thread may do is not given back. Returns its exit status. */
static int apart(int (*what)(const struct et_timebase *t))
{
	struct et_timebase t;
	int status = 0;

	et_timebase_raw(&t);
	pid_t pid = fork();
	if (pid == 0)
		_exit(what(&t));
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
									       : -1;
}

enum { AS_IT_WAS, STUCK, MAY_NOT };

/* As one who has a limit of real-time priority and no privilege to forget about forks. */
static int relax_unprivileged(const struct et_timebase *t)
{
	struct et_sched_policy was;

	if (!t->raise_priority(t->ctx, &was) || seteuid(NOBODY) != 0)
		return MAY_NOT;
	t->restore_priority(t->ctx, &was);
	return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_OTHER ? AS_IT_WAS : STUCK;
}

/* Who is before the others already is not to fall behind. */
static int hurry_from_above(const struct et_timebase *t)
{
	struct sched_param p = { .sched_priority = PRIORITY };
	struct et_sched_policy was;

	if (sched_setscheduler(0, SCHED_RR, &p) != 0)
		return MAY_NOT;
	bool hurried = t->raise_priority(t->ctx, &was);
	sched_getparam(0, &p);
	return !hurried && p.sched_priority == PRIORITY ? AS_IT_WAS : STUCK;
}

static void check(int (*what)(const struct et_timebase *t), const char *name)
{
	int status = apart(what);

	if (status == MAY_NOT)
		skip("no privilege for real-time priorities");
	else
		ok(status == AS_IT_WAS, "%s", name);
}

/* The next one is a whole interval away, less what is waited behind the last. */
static void aligned(void)
{
	uint64_t tick_ns = et_clock_tick_ns();
	struct et_timebase t;
	int behind = 0;

	et_timebase_raw(&t);
	for (int i = 0; i < 50; i++) {
		t.wait_tick(t.ctx);
		uint64_t from = t.now_ns(t.ctx), was = et_clock_read_ns(CLOCK_MONOTONIC_COARSE);
		while (et_clock_read_ns(CLOCK_MONOTONIC_COARSE) == was)
			;
		uint64_t left = t.now_ns(t.ctx) - from;
		behind += left + 400000 > tick_ns && left < tick_ns;
	}
	ok(behind > 0, "just behind a timer interrupt, %d of 50 times", behind);
}

/* A stretch of ten ticks loses some time to interrupts, and never all of it. */
static void spins(void)
{
	struct et_loss loss;
	struct et_timebase t;

	et_timebase_raw(&t);
	uint64_t window_ns = (uint64_t)(10 * t.tick_ns);
	et_loss_init(&loss, t.hz, window_ns, 50000000);
	for (int i = 0; i < 20 && !loss.best.n; i++)
		t.spin(t.ctx, &loss, 2 * window_ns);
	ok(loss.best.n == 1, "the raw clock fills a window");
	ok(loss.best.value[0] > 0 && loss.best.mark[0] < 0.9, "and sees interrupts in it: %g us",
		loss.best.value[0] / 1000);
}

int main(void)
{
	aligned();
	check(relax_unprivileged, "the priority is given back without privileges, too");
	check(hurry_from_above, "a real-time thread keeps its own");
	spins();
	return tap_done();
}
