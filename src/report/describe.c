/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/describe.h"
#include "base/alloc.h"
#include "report/histogram.h"
#include "report/units.h"
#include "report/warning.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

static void row(const struct view *v, const char *label, const char *fmt, ...) ET_PRINTF(3, 4);

static void row(const struct view *v, const char *label, const char *fmt, ...)
{
	char lead[64];
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *text = et_vasprintf(fmt, ap);
	va_end(ap);
	snprintf(lead, sizeof(lead), "  %-*s", LABEL, label);
	et_page_paragraph(v->page, LABEL + 3, lead, NULL, text, NULL);
}

static const char *figure(const struct view *v, double x, char buf[ET_FIGURE])
{
	return et_format_value(x, v->s->unit, buf);
}

/* With as many digits as the resolution supports: the uncertainty of a figure, or the spread. */
static const char *figure_to(const struct view *v, double x, double resolution, char buf[ET_FIGURE])
{
	return et_format_value_to(x, resolution, v->s->unit, buf);
}

/* "1.2 ms … 3.4 ms", or a dash if there is no interval. */
static const char *span(const struct view *v, struct et_interval i, char buf[2 * ET_FIGURE])
{
	char lo[ET_FIGURE], hi[ET_FIGURE];

	if (isnan(i.lo) || isnan(i.hi))
		snprintf(buf, 2 * ET_FIGURE, ET_DASH);
	else
		snprintf(buf, 2 * ET_FIGURE, "%.90s … %.90s",
			et_format_value_to(i.lo, (i.hi - i.lo) / 2, v->s->unit, lo),
			et_format_value_to(i.hi, (i.hi - i.lo) / 2, v->s->unit, hi));
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

/* The interquartile range of a normal distribution is 1.349 standard deviations. */
static double robust_sd(const struct et_estimate *e)
{
	return (e->q3 - e->q1) / 1.349;
}

static void show_spread(const struct view *v)
{
	const struct et_description *d = v->d;
	const struct et_estimate *e = &d->estimate;
	char a[ET_FIGURE], b[ET_FIGURE], c[2 * ET_FIGURE], percent[ET_FIGURE];
	bool normal = d->diagnosis.normality.p > ET_CHECK_ALPHA;

	et_format_percent(fabs(e->relative_error), percent);
	row(v, "sd", "%s (%s of the mean)", figure(v, e->sd, a), percent);
	if (!d->diagnosis.constant)
		row(v, "", "%s by chi-square, %s", span(v, d->sd_interval, c),
			normal ? "for normal data" : "for normal data, which these are not");
	if (d->replicates)
		row(v, "", "%s by bootstrap (BCa)", span(v, d->sd.bca, c));
	row(v, "range", "%s … %s", figure_to(v, e->min, e->sd, a), figure_to(v, e->max, e->sd, b));
	row(v, "quartiles", "%s … %s", figure_to(v, e->q1, e->sd, a),
		figure_to(v, e->q3, e->sd, b));
	if (!d->diagnosis.constant)
		row(v, "", "their distance / 1.349, the sd if the values were normal: %s",
			figure(v, robust_sd(e), a));
}

static void show_cold(const struct view *v)
{
	const struct et_description *d = v->d;
	const struct et_estimate *rest = &d->cold.rest;
	char a[ET_FIGURE], b[ET_FIGURE];

	if (!d->cold.n)
		return;
	et_format_estimate(rest, v->s->unit, b);
	row(v, "cold start", "the first %zu: %s; the others: %s", d->cold.n,
		figure_to(v, d->cold.mean, rest->expanded_uncertainty, a), b);
}

/* "▁▂▅█": the moving mean between its least and its greatest value. */
static void show_moving(const struct view *v)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const struct et_description *d = v->d;
	double lo = INFINITY, hi = -INFINITY;
	char line[3 * ET_MOVING_MOST + 1] = "", a[ET_FIGURE], b[ET_FIGURE];
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
		int level = hi > lo ? (int)(7.999 * (x - lo) / (hi - lo)) : 0;
		memcpy(line + 3 * i, blocks[level], 3); /* of UTF-8 */
	}
	row(v, "moving mean", "%s", line);
	row(v, "", "of %zu values each: %s … %s", d->window, figure_to(v, lo, d->estimate.sd, a),
		figure_to(v, hi, d->estimate.sd, b));
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
	ET_AUTO_FREE char *heading = et_asprintf("%s: %zu values", s->name, s->n);

	et_page_paragraph(page, 0, "", NULL, heading, BOLD);
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

static void write_pair(struct et_json *w, const char *key, struct et_interval i)
{
	if (isnan(i.lo) && isnan(i.hi)) {
		et_json_null(w, key);
		return;
	}
	et_json_flat_array(w, key);
	et_json_double(w, NULL, i.lo);
	et_json_double(w, NULL, i.hi);
	et_json_end(w);
}

static void write_interval(
	struct et_json *w, const char *key, const char *method, struct et_interval i)
{
	et_json_flat_object(w, key);
	et_json_string(w, "method", method);
	et_json_double(w, "level", i.level);
	et_json_double(w, "lo", i.lo);
	et_json_double(w, "hi", i.hi);
	et_json_end(w);
}

static void write_summary(struct et_json *w, const struct et_description *d)
{
	const struct et_estimate *e = &d->estimate;
	const struct {
		const char *key;
		double value;
	} rows[] = {
		{ "mean", e->mean },
		{ "sd", e->sd },
		{ "relative_error", e->relative_error },
		{ "min", e->min },
		{ "max", e->max },
		{ "median", e->median },
		{ "q1", e->q1 },
		{ "q3", e->q3 },
		{ "iqr", e->q3 - e->q1 },
		{ "robust_sd", robust_sd(e) },
		{ "skewness", d->diagnosis.skew.skewness },
		{ "standard_uncertainty", e->standard_uncertainty },
		{ "coverage_factor", e->coverage_factor },
		{ "expanded_uncertainty", e->expanded_uncertainty },
		{ "inflation", e->inflation },
		{ "skew_effect", e->skew_effect },
	};

	et_json_u64(w, "n", e->n);
	for (size_t i = 0; i < ET_LENGTH(rows); i++)
		et_json_double(w, rows[i].key, rows[i].value);
}

static void write_boot(struct et_json *w, const char *key, const struct et_boot *b)
{
	et_json_flat_object(w, key);
	write_pair(w, "percentile", b->percentile);
	write_pair(w, "bca", b->bca);
	write_pair(w, "bootstrap_t", b->t);
	et_json_end(w);
}

static void write_bootstrap(struct et_json *w, const struct et_description *d)
{
	static const struct et_interval none = { NAN, NAN, NAN };

	et_json_flat_object(w, "sd_interval");
	write_pair(w, "chi2", d->sd_interval);
	write_pair(w, "percentile", d->replicates ? d->sd.percentile : none);
	write_pair(w, "bca", d->replicates ? d->sd.bca : none);
	et_json_end(w);
	if (!d->replicates) {
		et_json_null(w, "bootstrap");
		return;
	}
	et_json_object(w, "bootstrap");
	et_json_u64(w, "iterations", d->replicates);
	et_json_u64(w, "seed", d->seed);
	write_boot(w, "mean", &d->mean);
	write_boot(w, "median", &d->median);
	write_boot(w, "sd", &d->sd);
	et_json_end(w);
}

static void write_dithered(struct et_json *w, const struct et_description *d)
{
	if (!d->acf_dithered) {
		et_json_null(w, "acf_dithered");
		return;
	}
	et_json_flat_array(w, "acf_dithered");
	for (size_t i = 0; i < d->n_acf; i++)
		et_json_double(w, NULL, d->acf_dithered[i]);
	et_json_end(w);
}

static void write_order(struct et_json *w, const struct et_description *d)
{
	if (d->n_moving) {
		et_json_flat_object(w, "moving_mean");
		et_json_u64(w, "window", d->window);
		et_json_flat_array(w, "values");
		for (size_t i = 0; i < d->n_moving; i++)
			et_json_double(w, NULL, d->moving[i]);
		et_json_end(w);
		et_json_end(w);
	} else {
		et_json_null(w, "moving_mean");
	}
	if (!d->cold.n) {
		et_json_null(w, "cold_start");
		return;
	}
	et_json_flat_object(w, "cold_start");
	et_json_u64(w, "n", d->cold.n);
	et_json_double(w, "mean", d->cold.mean);
	et_json_double(w, "rest_mean", d->cold.rest.mean);
	et_json_double(w, "rest_expanded_uncertainty", d->cold.rest.expanded_uncertainty);
	et_json_end(w);
}

static void write_serial(struct et_json *w, const struct et_description *d)
{
	const struct et_diagnosis *g = &d->diagnosis;

	et_json_flat_object(w, "shapiro");
	et_json_double(w, "w", g->normality.w);
	et_json_double(w, "p", g->normality.p);
	et_json_u64(w, "n", g->normality.n_used);
	et_json_end(w);
	et_json_flat_array(w, "acf");
	for (size_t i = 0; i < d->n_acf; i++)
		et_json_double(w, NULL, d->acf[i]);
	et_json_end(w);
	et_json_double(w, "acf_band", d->acf_band);
	write_dithered(w, d);
	et_json_flat_object(w, "ljung_box");
	et_json_u64(w, "lag", (uint64_t)d->ljung_box.df);
	et_json_double(w, "q", d->ljung_box.statistic);
	et_json_double(w, "p", d->ljung_box.p);
	et_json_end(w);
	et_json_flat_object(w, "mann_kendall");
	et_json_double(w, "tau", g->trend.tau);
	et_json_double(w, "p", g->trend.p);
	et_json_end(w);
}

static void write_shape(struct et_json *w, const struct et_diagnosis *g)
{
	et_json_flat_object(w, "density");
	et_json_double(w, "bandwidth", g->bandwidth);
	et_json_flat_array(w, "modes");
	for (size_t i = 0; i < g->n_modes; i++)
		et_json_double(w, NULL, g->modes[i].at);
	et_json_end(w);
	et_json_flat_array(w, "mode_shares");
	for (size_t i = 0; i < g->n_modes; i++)
		et_json_double(w, NULL, g->modes[i].share);
	et_json_end(w);
	et_json_end(w);
	et_json_flat_object(w, "dip");
	et_json_double(w, "d", g->dip.statistic);
	et_json_double(w, "p", g->dip.p);
	et_json_end(w);
	et_json_double(w, "quantum", g->steps.quantum > 0 ? g->steps.quantum : NAN);
	et_json_flat_object(w, "outliers");
	et_json_u64(w, "mild", g->outliers.mild);
	et_json_u64(w, "severe", g->outliers.severe);
	et_json_u64(w, "solitary", g->outliers.solitary);
	et_json_end(w);
}

void et_describe_json(struct et_json *w, const struct et_series *s, const struct et_description *d)
{
	const struct et_estimate *e = &d->estimate;

	et_json_object(w, NULL);
	et_json_string(w, "name", s->name);
	et_json_string(w, "unit", et_unit_names[s->unit]);
	write_summary(w, d);
	write_interval(w, "mean_interval", e->interval_method,
		(struct et_interval){ e->lo, e->hi, e->level });
	write_pair(w, "student_t", student(d));
	write_interval(w, "median_interval", "order-statistics", d->median_interval);
	write_bootstrap(w, d);
	write_serial(w, d);
	write_order(w, d);
	write_shape(w, &d->diagnosis);
	et_warnings_json(w, &e->warnings);
	et_json_end(w);
}
