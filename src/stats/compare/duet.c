/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/duet.h"
#include "base/alloc.h"
#include "base/whole.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/student.h"
#include "stats/compare/alone.h"
#include "stats/compare/paired.h"

#include <math.h>

/* doc/duets.md has the error rates of these limits. */
static const double most_ratio = 1.25, most_share = 0.25;
/* The kernel counts the pages of a process per CPU, and is off by some dozens. */
static const double most_bytes = 256 * 1024, most_faults = 64;

/* --- footprints --- */

static double median_faults(const struct et_command *c, enum et_arrangement a)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);
	ET_AUTO_FREE double *x = et_calloc(c->samples.n + 1, sizeof(*x));
	size_t n = 0;

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		if (!s->place.warmup && s->place.arrangement == a &&
			s->ruling.removal.by == ET_KEPT && s->measured.minor_faults != ET_UNKNOWN)
			x[n++] = (double)s->measured.minor_faults;
	}
	et_sort(x, n);
	return et_median_sorted(x, n);
}

struct et_footprint et_footprint_of(const struct et_command *c)
{
	enum et_arrangement a = et_command_arrangement(c);
	size_t n_memory, n_system, n_cpu;
	ET_AUTO_FREE double *memory = et_command_values(c, ET_METRIC_PEAK_MEMORY, a, &n_memory);
	ET_AUTO_FREE double *system = et_command_values(c, ET_METRIC_SYSTEM, a, &n_system);
	ET_AUTO_FREE double *cpu = et_command_values(c, ET_METRIC_CPU, a, &n_cpu);
	double mean = et_mean(cpu, n_cpu);

	et_sort(memory, n_memory);
	return (struct et_footprint){ .memory = et_median_sorted(memory, n_memory),
		.faults = median_faults(c, a),
		.system = et_mean(system, n_system) / mean,
		.cpu_ns = mean };
}

/* False if one is not known. */
static bool apart(double x, double y, double ratio, double difference)
{
	return fmax(x, y) > ratio * fmin(x, y) && fabs(x - y) > difference;
}

/* A program that does more of the same work touches more pages, but not more of them per second. */
static bool faults_differ(const struct et_footprint f[2])
{
	return apart(f[0].faults, f[1].faults, most_ratio, most_faults) &&
	       apart(f[0].faults / f[0].cpu_ns, f[1].faults / f[1].cpu_ns, most_ratio, 0);
}

const char *et_footprints_differ(const struct et_footprint f[2])
{
	if (apart(f[0].memory, f[1].memory, most_ratio, most_bytes))
		return "peak memory";
	if (faults_differ(f))
		return "page faults";
	return fabs(f[0].system - f[1].system) > most_share ? "system time" : NULL;
}

/* --- verdicts --- */

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

static void differ_in_kind(const struct et_duets *d, const char *sign, struct et_contrast *out)
{
	out->kinds = ET_KINDS_DIFFERENT;
	if (!d->n_solos) {
		et_warn(&out->warnings, ET_WARN_SIDE_BY_SIDE_ONLY, et_arg_text(sign));
		return;
	}
	judge_by_solos(d, out);
	et_warn(&out->warnings, ET_WARN_DIFFERENT_KINDS, et_arg_text(sign));
}

/* z: how far they differ. Chance exceeds it in one of N comparisons: N to two digits. */
static void warn_differs(double pairs, double solos, double z, struct et_contrast *out)
{
	double many = fmin(1 / et_pnorm_two_sided(z), 1e9);
	double place = pow(10, floor(log10(many)) - 1);

	et_warn(&out->warnings, ET_WARN_SIDE_BY_SIDE_DIFFERS, et_arg_change(pairs - 1),
		et_arg_change(solos - 1), et_arg_flag(fabs(z) > ET_ALONE_CONTRADICTED),
		et_arg_count(et_u64(place * round(many / place))));
}

/*
 * Pairs and solos contradict each other: which of them company or, rarely, chance has moved is not
 * known, so a difference must be shown by both, and the interval holds both.
 */
static void require_both(
	const struct et_duets *d, const struct et_alone *a, struct et_contrast *out)
{
	double pairs = out->ratio, p = out->p, p_sign = out->p_sign;

	out->kinds = ET_KINDS_DIFFERENT;
	judge_by_solos(d, out);
	bool same_side = (pairs > 1) == (out->ratio > 1);
	out->p = same_side ? fmax(p, out->p) : 1;
	out->p_sign = same_side ? fmax(p_sign, out->p_sign) : 1;
	out->lo = fmin(out->lo, exp(a->corrected.lo));
	out->hi = fmax(out->hi, exp(a->corrected.hi));
	out->alone = ratio_of(out);
	warn_differs(pairs, out->ratio, a->z, out);
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
	const char *sign = et_footprints_differ(d->footprints);
	if (sign) {
		differ_in_kind(d, sign, out);
		return;
	}
	struct et_log_ratio pairs = log_of(out), solos = log_of_solos(d, out->level);
	struct et_alone a = et_alone_of(&pairs, &solos, et_dilution(d->metronome_ns), out->level);
	if (fabs(a.z) > ET_ALONE_CONTRADICTED) {
		require_both(d, &a, out);
		return;
	}
	bool known = isfinite(d->footprints[0].memory + d->footprints[1].memory);
	out->kinds = known ? ET_KINDS_SAME : ET_KINDS_UNKNOWN;
	out->alone = exponential(
		&a.ratio, isfinite(a.z) ? "corrected-pairs-and-solos" : "corrected-pairs");
	if (!isnan(a.p)) {
		out->p = fmax(out->p, a.p);
		warn_differs(out->ratio, exp(solos.estimate), a.z, out);
	}
}
