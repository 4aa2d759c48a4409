/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/contrast.h"
#include "stats/compare/paired.h"
#include "stats/compare/two_sample.h"
#include "stats/profile/counts.h"
#include "stats/series/serial.h"

/* --- the same functions in two commands --- */

/* A group of command a and the same of command b; ET_PROFILE_NONE: the command lacks it. */
struct match {
	uint32_t a, b;
};

/* A function or module that one command only has. */
struct lone {
	const char *name;
	uint32_t group;
	bool of_b;
};

static int by_name(const void *a, const void *b)
{
	const struct lone *x = a, *y = b;

	return strcmp(x->name, y->name) ?: ET_ORDER(x->of_b, y->of_b)
		?: ET_ORDER(x->group, y->group);
}

/* Appends the lone functions, sorted by name, as pairs where a name is in both commands once. */
static void match_lone(struct lone *lone, size_t n_lone, struct match *out, size_t *n)
{
	size_t same;

	if (n_lone)
		qsort(lone, n_lone, sizeof(*lone), by_name);
	for (size_t i = 0; i < n_lone; i += same) {
		for (same = 1; i + same < n_lone && !strcmp(lone[i].name, lone[i + same].name);)
			same++;
		if (same == 2 && !lone[i].of_b && lone[i + 1].of_b) {
			out[(*n)++] = (struct match){ lone[i].group, lone[i + 1].group };
			continue;
		}
		for (size_t k = i; k < i + same; k++)
			out[(*n)++] = lone[k].of_b
					      ? (struct match){ ET_PROFILE_NONE, lone[k].group }
					      : (struct match){ lone[k].group, ET_PROFILE_NONE };
	}
}

/* NULL: an offset in a file is no name. */
static const char *name_of(const struct et_profile *p, enum et_profile_by by, uint32_t function)
{
	const struct et_profile_function *f = &p->functions[function];
	const char *slash = strrchr(f->module, '/');

	if (by == ET_BY_MODULE)
		return slash ? slash + 1 : f->module;
	return f->unnamed ? NULL : f->name;
}

/*
 * Returns a new list of *n functions or modules with samples, of their own or also of what they
 * called. One of only one command is matched by its name with one that only the other has, because
 * two builds of a program are two files.
 */
static struct match *match_functions(const struct et_profile *p, const struct et_profile_pair *pair,
	const struct et_profile_counts *a, const struct et_profile_counts *b, size_t *n)
{
	struct match *out = et_calloc(a->n_groups + 1, sizeof(*out));
	ET_AUTO_FREE struct lone *lone = et_calloc(a->n_groups + 1, sizeof(*lone));
	size_t n_lone = 0;

	*n = 0;
	for (uint32_t g = 0; g < a->n_groups; g++) {
		bool in_a = et_profile_counts_sum(a, g, pair->total, NULL) > 0;
		bool in_b = et_profile_counts_sum(b, g, pair->total, NULL) > 0;
		const char *name = name_of(p, pair->by, a->first[g]);
		if (in_a != in_b && name)
			lone[n_lone++] = (struct lone){ name, g, in_b };
		else if (in_a || in_b)
			out[(*n)++] = (struct match){ in_a ? g : ET_PROFILE_NONE,
				in_b ? g : ET_PROFILE_NONE };
	}
	match_lone(lone, n_lone, out, n);
	return out;
}

/* --- two commands --- */

/* Two commands, and room for the counts of one function. */
struct sides {
	struct et_profile_counts a, b;
	double *x, *y; /* one value per run of a, of b */
	double *d;     /* one value per pair */
	bool paired;
	bool total;    /* with the samples of what was called */
	bool imported; /* in the order of the files' names: neighbours mean nothing */
	size_t n_pairs;
	uint32_t *of_a, *of_b; /* of each pair, the runs */
};

/* Rounds ascend in order of execution. */
static void pair_rounds(struct sides *s)
{
	for (size_t i = 0, j = 0; s->paired && i < s->a.n_runs; i++) {
		while (j < s->b.n_runs && s->b.rounds[j] < s->a.rounds[i])
			j++;
		if (j == s->b.n_runs || s->b.rounds[j] != s->a.rounds[i])
			continue;
		s->of_a[s->n_pairs] = (uint32_t)i;
		s->of_b[s->n_pairs++] = (uint32_t)j++;
	}
}

/* The profiles of other tools have no rounds. */
static void make_sides(
	const struct et_experiment *e, const struct et_profile_pair *pair, struct sides *s)
{
	bool imported = e->profile->way == ET_PROFILE_IMPORTED;

	*s = (struct sides){ .paired = e->plan.order != ET_ORDER_SEQUENTIAL && !imported,
		.total = pair->total,
		.imported = imported };
	et_profile_counts_make(e, pair->a, pair->by, &s->a);
	et_profile_counts_make(e, pair->b, pair->by, &s->b);
	s->x = et_calloc(s->a.n_runs + 1, sizeof(*s->x));
	s->y = et_calloc(s->b.n_runs + 1, sizeof(*s->y));
	s->d = et_calloc(s->a.n_runs + 1, sizeof(*s->d));
	s->of_a = et_calloc(s->a.n_runs + 1, sizeof(*s->of_a));
	s->of_b = et_calloc(s->a.n_runs + 1, sizeof(*s->of_b));
	pair_rounds(s);
}

/* --- one function --- */

static double mean_share(const struct et_profile_counts *c, const double *x)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs; i++) {
		if (c->totals[i] > 0) {
			sum += x[i] / c->totals[i];
			n++;
		}
	}
	return sum / (double)n;
}

/*
 * Fieller's (1954) interval of mean y / mean x of pairs: all ratios r for which the paired t test
 * of y - r x, at the variance and freedom of the test itself, gives no difference. NaN if it is not
 * bounded.
 */
static void pair_ratio(const struct sides *s, struct et_contrast *c)
{
	double n = (double)s->n_pairs, mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

	for (size_t i = 0; i < s->n_pairs; i++) {
		mx += s->x[s->of_a[i]] / n;
		my += s->y[s->of_b[i]] / n;
	}
	for (size_t i = 0; i < s->n_pairs; i++) {
		double dx = s->x[s->of_a[i]] - mx, dy = s->y[s->of_b[i]] - my;
		xx += dx * dx;
		yy += dy * dy;
		xy += dx * dy;
	}
	double t = et_qt((1 + c->level) / 2, c->df);
	double wider = et_effective_of(c->inflation, s->n_pairs).factor;
	double f = t * t * wider * wider / (n * (n - 1));
	double p = mx * mx - f * xx, q = mx * my - f * xy, r = my * my - f * yy;
	double root = sqrt(q * q - p * r);
	c->ratio = c->mean_ratio = mx > 0 ? my / mx : NAN;
	c->lo = p > 0 ? (q - root) / p : NAN;
	c->hi = p > 0 ? (q + root) / p : NAN;
	c->ratio_method = mx > 0 ? "fieller" : NULL;
}

/*
 * Means add up to the whole and are what the table shows, so the test is that of means, and test
 * and interval have one variance, which allows for dependence. Counts may be 0, so the differences
 * are plain ones, in units of the mean, not logarithms of ratios. Those of an unchanged function
 * are symmetric, which makes the t test hold without normality.
 */
static void judge_pairs(struct sides *s, struct et_profile_change *row)
{
	struct et_contrast *c = &row->contrast;
	double unit = fmax(row->mean_a, row->mean_b);

	for (size_t i = 0; i < s->n_pairs; i++)
		s->d[i] = (s->y[s->of_b[i]] - s->x[s->of_a[i]]) / unit;
	c->arrangement = "block";
	struct et_interval_test t = et_judge_pairs_by_mean(s->d, s->n_pairs, c);
	row->difference = t.estimate * unit;
	row->interval = (struct et_span){ t.lo * unit, t.hi * unit };
	pair_ratio(s, c);
	c->delta = t.estimate > 0 ? 1 : -1;
}

/* The interval has the standard error and the freedom of the test. */
static void judge_apart(const struct sides *s, struct et_profile_change *row)
{
	struct et_contrast *c = &row->contrast;
	size_t na = s->a.n_runs, nb = s->b.n_runs;

	if (s->imported)
		et_judge_as_published(s->x, na, s->y, nb, true, c);
	else
		et_judge_apart(s->x, na, s->y, nb, true, c);
	double u = row->difference != 0 ? fabs(row->difference / c->statistic)
					: hypot(et_sd(s->x, na) / sqrt((double)na),
						  et_sd(s->y, nb) / sqrt((double)nb));
	double half = et_qt((1 + c->level) / 2, c->df) * u;
	row->interval = (struct et_span){ row->difference - half, row->difference + half };
	/* Without a ratio of means, ranks may have another direction than the means. */
	if ((c->ratio - 1) * row->difference < 0)
		c->ratio = NAN;
	c->delta = row->difference > 0 ? 1 : -1;
}

/* x and y hold the counts. */
static void judge_row(struct sides *s, bool tested, struct et_profile_change *row)
{
	row->mean_a = et_mean(s->x, s->a.n_runs);
	row->mean_b = et_mean(s->y, s->b.n_runs);
	row->share_a = mean_share(&s->a, s->x);
	row->share_b = mean_share(&s->b, s->y);
	row->difference = row->mean_b - row->mean_a;
	row->interval = (struct et_span){ NAN, NAN };
	if (tested && s->paired)
		judge_pairs(s, row);
	else if (tested)
		judge_apart(s, row);
}

static struct et_contrast empty_contrast(uint32_t a, uint32_t b, double level)
{
	return (struct et_contrast){ .a = a,
		.b = b,
		.level = level,
		.unit = ET_UNIT_NONE,
		.ratio = NAN,
		.lo = NAN,
		.hi = NAN,
		.mean_ratio = NAN,
		.statistic = NAN,
		.p = NAN,
		.p_holm = NAN,
		.p_sign = NAN,
		.inflation = 1,
		.side_by_side = ET_NO_RATIO,
		.alone = ET_NO_RATIO };
}

/* --- all functions --- */

/* The decision must not depend on how the samples are divided between the two commands. */
static bool *choose_tested(
	const struct sides *s, const struct match *all, size_t n, struct et_profile_comparison *out)
{
	bool *tested = et_calloc(n + 1, sizeof(*tested));

	for (size_t i = 0; i < n; i++) {
		tested[i] = et_profile_counts_sum(&s->a, all[i].a, s->total, NULL) +
				    et_profile_counts_sum(&s->b, all[i].b, s->total, NULL) >=
			    ET_PROFILE_TESTABLE;
		out->family += tested[i];
	}
	out->too_rare = n - out->family;
	/* Holm's first step: an interval without 0 is a change that Holm finds, too. */
	out->level = 1 - out->alpha / fmax(1, (double)out->family);
	return tested;
}

static void compare_functions(const struct et_profile *p, struct sides *s, const struct match *all,
	const bool *tested, struct et_profile_comparison *out)
{
	for (size_t i = 0; i < out->n_rows; i++) {
		struct et_profile_change *row = &out->rows[i];
		uint32_t a = all[i].a != ET_PROFILE_NONE ? all[i].a : all[i].b;
		uint32_t b = all[i].b != ET_PROFILE_NONE ? all[i].b : all[i].a;
		row->function = s->a.first[a];
		row->function_b = s->b.first[b];
		if (out->by == ET_BY_FUNCTION)
			row->name = p->functions[row->function].name;
		row->module = p->functions[row->function].module;
		row->contrast = empty_contrast(out->a, out->b, out->level);
		et_profile_counts_fill(&s->a, all[i].a, s->total, s->x);
		et_profile_counts_fill(&s->b, all[i].b, s->total, s->y);
		judge_row(s, tested[i], row);
	}
}

/*
 * Applies Holm's correction to the functions that were tested. Its later steps are sharper than the
 * intervals. Where they show the direction of a change, the interval ends at 0 (Strassburger &
 * Bretz 2008).
 */
static void conclude(const bool *tested, struct et_profile_comparison *out)
{
	ET_AUTO_FREE struct et_contrast *family = et_calloc(out->family + 1, sizeof(*family));
	size_t n = 0;

	for (size_t i = 0; i < out->n_rows; i++) {
		if (tested[i])
			family[n++] = out->rows[i].contrast;
	}
	et_contrasts_conclude(family, n, out->alpha);
	n = 0;
	for (size_t i = 0; i < out->n_rows; i++) {
		struct et_profile_change *row = &out->rows[i];
		if (!tested[i])
			continue;
		row->contrast = family[n++];
		if (row->contrast.significant && row->difference > 0)
			row->interval.lo = fmax(row->interval.lo, 0);
		else if (row->contrast.significant)
			row->interval.hi = fmin(row->interval.hi, 0);
	}
}

static int by_change(const void *a, const void *b)
{
	const struct et_profile_change *x = a, *y = b;

	return ET_ORDER(y->contrast.significant, x->contrast.significant)
		?: ET_ORDER(y->contrast.family > 0, x->contrast.family > 0)
		?: ET_ORDER(fabs(y->difference), fabs(x->difference))
		?: ET_ORDER(x->function, y->function);
}

void et_profile_compare(const struct et_experiment *e, const struct et_profile_pair *pair,
	struct et_profile_comparison *out)
{
	struct sides s;

	*out = (struct et_profile_comparison){ .a = pair->a,
		.b = pair->b,
		.by = pair->by,
		.with_callees = pair->total,
		.alpha = pair->alpha };
	make_sides(e, pair, &s);
	ET_AUTO_FREE struct match *all =
		match_functions(e->profile, pair, &s.a, &s.b, &out->n_rows);
	ET_AUTO_FREE bool *tested = choose_tested(&s, all, out->n_rows, out);
	out->rows = et_calloc(out->n_rows + 1, sizeof(*out->rows));
	compare_functions(e->profile, &s, all, tested, out);
	conclude(tested, out);
	qsort(out->rows, out->n_rows, sizeof(*out->rows), by_change);
	out->total.contrast = empty_contrast(out->a, out->b, 1 - out->alpha);
	memcpy(s.x, s.a.totals, s.a.n_runs * sizeof(*s.x));
	memcpy(s.y, s.b.totals, s.b.n_runs * sizeof(*s.y));
	judge_row(&s, s.a.n_runs && s.b.n_runs, &out->total);
	et_contrasts_conclude(&out->total.contrast, 1, out->alpha);
	if (!s.paired && e->profile->way != ET_PROFILE_IMPORTED)
		et_warn(&out->warnings, ET_WARN_SEQUENTIAL_ORDER, et_arg_share(0),
			et_arg_flag(false), et_arg_flag(false), et_arg_flag(true),
			et_arg_text("--order auto"));
	et_profile_counts_free(&s.a);
	et_profile_counts_free(&s.b);
	free(s.x);
	free(s.y);
	free(s.d);
	free(s.of_a);
	free(s.of_b);
}
