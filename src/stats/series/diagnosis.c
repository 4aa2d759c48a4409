/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/diagnosis.h"
#include "base/alloc.h"
#include "base/whole.h"

#include <math.h>

enum {
	FEW = 5, /* with fewer values the interval rests on the assumption of normality alone */
	MODES_TESTABLE = 30,
	BCA_HOLDS = 100,    /* with fewer, BCa of a skewed sd covers 45 to 82 % in simulations */
	RARE_TESTABLE = 30, /* from here on 95 % of series contain a case of one in ten: 0.9^29 */
	MOST_DRIFTING = 20000,
};

static const double alarm_p = 0.01;
/*
 * Skewness matters as far as it moves the interval of the mean, which is widened for it: from a
 * fifth of the half width on, the estimate of the skewness itself is too uncertain to rely on. If
 * the number of values was chosen by looking at them, a tail that has not been seen yet ended the
 * series too early, so half of that is enough.
 */
static const double skew_matters = 0.2, skew_matters_stopped = 0.1;

/* The shift between halves looks at all pairs of values, so a long series is thinned first. */
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
	out->interval = et_mean_interval(x, n, 0.95);
	out->r1 = et_autocorrelation(x, n, 1);
	out->trend = et_mann_kendall(x, n);
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

/* --- warnings --- */

/* Of many runs the test finds a drift that is far smaller than what anybody asks for. */
static const double noticeable_shift = 0.03;

static void warn_serial(const struct et_diagnosis *d, struct et_warnings *out)
{
	if (d->trend.p < alarm_p && fabs(d->drift.shift) > noticeable_shift)
		et_warn(out, ET_WARN_DRIFT, et_arg_flag(d->trend.s > 0),
			et_arg_p_value(d->trend.p));
	/* r1 is corrected for its bias under independence (Marriott & Pope 1954). */
	else if (d->r1 + (1 + 4 * d->r1) / (double)d->n > et_acf_band(d->n, 0.99))
		et_warn(out, ET_WARN_DEPENDENT_RUNS, et_arg_number(d->r1), et_arg_count(d->n),
			et_arg_count(et_u64(round((double)d->n / d->interval.inflation))));
}

/* Data in coarse steps look multimodal to the dip test. */
static void warn_modes(const struct et_diagnosis *d, enum et_unit unit, struct et_warnings *out)
{
	if (d->n >= MODES_TESTABLE && !d->steps.coarse && d->dip.p < alarm_p && d->n_modes >= 2)
		et_warn(out, ET_WARN_SEVERAL_MODES, et_arg_value(d->modes[0].at, unit),
			et_arg_value(d->modes[1].at, unit), et_arg_p_value(d->dip.p));
}

static void warn_skew(
	const struct et_diagnosis *d, enum et_diagnosis_use use, struct et_warnings *out)
{
	double limit = use == ET_USE_STOPPED_MEAN ? skew_matters_stopped : skew_matters;

	if (d->skew.p < alarm_p && d->interval.skew_effect > limit)
		et_warn(out, ET_WARN_SKEWED, et_arg_flag(d->skew.skewness > 0),
			et_arg_number(d->skew.skewness), et_arg_share(d->interval.skew_effect),
			et_arg_flag(use != ET_USE_DESCRIPTION));
}

static void warn_shape(const struct et_diagnosis *d, enum et_unit unit, struct et_warnings *out)
{
	/* In coarse steps more than half of the values may be equal: then there are no fences. */
	if (d->steps.coarse)
		et_warn(out, ET_WARN_COARSE_STEPS, et_arg_value(d->steps.quantum, unit),
			et_arg_count(d->steps.distinct));
	else if (d->outliers.solitary)
		et_warn(out, ET_WARN_SOLITARY_VALUES, et_arg_count(d->outliers.solitary));
	else if (d->outliers.severe)
		et_warn(out, ET_WARN_OUTLIERS, et_arg_count(d->outliers.severe));
	if (d->normality.p < ET_CHECK_ALPHA)
		et_warn(out, ET_WARN_SD_INTERVAL, et_arg_p_value(d->normality.p),
			et_arg_flag(d->n < BCA_HOLDS));
}

static void warn_untestable(const struct et_diagnosis *d, struct et_warnings *out)
{
	if (d->constant)
		et_warn(out, ET_WARN_ALL_EQUAL);
	if (d->n < ET_SHAPIRO_LEAST)
		et_warn(out, ET_WARN_NORMALITY_UNTESTED, et_arg_count(ET_SHAPIRO_LEAST));
	else if (d->n > ET_SHAPIRO_MOST)
		et_warn(out, ET_WARN_NORMALITY_BY_PART, et_arg_count(d->normality.n_used),
			et_arg_count(d->n));
	if (d->n < ET_SERIAL_TESTABLE)
		et_warn(out, ET_WARN_SERIAL_UNTESTED, et_arg_count(d->n),
			et_arg_count(ET_SERIAL_TESTABLE));
	if (d->n >= FEW && d->n < RARE_TESTABLE && !d->constant)
		et_warn(out, ET_WARN_RARE_CASE_UNSEEN, et_arg_count(d->n),
			et_arg_share(pow(0.9, (double)d->n)), et_arg_count(RARE_TESTABLE),
			et_arg_count(10));
}

void et_diagnosis_warn(const struct et_diagnosis *d, enum et_unit unit, enum et_diagnosis_use use,
	struct et_warnings *out)
{
	bool all = use == ET_USE_DESCRIPTION;

	if (d->n < FEW)
		et_warn(out, ET_WARN_FEW_VALUES, et_arg_count(d->n));
	if (all)
		warn_untestable(d, out);
	if (all && d->drift.cold_start)
		et_warn(out, ET_WARN_COLD_START);
	if (d->n >= ET_SERIAL_TESTABLE)
		warn_serial(d, out);
	warn_modes(d, unit, out);
	if (use != ET_USE_COMPARISON && d->n >= FEW && !d->constant)
		warn_skew(d, use, out);
	if (all && !d->constant)
		warn_shape(d, unit, out);
}
