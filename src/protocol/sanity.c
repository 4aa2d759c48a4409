/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/sanity.h"
#include "base/alloc.h"
#include "num/moments.h"
#include "num/quantile.h"

#include <math.h>
#include <string.h>

/* The ruling on a sample before the checks. */
struct before {
	struct et_removal removal;
	uint32_t marks;
};

static bool is_ours(enum et_removed_by by)
{
	return by == ET_REMOVED_DAEMON_CUTOFF || by == ET_REMOVED_TWO_SIGMA ||
	       by == ET_REMOVED_MACHINE_SLOW;
}

static bool is_judged(const struct et_sample *s)
{
	return !s->place.warmup && s->ruling.removal.by == ET_KEPT;
}

double et_command_seconds(const struct et_command *c)
{
	ET_AUTO_FREE double *x = et_calloc(c->n_samples + 1, sizeof(*x));
	size_t n = 0;

	for (size_t i = 0; i < c->n_samples; i++) {
		if (is_judged(&c->samples[i]) && c->samples[i].measured.elapsed_ns != ET_UNKNOWN)
			x[n++] = 1e-9 * (double)c->samples[i].measured.elapsed_ns;
	}
	et_sort(x, n);
	return n ? et_median_sorted(x, n) : NAN;
}

bool et_cutoffs_fit(const struct et_cutoffs *c, double seconds)
{
	return seconds <= 2 * fmax(c->short_seconds, c->long_seconds); /* fmax ignores NaN */
}

static const struct et_cutoff *find(const struct et_cutoffs *c, const char *daemon)
{
	/* The kernel truncates names to 15 bytes; names in a record may be longer. */
	for (size_t i = 0; i < c->n; i++) {
		if (!strncmp(c->list[i].daemon, daemon, 15))
			return &c->list[i];
	}
	return NULL;
}

static void check_daemons(
	struct et_sample *s, const struct et_cutoffs *cutoffs, double seconds, bool keep)
{
	for (size_t i = 0; i < s->measured.n_culprits; i++) {
		const struct et_culprit *x = &s->measured.culprits[i];
		const struct et_cutoff *c = find(cutoffs, et_daemon_of(x));
		double cutoff_ns = c ? 1e6 * et_cutoff_for(c, seconds) : INFINITY;

		if (x->cpu_ns == ET_UNKNOWN || !((double)x->cpu_ns > cutoff_ns))
			continue;
		if (keep) {
			s->ruling.marks |= ET_MARK_DAEMON;
			return;
		}
		s->ruling.removal = (struct et_removal){ .by = ET_REMOVED_DAEMON_CUTOFF,
			.cpu_ns = x->cpu_ns,
			.cutoff_ns = (uint64_t)cutoff_ns };
		snprintf(s->ruling.removal.daemon, sizeof(s->ruling.removal.daemon), "%s",
			et_daemon_of(x));
		return;
	}
}

/* --- how fast the machine was --- */

static size_t take_readings(const struct et_sample *s, double *out)
{
	uint64_t both[] = { s->measured.probe_before_ns, s->measured.probe_after_ns };
	size_t n = 0;

	for (int i = 0; i < 2; i++) {
		if (both[i] != ET_UNKNOWN && both[i] > 0)
			out[n++] = (double)both[i];
	}
	return n;
}

double et_probe_fast_ns(const struct et_experiment *e)
{
	size_t room = 0, n = 0;

	for (size_t k = 0; k < e->n_commands; k++)
		room += 2 * e->commands[k].n_samples;
	ET_AUTO_FREE double *x = et_calloc(room + 1, sizeof(*x));
	for (size_t k = 0; k < e->n_commands; k++) {
		for (size_t i = 0; i < e->commands[k].n_samples; i++)
			n += take_readings(&e->commands[k].samples[i], &x[n]);
	}
	if (n < ET_PROBE_LEAST)
		return NAN;
	et_sort(x, n);
	return et_quantile_sorted(x, n, 0.1);
}

/* Returns the evidence against a sample; .by is ET_KEPT if there is none. */
static struct et_removal slow_by(const struct et_sample *s, double fast_ns)
{
	double readings[2], limit_ns = ET_PROBE_LIMIT * fast_ns, slower = 0;
	double steal_limit_ns = ET_STEAL_TICK_NS + ET_STEAL_LIMIT * (double)s->measured.elapsed_ns;

	for (size_t i = 0, n = take_readings(s, readings); i < n; i++)
		slower = fmax(slower, readings[i]);
	if (slower > limit_ns) /* false for NaN */
		return (struct et_removal){ .by = ET_REMOVED_MACHINE_SLOW,
			.probe_ns = (uint64_t)slower,
			.limit_ns = (uint64_t)limit_ns };
	if (s->measured.steal_ns != ET_UNKNOWN && s->measured.elapsed_ns != ET_UNKNOWN &&
		(double)s->measured.steal_ns > steal_limit_ns)
		return (struct et_removal){ .by = ET_REMOVED_MACHINE_SLOW,
			.steal_ns = s->measured.steal_ns,
			.limit_ns = (uint64_t)steal_limit_ns };
	return (struct et_removal){ .by = ET_KEPT };
}

static bool is_solo(const struct et_sample *s)
{
	return is_judged(s) && s->place.arrangement == ET_SOLO;
}

/* Returns true if too many samples were slow, so that all of them are kept. */
static bool check_speed(struct et_command *c, double fast_ns, bool keep)
{
	size_t slow = 0, n = 0;

	for (size_t i = 0; i < c->n_samples; i++) {
		struct et_sample *s = &c->samples[i];
		if (!is_solo(s))
			continue;
		n++;
		if (slow_by(s, fast_ns).by == ET_KEPT)
			continue;
		slow++;
		s->ruling.marks |= ET_MARK_MACHINE_SLOW;
	}
	bool too_many = slow && (2 * slow > n || n - slow < ET_SPEED_LEAVES);
	if (too_many || keep)
		return too_many;
	for (size_t i = 0; i < c->n_samples; i++) {
		struct et_sample *s = &c->samples[i];
		if (!(s->ruling.marks & ET_MARK_MACHINE_SLOW))
			continue;
		s->ruling.removal = slow_by(s, fast_ns);
		s->ruling.marks &= ~(uint32_t)ET_MARK_MACHINE_SLOW;
	}
	return false;
}

/* --- two sigma --- */

static bool counts(const struct et_sample *s, uint32_t apart)
{
	return is_solo(s) && s->measured.cpu_ns != ET_UNKNOWN && !(s->ruling.marks & apart);
}

/* Samples with a mark in `apart` do not contribute to the mean and sd. */
static void check_two_sigma(struct et_command *c, uint32_t apart, bool keep)
{
	ET_AUTO_FREE double *x = et_calloc(c->n_samples + 1, sizeof(*x));
	size_t n = 0;

	for (size_t i = 0; i < c->n_samples; i++) {
		if (counts(&c->samples[i], apart))
			x[n++] = (double)c->samples[i].measured.cpu_ns;
	}
	if (n < ET_TWO_SIGMA_LEAST)
		return;
	double mean = et_mean(x, n), sd = et_sd(x, n);
	for (size_t i = 0; i < c->n_samples; i++) {
		struct et_sample *s = &c->samples[i];
		if (!counts(s, apart) || !(fabs((double)s->measured.cpu_ns - mean) > 2 * sd))
			continue;
		if (keep)
			s->ruling.marks |= ET_MARK_TWO_SIGMA;
		else
			s->ruling.removal.by = ET_REMOVED_TWO_SIGMA;
	}
}

static struct before *forget(struct et_command *c)
{
	struct before *old = et_calloc(c->n_samples + 1, sizeof(*old));

	for (size_t i = 0; i < c->n_samples; i++) {
		struct et_sample *s = &c->samples[i];
		old[i] = (struct before){ s->ruling.removal, s->ruling.marks };
		if (is_ours(s->ruling.removal.by))
			s->ruling.removal = (struct et_removal){ .by = ET_KEPT };
		s->ruling.marks &=
			~(uint32_t)(ET_MARK_DAEMON | ET_MARK_TWO_SIGMA | ET_MARK_MACHINE_SLOW);
	}
	return old;
}

static bool changed(const struct et_sample *s, const struct before *old)
{
	return s->ruling.marks != old->marks || s->ruling.removal.by != old->removal.by ||
	       s->ruling.removal.cpu_ns != old->removal.cpu_ns ||
	       s->ruling.removal.cutoff_ns != old->removal.cutoff_ns ||
	       s->ruling.removal.probe_ns != old->removal.probe_ns ||
	       s->ruling.removal.steal_ns != old->removal.steal_ns ||
	       s->ruling.removal.limit_ns != old->removal.limit_ns ||
	       strncmp(s->ruling.removal.daemon, old->removal.daemon,
		       sizeof(s->ruling.removal.daemon));
}

struct et_sample **et_sanity_check(
	struct et_experiment *e, const struct et_cutoffs *cutoffs, size_t *n)
{
	struct et_sample **list = NULL;
	size_t room = 0;
	double fast_ns = et_probe_fast_ns(e);

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
		bool kept = check_speed(c, fast_ns, e->plan.keep_all);
		check_two_sigma(
			c, ET_MARK_DAEMON | (kept ? 0 : ET_MARK_MACHINE_SLOW), e->plan.keep_all);
		for (size_t i = 0; i < c->n_samples; i++) {
			if (!changed(&c->samples[i], &old[i]))
				continue;
			ET_GROW(list, *n, room);
			list[(*n)++] = &c->samples[i];
		}
	}
	return list;
}
