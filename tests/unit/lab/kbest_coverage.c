/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of `lab kbest-coverage`, from invocations that are given; oracles are by hand. */
#include "lab/kbest_coverage.h"
#include "base/base.h"
#include "lib/bench/output.h"
#include "num/rng.h"
#include "tap.h"

enum { PROCESSES = 10, SAMPLES = 12, MANY = 300 };

/* An invocation of one function whose processes have these times. */
static struct et_bench_results invocation(const double *ns)
{
	struct et_bench_results r = { .n = 1 };

	r.rows = et_calloc(1, sizeof(*r.rows));
	r.rows->name = et_strdup("f");
	r.rows->slices = et_calloc(PROCESSES, sizeof(*r.rows->slices));
	r.rows->n_slices = PROCESSES;
	for (unsigned i = 0; i < PROCESSES; i++) {
		struct et_slice *s = &r.rows->slices[i];

		*s = (struct et_slice){
			.process = i, .old = true, .calls = 1000000000, .n = SAMPLES
		};
		s->samples = et_calloc(SAMPLES, sizeof(*s->samples));
		for (size_t j = 0; j < SAMPLES; j++)
			s->samples[j].ns = ns[i];
	}
	return r;
}

static void add(struct et_kbest_coverage *c, const double *ns)
{
	struct et_bench_results r = invocation(ns);

	et_kbest_coverage_add(c, &r);
	et_bench_results_free(&r);
}

static void fill(double *ns, double at, double step)
{
	for (int i = 0; i < PROCESSES; i++)
		ns[i] = at + step * (i - (PROCESSES - 1) / 2.0);
}

/* Two invocations agree, the third is far off. */
static void by_hand(void)
{
	struct et_kbest_coverage c = { .level = 0.95 };
	double ns[PROCESSES];

	fill(ns, 100, 0.1);
	add(&c, ns);
	fill(ns, 100.1, 0.1);
	add(&c, ns);
	fill(ns, 104, 0.1);
	add(&c, ns);
	ok(c.n == 1 && c.invocations == 3 && c.rows[0].n == 3, "coverage: three invocations of f");
	ok(c.rows[0].compared == 2 && c.rows[0].alarms == 1, "coverage: one of two pairs differs");
	struct et_kbest_attained a = et_kbest_attained(&c.rows[0]);
	near(a.ns, (100 + 100.1 + 104) / 3, 1e-12, 0, "coverage: the mean of the answers");
	near(a.alarms, 0.5, 0, 0, "coverage: half of the pairs are alarms");
	near(a.another, 2 / 6.0, 1e-12, 0, "coverage: two of six answers of others are covered");
	near(a.long_run, 0, 0, 0, "coverage: no interval contains the mean of the others");
	/* R: 2 * 1.959964 * sd(c(100, 100.1, 104)) / mean(c(100, 100.1, 104)) */
	near(a.spread, 0.08821120380237621, 1e-9, 0, "coverage: what holds 95 %% of the answers");
	ok(a.statistic == ET_BENCH_BEST && a.chosen == 1, "coverage: the best was always chosen");
	et_kbest_coverage_free(&c);
}

/* Processes that vary independently: the promises hold. */
static void promises(void)
{
	struct et_kbest_coverage c = { .level = 0.95 };
	double ns[PROCESSES];
	struct et_rng rng;

	et_rng_seed(&rng, 1, 0);
	for (int i = 0; i < MANY; i++) {
		for (int k = 0; k < PROCESSES; k++)
			ns[k] = 100 * (1 + 0.01 * et_rng_normal(&rng));
		add(&c, ns);
	}
	struct et_kbest_attained a = et_kbest_attained(&c.rows[0]);
	ok(a.lo < 0.05, "coverage: alarms of equal programs, %.1f %%, are at most 5 %%",
		100 * a.alarms);
	ok(a.another > 0.93 && a.another < 0.975, "coverage: %.1f %% of other answers are covered",
		100 * a.another);
	ok(a.width < 3 * a.spread, "coverage: intervals are %.1f times as wide as needed",
		a.width / a.spread);
	et_kbest_coverage_free(&c);
}

static void nothing(void)
{
	struct et_kbest_coverage_row row = { 0 };
	struct et_kbest_attained a = et_kbest_attained(&row);

	ok(isnan(a.ns) && isnan(a.alarms) && isnan(a.another),
		"coverage: without invocations nothing is known");
}

int main(void)
{
	by_hand();
	promises();
	nothing();
	return tap_done();
}
