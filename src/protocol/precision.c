/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/precision.h"
#include "base/parse.h"
#include "base/whole.h"
#include "num/moments.h"
#include "protocol/daemons.h"
#include "protocol/sanity.h"

static struct et_precision precision_of(const double *x, size_t n)
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
	size_t n = 0;

	et_for_each_sample(s, &c->samples) {
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

	return precision_of(x, et_runs_of(c, m, counted, x));
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

/* Means of the figure at this offset, over the programs for which every way has it. */
static void average(
	const struct et_program_precision *list, size_t n, size_t offset, double out[ET_WAYS])
{
	double sum[ET_WAYS] = { 0 }, programs = 0;

	for (size_t i = 0; i < n; i++) {
		double x[ET_WAYS];
		bool known = true;
		for (int way = 0; way < ET_WAYS; way++) {
			memcpy(&x[way], (const char *)&list[i].by[way] + offset, sizeof(x[way]));
			known = known && isfinite(x[way]);
		}
		for (int way = 0; known && way < ET_WAYS; way++)
			sum[way] += x[way];
		programs += known;
	}
	for (int way = 0; way < ET_WAYS; way++)
		out[way] = programs ? sum[way] / programs : NAN;
}

void et_programs_average(
	const struct et_program_precision *list, size_t n, struct et_program_averages *out)
{
	average(list, n, offsetof(struct et_precision, sd), out->sd);
	average(list, n, offsetof(struct et_precision, relative_error), out->relative_error);
}

/* --- by clock --- */

static double known(uint64_t x)
{
	return x == ET_UNKNOWN ? NAN : (double)x;
}

static struct et_clock_run run_of(const struct et_sample *s, const struct et_inside *inside)
{
	size_t i = s->place.index - 1;
	struct et_inside_reading own = { ET_UNKNOWN, ET_UNKNOWN };

	if (inside && i < inside->n)
		own = inside->runs[i];
	return (struct et_clock_run){ .by = { [ET_CLOCK_INSIDE] = known(own.clock_ns),
					      [ET_COUNTER_INSIDE] = known(own.counter_ticks),
					      [ET_CLOCK_AROUND] = known(s->measured.elapsed_ns),
					      [ET_COUNTER_AROUND] =
						      known(s->measured.counter_ticks),
					      [ET_BY_EMP] = known(s->measured.cpu_ns) },
		.removed = s->ruling.removal.by != ET_KEPT };
}

/* The rate of the counter, by the runs in which both were read. */
static double counter_hz(const struct et_clock_methods *m)
{
	double ticks = 0, ns = 0;

	for (size_t i = 0; i < m->n; i++) {
		const double *by = m->runs[i].by;
		if (isnan(by[ET_COUNTER_AROUND]) || isnan(by[ET_CLOCK_AROUND]))
			continue;
		ticks += by[ET_COUNTER_AROUND];
		ns += by[ET_CLOCK_AROUND];
	}
	return ns > 0 ? 1e9 * ticks / ns : NAN;
}

void et_clock_methods_judge(
	const struct et_command *c, const struct et_inside *inside, struct et_clock_methods *out)
{
	struct et_clock_methods m = { .name = c->name,
		.runs = et_calloc(c->samples.n + 1, sizeof(*m.runs)) };
	ET_AUTO_FREE double *x = et_calloc(c->samples.n + 1, sizeof(*x));

	et_for_each_sample(s, &c->samples) {
		if (et_sample_usable_for_daemons(s))
			m.runs[m.n++] = run_of(s, inside);
	}
	for (int k = 0; k < ET_CLOCK_METHODS; k++) {
		size_t n = 0;
		for (size_t i = 0; i < m.n; i++) {
			if (!isnan(m.runs[i].by[k]) && !(k == ET_BY_EMP && m.runs[i].removed))
				x[n++] = m.runs[i].by[k];
		}
		m.by[k] = precision_of(x, n);
	}
	m.counter_hz = counter_hz(&m);
	*out = m;
}

void et_clock_methods_free(struct et_clock_methods *m)
{
	free(m->runs);
}

/* --- before and after the checks --- */

/* The run as an experiment by the protocol, in which nothing but its daemons is known. */
static struct et_experiment *experiment_of(
	const struct et_daemon_record *r, const struct et_daemon_run *run, enum et_metric metric)
{
	struct et_experiment *e = et_experiment_new();

	e->protocol = ET_PROTOCOL_EMP;
	e->metric = metric;
	e->metric_auto = false;
	et_experiment_add_command(e, et_strdup(""), et_strv_of("", NULL));
	for (size_t i = 0; i < run->n_listed; i++) {
		const struct et_daemon_sample *from = &run->listed[i];
		struct et_sample s = {
			.place = { .arrangement = ET_SOLO, .order = from->number, .partner = -1 },
			.measured = { .elapsed_ns = et_u64(1e6 * from->elapsed_ms),
				.cpu_ns = et_u64(1e6 * from->cpu_ms),
				.steal_ns = ET_UNKNOWN,
				.probe_before_ns = ET_UNKNOWN,
				.probe_after_ns = ET_UNKNOWN,
				.n_culprits = from->n,
				.culprits = et_calloc(from->n + 1, sizeof(struct et_culprit)) },
		};
		for (size_t k = 0; k < from->n; k++) {
			const struct et_execution *x = &run->executions[from->first + k];
			struct et_culprit *to = &s.measured.culprits[k];
			to->cpu_ns = et_u64(1e6 * x->cpu_ms);
			to->on_our_cpu_ns =
				isnan(x->ours_ms) ? ET_UNKNOWN : et_u64(1e6 * x->ours_ms);
			snprintf(to->name, sizeof(to->name), "%s", r->names[x->name]);
		}
		et_experiment_add(e, &s);
		et_sample_free(&s);
	}
	return e;
}

struct et_checked et_checked_find(const char *name, const struct et_daemon_record *r,
	const struct et_daemon_run *run, const struct et_cutoffs *cutoffs, enum et_metric metric)
{
	struct et_checked out = { .name = et_strdup(name), .metric = metric };
	struct et_experiment *e = experiment_of(r, run, metric);
	ET_AUTO_FREE struct et_cutoff *list = et_calloc(cutoffs->n + 1, sizeof(*list));
	ET_AUTO_FREE double *all = et_calloc(run->n_listed + 1, sizeof(*all));
	ET_AUTO_FREE double *kept = et_calloc(run->n_listed + 1, sizeof(*kept));
	struct et_cutoffs c = *cutoffs;
	size_t n_kept = 0, changed;

	/* A time must reach these to be certainly above the cutoffs. */
	for (size_t i = 0; i < c.n; i++) {
		list[i] = c.list[i];
		for (int k = 0; k < list[i].n_final; k++)
			list[i].final_ms[k] += r->resolution_ms / 2;
	}
	c.list = list;
	free(et_sanity_check(e, &c, &changed));
	out.first = e->first_check.state;
	ET_AUTO_READER struct et_sample_reader reader =
		et_samples_read_figures(&e->commands[0].samples);
	for (const struct et_sample *s; (s = et_sample_reader_next(&reader));) {
		double ms = 1e-6 * (double)et_sample_metric(s, metric);
		all[out.samples++] = ms;
		if (s->ruling.removal.by == ET_KEPT)
			kept[n_kept++] = ms;
		out.by_daemons += s->ruling.removal.by == ET_REMOVED_DAEMON_CUTOFF;
		out.by_value += s->ruling.removal.by == ET_REMOVED_TWO_SIGMA;
	}
	out.before = precision_of(all, out.samples);
	out.after = precision_of(kept, n_kept);
	et_sample_reader_end(&reader);
	et_experiment_free(e);
	return out;
}

void et_checked_free(struct et_checked *c)
{
	free(c->name);
}
