/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/precision.h"
#include "base/alloc.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "protocol/daemon_run.h"
#include "protocol/daemons.h"
#include "protocol/samplesize.h"
#include "protocol/sanity.h"

#include <math.h>

/* The usable runs of a command, their culprits, and the runs that each version excludes. */
struct series {
	const struct et_command *command;
	struct run {
		uint64_t elapsed_ns, cpu_ns, counter_ticks;
		bool removed;
	} * runs;
	size_t n;
	struct et_daemon_record beside; /* one listed sample per run */
	bool *out[ET_VERSIONS];
};

static void open_series(const struct et_command *c, struct series *s)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);

	*s = (struct series){ .command = c, .runs = et_calloc(c->samples.n + 1, sizeof(*s->runs)) };
	for (const struct et_sample *one; (one = et_sample_reader_next(&r));) {
		if (et_sample_usable_for_daemons(one))
			s->runs[s->n++] = (struct run){ one->measured.elapsed_ns,
				one->measured.cpu_ns, one->measured.counter_ticks,
				one->ruling.removal.by != ET_KEPT };
	}
	et_daemon_run_fill(&s->beside, &s->beside.short_run, c);
	et_daemon_record_settle(&s->beside);
	for (int v = 0; v < ET_VERSIONS; v++)
		s->out[v] = et_calloc(s->n + 1, sizeof(bool));
}

static void close_series(struct series *s)
{
	for (int v = 0; v < ET_VERSIONS; v++)
		free(s->out[v]);
	et_daemon_record_free(&s->beside);
	free(s->runs);
}

static struct et_precision precision_of(const double *x, size_t n)
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

/* Collects CPU or elapsed times of runs that are not excluded; returns their number. */
static size_t values(const struct series *s, const bool *out, enum et_metric m, double *x)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (!out[i])
			x[n++] = (double)(m == ET_METRIC_CPU ? s->runs[i].cpu_ns
							     : s->runs[i].elapsed_ns);
	}
	return n;
}

static void count(const struct series *s, const bool *out, struct et_counted *counted)
{
	ET_AUTO_FREE double *x = et_calloc(s->n + 1, sizeof(*x));
	size_t n = values(s, out, ET_METRIC_ELAPSED, x);

	counted->by[ET_METRIC_ELAPSED] = precision_of(x, n);
	counted->by[ET_METRIC_CPU] = precision_of(x, values(s, out, ET_METRIC_CPU, x));
	counted->removed = s->n - n;
}

static void judge_environment(struct series *s, bool (*stoppable)(const char *comm))
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read(&s->command->samples);
	size_t i = 0;

	for (const struct et_sample *one; (one = et_sample_reader_next(&r));) {
		if (!et_sample_usable_for_daemons(one))
			continue;
		for (size_t k = 0; k < one->measured.n_culprits; k++) {
			const struct et_culprit *x = &one->measured.culprits[k];
			if (x->cpu_ns && x->cpu_ns != ET_UNKNOWN && stoppable(x->name))
				s->out[ET_EMP_V2][i] = true;
		}
		/* Later versions also run in the controlled environment. */
		for (int v = ET_EMP_V3; v <= ET_EMP_V6; v++)
			s->out[v][i] = s->out[ET_EMP_V2][i];
		i++;
	}
}

/* The number of runs in which each process is seen. */
static size_t *appearances(const struct et_daemon_record *r)
{
	const struct et_daemon_run *run = &r->short_run;
	size_t *seen = et_calloc(r->n_names + 1, sizeof(*seen));
	ET_AUTO_FREE size_t *last = et_calloc(r->n_names + 1, sizeof(*last));

	for (size_t i = 0; i < run->n_listed; i++) {
		const struct et_daemon_sample *w = &run->listed[i];
		for (size_t k = w->first; k < w->first + w->n; k++) {
			uint32_t name = run->executions[k].name;
			seen[name] += last[name] != i + 1;
			last[name] = i + 1;
		}
	}
	return seen;
}

/* The mean + 2 sd of each daemon's executions; one execution is its own mean. */
static double *usual_bounds(const struct et_daemon_record *r)
{
	const struct et_daemon_run *run = &r->short_run;
	double *bounds = et_calloc(r->n_names + 1, sizeof(*bounds));
	ET_AUTO_FREE double *n = et_calloc(r->n_names + 1, sizeof(*n));
	ET_AUTO_FREE double *mean = et_calloc(r->n_names + 1, sizeof(*mean));
	ET_AUTO_FREE double *squares = et_calloc(r->n_names + 1, sizeof(*squares));

	for (size_t k = 0; k < run->n_executions; k++) { /* Welford 1962: one pass */
		uint32_t name = run->executions[k].name;
		double off = run->executions[k].ms - mean[name];
		mean[name] += off / ++n[name];
		squares[name] += off * (run->executions[k].ms - mean[name]);
	}
	for (size_t i = 0; i < r->n_names; i++)
		bounds[i] = mean[i] + (n[i] > 1 ? 2 * sqrt(squares[i] / (n[i] - 1)) : 0);
	return bounds;
}

static void judge_company(struct series *s)
{
	const struct et_daemon_run *run = &s->beside.short_run;
	ET_AUTO_FREE size_t *seen = appearances(&s->beside);
	ET_AUTO_FREE double *bounds = usual_bounds(&s->beside);

	for (size_t i = 0; i < s->n; i++) {
		const struct et_daemon_sample *w = &run->listed[i];
		for (size_t k = w->first; k < w->first + w->n; k++) {
			const struct et_execution *x = &run->executions[k];
			if (2 * seen[x->name] < s->n)
				s->out[ET_EMP_V3][i] = true;
			if (x->ms > bounds[x->name])
				s->out[ET_EMP_V4][i] = true;
		}
	}
}

static void judge_cutoffs(struct series *s)
{
	struct et_daemon_findings f;

	if (et_daemons_analyse(&s->beside, "", &f, NULL))
		return; /* too few runs to see an L-shape */
	for (size_t i = 0; i < s->n; i++) {
		if (f.short_run.removed[i])
			s->out[ET_EMP_V5][i] = s->out[ET_EMP_V6][i] = true;
	}
	et_daemon_findings_free(&f);
}

static void judge_two_sigma(struct series *s)
{
	ET_AUTO_FREE double *x = et_calloc(s->n + 1, sizeof(*x));
	size_t n = values(s, s->out[ET_EMP_V5], ET_METRIC_CPU, x);
	double mean = et_mean(x, n), sd = et_sd(x, n);

	for (size_t i = 0; n >= ET_TWO_SIGMA_LEAST && i < s->n; i++) {
		if (fabs((double)s->runs[i].cpu_ns - mean) > 2 * sd)
			s->out[ET_EMP_V6][i] = true;
	}
}

static void judge_recorded(struct series *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->out[ET_OURS][i] = s->runs[i].removed;
}

static size_t enough(const struct series *s)
{
	ET_AUTO_FREE double *x = et_calloc(s->n + 1, sizeof(*x));
	size_t n = values(s, s->out[ET_EMP_V6], ET_METRIC_CPU, x);
	struct et_samplesize z;

	if (n < 2 * ET_SIZE_LEAST)
		return 0;
	et_samplesize(x, n, 0.95, &z);
	return z.recommended;
}

static double median_seconds(const struct series *s)
{
	ET_AUTO_FREE double *x = et_calloc(s->n + 1, sizeof(*x));
	size_t n = values(s, s->out[ET_EMP_V1], ET_METRIC_ELAPSED, x);

	et_sort(x, n);
	return n ? 1e-9 * et_median_sorted(x, n) : NAN;
}

void et_versions_judge(
	const struct et_command *c, bool (*stoppable)(const char *comm), struct et_versions *out)
{
	struct series s;

	open_series(c, &s);
	judge_environment(&s, stoppable);
	judge_company(&s);
	judge_cutoffs(&s);
	judge_two_sigma(&s);
	judge_recorded(&s);
	*out = (struct et_versions){ .name = c->name, .seconds = median_seconds(&s) };
	for (int v = 0; v < ET_VERSIONS; v++)
		count(&s, s.out[v], &out->list[v]);
	out->enough = enough(&s);
	close_series(&s);
}

void et_counted_judge(const struct et_command *c, struct et_counted *out)
{
	struct series s;

	open_series(c, &s);
	judge_recorded(&s);
	count(&s, s.out[ET_OURS], out);
	close_series(&s);
}

void et_program_judge(const struct et_command *c, struct et_program_precision *out)
{
	struct et_counted every;
	struct series s;

	open_series(c, &s);
	count(&s, s.out[ET_EMP_V1], &every);
	judge_recorded(&s);
	count(&s, s.out[ET_OURS], &out->kept);
	out->org = every.by[ET_METRIC_ELAPSED];
	close_series(&s);
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

void et_clock_methods_judge(const struct et_command *c, struct et_clock_methods *out)
{
	struct et_counted kept;
	struct series s;
	size_t n = 0;

	et_counted_judge(c, &kept);
	open_series(c, &s);
	ET_AUTO_FREE double *ns = et_calloc(s.n + 1, sizeof(*ns));
	ET_AUTO_FREE double *ticks = et_calloc(s.n + 1, sizeof(*ticks));
	*out = (struct et_clock_methods){ .name = c->name };
	out->by[ET_BY_CLOCK] =
		precision_of(ns, values(&s, s.out[ET_EMP_V1], ET_METRIC_ELAPSED, ns));
	for (size_t i = 0; i < s.n; i++) {
		if (s.runs[i].counter_ticks == ET_UNKNOWN)
			continue;
		ns[n] = (double)s.runs[i].elapsed_ns;
		ticks[n++] = (double)s.runs[i].counter_ticks;
	}
	out->by[ET_BY_COUNTER] = precision_of(ticks, n);
	out->counter_hz = n ? 1e9 * et_mean(ticks, n) / et_mean(ns, n) : NAN;
	out->by[ET_BY_EMP] = kept.by[ET_METRIC_CPU];
	close_series(&s);
}
