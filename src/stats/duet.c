/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/duet.h"
#include "stats/alone.h"
#include "stats/paired.h"

#include <math.h>

/* doc/duets.md has the error rates of these two limits. */
static const double memory_ratio = 1.25, most_z = 2;
/* The kernel counts a process's pages per CPU and is off by some dozens of them. */
static const double memory_bytes = 256 * 1024;

bool et_memory_differs(const double memory[2])
{
	double more = fmax(memory[0], memory[1]), less = fmin(memory[0], memory[1]);

	return isfinite(memory[0] + memory[1]) && more > memory_ratio * less &&
	       more - less > memory_bytes;
}

static struct et_ratio ratio_of(const struct et_contrast *c)
{
	return (struct et_ratio){ c->ratio, c->lo, c->hi, c->ratio_method };
}

static struct et_ratio exponential(const struct et_log_ratio *r, const char *method)
{
	return (struct et_ratio){ exp(r->estimate), exp(r->lo), exp(r->hi), method };
}

static struct et_log_ratio log_of(const struct et_contrast *c)
{
	return (struct et_log_ratio){ c->pairs, log(c->ratio), log(c->lo), log(c->hi) };
}

static struct et_log_ratio log_of_solos(const struct et_duets *d, double level)
{
	if (!d->n_solos)
		return (struct et_log_ratio){ 0, NAN, NAN, NAN };
	struct et_interval_test t = et_pairs_by_ranks(d->solos, d->n_solos, level);
	return (struct et_log_ratio){ d->n_solos, t.estimate, t.lo, t.hi };
}

/* The verdict becomes that of the solo runs; the pairs remain as what was seen side by side. */
static void judge_by_solos(const struct et_duets *d, struct et_contrast *out)
{
	et_warnings_free(&out->warnings);
	out->arrangement = "block";
	et_judge_pairs(d->solos, d->n_solos, out);
	out->alone = ratio_of(out);
}

static void differ_in_memory(const struct et_duets *d, struct et_contrast *out)
{
	struct et_warning_arg a = et_arg_value(d->memory[0], ET_UNIT_BYTES),
			      b = et_arg_value(d->memory[1], ET_UNIT_BYTES);

	out->kinds = ET_KINDS_DIFFERENT;
	if (!d->n_solos) {
		et_warn(&out->warnings, ET_WARN_SIDE_BY_SIDE_ONLY, a, b);
		return;
	}
	judge_by_solos(d, out);
	et_warn(&out->warnings, ET_WARN_DIFFERENT_KINDS, a, b);
}

/*
 * Pairs and solos contradict each other: which of them chance or company has moved is not known, so
 * a difference must be shown by both, and the interval holds both.
 */
static void require_both(
	const struct et_duets *d, const struct et_log_ratio *corrected, struct et_contrast *out)
{
	double pairs = out->ratio, p = out->p, p_sign = out->p_sign;

	out->kinds = ET_KINDS_DIFFERENT;
	judge_by_solos(d, out);
	bool same_side = (pairs > 1) == (out->ratio > 1);
	out->p = same_side ? fmax(p, out->p) : 1;
	out->p_sign = same_side ? fmax(p_sign, out->p_sign) : 1;
	out->lo = fmin(out->lo, exp(corrected->lo));
	out->hi = fmax(out->hi, exp(corrected->hi));
	out->alone = ratio_of(out);
	et_warn(&out->warnings, ET_WARN_SIDE_BY_SIDE_DIFFERS, et_arg_number(pairs),
		et_arg_number(out->ratio));
}

void et_judge_duets(const struct et_duets *d, struct et_contrast *out)
{
	out->arrangement = "duet";
	et_judge_pairs(d->pairs, d->n_pairs, out);
	if (!d->overlapped) { /* each ran alone */
		out->alone = ratio_of(out);
		return;
	}
	out->side_by_side = ratio_of(out);
	if (et_memory_differs(d->memory)) {
		differ_in_memory(d, out);
		return;
	}
	struct et_log_ratio pairs = log_of(out), solos = log_of_solos(d, out->level);
	struct et_alone a =
		et_alone_combine(&pairs, &solos, et_dilution(d->metronome_ns), out->level);
	if (fabs(a.z) > most_z) {
		require_both(d, &a.corrected, out);
		return;
	}
	out->kinds = isfinite(d->memory[0] + d->memory[1]) ? ET_KINDS_SAME : ET_KINDS_UNKNOWN;
	out->alone = exponential(
		&a.combined, isfinite(a.z) ? "corrected-pairs-and-solos" : "corrected-pairs");
}
