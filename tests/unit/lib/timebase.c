/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real timebase waits for the timer interrupt, and restores the thread's priority. */
#include "lib/time/timebase.h"
#include "base/clock.h"
#include "tap.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, PRIORITY = 10 };

/* Runs a check in a child process, which may drop privileges. Returns its exit status. */
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

enum { RESTORED, STUCK, MAY_NOT };

/* Like RLIMIT_RTPRIO without CAP_SYS_NICE: SCHED_RESET_ON_FORK cannot be cleared. */
static int restore_unprivileged(const struct et_timebase *t)
{
	struct et_sched_policy was;

	if (!t->raise_priority(t->ctx, &was) || seteuid(NOBODY) != 0)
		return MAY_NOT;
	t->restore_priority(t->ctx, &was);
	return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_OTHER ? RESTORED : STUCK;
}

/* A thread with a higher real-time priority must not be lowered. */
static int raise_real_time(const struct et_timebase *t)
{
	struct sched_param p = { .sched_priority = PRIORITY };
	struct et_sched_policy was;

	if (sched_setscheduler(0, SCHED_RR, &p) != 0)
		return MAY_NOT;
	bool raised = t->raise_priority(t->ctx, &was);
	sched_getparam(0, &p);
	return !raised && p.sched_priority == PRIORITY ? RESTORED : STUCK;
}

static void check(int (*what)(const struct et_timebase *t), const char *name)
{
	int status = apart(what);

	if (status == MAY_NOT)
		skip("no privilege for real-time priorities");
	else
		ok(status == RESTORED, "%s", name);
}

/*
 * After wait_tick almost a whole interval is left until the next timer interrupt. On a busy machine
 * that interrupt preempts us, so the time before it counts, not the time at which we run again.
 */
static void wait_tick(void)
{
	uint64_t tick_ns = et_clock_tick_ns();
	struct et_timebase t;
	int after = 0;

	et_timebase_raw(&t);
	for (int i = 0; i < 50; i++) {
		t.wait_tick(t.ctx);
		uint64_t was = et_clock_read_ns(CLOCK_MONOTONIC_COARSE);
		uint64_t from = t.now_ns(t.ctx), now = from, last;
		do {
			last = now;
			now = t.now_ns(t.ctx);
		} while (et_clock_read_ns(CLOCK_MONOTONIC_COARSE) == was);
		after += last - from + 400000 > tick_ns && last - from < tick_ns;
	}
	ok(after > 0, "wait_tick returned just after a timer interrupt %d of 50 times", after);
}

/*
 * A window of 25 timer interrupts loses some time to them, and never all of it. It is a long
 * window, so that it becomes complete although other threads preempt this one.
 */
static void spins(void)
{
	struct et_loss loss;
	struct et_timebase t;

	et_timebase_raw(&t);
	uint64_t window_ns = (uint64_t)(25 * t.tick_ns);
	et_loss_init(&loss, t.hz, window_ns, window_ns / 100);
	t.spin(t.ctx, &loss, 100 * window_ns);
	ok(loss.best.n == 1, "spin: the raw clock completes a window");
	ok(loss.best.value[0] > 0 && loss.best.mark[0] < 0.9,
		"spin: the window contains interrupts: %g us", loss.best.value[0] / 1000);
}

int main(void)
{
	wait_tick();
	check(restore_unprivileged, "the priority is restored without privileges too");
	check(raise_real_time, "a real-time thread keeps its priority");
	spins();
	return tap_done();
}
