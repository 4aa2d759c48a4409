/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/whole.h"
#include "draw/html.h"
#include "num/quantile.h"
#include "report/charts.h"
#include "report/dual.h"
#include "report/experiment_page.h"
#include "stats/series/diagnosis.h"
#include "stats/series/tally.h"

#include <math.h>
#include <string.h>

enum { MOST_BINS = 60, MOST_LAGS = 40, DENSITY_FROM = 10, WIDE = 1120, LOW = 280, SIDE = 420 };

/* The data that all charts of one command use. */
struct subject {
	const struct et_command *c;
	enum et_metric metric;
	enum et_arrangement arrangement;
	struct et_axis axis; /* of the metric's values */
	const struct et_estimate *estimate;
};

static struct subject subject_of(const struct et_command_result *r, enum et_metric m)
{
	return (struct subject){ .c = r->command,
		.metric = m,
		.arrangement = r->arrangement,
		.axis = { .label = et_metrics[m].label,
			.unit = et_metrics[m].unit == ET_UNIT_NS ? ET_AXIS_NS : ET_AXIS_NUMBER },
		.estimate = &r->estimate[m] };
}

static double value_of(const struct subject *t, const struct et_sample *s)
{
	return et_sample_value(s, t->metric);
}

char *et_removal_text(const struct et_removal *r)
{
	char used[ET_FIGURE], limit[ET_FIGURE];

	if (r->by == ET_REMOVED_DAEMON_CUTOFF)
		return et_asprintf("%s: %.16s used %s, its cutoff is %s",
			et_removed_by_names[r->by], r->daemon, et_format_ns(r->cpu_ns, used),
			et_format_ns(r->cutoff_ns, limit));
	if (r->by == ET_REMOVED_MACHINE_SLOW)
		return et_asprintf("%s: %s %s, the limit is %s", et_removed_by_names[r->by],
			r->probe_ns ? "the probe took" : "stolen",
			et_format_ns(r->probe_ns ? r->probe_ns : r->steal_ns, used),
			et_format_ns(r->limit_ns, limit));
	return et_strdup(et_removed_by_names[r->by]);
}

static char *sample_title(const struct subject *t, const struct et_sample *s)
{
	ET_AUTO_FREE char *why = et_removal_text(&s->ruling.removal);
	char value[ET_FIGURE];

	return et_asprintf("sample %u, %s; %s", s->place.index,
		et_format_value(value_of(t, s), et_metrics[t->metric].unit, value), why);
}

/* --- samples in order --- */

/* Series: kept (ET_KEPT), one per cause of removal, and warm-up. */
enum { WARMUP = ET_TALLY_CAUSES, SERIES };

/* The papers' checks are marked as in their Figure 16: check I by squares, II by triangles. */
static const struct {
	const char *name;
	unsigned color; /* which has its own form */
} looks[SERIES] = {
	[ET_KEPT] = { "kept", ET_SVG_BLUE },
	[ET_REMOVED_STOPPED] = { "stopped", ET_SVG_RED },
	[ET_REMOVED_FAILED] = { "failed", ET_SVG_SKY },
	[ET_REMOVED_DAEMON_CUTOFF] = { "check I: daemon-cutoff", ET_SVG_GREEN },
	[ET_REMOVED_TWO_SIGMA] = { "check II: two-sigma", ET_SVG_PURPLE },
	[ET_REMOVED_MACHINE_SLOW] = { "machine-slow", ET_SVG_ORANGE },
	[WARMUP] = { "warm-up", ET_SVG_GREY },
};

static int series_of(const struct et_sample *s)
{
	return s->place.warmup ? WARMUP : (int)s->ruling.removal.by;
}

static bool drawn_in_order(const struct subject *t, const struct et_sample *s)
{
	return s->place.arrangement == t->arrangement && !isnan(value_of(t, s));
}

/* The arrays of the series: n places for each of them. */
struct in_order {
	size_t n;
	double *x, *y;
	const char **titles;
	struct et_svg_series series[SERIES];
};

static void sort_samples(const struct subject *t, struct in_order *o)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&t->c->samples);
	struct et_svg_series *s = o->series;

	for (const struct et_sample *one; (one = et_sample_reader_next(&r));) {
		if (!drawn_in_order(t, one))
			continue;
		int k = series_of(one);
		size_t at = (size_t)k * o->n + s[k].n++;
		o->x[at] = one->place.index;
		o->y[at] = value_of(t, one);
		if (k != ET_KEPT && k != WARMUP)
			o->titles[at] = sample_title(t, one);
	}
	for (int k = 0; k < SERIES; k++) {
		s[k].x = o->x + (size_t)k * o->n;
		s[k].y = o->y + (size_t)k * o->n;
		s[k].titles = o->titles + (size_t)k * o->n;
		s[k].color = looks[k].color;
		s[k].name = s[k].n ? looks[k].name : NULL;
	}
}

static void sequence(const struct subject *t, double lo, double hi, FILE *out)
{
	size_t n = t->c->samples.n;
	ET_AUTO_FREE double *x = et_calloc(SERIES * n + 1, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(SERIES * n + 1, sizeof(*y));
	ET_AUTO_FREE const char **titles = et_calloc(SERIES * n + 1, sizeof(*titles));
	ET_AUTO_FREE char *title = et_asprintf("Samples in order: %s", t->axis.label);
	struct in_order o = { .n = n, .x = x, .y = y, .titles = titles };
	struct et_svg_mark mean = { .at = t->estimate->mean, .label = "mean", .across = true };
	struct et_chart c = { .title = title,
		.description = "Removed samples are marked with the reason.",
		.x = { .label = "sample" },
		.y = t->axis,
		.series = o.series,
		.n_series = SERIES,
		.marks = &mean,
		.n_marks = 1,
		.width = WIDE,
		.height = LOW };

	if (!t->estimate->n)
		return;
	sort_samples(t, &o);
	c.y = lo < hi ? et_axis_fit(&t->axis, lo, hi) : t->axis;
	et_html_picture(out, &c, true);
	for (size_t i = 0; i < SERIES * n; i++)
		free((char *)titles[i]);
}

const struct et_pictures et_default_pictures = { .pairs = ET_METRIC_ELAPSED };

void et_pictures_stretch(struct et_pictures *p, const struct et_command_result *r)
{
	for (enum et_metric m = 0; m < ET_METRICS; m++) {
		struct subject t = subject_of(r, m);
		ET_AUTO_READER
		struct et_sample_reader all = et_samples_read_figures(&t.c->samples);
		for (const struct et_sample *s; (s = et_sample_reader_next(&all));) {
			double v = drawn_in_order(&t, s) ? value_of(&t, s) : NAN;
			bool first = p->lo[m] == 0 && p->hi[m] == 0;
			if (isnan(v))
				continue;
			p->lo[m] = first ? v : fmin(p->lo[m], v);
			p->hi[m] = fmax(p->hi[m], v);
		}
	}
}

/* --- distribution --- */

/* The kernel density, scaled to the height of the bars; no series if there are few values. */
static struct et_svg_series density(
	const double *sorted, size_t n, double area, double *x, double *y)
{
	struct et_svg_series s = {
		.name = "kernel density", .shape = ET_SVG_LINE, .color = ET_SVG_RED, .x = x, .y = y
	};
	struct et_kde kde;

	if (n < DENSITY_FROM)
		return (struct et_svg_series){ 0 };
	et_kde(sorted, n, 0, &kde);
	for (; s.n < ET_KDE_POINTS; s.n++) {
		x[s.n] = kde.lo + (double)s.n * kde.step;
		y[s.n] = kde.density[s.n] * area;
	}
	return s;
}

static void distribution(const struct subject *t, FILE *out)
{
	size_t n;
	ET_AUTO_FREE double *values = et_command_values(t->c, t->metric, t->arrangement, &n);

	et_sort(values, n);
	if (n < 2 || !(values[0] < values[n - 1]))
		return;
	double lo = values[0], range = values[n - 1] - lo;
	int bins = et_histogram_bins(t->estimate, n, range, MOST_BINS);
	double from[MOST_BINS], to[MOST_BINS], high[MOST_BINS] = { 0 };
	double x[ET_KDE_POINTS], y[ET_KDE_POINTS];

	for (int i = 0; i < bins; i++) {
		from[i] = lo + range * i / bins;
		to[i] = lo + range * (i + 1) / bins;
	}
	for (size_t i = 0; i < n; i++) {
		int k = et_int((values[i] - lo) / range * bins);
		high[k < bins ? k : bins - 1]++;
	}
	struct et_svg_series s[] = { { .name = "samples kept",
					     .shape = ET_SVG_BARS,
					     .x = from,
					     .x_end = to,
					     .y = high,
					     .n = (size_t)bins },
		density(values, n, (double)n * range / bins, x, y) };
	struct et_svg_mark marks[] = { { .at = t->estimate->median, .label = "median" },
		{ .at = t->estimate->mean } };
	struct et_chart c = { .title = "Distribution",
		.description =
			"A histogram with bins by the rule of Freedman and Diaconis; the mean and "
			"the median are marked.",
		.x = t->axis,
		.y = { .label = "samples" },
		.series = s,
		.n_series = ET_LENGTH(s),
		.marks = marks,
		.n_marks = ET_LENGTH(marks),
		.width = SIDE,
		.height = SIDE };
	et_html_picture(out, &c, false);
}

/* --- dependence --- */

static void dependence(const struct subject *t, FILE *out)
{
	size_t n;
	ET_AUTO_FREE double *values = et_command_values(t->c, t->metric, t->arrangement, &n);
	double r[MOST_LAGS], from[MOST_LAGS], to[MOST_LAGS];
	struct et_svg_series bars = {
		.shape = ET_SVG_BARS, .x = from, .x_end = to, .y = r, .n = MOST_LAGS
	};

	if (n < ET_SERIAL_TESTABLE)
		return;
	if (n / 2 < bars.n)
		bars.n = n / 2;
	et_acf(values, n, bars.n, r);
	for (size_t i = 0; i < bars.n; i++) {
		from[i] = (double)i + 0.8;
		to[i] = (double)i + 1.2;
	}
	double band = et_acf_band(n, 0.95);
	struct et_svg_mark marks[] = {
		{ .at = band, .label = "95 % band if independent", .across = true },
		{ .at = -band, .across = true }
	};
	struct et_chart c = { .title = "Autocorrelation",
		.description = "Correlation of a kept sample with an earlier one; the lag is how "
			       "many samples earlier that was.",
		.x = { .label = "lag" },
		.y = { .label = "correlation" },
		.series = &bars,
		.n_series = 1,
		.marks = marks,
		.n_marks = ET_LENGTH(marks),
		.width = SIDE,
		.height = SIDE };
	et_html_picture(out, &c, false);
}

/* --- pairs --- */

/* Times outside of these are far out by Tukey's rule: three interquartile ranges. */
struct fences {
	double lo, hi;
};

static struct fences fences_of(const struct subject *t)
{
	size_t n;
	ET_AUTO_FREE double *values = et_command_values(t->c, t->metric, t->arrangement, &n);

	et_sort(values, n);
	double q1 = et_quantile_sorted(values, n, 0.25), q3 = et_quantile_sorted(values, n, 0.75);
	if (!(q1 < q3))
		return (struct fences){ -INFINITY, INFINITY };
	return (struct fences){ q1 - 3 * (q3 - q1), q3 + 3 * (q3 - q1) };
}

/* Why a sample is on an arm of the L; NULL if it is in the cluster. */
static const char *cause_of(const struct subject *t, struct fences f, const struct et_sample *s)
{
	const struct et_removal *r = &s->ruling.removal;

	if (r->by == ET_REMOVED_DAEMON_CUTOFF && r->daemon[0])
		return r->daemon;
	if (r->by != ET_KEPT)
		return et_removed_by_names[r->by];
	return value_of(t, s) < f.lo || value_of(t, s) > f.hi ? "far out, but kept" : NULL;
}

static bool follows(const struct et_sample *s, const struct et_sample *last)
{
	return last->place.order && s->place.order == last->place.order + 1;
}

/*
 * Draws the pairs of runs that followed each other directly, each run in one pair at most. They
 * include removed samples: these form the arms of the L, with those that are far out and were kept.
 * Returns the number of pairs.
 */
static size_t pairs(const struct subject *t, FILE *out)
{
	ET_CLEANUP(et_dual_free)
	struct et_dual d = {
		.what = t->axis.label, .first = "the first of a pair", .second = "the second"
	};
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&t->c->samples);
	struct fences f = fences_of(t);
	struct et_sample last = { 0 };

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		if (s->place.warmup || s->place.arrangement != t->arrangement ||
			isnan(value_of(t, s)))
			continue;
		if (!follows(s, &last)) {
			last = *s;
			continue;
		}
		const struct et_sample *bad = cause_of(t, f, s)       ? s
					      : cause_of(t, f, &last) ? &last
								      : NULL;
		et_dual_add(&d, value_of(t, &last), value_of(t, s),
			bad ? ET_DUAL_FAR : ET_DUAL_CENTRAL, bad ? cause_of(t, f, bad) : NULL,
			bad ? sample_title(t, bad) : NULL);
		last.place.order = 0;
	}
	et_dual_pictures(&d, out);
	return d.n;
}

void et_experiment_pictures(
	const struct et_command_result *r, const struct et_pictures *how, FILE *out)
{
	static const enum et_metric in_order[] = { ET_METRIC_ELAPSED, ET_METRIC_CPU };
	struct subject t = subject_of(r, et_result_metric(r));
	struct subject of_pairs = subject_of(r, how->pairs);

	if (!t.estimate->n)
		return;
	et_html_pictures_begin(out);
	for (size_t i = 0; i < ET_LENGTH(in_order); i++) {
		struct subject one = subject_of(r, in_order[i]);
		sequence(&one, how->lo[in_order[i]], how->hi[in_order[i]], out);
	}
	distribution(&t, out);
	dependence(&t, out);
	size_t n = pairs(&of_pairs, out);
	et_html_pictures_end(out);
	if (!n)
		et_html_element(out, "p class=\"dim\"",
			"There is no dual-execution plot: no two runs of this command followed "
			"each other directly.");
}

/* --- comparisons --- */

static bool drawable(struct et_ratio r)
{
	return isfinite(r.estimate) && isfinite(r.lo) && isfinite(r.hi);
}

void et_experiment_forest(const struct et_judgement *j, FILE *out)
{
	enum { DIFFERS, BEFORE_HOLM, SAME, KINDS };
	static const char *const names[] = { [DIFFERS] = "differs",
		[BEFORE_HOLM] = "differs before the correction only",
		[SAME] = "no difference shown" };
	static const unsigned colors[] = {
		[DIFFERS] = ET_SVG_RED, [BEFORE_HOLM] = ET_SVG_ORANGE, [SAME] = ET_SVG_BLUE
	};
	size_t most = j->n_contrasts + 1, n = 0;
	ET_AUTO_FREE const char **tracks = et_calloc(most, sizeof(*tracks));
	ET_AUTO_FREE double *v = et_calloc(4 * KINDS * most, sizeof(*v));
	struct et_svg_series s[2 * KINDS] = { 0 };
	struct et_svg_mark one = { .at = 1, .label = "the reference" };
	struct et_chart c = { .title = "Ratio to the reference",
		.description = "The time of each command divided by that of the reference, with "
			       "its interval.",
		.x = { .label = "ratio" },
		.series = s,
		.n_series = ET_LENGTH(s),
		.marks = &one,
		.n_marks = 1,
		.width = WIDE };

	for (size_t k = 0; k < KINDS; k++) {
		double *at = v + 4 * k * most;
		s[k] = (struct et_svg_series){ .shape = ET_SVG_INTERVALS,
			.color = colors[k],
			.x = at,
			.x_end = at + most,
			.y = at + 3 * most };
		s[KINDS + k] = (struct et_svg_series){
			.color = colors[k], .x = at + 2 * most, .y = at + 3 * most
		};
	}
	for (size_t i = 0; i < j->n_contrasts; i++) {
		const struct et_contrast *r = &j->contrasts[i];
		struct et_ratio of = et_contrast_ratio(r);
		if (!drawable(of))
			continue;
		bool holm = r->conclusion == ET_CONCLUDED_SAME_BY_HOLM;
		size_t k = r->significant ? DIFFERS : holm ? BEFORE_HOLM : SAME, at = s[k].n++;
		double *to = v + 4 * k * most;
		to[at] = of.lo;
		to[most + at] = of.hi;
		to[2 * most + at] = of.estimate;
		to[3 * most + at] = (double)n;
		s[KINDS + k].n = s[k].n;
		s[k].name = names[k];
		const char *name = j->commands[r->b].command->name;
		tracks[n++] = name ? name : "";
	}
	c.y.tracks = tracks;
	c.y.n_tracks = n;
	if (!n)
		return;
	et_html_pictures_begin(out);
	et_html_picture(out, &c, true);
	et_html_pictures_end(out);
}
