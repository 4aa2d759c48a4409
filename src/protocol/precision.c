/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/precision.h"
#include "base/alloc.h"
#include "num/moments.h"
#include "protocol/daemon_run.h"

#include <math.h>

struct et_precision et_precision_of(const double *x, size_t n)
{
	double mean = et_mean(x, n), sd = et_sd(x, n);
	struct et_precision p = { .n = n,
		.mean = mean,
		.sd = sd,
		.relative_error = mean > 0 ? sd / mean : NAN,
		.min = NAN,
		.max = NAN,
		.skewness = et_skewness(x, n),
		.kurtosis = et_kurtosis(x, n) };

	for (size_t i = 0; i < n; i++) {
		p.min = fmin(p.min, x[i]); /* fmin and fmax ignore NaN */
		p.max = fmax(p.max, x[i]);
	}
	return p;
}

size_t et_runs_of(
	const struct et_command *c, enum et_metric m, enum et_runs_counted counted, double *x)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);
	size_t n = 0;

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		if (et_sample_usable_for_daemons(s) && counted & 1 << s->ruling.removal.by)
			x[n++] = (double)(m == ET_METRIC_CPU ? s->measured.cpu_ns
							     : s->measured.elapsed_ns);
	}
	return n;
}

struct et_precision et_runs_precision(
	const struct et_command *c, enum et_metric m, enum et_runs_counted counted)
{
	ET_AUTO_FREE double *x = et_calloc(c->samples.n + 1, sizeof(*x));

	return et_precision_of(x, et_runs_of(c, m, counted, x));
}

void et_counted_judge(const struct et_command *c, struct et_counted *out)
{
	ET_AUTO_FREE double *x = et_calloc(c->samples.n + 1, sizeof(*x));

	out->by[ET_METRIC_ELAPSED] = et_runs_precision(c, ET_METRIC_ELAPSED, ET_RUNS_KEPT);
	out->by[ET_METRIC_CPU] = et_runs_precision(c, ET_METRIC_CPU, ET_RUNS_KEPT);
	out->removed = et_runs_of(c, ET_METRIC_CPU, ET_RUNS_ALL, x) - out->by[ET_METRIC_CPU].n;
}

void et_program_judge(const struct et_command *c, struct et_program_precision *out)
{
	et_counted_judge(c, &out->kept);
	out->by[ET_WAY_ORG] = et_runs_precision(c, ET_METRIC_ELAPSED, ET_RUNS_ALL);
	out->by[ET_WAY_CPU] = et_runs_precision(c, ET_METRIC_CPU, ET_RUNS_ALL);
	out->by[ET_WAY_SEDONA] = et_runs_precision(c, ET_METRIC_CPU, ET_RUNS_BEFORE_SECOND);
	out->by[ET_WAY_EMP] = out->kept.by[ET_METRIC_CPU];
}

/* Means of one figure, over the programs for which every way has it. */
static void average(const struct et_program_precision *list, size_t n,
	double (*figure)(const struct et_precision *p), double out[ET_WAYS])
{
	double sum[ET_WAYS] = { 0 }, programs = 0;

	for (size_t i = 0; i < n; i++) {
		bool known = true;
		for (int way = 0; way < ET_WAYS; way++)
			known = known && isfinite(figure(&list[i].by[way]));
		for (int way = 0; known && way < ET_WAYS; way++)
			sum[way] += figure(&list[i].by[way]);
		programs += known;
	}
	for (int way = 0; way < ET_WAYS; way++)
		out[way] = programs ? sum[way] / programs : NAN;
}

static double sd_of(const struct et_precision *p)
{
	return p->sd;
}

static double relative_error_of(const struct et_precision *p)
{
	return p->relative_error;
}

void et_programs_average(
	const struct et_program_precision *list, size_t n, struct et_program_averages *out)
{
	average(list, n, sd_of, out->sd);
	average(list, n, relative_error_of, out->relative_error);
}
