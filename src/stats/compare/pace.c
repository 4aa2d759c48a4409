/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/pace.h"
#include "base/alloc.h"
#include "num/line.h"
#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/student.h"

#include <math.h>

static const double alpha = 0.05; /* of the test of the coefficient */
enum { FEW = 30 };

static void *logs(const double *x, size_t n)
{
	double *out = et_calloc(n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = log(x[i]);
	return out;
}

/*
 * Estimates the line's value at full speed, where x is 0, with its uncertainty. Overwrites y with
 * the residuals.
 */
static void conclude(
	const struct et_line *line, const double *x, double *y, size_t n, struct et_paced *out)
{
	for (size_t i = 0; i < n; i++)
		y[i] -= line->intercept + line->slope * x[i];
	out->inflation = et_serial_inflation(y, n);
	double error = sqrt(out->inflation) * line->intercept_error;
	out->df = fmax((double)n / out->inflation - 2, 1);
	out->coverage_factor = et_qt(0.5 + out->level / 2, out->df);
	out->mean = exp(line->intercept);
	out->relative_error = line->residual_sd; /* the sd of logarithms is relative already */
	out->standard_uncertainty = out->mean * error;
	out->expanded_uncertainty = out->coverage_factor * out->standard_uncertainty;
	out->lo = exp(line->intercept - out->coverage_factor * error);
	out->hi = exp(line->intercept + out->coverage_factor * error);
}

void et_pace_fit(const double *cpu, const double *lap, size_t n, double level, struct et_paced *out)
{
	*out = (struct et_paced){ .n = n, .level = level };
	out->coefficient = out->coefficient_uncertainty = out->p = out->lap = out->lap_mean = NAN;
	out->mean = out->relative_error = out->inflation = out->df = NAN;
	out->standard_uncertainty = out->coverage_factor = out->expanded_uncertainty = NAN;
	out->lo = out->hi = NAN;
	if (n < ET_PACE_LEAST) {
		out->why = "the reference loop ran in too few samples; take more (--runs)";
		return;
	}
	ET_AUTO_FREE double *x = logs(lap, n), *y = logs(cpu, n), *sorted = et_sorted_copy(lap, n);
	struct et_line line;
	out->lap = et_quantile_sorted(sorted, n, 0.1);
	out->lap_mean = exp(et_mean(x, n));
	for (size_t i = 0; i < n; i++)
		x[i] -= log(out->lap);
	et_line_fit(x, y, n, &line);
	out->coefficient = line.slope;
	out->coefficient_uncertainty = line.slope_error;
	if (line.slope_error > 0) /* if it is 0, all points are on the line */
		out->p = et_pt_two_sided(line.slope / line.slope_error, (double)n - 2);
	/* A negative slope has no physical meaning: the loop then does not predict the program. */
	if (!(line.slope > 0) || out->p > alpha)
		out->why = n < FEW ? "too few runs to relate the reference loop's speed to this "
				     "program's; take more (--runs 30)"
				   : "the reference loop's speed does not predict this program's";
	else
		conclude(&line, x, y, n, out);
}

/* Collects CPU times and durations of a lap. Returns their number, in *paced that of all samples.
 */
static size_t collect(const struct et_command *c, double *cpu, double *lap, size_t *paced)
{
	size_t n = 0;

	*paced = 0;
	et_for_each_sample(s, &c->samples) {
		if (s->place.warmup || s->ruling.removal.by != ET_KEPT ||
			s->place.arrangement != ET_PACED || s->measured.cpu_ns == ET_UNKNOWN ||
			!s->measured.cpu_ns)
			continue;
		++*paced;
		if (s->measured.pace_ns == ET_UNKNOWN || s->measured.pace_loops == ET_UNKNOWN ||
			!s->measured.pace_ns || s->measured.pace_loops < ET_PACE_LAPS)
			continue;
		cpu[n] = (double)s->measured.cpu_ns;
		lap[n++] = (double)s->measured.pace_ns / (double)s->measured.pace_loops;
	}
	return n;
}

void et_pace_judge(const struct et_command *c, double level, struct et_paced *out)
{
	ET_AUTO_FREE double *cpu = et_calloc(c->samples.n + 1, sizeof(*cpu));
	ET_AUTO_FREE double *lap = et_calloc(c->samples.n + 1, sizeof(*lap));
	size_t paced, n = collect(c, cpu, lap, &paced);

	*out = (struct et_paced){ 0 };
	if (paced)
		et_pace_fit(cpu, lap, n, level, out);
}

size_t et_pace_correct(const struct et_command *c, const struct et_paced *p, double *x)
{
	ET_AUTO_FREE double *lap = et_calloc(c->samples.n + 1, sizeof(*lap));
	size_t paced, n = collect(c, x, lap, &paced);

	for (size_t i = 0; i < n; i++)
		x[i] *= pow(p->lap / lap[i], p->coefficient);
	return isfinite(p->mean) ? n : 0;
}
