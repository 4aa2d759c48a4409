/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/watch.h"
#include "base/alloc.h"
#include "num/quantile.h"

#include <math.h>

bool et_sample_is_watched(const struct et_sample *s)
{
	return !s->warmup && s->arrangement == ET_SOLO && s->removal.by != ET_REMOVED_FAILED &&
	       s->removal.by != ET_REMOVED_STOPPED && s->pt_ns != ET_UNKNOWN &&
	       s->et_ns != ET_UNKNOWN;
}

/* The usual time from one start to the next; an interruption does not count. */
static double usual_distance(const struct et_daemon_run *run)
{
	ET_AUTO_FREE double *d = et_calloc(run->n_watched + 1, sizeof(*d));
	size_t n = 0;

	for (size_t i = 1; i < run->n_watched; i++)
		d[n++] = run->watched[i].at_s - run->watched[i - 1].at_s;
	et_sort(d, n);
	double usual = n ? et_median_sorted(d, n) : 0;
	return usual > 0 ? usual : 1e-6;
}

void et_daemon_run_take(
	struct et_daemon_record *r, struct et_daemon_run *run, const struct et_command *c)
{
	uint64_t first_ns = 0;

	*run = (struct et_daemon_run){ .whole = true };
	for (size_t i = 0; i < c->n_samples; i++) {
		const struct et_sample *s = &c->samples[i];
		if (!et_sample_is_watched(s))
			continue;
		if (!run->n_watched)
			first_ns = s->started_wall_ns;
		/* The clock may be set back meanwhile; times are only ever ahead. */
		double at = s->started_wall_ns > first_ns
				    ? 1e-9 * (double)(s->started_wall_ns - first_ns)
				    : 0;
		if (run->n_watched)
			at = fmax(at, run->watched[run->n_watched - 1].at_s);
		struct et_watched *w = et_daemon_run_watch(run, (uint32_t)i + 1, at);
		w->et_ms = 1e-6 * (double)s->et_ns;
		w->pt_ms = 1e-6 * (double)s->pt_ns;
		for (size_t k = 0; k < s->n_interferers; k++) {
			const struct et_interferer *x = &s->interferers[k];
			if (x->pt_ns && x->pt_ns != ET_UNKNOWN)
				et_daemon_run_execution(run,
					et_daemon_record_name(r, et_daemon_of(x)),
					1e-6 * (double)x->pt_ns);
		}
	}
	run->samples = (uint32_t)run->n_watched;
	run->sample_seconds = usual_distance(run);
}
