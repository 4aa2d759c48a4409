/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/agreement.h"
#include "base/clock.h"
#include "clock/counter.h"
#include "tap.h"

#include <errno.h>

static void test_bounds(void)
{
	struct et_agreement a;

	et_agreement_init(&a, 0, 1);
	ok(!et_agreement_moves(&a) && a.rounds == 0, "nothing seen, nothing said");
	/* The far counter is 30 ahead; rounds of different length bound that. */
	et_agreement_add(&a, 1000, 1000 + 50 + 30, 1200);
	ok(a.lo == -120 && a.hi == 80 && a.backwards == 0, "one round bounds the offset");
	et_agreement_add(&a, 2000, 2000 + 100 + 30, 2110);
	ok(a.lo == 20 && a.hi == 80, "a second narrows it: %lld … %lld", (long long)a.lo,
		(long long)a.hi);
	ok(a.backwards == 1, "a far reading behind the end of its round is time going backwards");
	et_agreement_add(&a, 3000, 3000 + 5 + 30, 3100);
	ok(a.lo == 20 && a.hi == 35 && a.rounds == 3, "and a third");
	ok(!et_agreement_moves(&a), "one offset fits all");
	et_agreement_add(&a, 4000, 4000 - 10, 4050);
	ok(a.backwards == 2, "nor may it be before the beginning");
	ok(et_agreement_moves(&a), "now none fits");
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
		skip("one CPU, or no counter");
		return;
	}
	uint64_t began = et_clock_read_ns(CLOCK_MONOTONIC);
	int rc = et_agreement_measure(cpus[0], cpus[1], 500, 1000000000, &a);
	uint64_t took = et_clock_read_ns(CLOCK_MONOTONIC) - began;
	ok(rc == 0 && a.near == cpus[0] && a.far == cpus[1], "two CPUs play");
	ok(took < 5000000000, "in a bounded time: %g s", (double)took / 1e9);
	ok(a.rounds <= 500 && (!a.rounds || a.hi > INT64_MIN), "%u rounds", a.rounds);
	ok(et_agreement_measure(cpus[0], CPU_SETSIZE - 1, 5, 1000000, &a) < 0,
		"a CPU that is not there");
}

int main(void)
{
	test_bounds();
	test_play();
	return tap_done();
}
