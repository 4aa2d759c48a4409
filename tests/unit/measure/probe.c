/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The probe: its readings, their CPU and their rate. No speed is asserted. */
#include "measure/observe/probe.h"
#include "base/clock.h"
#include "tap.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int last_cpu(const cpu_set_t *set)
{
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
		if (CPU_ISSET(cpu, set))
			return cpu;
	}
	return -1;
}

static void wait_ms(long ms)
{
	usleep((useconds_t)ms * 1000);
}

/* With a competitor on the CPU the elapsed time of a lap doubles, but not the reading. */
static void test_preempted(struct et_probe *p, const cpu_set_t *one)
{
	uint64_t alone = UINT64_MAX, beside = UINT64_MAX, reading;

	for (int i = 0; i < 10; i++) {
		wait_ms(11);
		reading = et_probe_before(p);
		alone = reading < alone ? reading : alone;
	}
	pid_t busy = fork();
	if (busy == 0) {
		sched_setaffinity(0, sizeof(*one), one);
		for (;;)
			;
	}
	wait_ms(20);
	for (int i = 0; i < 40; i++) {
		wait_ms(11);
		reading = et_probe_before(p);
		beside = reading < beside ? reading : beside;
	}
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	/* A busy hyper-thread sibling may double the reading; a competitor alone does not. */
	ok(beside < 3 * alone, "preemption does not make a reading slow (%llu and %llu ns)",
		(unsigned long long)alone, (unsigned long long)beside);
}

int main(void)
{
	struct et_probe p;
	cpu_set_t home, now, one;

	sched_getaffinity(0, sizeof(home), &home);
	et_probe_open(&p, false);
	ok(et_probe_before(&p) == ET_UNKNOWN && et_probe_after(&p) == ET_UNKNOWN,
		"a probe that is off has no readings");

	et_probe_open(&p, true);
	uint64_t began = et_clock_read_ns(CLOCK_MONOTONIC);
	uint64_t first = et_probe_before(&p);
	uint64_t took = et_clock_read_ns(CLOCK_MONOTONIC) - began;
	/* 65,536 increments take at least a cycle each. */
	ok(first > 5000 && first <= took, "a reading is CPU time of a lap (%llu of %llu ns)",
		(unsigned long long)first, (unsigned long long)took);
	uint64_t taken = p.taken_ns;
	uint64_t again = et_probe_before(&p), after = et_probe_after(&p);
	if (et_clock_read_ns(CLOCK_MONOTONIC) - taken < 9000000) {
		ok(again == first && p.taken_ns == taken,
			"a reading younger than 10 ms is used again");
		ok(after == ET_UNKNOWN, "no reading is taken after a short run");
	} else {
		skip("the machine is too busy for two readings within 10 ms");
		skip("the machine is too busy for two readings within 10 ms");
	}
	wait_ms(11);
	ok(et_probe_after(&p) != ET_UNKNOWN && p.taken_ns > taken,
		"a reading is taken after a longer run");

	int cpu = last_cpu(&home);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	et_probe_seen(&p, -1);
	et_probe_expect(&p, &one);
	wait_ms(11);
	et_probe_before(&p);
	ok(p.taken_cpu == cpu, "a reading is taken on the program's CPU");
	sched_getaffinity(0, sizeof(now), &now);
	ok(CPU_EQUAL(&now, &home), "our own CPU affinity is restored after a reading");
	et_probe_seen(&p, CPU_SETSIZE - 1);
	wait_ms(11);
	ok(CPU_ISSET(CPU_SETSIZE - 1, &home) ||
			(et_probe_before(&p) != ET_UNKNOWN && p.taken_cpu != CPU_SETSIZE - 1),
		"on a CPU that does not exist no reading is taken");
	et_probe_expect(&p, &one);
	ok(p.cpu == cpu, "a program that is bound to a CPU is expected there");
	test_preempted(&p, &one);
	return tap_done();
}
