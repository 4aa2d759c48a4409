/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The self-timed function: its sum with made-up interruptions, and real calls. */
#include "lab/self_timed.h"
#include "clock/counter.h"
#include "num/rng.h"
#include "tap.h"

enum { N = 4000 };

/* Fills in the ticks of a machine that changes its speed, with noise of 1 %; returns their sum. */
static double make(uint32_t *ticks, struct et_rng *rng)
{
	double truth = 0;

	for (int i = 0; i < N; i++) {
		double speed = i < N / 3 ? 20000 : i < N / 2 ? 40000 : 21000;
		ticks[i] = (uint32_t)(speed * (1 + 0.01 * (2 * et_rng_uniform(rng) - 1)));
		truth += ticks[i];
	}
	return truth;
}

static void test_made_up(void)
{
	static uint32_t ticks[N];
	struct et_rng rng;

	et_rng_seed(&rng, 7, 0);
	double truth = make(ticks, &rng);
	near(et_undisturbed_sum(ticks, N, 1.05), truth, 1e-4, 0,
		"undisturbed_sum: without interruptions it is the plain sum");
	ticks[100] += ticks[100] / 2;
	near(et_undisturbed_sum(ticks, N, 2), truth + ticks[100] / 3.0, 1e-7, 0,
		"undisturbed_sum: a block 1.5 times as long is below a limit of 2");
	ticks[100] -= ticks[100] / 3;
	/* Every 50th block has a timer interrupt; during every 500th another process runs for long.
	 */
	for (int i = 10; i < N; i += 50)
		ticks[i] += 9000;
	for (int i = 20; i < N; i += 500)
		ticks[i] += 100000000;
	near(et_undisturbed_sum(ticks, N, 1.05), truth, 5e-4, 0,
		"undisturbed_sum: interruptions are removed");
	ticks[0] = UINT32_MAX;
	ticks[N - 1] = UINT32_MAX;
	near(et_undisturbed_sum(ticks, N, 1.05), truth, 5e-4, 0,
		"undisturbed_sum: interruptions at both ends are removed");
	ticks[0] = 20000;
	near(et_undisturbed_sum(ticks, 1, 1.05), 20000, 0, 0,
		"undisturbed_sum: one block is its own sum");
	near(et_undisturbed_sum(ticks, 0, 1.05), 0, 0, 0,
		"undisturbed_sum: without blocks it is 0");
}

static void test_real(void)
{
	struct et_self_timed f;

	if (!ET_HAVE_COUNTER) {
		skip("this processor has no counter that a program can read");
		return;
	}
	et_self_timed_init(&f, 50, 3);
	uint64_t start = et_counter_start();
	for (int i = 0; i < 5; i++)
		et_self_timed_call(&f);
	double took = (double)(et_counter_stop() - start);
	ok(f.calls == 3, "self_timed: calls beyond the capacity are not noted");
	double sum = 0;
	for (size_t i = 0; i < 3; i++)
		sum += et_self_timed_truth(&f, i);
	ok(sum > 0 && sum <= took,
		"self_timed: true times are above 0 and within the elapsed time");
	for (size_t i = 0; i < 3 * f.blocks; i++)
		f.ticks[i] = (uint32_t)(100 + i / f.blocks);
	f.ticks[7] = 5000;
	ok(et_self_timed_shortest(&f) == 101 * 50,
		"self_timed: the shortest call is chosen including interruptions");
	f.ticks[f.blocks + 7] = 120;
	ok(et_self_timed_shortest(&f) == 101 * 50,
		"self_timed: the truth of the shortest call excludes interruptions");
	double block = et_self_timed_block();
	ok(block > 0 && block * 50 < took, "self_timed: the length of a block");
	et_self_timed_free(&f);
	et_self_timed_init(&f, 1, 0);
	ok(isnan(et_self_timed_shortest(&f)), "self_timed: without calls the truth is NaN");
	et_self_timed_free(&f);
}

int main(void)
{
	test_made_up();
	test_real();
	return tap_done();
}
