/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coverage on the path of `run --protocol emp`: normal times, checked by et_sanity_check and judged
 * by et_judge. Check II removes values from six samples on, and the interval must allow for it. The
 * seeds are fixed; the margin is three Monte-Carlo standard deviations.
 */
#include "base/base.h"
#include "num/rng.h"
#include "protocol/sanity.h"
#include "stats/compare/judge.h"
#include "tap.h"

#include <math.h>

static const double MEAN = 50e6, SD = 1e6;
enum { TRIES = 3000 };

static struct et_experiment *measure(size_t n, enum et_metric metric, struct et_rng *rng)
{
	struct et_experiment *e = et_experiment_new();

	e->protocol = ET_PROTOCOL_EMP;
	e->metric = metric;
	et_experiment_add_command(e, et_strdup("normal"), et_calloc(1, sizeof(char *)));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t judged = (uint64_t)(MEAN + SD * et_rng_normal(rng));
		uint64_t other = (uint64_t)(2 * MEAN + SD * et_rng_normal(rng));
		bool cpu = metric == ET_METRIC_CPU;
		struct et_sample s = { .place = { .order = i + 1, .round = i + 1, .partner = -1 },
			.measured = { .elapsed_ns = cpu ? other : judged,
				.cpu_ns = cpu ? judged : other,
				.probe_before_ns = ET_UNKNOWN,
				.probe_after_ns = ET_UNKNOWN } };
		et_experiment_add(e, &s);
	}
	return e;
}

static void cover(size_t n, enum et_metric metric)
{
	size_t covered = 0, removed = 0, changed;
	struct et_judgement j;
	struct et_rng rng;

	et_rng_seed(&rng, n, metric);
	for (int k = 0; k < TRIES; k++) {
		struct et_experiment *e = measure(n, metric, &rng);
		free(et_sanity_check(e, NULL, &changed));
		et_judge(e, &j);
		const struct et_estimate *est = et_result_estimate(&j.commands[0]);
		covered += est->lo <= MEAN && MEAN <= est->hi;
		removed += j.commands[0].removed;
		et_judgement_free(&j);
		et_experiment_free(e);
	}
	double rate = (double)covered / TRIES, margin = 3 * sqrt(0.95 * 0.05 / TRIES);
	ok(rate >= 0.95 - margin && rate <= 0.98 + margin,
		"emp: the interval of %zu normal values of %s covers in %.1f %% (%.1f %% are "
		"removed)",
		n, et_metrics[metric].label, 100 * rate,
		100.0 * (double)removed / (double)n / TRIES);
	ok(n < 6 ? removed == 0 : removed > 0, "emp: check II %s of %zu values",
		n < 6 ? "removes none" : "removes some", n);
}

int main(void)
{
	static const size_t sizes[] = { 5, 6, 7, 8, 9, 10, 20 };

	for (size_t i = 0; i < ET_LENGTH(sizes); i++)
		cover(sizes[i], ET_METRIC_CPU);
	cover(9, ET_METRIC_ELAPSED);
	return tap_done();
}
