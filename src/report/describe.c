/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/units.h"
#include "report/charts.h"
#include "report/text.h"
#include "report/warning.h"

#define BOLD "1"

/* --- text --- */

enum {
	LABEL = 12,
	TESTABLE = 5, /* of fewer values, dependence, trend and modes say nothing */
};

struct view {
	const struct et_series *s;
	const struct et_description *d;
	const struct et_page *page;
};

#define row(v, label, ...) et_page_row((v)->page, LABEL + 3, label, NULL, __VA_ARGS__)

/* With as many digits as the resolution supports: the uncertainty of a figure, or the spread. */
static const char *figure_to(const struct view *v, double x, double resolution, char buf[ET_FIGURE])
{
	return et_format_value_to(x, resolution, v->s->unit, buf);
}

/* "1.2 ms … 3.4 ms", or a dash if there is no interval. */
static const char *span(const struct view *v, struct et_interval i, char buf[2 * ET_FIGURE])
{
	if (isnan(i.lo) || isnan(i.hi))
		snprintf(buf, 2 * ET_FIGURE, ET_DASH);
	else
		snprintf(buf, 2 * ET_FIGURE, "%.90s … %.90s",
			et_format_value_to(i.lo, (i.hi - i.lo) / 2, v->s->unit, ET_BUF),
			et_format_value_to(i.hi, (i.hi - i.lo) / 2, v->s->unit, ET_BUF));
	return buf;
}

static struct et_interval student(const struct et_description *d)
{
	const struct et_mean_interval *m = &d->interval;

	return (struct et_interval){ m->mean - m->student, m->mean + m->student,
		d->estimate.level };
}

const char *et_interval_words(const struct et_estimate *e)
{
	bool dependent = e->inflation > 1, skewed = e->skewed;

	if (e->interval_method && !strcmp(e->interval_method, "resolution"))
		return "resolution of equal values";
	return dependent && skewed ? "Student t widened for dependence and skewness"
	       : dependent         ? "Student t widened for dependence"
	       : skewed            ? "Student t widened for skewness"
				   : "Student t";
}

static void show_place(const struct view *v)
{
	const struct et_description *d = v->d;
	const struct et_estimate *e = &d->estimate;
	char a[ET_FIGURE], b[2 * ET_FIGURE];

	et_format_estimate(e, v->s->unit, a);
	row(v, "mean", "%s (%s, %.4g %%, k = %.3f)", a, et_interval_words(e), 100 * e->level,
		e->coverage_factor);
	if (!strcmp(e->interval_method, "student-t-widened"))
		row(v, "", "%s by Student t alone", span(v, student(d), b));
	if (d->replicates && d->interval.skewed)
		row(v, "", "%s by bootstrap-t, which fits skewed data", span(v, d->mean.t, b));
	if (isnan(d->median_interval.lo))
		row(v, "median", "%s (too few values for an interval)",
			figure_to(v, e->median, e->expanded_uncertainty, a));
	else
		row(v, "median", "%s (%s, order statistics, %.4g %%)",
			figure_to(v, e->median, (d->median_interval.hi - d->median_interval.lo) / 2,
				a),
			span(v, d->median_interval, b), 100 * d->median_interval.level);
}

static double iqr(const void *estimate)
{
	const struct et_estimate *e = estimate;

	return e->q3 - e->q1;
}

/* The interquartile range of a normal distribution is 1.349 standard deviations. */
static double robust_sd(const void *estimate)
{
	return iqr(estimate) / 1.349;
}

static void show_spread(const struct view *v)
{
	const struct et_description *d = v->d;
	const struct et_estimate *e = &d->estimate;
	char c[2 * ET_FIGURE];
	bool normal = d->diagnosis.normality.p > ET_CHECK_ALPHA;

	row(v, "sd", "%s (%s of the mean)", et_format_value(e->sd, v->s->unit, ET_BUF),
		et_format_percent(fabs(e->relative_error), ET_BUF));
	if (!d->diagnosis.constant)
		row(v, "", "%s by chi-square, %s", span(v, d->sd_interval, c),
			normal ? "for normal data" : "for normal data, which these are not");
	if (d->replicates)
		row(v, "", "%s by bootstrap (BCa)", span(v, d->sd.bca, c));
	row(v, "range", "%s … %s", figure_to(v, e->min, e->sd, ET_BUF),
		figure_to(v, e->max, e->sd, ET_BUF));
	row(v, "quartiles", "%s … %s", figure_to(v, e->q1, e->sd, ET_BUF),
		figure_to(v, e->q3, e->sd, ET_BUF));
	if (!d->diagnosis.constant)
		row(v, "", "their distance / 1.349, the sd if the values were normal: %s",
			et_format_value(robust_sd(e), v->s->unit, ET_BUF));
}

static void show_cold(const struct view *v)
{
	const struct et_description *d = v->d;
	const struct et_estimate *rest = &d->cold.rest;

	if (!d->cold.n)
		return;
	row(v, "cold start", "the first %zu: %s; the others: %s", d->cold.n,
		figure_to(v, d->cold.mean, rest->expanded_uncertainty, ET_BUF),
		et_format_estimate(rest, v->s->unit, ET_BUF));
}

/* "▁▂▅█": the moving mean between its least and its greatest value. */
static void show_moving(const struct view *v)
{
	const struct et_description *d = v->d;
	double lo = INFINITY, hi = -INFINITY;
	char line[3 * ET_MOVING_MOST + 1] = "";
	int room = v->page->width - LABEL - 4;
	size_t points = room < (int)d->n_moving ? (size_t)(room > 2 ? room : 2) : d->n_moving;

	if (!d->n_moving)
		return;
	for (size_t i = 0; i < d->n_moving; i++) {
		lo = fmin(lo, d->moving[i]);
		hi = fmax(hi, d->moving[i]);
	}
	for (size_t i = 0; i < points; i++) {
		double x = d->moving[i * (d->n_moving - 1) / (points - 1)];
		int level = hi > lo ? 1 + (int)(7.999 * (x - lo) / (hi - lo)) : 1;
		memcpy(line + 3 * i, et_eighths[level], 3); /* of UTF-8 */
	}
	row(v, "moving mean", "%s", line);
	row(v, "", "of %zu values each: %s … %s", d->window,
		figure_to(v, lo, d->estimate.sd, ET_BUF), figure_to(v, hi, d->estimate.sd, ET_BUF));
}

static void show_diagnosis(const struct view *v)
{
	const struct et_diagnosis *g = &v->d->diagnosis;
	bool testable = v->d->estimate.n >= TESTABLE;
	bool tested = v->d->estimate.n >= ET_SERIAL_TESTABLE; /* a warning says if not */
	ET_AUTO_FREE char *band = et_asprintf(" (band ±%.2f)", v->d->acf_band);
	ET_AUTO_FREE char *trend = et_asprintf(", p = %.3g", g->trend.p);

	if (!isnan(g->normality.w))
		row(v, "normality", "Shapiro-Wilk W = %.4f, p = %.3g", g->normality.w,
			g->normality.p);
	if (testable && !isnan(g->r1))
		row(v, "dependence", "autocorrelation %.2f at lag 1%s", g->r1, tested ? band : "");
	if (v->d->acf_dithered)
		row(v, "", "autocorrelation %.2f after dithering by ± half a step",
			v->d->acf_dithered[0]);
	if (tested && !isnan(v->d->ljung_box.p))
		row(v, "", "Ljung-Box p = %.3g at lag %.0f", v->d->ljung_box.p, v->d->ljung_box.df);
	if (testable && !isnan(g->trend.p) && !isnan(g->trend.tau))
		row(v, "trend", "Mann-Kendall tau = %.2f%s", g->trend.tau, tested ? trend : "");
	if (testable && !isnan(g->dip.p))
		row(v, "modes",
			g->dip.p > 0 ? "dip D = %.4f, p = %.3g" : "dip D = %.4f, p < 0.00001",
			g->dip.statistic, g->dip.p);
}

void et_describe_text(const struct et_series *s, const struct et_description *d,
	const struct et_page *page, bool verbose)
{
	const struct view v = { s, d, page };
	et_page_say(page, 0, "", NULL, BOLD, "%s: %zu values", s->name, s->n);
	show_place(&v);
	show_spread(&v);
	show_cold(&v);
	show_diagnosis(&v);
	if (verbose)
		show_moving(&v);
	if (verbose && d->replicates)
		row(&v, "bootstrap", "%zu replicates, seed %" PRIu64, d->replicates, d->seed);
	et_histogram(s->values, s->n, &d->estimate, s->unit, 2, page->width - 2, page->out);
	et_warnings_text(page, 2, &d->estimate.warnings);
}

/* --- JSON --- */

ET_FIELDS(interval_fields, ET_KEYS(et_interval, level, lo, hi));

static void write_student(struct et_json *w, const char *key, const void *description)
{
	struct et_interval i = student(description);

	et_fields_span(w, key, i.lo, i.hi);
}

static void write_median(struct et_json *w, const char *key, const void *interval)
{
	et_json_flat_object(w, key);
	et_json_string(w, "method", "order-statistics");
	et_fields_write(w, interval_fields, interval);
	et_json_end(w);
}

/* An interval of a description by the bootstrap, if that was made. */
#define BOOTSTRAP(key, member)                                                                     \
	ET_KEY_SPAN(et_description, key, member.lo, member.hi, .nullable = true,                   \
		ET_GIVEN(et_description, replicates))

ET_FIELDS(boot_fields,
	ET_KEY_SPAN(et_boot, "percentile", percentile.lo, percentile.hi, .nullable = true),
	ET_KEY_SPAN(et_boot, "bca", bca.lo, bca.hi, .nullable = true),
	ET_KEY_SPAN(et_boot, "bootstrap_t", t.lo, t.hi, .nullable = true));

ET_FIELDS(description_fields,
	ET_KEYS_OF(et_description, estimate,
		ET_TABLE(
			ET_KEYS(et_estimate, n, mean, sd, relative_error, min, max, median, q1, q3),
			ET_KEY_OF("iqr", iqr), ET_KEY_OF("robust_sd", robust_sd))),
	ET_KEY(et_description, "skewness", diagnosis.skew.skewness),
	ET_KEYS_OF(et_description, estimate,
		ET_TABLE(ET_KEYS(et_estimate, standard_uncertainty, coverage_factor,
				 expanded_uncertainty),
			ET_KEYS(et_estimate, inflation, skew_effect))),
	ET_KEY_FLAT(et_description, "mean_interval", estimate,
		ET_TABLE(ET_KEY(et_estimate, "method", interval_method),
			ET_KEYS(et_estimate, level, lo, hi))),
	ET_KEY_MADE("student_t", write_student),
	ET_KEY_BY(et_description, "median_interval", median_interval, write_median),
	ET_KEY_GROUP("sd_interval",
		ET_TABLE(ET_KEY_SPAN(et_description, "chi2", sd_interval.lo, sd_interval.hi,
				 .nullable = true),
			BOOTSTRAP("percentile", sd.percentile), BOOTSTRAP("bca", sd.bca)),
		.flat = true),
	ET_KEY_GROUP("bootstrap",
		ET_TABLE(ET_KEY(et_description, "iterations", replicates),
			ET_KEYS(et_description, seed),
			ET_KEY_FLAT(et_description, "mean", mean, boot_fields),
			ET_KEY_FLAT(et_description, "median", median, boot_fields),
			ET_KEY_FLAT(et_description, "sd", sd, boot_fields)),
		ET_GIVEN(et_description, replicates)),
	ET_KEY_FLAT(et_description, "shapiro", diagnosis.normality,
		ET_TABLE(ET_KEYS(et_normality, w, p), ET_KEY(et_normality, "n", n_used))),
	ET_KEY_VALUES(et_description, "acf", acf, n_acf), ET_KEYS(et_description, acf_band),
	ET_KEY_VALUES(et_description, "acf_dithered", acf_dithered, n_acf,
		ET_GIVEN_POINTER(et_description, acf_dithered)),
	ET_KEY_FLAT(et_description, "ljung_box", ljung_box,
		ET_TABLE(ET_KEY(et_test, "lag", df), ET_KEY(et_test, "q", statistic),
			ET_KEYS(et_test, p))),
	ET_KEY_FLAT(et_description, "mann_kendall", diagnosis.trend,
		ET_TABLE(ET_KEYS(et_trend, tau, p))),
	ET_KEY_GROUP("moving_mean",
		ET_TABLE(ET_KEYS(et_description, window),
			ET_KEY_ROOM(et_description, "values", moving, n_moving, NULL,
				.element = ET_FIELD_DOUBLE)),
		.flat = true, ET_GIVEN(et_description, n_moving)),
	ET_KEY_GROUP("cold_start",
		ET_TABLE(ET_KEY(et_description, "n", cold.n),
			ET_KEY(et_description, "mean", cold.mean),
			ET_KEY(et_description, "rest_mean", cold.rest.mean),
			ET_KEY(et_description, "rest_expanded_uncertainty",
				cold.rest.expanded_uncertainty)),
		.flat = true, ET_GIVEN(et_description, cold.n)),
	ET_KEY_FLAT(et_description, "density", diagnosis,
		ET_TABLE(ET_KEYS(et_diagnosis, bandwidth),
			ET_KEY_ROOM(et_diagnosis, "modes", modes, n_modes, NULL,
				.element = ET_FIELD_DOUBLE, .inner = offsetof(struct et_mode, at)),
			ET_KEY_ROOM(et_diagnosis, "mode_shares", modes, n_modes, NULL,
				.element = ET_FIELD_DOUBLE,
				.inner = offsetof(struct et_mode, share)))),
	ET_KEY_FLAT(et_description, "dip", diagnosis.dip,
		ET_TABLE(ET_KEY(et_dip, "d", statistic), ET_KEYS(et_dip, p))),
	ET_KEY(et_description, "quantum", diagnosis.steps.quantum,
		ET_GIVEN(et_description, diagnosis.steps.quantum)),
	ET_KEY_FLAT(et_description, "outliers", diagnosis.outliers,
		ET_TABLE(ET_KEYS(et_outliers, mild, severe, solitary))),
	ET_KEY_WARNINGS(et_description, estimate.warnings));

void et_describe_json(struct et_json *w, const struct et_series *s, const struct et_description *d)
{
	et_json_object(w, NULL);
	et_json_string(w, "name", s->name);
	et_json_string(w, "unit", et_unit_names[s->unit]);
	et_fields_write(w, description_fields, d);
	et_json_end(w);
}
