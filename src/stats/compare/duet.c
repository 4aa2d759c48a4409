/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/duet.h"
#include "base/whole.h"
#include "stats/compare/paired.h"

double et_dilution(uint64_t metronome_ns)
{
	const double by_slices = 0.03, per_switch_ns = 30e3;

	return metronome_ns ? by_slices + per_switch_ns / (double)metronome_ns : by_slices;
}

static double student(size_t n, double level)
{
	return et_qt(0.5 + level / 2, (double)(n - 1));
}

/* The standard uncertainty that an interval expresses; NaN if there is none. */
static double uncertainty(const struct et_log_ratio *r, double level)
{
	return r->n < 2 ? NAN : (r->hi - r->lo) / 2 / student(r->n, level);
}

/*
 * Company moves the ratio of the pairs towards 1 and never away from it. So if the pairs exclude 1,
 * their end of the interval that is nearer to 1 bounds the ratio alone as well.
 */
static void bound(struct et_log_ratio *r, const struct et_log_ratio *pairs)
{
	if (pairs->lo > 0)
		r->lo = fmax(r->lo, fmin(pairs->lo, r->estimate));
	if (pairs->hi < 0)
		r->hi = fmin(r->hi, fmax(pairs->hi, r->estimate));
}

/*
 * The difference of pairs and solos has three causes: the errors of both, and a kappa that is not
 * the assumed one (doubt). The solos move the correction by the share of the last in the variance
 * of the difference. It is 0 for equal programs, whatever the solos say, and the estimate is never
 * less certain than without them, nor nearer to 1 than the pairs. *u becomes its uncertainty.
 */
static struct et_log_ratio informed(const struct et_log_ratio *corrected,
	const struct et_log_ratio *solos, double seen, double u_d, double doubt, double u_s,
	double *u)
{
	double share = doubt > 0 ? doubt * doubt / (doubt * doubt + u_d * u_d + u_s * u_s) : 0;
	struct et_log_ratio out = *corrected;

	out.estimate += share * (solos->estimate - corrected->estimate);
	out.estimate = seen > 0 ? fmax(seen, out.estimate) : fmin(seen, out.estimate);
	*u = hypot((1 - share) * hypot(u_d, doubt), share * u_s);
	return out;
}

struct et_alone et_alone_of(const struct et_log_ratio *pairs, const struct et_log_ratio *solos,
	struct et_kappa kappa, double level)
{
	double r = exp(fabs(pairs->estimate)), t = student(pairs->n, level);
	double c = copysign(log1p((r - 1) * (1 + kappa.value)), pairs->estimate);
	double doubt = kappa.doubt * (1 - 1 / r), u_d = uncertainty(pairs, level);
	double u_c = hypot(u_d, doubt), u_s = uncertainty(solos, level), u = u_c;
	struct et_alone out = {
		.corrected = { pairs->n, c, c - t * u_c, c + t * u_c }, .z = NAN, .p = NAN
	};

	out.ratio = out.corrected;
	if (isfinite(u_c) && isfinite(u_s) && u_c + u_s > 0) {
		size_t n = pairs->n < solos->n ? pairs->n : solos->n;
		double z = (c - solos->estimate) / hypot(u_c, u_s);
		/* Both are estimates: z has Student's law, out.z is of equal probability. */
		double p = et_pt_two_sided(z, (double)(n - 1));
		out.z = copysign(p > 0 ? -et_qnorm(p / 2) : fabs(z), z);
		out.ratio = informed(&out.corrected, solos, pairs->estimate, u_d, doubt, u_s, &u);
		u *= fmax(1, fabs(out.z));
	}
	out.ratio.lo = out.ratio.estimate - t * u;
	out.ratio.hi = out.ratio.estimate + t * u;
	if (fabs(out.z) > ET_ALONE_DOUBTFUL)
		out.p = et_pt_two_sided(out.ratio.estimate / u, (double)(pairs->n - 1));
	else
		bound(&out.ratio, pairs);
	return out;
}

/* doc/duets.md has the error rates of these limits. */
static const double most_ratio = 1.25, most_share = 0.25;
/* The kernel counts the pages of a process per CPU, and is off by some dozens. */
static const double most_bytes = 256 * 1024, most_faults = 64;

/* --- footprints --- */

static double median_faults(const struct et_command *c, enum et_arrangement a)
{
	ET_AUTO_FREE double *x = et_calloc(c->samples.n + 1, sizeof(*x));
	size_t n = 0;

	et_for_each_sample(s, &c->samples) {
		if (!s->place.warmup && s->place.arrangement == a &&
			s->ruling.removal.by == ET_KEPT && s->measured.minor_faults != ET_UNKNOWN)
			x[n++] = (double)s->measured.minor_faults;
	}
	return et_median(x, n);
}

struct et_footprint et_footprint_of(const struct et_command *c)
{
	enum et_arrangement a = et_command_arrangement(c);
	size_t n_memory, n_system, n_cpu;
	ET_AUTO_FREE double *memory = et_command_values(c, ET_METRIC_PEAK_MEMORY, a, &n_memory);
	ET_AUTO_FREE double *system = et_command_values(c, ET_METRIC_SYSTEM, a, &n_system);
	ET_AUTO_FREE double *cpu = et_command_values(c, ET_METRIC_CPU, a, &n_cpu);
	double mean = et_mean(cpu, n_cpu);

	return (struct et_footprint){ .memory = et_median(memory, n_memory),
		.faults = median_faults(c, a),
		.system = et_mean(system, n_system) / mean,
		.cpu_ns = mean };
}

/* False if one is not known. */
static bool apart(double x, double y, double ratio, double difference)
{
	return fmax(x, y) > ratio * fmin(x, y) && fabs(x - y) > difference;
}

const char *et_footprints_differ(const struct et_footprint f[2])
{
	if (apart(f[0].memory, f[1].memory, most_ratio, most_bytes))
		return "peak memory";
	/* More of the same work touches more pages, but not more of them per second. */
	if (apart(f[0].faults, f[1].faults, most_ratio, most_faults) &&
		apart(f[0].faults / f[0].cpu_ns, f[1].faults / f[1].cpu_ns, most_ratio, 0))
		return "page faults";
	return fabs(f[0].system - f[1].system) > most_share ? "system time" : NULL;
}

/* --- verdicts --- */

static struct et_ratio ratio_of(const struct et_contrast *c)
{
	return (struct et_ratio){ c->ratio, c->lo, c->hi, c->ratio_method };
}

static struct et_log_ratio log_of_solos(const struct et_duets *d, double level)
{
	if (!d->n_solos)
		return (struct et_log_ratio){ 0, NAN, NAN, NAN };
	struct et_interval_test t = et_pairs_by_ranks(d->solos, d->n_solos, level);
	return (struct et_log_ratio){ d->n_solos, t.estimate, t.lo, t.hi };
}

/*
 * The constant, unless this pair cost each other clearly more than twice as much. One standard
 * uncertainty is enough: where kappa is too large by chance, the interval is only wider. `alone`:
 * no solo runs correct it, so it must also allow for the most that they may have cost each other.
 */
static struct et_kappa kappa_of(const struct et_duets *d, bool b_is_longer, bool alone)
{
	const double one_sigma = 0.683;
	double usual = et_dilution(d->metronome_ns);
	size_t shorter = b_is_longer ? 0 : 1, n = d->n_company[shorter];
	struct et_kappa kappa = { usual, usual };

	if (!n)
		return kappa;
	struct et_interval_test t = et_pairs_by_ranks(d->company[shorter], n, one_sigma);
	if (expm1(t.lo) > 2 * usual)
		kappa.value = kappa.doubt = expm1(t.estimate);
	else if (alone)
		kappa.doubt = fmax(usual, expm1(t.hi) - usual);
	return kappa;
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
	struct et_log_ratio pairs = { out->pairs, log(out->ratio), log(out->lo), log(out->hi) };
	struct et_log_ratio solos = log_of_solos(d, out->level);
	struct et_kappa kappa = kappa_of(d, out->ratio > 1, out->margin > 0);
	struct et_alone a = et_alone_of(&pairs, &solos, kappa, out->level);
	if (fabs(a.z) > ET_ALONE_CONTRADICTED) {
		require_both(d, &a, out);
		return;
	}
	if (out->margin > 0) /* the pairs decide alone, and the solo runs have not contradicted */
		a = et_alone_of(
			&pairs, &(struct et_log_ratio){ 0, NAN, NAN, NAN }, kappa, out->level);
	bool known = isfinite(d->footprints[0].memory + d->footprints[1].memory);
	out->kinds = known ? ET_KINDS_SAME : ET_KINDS_UNKNOWN;
	out->alone = (struct et_ratio){ exp(a.ratio.estimate), exp(a.ratio.lo), exp(a.ratio.hi),
		isfinite(a.z) ? "corrected-pairs-and-solos" : "corrected-pairs" };
	if (!isnan(a.p)) {
		out->p = fmax(out->p, a.p);
		warn_differs(out->ratio, exp(solos.estimate), a.z, out);
	}
}
