/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/checked.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "base/whole.h"
#include "num/moments.h"
#include "protocol/sanity.h"

#include <math.h>

static struct et_sample sample_of(const struct et_daemon_sample *from)
{
	return (struct et_sample){
		.place = { .arrangement = ET_SOLO, .order = from->number, .partner = -1 },
		.measured = { .elapsed_ns = et_u64(1e6 * from->elapsed_ms),
			.cpu_ns = et_u64(1e6 * from->cpu_ms),
			.steal_ns = ET_UNKNOWN,
			.probe_before_ns = ET_UNKNOWN,
			.probe_after_ns = ET_UNKNOWN },
	};
}

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
		struct et_sample s = sample_of(from);

		s.measured.n_culprits = from->n;
		s.measured.culprits = et_calloc(from->n + 1, sizeof(*s.measured.culprits));
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

/* The cutoffs that a time must reach to be certainly above them. */
static struct et_cutoff *certain(const struct et_daemon_record *r, const struct et_cutoffs *c)
{
	struct et_cutoff *list = et_calloc(c->n + 1, sizeof(*list));

	for (size_t i = 0; i < c->n; i++) {
		list[i] = c->list[i];
		for (int k = 0; k < list[i].n_final; k++)
			list[i].final_ms[k] += r->resolution_ms / 2;
	}
	return list;
}

static struct et_precision precision_of(const double *x, size_t n)
{
	struct et_precision p = { .n = n, .mean = et_mean(x, n), .sd = et_sd(x, n) };

	p.relative_error = p.mean > 0 ? p.sd / p.mean : NAN;
	p.min = p.max = n ? x[0] : NAN;
	for (size_t i = 0; i < n; i++) {
		p.min = fmin(p.min, x[i]);
		p.max = fmax(p.max, x[i]);
	}
	return p;
}

struct et_checked et_checked_find(const char *name, const struct et_daemon_record *r,
	const struct et_daemon_run *run, const struct et_cutoffs *cutoffs, enum et_metric metric)
{
	struct et_checked out = { .name = et_strdup(name), .metric = metric };
	struct et_experiment *e = experiment_of(r, run, metric);
	ET_AUTO_FREE struct et_cutoff *list = certain(r, cutoffs);
	ET_AUTO_FREE double *all = et_calloc(run->n_listed + 1, sizeof(*all));
	ET_AUTO_FREE double *kept = et_calloc(run->n_listed + 1, sizeof(*kept));
	struct et_cutoffs c = *cutoffs;
	size_t n_kept = 0, changed;

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
