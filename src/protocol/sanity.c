/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/sanity.h"
#include "base/alloc.h"
#include "num/moments.h"
#include "num/quantile.h"

#include <math.h>
#include <string.h>

/* What a sample said before. */
struct before {
	struct et_removal removal;
	uint32_t marks;
};

static bool is_ours(enum et_removed_by by)
{
	return by == ET_REMOVED_DAEMON_CUTOFF || by == ET_REMOVED_TWO_SIGMA;
}

static bool is_judged(const struct et_sample *s)
{
	return !s->warmup && s->removal.by == ET_KEPT;
}

double et_command_seconds(const struct et_command *c)
{
	ET_AUTO_FREE double *x = et_calloc(c->n_samples + 1, sizeof(*x));
	size_t n = 0;

	for (size_t i = 0; i < c->n_samples; i++) {
		if (is_judged(&c->samples[i]) && c->samples[i].et_ns != ET_UNKNOWN)
			x[n++] = 1e-9 * (double)c->samples[i].et_ns;
	}
	et_sort(x, n);
	return n ? et_median_sorted(x, n) : NAN;
}

bool et_cutoffs_fit(const struct et_cutoffs *c, double seconds)
{
	return seconds <= 2 * fmax(c->short_seconds, c->long_seconds); /* of NaN: the other */
}

static const struct et_cutoff *find(const struct et_cutoffs *c, const char *daemon)
{
	/* The kernel cuts names at 15 bytes; those in a record may be longer. */
	for (size_t i = 0; i < c->n; i++) {
		if (!strncmp(c->list[i].daemon, daemon, 15))
			return &c->list[i];
	}
	return NULL;
}

static void check_daemons(
	struct et_sample *s, const struct et_cutoffs *cutoffs, double seconds, bool keep)
{
	for (size_t i = 0; i < s->n_interferers; i++) {
		const struct et_interferer *x = &s->interferers[i];
		const struct et_cutoff *c = find(cutoffs, et_daemon_of(x));
		double cutoff_ns = c ? 1e6 * et_cutoff_for(c, seconds) : INFINITY;

		if (x->pt_ns == ET_UNKNOWN || !((double)x->pt_ns > cutoff_ns))
			continue;
		if (keep) {
			s->marks |= ET_MARK_DAEMON;
			return;
		}
		s->removal = (struct et_removal){ .by = ET_REMOVED_DAEMON_CUTOFF,
			.pt_ns = x->pt_ns,
			.cutoff_ns = (uint64_t)cutoff_ns };
		snprintf(s->removal.daemon, sizeof(s->removal.daemon), "%s", et_daemon_of(x));
		return;
	}
}

static bool counts(const struct et_sample *s)
{
	return is_judged(s) && s->arrangement == ET_SOLO && s->pt_ns != ET_UNKNOWN &&
	       !(s->marks & ET_MARK_DAEMON);
}

static void check_two_sigma(struct et_command *c, bool keep)
{
	ET_AUTO_FREE double *x = et_calloc(c->n_samples + 1, sizeof(*x));
	size_t n = 0;

	for (size_t i = 0; i < c->n_samples; i++) {
		if (counts(&c->samples[i]))
			x[n++] = (double)c->samples[i].pt_ns;
	}
	if (n < ET_TWO_SIGMA_LEAST)
		return;
	double mean = et_mean(x, n), sd = et_sd(x, n);
	for (size_t i = 0; i < c->n_samples; i++) {
		struct et_sample *s = &c->samples[i];
		if (!counts(s) || !(fabs((double)s->pt_ns - mean) > 2 * sd))
			continue;
		if (keep)
			s->marks |= ET_MARK_TWO_SIGMA;
		else
			s->removal.by = ET_REMOVED_TWO_SIGMA;
	}
}

static struct before *forget(struct et_command *c)
{
	struct before *old = et_calloc(c->n_samples + 1, sizeof(*old));

	for (size_t i = 0; i < c->n_samples; i++) {
		struct et_sample *s = &c->samples[i];
		old[i] = (struct before){ s->removal, s->marks };
		if (is_ours(s->removal.by))
			s->removal = (struct et_removal){ .by = ET_KEPT };
		s->marks &= ~(uint32_t)(ET_MARK_DAEMON | ET_MARK_TWO_SIGMA);
	}
	return old;
}

static bool changed(const struct et_sample *s, const struct before *old)
{
	return s->marks != old->marks || s->removal.by != old->removal.by ||
	       s->removal.pt_ns != old->removal.pt_ns ||
	       s->removal.cutoff_ns != old->removal.cutoff_ns ||
	       strncmp(s->removal.daemon, old->removal.daemon, sizeof(s->removal.daemon));
}

struct et_sample **et_sanity_check(
	struct et_experiment *e, const struct et_cutoffs *cutoffs, size_t *n)
{
	struct et_sample **list = NULL;
	size_t room = 0;

	*n = 0;
	for (size_t k = 0; k < e->n_commands; k++) {
		struct et_command *c = &e->commands[k];
		ET_AUTO_FREE struct before *old = forget(c);
		double seconds = et_command_seconds(c);
		bool fit = cutoffs && et_cutoffs_fit(cutoffs, seconds);

		for (size_t i = 0; fit && i < c->n_samples; i++) {
			if (is_judged(&c->samples[i]))
				check_daemons(&c->samples[i], cutoffs, seconds, e->plan.keep_all);
		}
		check_two_sigma(c, e->plan.keep_all);
		for (size_t i = 0; i < c->n_samples; i++) {
			if (!changed(&c->samples[i], &old[i]))
				continue;
			ET_GROW(list, *n, room);
			list[(*n)++] = &c->samples[i];
		}
	}
	return list;
}
