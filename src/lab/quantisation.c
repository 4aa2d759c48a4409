/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/quantisation.h"
#include "base/base.h"
#include "num/num.h"

double et_quantisation_variance(double periods, double calls)
{
	double each = periods / calls, part = each - floor(each);

	return calls * part * (1 - part);
}

/* One run: a call that begins `u` periods before a sample's due time gets floor(u + length). */
static double count(struct et_rng *rng, double periods, size_t calls)
{
	double each = periods / (double)calls, samples = 0;

	for (size_t i = 0; i < calls; i++)
		samples += floor(et_rng_uniform(rng) + each);
	return samples;
}

void et_quantisation_run(const struct et_simulation *o, struct et_quantisation *out)
{
	ET_AUTO_FREE double *counts = et_calloc(o->repetitions, sizeof(*counts));
	struct et_rng rng;

	*out = (struct et_quantisation){
		.periods = ET_QUANTISATION_PERIODS, .repetitions = o->repetitions, .seed = o->seed
	};
	while (out->n < ET_QUANTISATION_CALLS) {
		struct et_quantisation_point *p = &out->points[out->n];
		double calls = (double)(out->n + 1);
		*p = (struct et_quantisation_point){ .calls = calls,
			.bound_calls = calls / 4,
			.bound_periods = out->periods,
			.theory = et_quantisation_variance(out->periods, calls) };
		et_rng_seed(&rng, o->seed, out->n);
		for (uint32_t i = 0; i < o->repetitions; i++)
			counts[i] = count(&rng, p->bound_periods, (size_t)calls);
		p->simulated = et_variance(counts, o->repetitions);
		p->simulated_mean = et_mean(counts, o->repetitions);
		out->n++;
		if (!et_lab_report_progress(&o->progress, out->n, ET_QUANTISATION_CALLS))
			return;
	}
}
