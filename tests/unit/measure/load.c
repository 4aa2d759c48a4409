/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Competing processes. They are waited for by their CPU time, so a busy machine is fine. */
#include "measure/treat/load.h"
#include "base/clock.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static struct et_error err;

static uint64_t used_ns(pid_t pid)
{
	struct timespec t;

	return clock_gettime(et_clock_of_process(pid), &t) ? 0 : et_timespec_ns(t);
}

/* Waits until it has used this much CPU time since then; false after ten seconds. */
static bool uses(pid_t pid, uint64_t since_ns, uint64_t ns)
{
	for (int i = 0; i < 10000; i++) {
		if (used_ns(pid) >= since_ns + ns)
			return true;
		usleep(1000);
	}
	return false;
}

/* Waits until it sleeps: its CPU time stays the same for a while. */
static bool rests(pid_t pid)
{
	uint64_t last_ns = 0;

	for (int i = 0; i < 200; i++) {
		uint64_t now_ns = used_ns(pid);
		if (i && now_ns == last_ns)
			return true;
		last_ns = now_ns;
		usleep(50000);
	}
	return false;
}

static void starts_and_stops(void)
{
	struct et_load l;
	cpu_set_t own, one, got;
	int cpu = 0;

	sched_getaffinity(0, sizeof(own), &own);
	while (!CPU_ISSET(cpu, &own))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (et_load_open(&l, 2, &err))
		tap_bail("%s", err.what);
	ok(rests(l.squad.pids[0]) && rests(l.squad.pids[1]), "competing processes sleep at first");
	uint64_t second_ns = used_ns(l.squad.pids[1]), first_ns = used_ns(l.squad.pids[0]);
	ok(et_load_start(&l, 1, &one, &err) == 0 && uses(l.squad.pids[0], first_ns, 30000000),
		"one of two uses CPU time after the start");
	ok(used_ns(l.squad.pids[1]) - second_ns < 30000000, "the other process still sleeps");
	ok(sched_getaffinity(l.squad.pids[0], sizeof(got), &got) == 0 && CPU_EQUAL(&got, &one),
		"a competing process uses the CPUs of the program");
	et_load_stop(&l);
	ok(rests(l.squad.pids[0]), "a competing process sleeps after the stop");
	first_ns = used_ns(l.squad.pids[0]);
	ok(et_load_start(&l, 2, NULL, &err) == 0 && uses(l.squad.pids[0], first_ns, 20000000) &&
			uses(l.squad.pids[1], second_ns, 20000000),
		"both use CPU time after a start of two");
	ok(sched_getaffinity(l.squad.pids[0], sizeof(got), &got) == 0 && CPU_EQUAL(&got, &own),
		"the CPUs of an earlier start are forgotten");
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD,
		"waiting for all children does not report them");
	pid_t pid = l.squad.pids[0];
	et_load_close(&l);
	ok(kill(pid, 0) < 0 && errno == ESRCH, "no competing process is left after the end");
}

/* As if etalon were killed while a program runs. */
static void dies_with_etalon(void)
{
	int ends[2];
	pid_t load = 0;

	if (pipe(ends))
		tap_bail("pipe");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid_t etalon = fork();
	if (etalon == 0) {
		struct et_load l;
		if (et_load_open(&l, 1, NULL) || et_load_start(&l, 1, NULL, NULL) ||
			!uses(l.squad.pids[0], 0, 5000000))
			_exit(1);
		(void)!write(ends[1], &l.squad.pids[0], sizeof(l.squad.pids[0]));
		raise(SIGKILL);
	}
	close(ends[1]);
	ok(read(ends[0], &load, sizeof(load)) == sizeof(load), "a process with a load runs");
	close(ends[0]);
	waitpid(etalon, NULL, 0);
	/* It is our child now, or that of a nearer subreaper. */
	bool gone = false;
	for (int i = 0; load && i < 5000 && !gone; i++) {
		gone = waitpid(load, NULL, __WALL | WNOHANG) == load ||
		       (kill(load, 0) < 0 && errno == ESRCH);
		usleep(1000);
	}
	ok(gone, "the load dies with a killed parent");
}

int main(void)
{
	starts_and_stops();
	dies_with_etalon();
	return tap_done();
}
