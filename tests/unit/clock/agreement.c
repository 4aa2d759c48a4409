/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "clock/counter.h"
#include "clock/survey.h"
#include "tap.h"

#include <errno.h>

static void test_bounds(void)
{
	struct et_agreement a;

	et_agreement_init(&a, 0, 1);
	ok(!et_agreement_moves(&a) && a.rounds == 0,
		"bounds: without rounds no offset is excluded");
	/* The far counter is 30 ahead; rounds of different length bound that. */
	et_agreement_add(&a, 1000, 1000 + 50 + 30, 1200);
	ok(a.lo == -120 && a.hi == 80 && a.backwards == 0, "bounds: one round bounds the offset");
	et_agreement_add(&a, 2000, 2000 + 100 + 30, 2110);
	ok(a.lo == 20 && a.hi == 80, "bounds: a second round narrows them: %lld … %lld",
		(long long)a.lo, (long long)a.hi);
	ok(a.backwards == 1,
		"bounds: a far reading after the end of its round counts as backwards");
	et_agreement_add(&a, 3000, 3000 + 5 + 30, 3100);
	ok(a.lo == 20 && a.hi == 35 && a.rounds == 3, "bounds: a third round narrows them further");
	ok(!et_agreement_moves(&a), "bounds: one offset fits all rounds");
	et_agreement_add(&a, 4000, 4000 - 10, 4050);
	ok(a.backwards == 2, "bounds: a far reading before its round counts as backwards");
	ok(et_agreement_moves(&a), "bounds: contradicting rounds mean that the offset moves");
}

static void test_play(void)
{
	struct et_agreement a;
	cpu_set_t set;
	int cpus[2], n = 0;

	sched_getaffinity(0, sizeof(set), &set);
	for (int c = 0; c < CPU_SETSIZE && n < 2; c++) {
		if (CPU_ISSET((size_t)c, &set))
			cpus[n++] = c;
	}
	if (n < 2 || !ET_HAVE_COUNTER) {
		skip("there is only one CPU, or no counter");
		return;
	}
	uint64_t began = et_clock_read_ns(CLOCK_MONOTONIC);
	int rc = et_agreement_measure(cpus[0], cpus[1], 500, 1000000000, &a);
	uint64_t took = et_clock_read_ns(CLOCK_MONOTONIC) - began;
	ok(rc == 0 && a.near == cpus[0] && a.far == cpus[1], "measure: two CPUs exchange messages");
	ok(took < 5000000000, "measure: it ends within the time limit: %g s", (double)took / 1e9);
	ok(a.rounds <= 500 && (!a.rounds || a.hi > INT64_MIN),
		"measure: %u rounds, each with bounds", a.rounds);
	ok(et_agreement_measure(cpus[0], CPU_SETSIZE - 1, 5, 1000000, &a) < 0,
		"measure: a CPU that does not exist is refused");
}

int main(void)
{
	test_bounds();
	test_play();
	return tap_done();
}
