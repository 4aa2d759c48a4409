/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/whole.h"
#include "draw/html.h"
#include "num/quantile.h"
#include "report/charts.h"
#include "report/dual.h"
#include "report/experiment_page.h"
#include "stats/series/diagnosis.h"
#include "stats/series/tally.h"

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
		.axis = { .label = et_metric_is_time(m) ? et_metrics[m].label
							: "peak memory (bytes)",
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

/* Curves: kept (ET_KEPT), one per cause of removal, and warm-up. */
enum { WARMUP = ET_TALLY_CAUSES, CURVES };

/* The papers' checks are marked as in their Figure 16: check I by squares, II by triangles. */
static const struct {
	const char *name;
	unsigned color; /* which has its own form */
} looks[CURVES] = {
	[ET_KEPT] = { "kept", ET_SVG_BLUE },
	[ET_REMOVED_STOPPED] = { "stopped", ET_SVG_RED },
	[ET_REMOVED_FAILED] = { "failed", ET_SVG_SKY },
	[ET_REMOVED_DAEMON_CUTOFF] = { "check I: daemon-cutoff", ET_SVG_GREEN },
	[ET_REMOVED_TWO_SIGMA] = { "check II: two-sigma", ET_SVG_PURPLE },
	[ET_REMOVED_MACHINE_SLOW] = { "machine-slow", ET_SVG_ORANGE },
	[WARMUP] = { "warm-up", ET_SVG_GREY },
};

static bool drawn_in_order(const struct subject *t, const struct et_sample *s)
{
	return s->place.arrangement == t->arrangement && !isnan(value_of(t, s));
}

static void sequence(const struct subject *t, double lo, double hi, const struct et_chart_to *to)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&t->c->samples);
	struct et_curve *curves[CURVES];
	struct et_chart c = { .description = "Removed samples are marked with the reason.",
		.x = { .label = "sample" },
		.y = lo < hi ? et_axis_fit(&t->axis, lo, hi) : t->axis,
		.marks = { { t->estimate->mean, "mean", true } },
		.n_marks = 1,
		.width = WIDE,
		.height = LOW,
		.wide = true };

	if (!t->estimate->n)
		return;
	c.title = et_chart_format(&c, "Samples in order: %s", t->axis.label);
	for (int k = 0; k < CURVES; k++)
		curves[k] = et_chart_curve(&c, ET_SVG_POINTS, looks[k].color, NULL);
	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		if (!drawn_in_order(t, s))
			continue;
		int k = s->place.warmup ? WARMUP : (int)s->ruling.removal.by;
		bool why = k != ET_KEPT && k != WARMUP;
		et_curve_add_dot(curves[k],
			(struct et_dot){ .x = s->place.index,
				.y = value_of(t, s),
				.title = et_chart_own(&c, why ? sample_title(t, s) : NULL) });
		curves[k]->name = looks[k].name;
	}
	et_chart_put(&c, to);
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

/* The kernel density, scaled to the height of the bars, unless there are few values. */
static void add_density(struct et_chart *c, const double *sorted, size_t n, double area)
{
	struct et_kde kde;

	if (n < DENSITY_FROM)
		return;
	et_kde(sorted, n, 0, &kde);
	struct et_curve *k = et_chart_curve(c, ET_SVG_LINE, ET_SVG_RED, "kernel density");
	for (size_t i = 0; i < ET_KDE_POINTS; i++)
		et_curve_add(k, kde.lo + (double)i * kde.step, kde.density[i] * area);
}

static void distribution(const struct subject *t, const struct et_chart_to *to)
{
	size_t n;
	ET_AUTO_FREE double *values = et_command_values(t->c, t->metric, t->arrangement, &n);
	struct et_bins b = { 0 };

	et_sort(values, n);
	if (n < 2 || !(values[0] < values[n - 1]))
		return;
	et_bins_fill(&b, values, n, t->estimate, MOST_BINS);
	struct et_chart c = { .title = "Distribution",
		.description =
			"A histogram with bins by the rule of Freedman and Diaconis; the mean and "
			"the median are marked.",
		.x = t->axis,
		.y = { .label = "samples" },
		.marks = { { .at = t->estimate->median, .label = "median" },
			{ .at = t->estimate->mean } },
		.n_marks = 2,
		.width = SIDE,
		.height = SIDE };
	struct et_curve *bars = et_chart_curve(&c, ET_SVG_BARS, ET_SVG_BLUE, "samples kept");
	double wide = (b.hi - b.lo) / b.n;

	for (int i = 0; i < b.n; i++)
		et_curve_add_dot(bars, (struct et_dot){ .x = b.lo + wide * i,
					       .end = b.lo + wide * (i + 1),
					       .y = (double)b.count[i] });
	free(b.count);
	add_density(&c, values, n, (double)n * wide);
	et_chart_put(&c, to);
}

/* --- dependence --- */

static void dependence(const struct subject *t, const struct et_chart_to *to)
{
	size_t n;
	ET_AUTO_FREE double *values = et_command_values(t->c, t->metric, t->arrangement, &n);
	double r[MOST_LAGS], band = et_acf_band(n, 0.95);
	size_t lags = n / 2 < MOST_LAGS ? n / 2 : MOST_LAGS;

	if (n < ET_SERIAL_TESTABLE)
		return;
	struct et_chart c = { .title = "Autocorrelation",
		.description = "Correlation of a kept sample with an earlier one; the lag is how "
			       "many samples earlier that was.",
		.x = { .label = "lag" },
		.y = { .label = "correlation" },
		.marks = { { band, "95 % band if independent", true },
			{ .at = -band, .across = true } },
		.n_marks = 2,
		.width = SIDE,
		.height = SIDE };
	struct et_curve *bars = et_chart_curve(&c, ET_SVG_BARS, ET_SVG_BLUE, NULL);

	et_acf(values, n, lags, r);
	et_curve_add_bars(bars, 0.8, 1, 0.4, r, lags);
	et_chart_put(&c, to);
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

/*
 * Draws the pairs of runs that followed each other directly, each run in one pair at most; removed
 * samples and those far out form the arms of the L. Returns the number of pairs.
 */
static size_t pairs(const struct subject *t, const struct et_chart_to *to)
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
		if (!last.place.order || s->place.order != last.place.order + 1) {
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
	et_dual_charts(&d, to);
	return d.n;
}

void et_experiment_pictures(
	const struct et_command_result *r, const struct et_pictures *how, FILE *out)
{
	/* Peak memory hardly changes from run to run, unless somebody asks for it. */
	const enum et_metric in_order[] = { ET_METRIC_PEAK_MEMORY, ET_METRIC_ELAPSED,
		ET_METRIC_CPU };
	struct subject t = subject_of(r, et_result_metric(r));
	struct subject of_pairs = subject_of(r, how->pairs);
	const struct et_chart_to to = { .page = out };

	if (!t.estimate->n)
		return;
	et_html_pictures_begin(out);
	for (size_t i = et_metric_is_time(t.metric); i < ET_LENGTH(in_order); i++) {
		struct subject one = subject_of(r, in_order[i]);
		sequence(&one, how->lo[in_order[i]], how->hi[in_order[i]], &to);
	}
	distribution(&t, &to);
	dependence(&t, &to);
	size_t n = pairs(&of_pairs, &to);
	et_html_pictures_end(out);
	if (!n)
		et_html_element(out, "p class=\"dim\"",
			"There is no dual-execution plot: no two runs of this command followed "
			"each other directly.");
}

/* --- comparisons --- */

void et_experiment_forest(const struct et_judgement *j, FILE *out)
{
	enum { DIFFERS, BEFORE_HOLM, EQUAL, SAME, KINDS };
	static const char *const names[] = { [DIFFERS] = "differs",
		[BEFORE_HOLM] = "differs before the correction only",
		[EQUAL] = "equal within the margin",
		[SAME] = "no difference shown" };
	static const unsigned colors[] = { [DIFFERS] = ET_SVG_RED,
		[BEFORE_HOLM] = ET_SVG_ORANGE,
		[EQUAL] = ET_SVG_GREEN,
		[SAME] = ET_SVG_BLUE };
	struct et_chart c = { .title = "Ratio to the reference",
		.description = "The time of each command divided by that of the reference, with "
			       "its interval.",
		.x = { .label = "ratio" },
		.marks = { { .at = 1, .label = "the reference" } },
		.n_marks = 1,
		.width = WIDE,
		.wide = true };
	struct et_chart_rows rows[KINDS];

	for (size_t k = 0; k < KINDS; k++)
		rows[k].intervals = et_chart_curve(&c, ET_SVG_INTERVALS, colors[k], NULL);
	for (size_t k = 0; k < KINDS; k++)
		rows[k].points = et_chart_curve(&c, ET_SVG_POINTS, colors[k], NULL);
	for (size_t i = 0; i < j->n_contrasts; i++) {
		const struct et_contrast *r = &j->contrasts[i];
		struct et_ratio of = et_contrast_ratio(r);
		if (!isfinite(of.estimate) || !isfinite(of.lo) || !isfinite(of.hi))
			continue;
		bool holm = r->conclusion == ET_CONCLUDED_SAME_BY_HOLM;
		bool equal = r->conclusion == ET_CONCLUDED_EQUAL;
		size_t k = r->significant ? DIFFERS : holm ? BEFORE_HOLM : equal ? EQUAL : SAME;
		const char *name = j->commands[r->b].command->name;
		et_chart_row(
			rows[k], et_chart_track(&c, name ? name : ""), of.estimate, of.lo, of.hi);
		rows[k].intervals->name = names[k];
	}
	if (c.n_tracks) {
		et_html_pictures_begin(out);
		et_chart_put(&c, &(struct et_chart_to){ .page = out });
		et_html_pictures_end(out);
	}
	et_chart_free(&c);
}
