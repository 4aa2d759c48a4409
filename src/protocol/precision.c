/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/precision.h"
#include "base/alloc.h"
#include "num/moments.h"
#include "protocol/daemon_run.h"

#include <math.h>

/* The usable runs of a command. */
struct series {
	struct run {
		uint64_t elapsed_ns, cpu_ns, counter_ticks;
		bool removed;
	} * runs;
	size_t n;
};

static void open_series(const struct et_command *c, struct series *s)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);

	*s = (struct series){ .runs = et_calloc(c->samples.n + 1, sizeof(*s->runs)) };
	for (const struct et_sample *one; (one = et_sample_reader_next(&r));) {
		if (et_sample_usable_for_daemons(one))
			s->runs[s->n++] = (struct run){ one->measured.elapsed_ns,
				one->measured.cpu_ns, one->measured.counter_ticks,
				one->ruling.removal.by != ET_KEPT };
	}
}

static void close_series(struct series *s)
{
	free(s->runs);
}

struct et_precision et_precision_of(const double *x, size_t n)
{
	double mean = et_mean(x, n), sd = et_sd(x, n);
	struct et_precision p = { .n = n,
		.mean = mean,
		.sd = sd,
		.relative_error = mean > 0 ? sd / mean : NAN,
		.min = NAN,
		.max = NAN };

	for (size_t i = 0; i < n; i++) {
		p.min = fmin(p.min, x[i]); /* fmin and fmax ignore NaN */
		p.max = fmax(p.max, x[i]);
	}
	return p;
}

/* Collects CPU or elapsed times, with or without removed runs; returns their number. */
static size_t values(const struct series *s, bool with_removed, enum et_metric m, double *x)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (with_removed || !s->runs[i].removed)
			x[n++] = (double)(m == ET_METRIC_CPU ? s->runs[i].cpu_ns
							     : s->runs[i].elapsed_ns);
	}
	return n;
}

static struct et_precision precision(const struct series *s, bool with_removed, enum et_metric m)
{
	ET_AUTO_FREE double *x = et_calloc(s->n + 1, sizeof(*x));

	return et_precision_of(x, values(s, with_removed, m, x));
}

struct et_precision et_every_run(const struct et_command *c, enum et_metric m)
{
	struct series s;

	open_series(c, &s);
	struct et_precision p = precision(&s, true, m);
	close_series(&s);
	return p;
}

void et_counted_judge(const struct et_command *c, struct et_counted *out)
{
	struct series s;

	open_series(c, &s);
	out->by[ET_METRIC_ELAPSED] = precision(&s, false, ET_METRIC_ELAPSED);
	out->by[ET_METRIC_CPU] = precision(&s, false, ET_METRIC_CPU);
	out->removed = s.n - out->by[ET_METRIC_CPU].n;
	close_series(&s);
}

void et_program_judge(const struct et_command *c, struct et_program_precision *out)
{
	out->org = et_every_run(c, ET_METRIC_ELAPSED);
	et_counted_judge(c, &out->kept);
}

void et_programs_average(
	const struct et_program_precision *list, size_t n, struct et_program_averages *out)
{
	struct et_program_averages sum = { 0 };
	double sds = 0, errors = 0;

	for (size_t i = 0; i < n; i++) {
		const struct et_precision *org = &list[i].org;
		const struct et_precision *sedona = &list[i].kept.by[ET_METRIC_CPU];
		if (isfinite(org->sd) && isfinite(sedona->sd)) {
			sum.org_sd += org->sd;
			sum.sedona_sd += sedona->sd;
			sds++;
		}
		if (isfinite(org->relative_error) && isfinite(sedona->relative_error)) {
			sum.org_relative_error += org->relative_error;
			sum.sedona_relative_error += sedona->relative_error;
			errors++;
		}
	}
	*out = (struct et_program_averages){ .org_sd = sds ? sum.org_sd / sds : NAN,
		.sedona_sd = sds ? sum.sedona_sd / sds : NAN,
		.org_relative_error = errors ? sum.org_relative_error / errors : NAN,
		.sedona_relative_error = errors ? sum.sedona_relative_error / errors : NAN };
}
