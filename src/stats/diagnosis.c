/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/diagnosis.h"
#include "base/alloc.h"

#include <math.h>

enum {
	FEW = 5, /* below, the interval rests on the assumption of normality alone */
	MODES_TESTABLE = 30,
	BCA_HOLDS = 100,    /* simulated, BCa of a skewed sd attains 45 to 82 % below */
	RARE_TESTABLE = 30, /* from here on one case in ten is seen in 95 % of series: 0.9^29 */
	MOST_DRIFTING = 20000,
};

static const double alarm_p = 0.01;

/* The shift between halves is a walk over all pairs: of a long series every k-th value will do. */
static struct et_drift drift_of(const double *x, size_t n)
{
	if (n <= MOST_DRIFTING)
		return et_drift(x, n);
	ET_AUTO_FREE double *some = et_calloc(MOST_DRIFTING, sizeof(*some));
	for (size_t i = 0; i < MOST_DRIFTING; i++)
		some[i] = x[(size_t)((double)i * (double)n / MOST_DRIFTING)];
	return et_drift(some, MOST_DRIFTING);
}

void et_diagnose(const double *x, const double *sorted, size_t n, struct et_diagnosis *out)
{
	ET_AUTO_FREE struct et_kde *kde = et_calloc(1, sizeof(*kde));

	*out = (struct et_diagnosis){ .n = n };
	out->constant = n > 0 && sorted[0] == sorted[n - 1];
	out->normality = et_shapiro_wilk(x, n);
	out->r1 = et_autocorrelation(x, n, 1);
	out->r1_band = et_acf_band(n, 0.95);
	out->trend = et_mann_kendall(x, n);
	out->runs = et_runs_test(x, n);
	out->drift = drift_of(x, n);
	out->steps = et_discreteness(sorted, n);
	out->skew = et_asymmetry(x, n);
	out->outliers = et_outliers(sorted, n);
	out->bandwidth = NAN;
	out->dip = (struct et_dip){ NAN, NAN };
	if (n < 2 || out->constant)
		return;
	out->dip = et_dip(sorted, n);
	et_kde(sorted, n, out->steps.quantum, kde);
	out->bandwidth = kde->bw;
	out->n_modes = et_modes(kde, sorted, n, 0.1, out->modes, ET_LENGTH(out->modes));
	if (out->n_modes > ET_LENGTH(out->modes))
		out->n_modes = ET_LENGTH(out->modes);
}

/* --- sentences --- */

/* Times in milliseconds; what has no unit as it is. */
static const char *value(double x, enum et_unit unit, char buf[32])
{
	double ms = unit == ET_UNIT_NS ? x / 1e6 : x * 1e3;

	if (unit == ET_UNIT_NONE)
		snprintf(buf, 32, "%.4g", x);
	else
		snprintf(buf, 32, "%.4g ms", ms);
	return buf;
}

static void warn_serial(const struct et_diagnosis *d, struct et_warnings *out)
{
	if (d->trend.p < alarm_p)
		et_warn(out,
			"drift: the values %s as the runs go on (Mann-Kendall p = %.2g), so their "
			"mean depends on when you stop; warm up longer (--warmup) or look for heat "
			"and filling caches",
			d->trend.s > 0 ? "rise" : "fall", d->trend.p);
	/* Less its bias under independence and slight dependence (Marriott & Pope 1954). */
	else if (d->r1 + (1 + 4 * d->r1) / (double)d->n > d->r1_band)
		et_warn(out,
			"neighbouring runs resemble each other (autocorrelation %.2f), so the "
			"interval is too narrow; compare programs as pairs in one run rather than "
			"by their separate intervals",
			d->r1);
}

/* Data in coarse steps look multimodal to the dip test. */
static void warn_modes(const struct et_diagnosis *d, enum et_unit unit, struct et_warnings *out)
{
	char first[32], second[32];

	if (d->n < MODES_TESTABLE || d->steps.coarse || !(d->dip.p < alarm_p) || d->n_modes < 2)
		return;
	et_warn(out,
		"two modes or more (near %s and %s; dip test p %s %.2g): the mean is between them "
		"and describes neither; look at the histogram and measure the causes apart",
		value(d->modes[0].at, unit, first), value(d->modes[1].at, unit, second),
		d->dip.p > 0 ? "=" : "<", d->dip.p > 0 ? d->dip.p : 1e-5);
}

/*
 * What costs the mean's interval its coverage and can be seen: simulated, a lognormal, exponential
 * or bimodal series of 30 is then missed without a warning in less than 5 %. Below 30 values the
 * skewness is found too rarely, and Shapiro-Wilk, at 5 %, is the better look-out.
 */
static void warn_skew(const struct et_diagnosis *d, enum et_doubting about, struct et_warnings *out)
{
	bool few = d->n < RARE_TESTABLE && d->normality.p < ET_CHECK_ALPHA;

	if (d->skew.p < alarm_p)
		et_warn(out,
			"skewed to the %s (skewness %.2g): the mean is pulled by the tail; judge "
			"by the median, and for the mean take the bootstrap-t interval%s",
			d->skew.skewness > 0 ? "right" : "left", d->skew.skewness,
			about == ET_DOUBT_ALL ? "" : " (etalon describe)");
	else if (about == ET_DOUBT_MEAN && few)
		et_warn(out,
			"not normal (Shapiro-Wilk p = %.2g) and only %zu values: the interval of "
			"the mean may be too narrow; take at least %d (--runs %d)",
			d->normality.p, d->n, RARE_TESTABLE, RARE_TESTABLE);
}

static void warn_shape(const struct et_diagnosis *d, enum et_unit unit, struct et_warnings *out)
{
	char step[32];

	if (d->steps.coarse)
		et_warn(out,
			"the values lie in steps of %s (%zu different ones): the clock is too "
			"coarse for density, modes and ranks; use a finer clock or longer runs",
			value(d->steps.quantum, unit, step), d->steps.distinct);
	if (d->outliers.solitary)
		et_warn(out,
			"%zu value%s far from all others: look what else ran then, and judge by "
			"the median",
			d->outliers.solitary, d->outliers.solitary == 1 ? " lies" : "s lie");
	else if (d->outliers.severe)
		et_warn(out,
			"%zu value%s more than 3 interquartile ranges outside the quartiles: look "
			"what else ran then, and judge by the median",
			d->outliers.severe, d->outliers.severe == 1 ? " lies" : "s lie");
	if (d->normality.p < ET_CHECK_ALPHA)
		et_warn(out,
			"not normal (Shapiro-Wilk p = %.2g): the chi-square interval of the "
			"standard deviation does not hold, %s",
			d->normality.p,
			d->n < BCA_HOLDS ? "and of so few values the bootstrap's fall short too"
					 : "take the bootstrap's (BCa)");
}

static void warn_untestable(const struct et_diagnosis *d, struct et_warnings *out)
{
	if (d->constant)
		et_warn(out, "all values are equal: the spread is 0, and normality, dependence and "
			     "modes are undefined; use a finer clock or longer runs");
	if (d->n < ET_SHAPIRO_LEAST)
		et_warn(out, "normality is not testable: Shapiro-Wilk needs at least %d values",
			ET_SHAPIRO_LEAST);
	else if (d->n > ET_SHAPIRO_MOST)
		et_warn(out, "normality was judged by a random %zu of the %zu values",
			d->normality.n_used, d->n);
	if (d->n >= FEW && d->n < ET_SERIAL_TESTABLE)
		et_warn(out,
			"drift and dependence are not testable with %zu values: take at least %d",
			d->n, ET_SERIAL_TESTABLE);
	if (d->n >= FEW && d->n < RARE_TESTABLE && !d->constant)
		et_warn(out,
			"with %zu values a slow case of one run in ten goes unseen %.0f times in "
			"100, and the interval of the mean does not reach it; take at least %d",
			d->n, 100 * pow(0.9, (double)d->n), RARE_TESTABLE);
}

void et_diagnosis_warn(const struct et_diagnosis *d, enum et_unit unit, enum et_doubting about,
	struct et_warnings *out)
{
	bool all = about == ET_DOUBT_ALL;

	if (d->n < FEW)
		et_warn(out, "only %zu value%s: take at least 10 (--runs 10)", d->n,
			d->n == 1 ? "" : "s");
	if (all)
		warn_untestable(d, out);
	if (all && d->drift.cold_start)
		et_warn(out, "the first value is far above the others: caches were cold; warm up "
			     "(--warmup) or leave it out");
	if (d->n >= ET_SERIAL_TESTABLE)
		warn_serial(d, out);
	warn_modes(d, unit, out);
	if (about != ET_DOUBT_COMPARISON && d->n >= FEW && !d->constant)
		warn_skew(d, about, out);
	if (all && !d->constant)
		warn_shape(d, unit, out);
}
