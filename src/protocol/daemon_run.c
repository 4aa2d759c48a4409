/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/daemon_run.h"
#include "base/alloc.h"
#include "num/quantile.h"

#include <math.h>

bool et_sample_usable_for_daemons(const struct et_sample *s)
{
	return !s->place.warmup && s->place.arrangement == ET_SOLO &&
	       s->ruling.removal.by != ET_REMOVED_FAILED &&
	       s->ruling.removal.by != ET_REMOVED_STOPPED && s->measured.cpu_ns != ET_UNKNOWN &&
	       s->measured.elapsed_ns != ET_UNKNOWN;
}

/* The median time between successive starts, which the pause of a resumed run does not move. */
static double usual_distance(const struct et_daemon_run *run)
{
	ET_AUTO_FREE double *d = et_calloc(run->n_listed + 1, sizeof(*d));
	size_t n = 0;

	for (size_t i = 1; i < run->n_listed; i++)
		d[n++] = run->listed[i].at_s - run->listed[i - 1].at_s;
	et_sort(d, n);
	double usual = n ? et_median_sorted(d, n) : 0;
	return usual > 0 ? usual : 1e-6;
}

/*
 * The number of a sample: its place in the order of execution, from the first usable one on.
 * Damaged records may hold samples out of order, which are successive to none.
 */
static uint32_t number_of(
	const struct et_daemon_run *run, const struct et_sample *s, uint32_t first_order)
{
	uint32_t last = run->n_listed ? run->listed[run->n_listed - 1].number : 0;
	uint32_t order = s->place.order - first_order + 1;

	return s->place.order >= first_order && order > last ? order : last + 2;
}

void et_daemon_run_fill(
	struct et_daemon_record *r, struct et_daemon_run *run, const struct et_command *c)
{
	ET_AUTO_READER struct et_sample_reader reader = et_samples_read(&c->samples);
	uint64_t first_ns = 0;
	uint32_t first_order = 0;

	*run = (struct et_daemon_run){ .whole = true };
	for (const struct et_sample *s; (s = et_sample_reader_next(&reader));) {
		if (!et_sample_usable_for_daemons(s))
			continue;
		if (!run->n_listed) {
			first_ns = s->measured.started_wall_ns;
			first_order = s->place.order;
		}
		/* The wall clock may be set back; start times must not decrease. */
		double at = s->measured.started_wall_ns > first_ns
				    ? 1e-9 * (double)(s->measured.started_wall_ns - first_ns)
				    : 0;
		if (run->n_listed)
			at = fmax(at, run->listed[run->n_listed - 1].at_s);
		struct et_daemon_sample *w =
			et_daemon_run_add(run, number_of(run, s, first_order), at);
		w->elapsed_ms = 1e-6 * (double)s->measured.elapsed_ns;
		w->cpu_ms = 1e-6 * (double)s->measured.cpu_ns;
		for (size_t k = 0; k < s->measured.n_culprits; k++) {
			const struct et_culprit *x = &s->measured.culprits[k];
			if (!x->cpu_ns || x->cpu_ns == ET_UNKNOWN)
				continue;
			struct et_execution *to = et_daemon_run_execution(run,
				et_daemon_record_name(r, et_daemon_of(x)),
				1e-6 * (double)x->cpu_ns);
			if (s->measured.others_ns != ET_UNKNOWN && x->on_our_cpu_ns != ET_UNKNOWN)
				to->ours_ms = 1e-6 * (double)x->on_our_cpu_ns;
		}
	}
	run->samples = (uint32_t)run->n_listed;
	run->sample_seconds = usual_distance(run);
}
