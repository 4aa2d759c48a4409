/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures 24 to 27 of NIST TN 1826: the grid of means, and the projection of function1. */
#include "lab/triangle.h"
#include "app/lab/view/profile.h"
#include "app/lab/view/profile_parts.h"
#include "base/alloc.h"
#include "draw/svg_sheet.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 480, HEIGHT = 300, GROUP = 10 };

/* --- text --- */

static void grid(
	const struct et_profile_study *s, size_t first, size_t end, const struct et_page *page)
{
	ET_AUTO_FREE char *title = et_asprintf("%s: %zu runs of each configuration",
		s->list[first].instrument, s->list[first].runs);
	struct et_table t = { .split = true };
	char buf[ET_FIGURE];

	et_page_paragraph(page, 0, "", NULL, title, ET_LAB_BOLD);
	et_table_column(&t, ET_TABLE_TEXT, "samples in");
	for (size_t i = first; i < end; i++)
		et_table_column(&t, ET_TABLE_NUMBER, s->list[i].name);
	for (size_t c = 0; c < ET_TRIANGLE_CATEGORIES; c++) {
		et_table_add(&t, "%s", et_triangle_categories[c].name);
		for (size_t i = first; i < end; i++) {
			const struct et_treatment_cell *cell = &s->list[i].cells[c];
			et_table_add(&t, "%s", et_format_count(cell->mean, cell->expanded, buf));
		}
	}
	et_table_print(&t, page);
}

static bool has_samples(const struct et_profile_treatment *t)
{
	for (size_t i = 0; i < ET_TRIANGLE_FUNCTIONS; i++) {
		if (t->cells[i].mean > 0)
			return true;
	}
	return false;
}

static void projection(
	const struct et_profile_treatment *t, size_t configurations, const struct et_page *page)
{
	struct et_triangle_verdict v;
	char projected[ET_FIGURE], observed[ET_FIGURE];
	ET_AUTO_FREE char *name = et_asprintf("  %-10s", t->name);

	et_triangle_judge(t, configurations, &v);
	if (isnan(v.joint_half_width) || t->runs < 2 || !has_samples(t)) {
		et_page_paragraph(page, 12, name, NULL, "too few samples", NULL);
		return;
	}
	ET_AUTO_FREE char *text = et_asprintf("function1 is expected at %s and observed at %s: %s",
		et_format_count(v.projected, v.joint_half_width, projected),
		et_format_count(v.observed, t->cells[0].interval, observed),
		v.anomalous ? v.observed < v.projected ? "anomalous, below the line"
						       : "anomalous, above the line"
			    : "consistent");
	et_page_paragraph(page, 12, name, NULL, text, NULL);
}

static void shares(const struct et_profile_treatment *t, const struct et_page *page)
{
	struct et_triangle_verdict v;
	ET_AUTO_FREE char *text = NULL;
	ET_AUTO_FREE char *name = et_asprintf("  %-10s", t->name);

	if (t->runs < 2)
		return;
	et_triangle_judge(t, 1, &v);
	if (!v.shares_known)
		return;
	for (size_t i = 0; i < ET_TRIANGLE_FUNCTIONS; i++) {
		const struct et_treatment_cell *c = &t->cells[i];
		et_append(&text, ", ", "%.2f ± %.2f %%%s", 100 * c->share,
			100 * (c->share_interval.hi - c->share), v.shares_hold[i] ? "" : " (!)");
	}
	et_append(&text, "", ": %s",
		v.all_shares_hold ? "5/15 … 1/15 are within the intervals"
				  : "(!) 5/15 … 1/15 are not all within the intervals");
	et_page_paragraph(page, 12, name, NULL, text, NULL);
}

/* Only an experiment of many runs shows whether the intervals are right. */
static void coverage(const struct et_profile_treatment *t, const struct et_page *page)
{
	size_t groups = 0, covered = 0;

	for (size_t c = 0; c < ET_TRIANGLE_FUNCTIONS; c++) {
		struct et_group_coverage g;
		et_group_coverage(t->counts + c * t->runs, t->runs, GROUP, &g);
		groups += g.groups;
		covered += g.covered;
	}
	if (t->runs < 10 * GROUP)
		return;
	ET_AUTO_FREE char *name = et_asprintf("  %-10s", t->name);
	ET_AUTO_FREE char *text = et_asprintf(
		"the 95 %% intervals of %d successive runs had the mean of all %zu runs in %zu of "
		"%zu cases (%.1f %%), over five functions",
		GROUP, t->runs, covered, groups, 100 * (double)covered / (double)groups);
	et_page_paragraph(page, 12, name, NULL, text, NULL);
}

static void explain(const struct et_profile_study *s, const struct et_page *page)
{
	const struct et_profile_treatment *t = &s->list[0];
	ET_AUTO_FREE char *text = et_asprintf(
		"Means per run with expanded uncertainties that hold together: %zu means, so %zu "
		"statements, each at the level %.9f (Šidák), k = %.3f with %zu runs. The expected "
		"count of function1 is the projection of a least-squares line through the means of "
		"functions 2 to 5, ± its prediction interval (of one configuration 6.803 residual "
		"standard deviations, here more, so that all %zu hold together at 95 %%). A count "
		"is "
		"anomalous only if it is outside of that interval and its own 95 %% interval "
		"excludes "
		"the projection. Shares are of the samples in the five functions, with "
		"simultaneous 95 %% intervals of the five. The runs "
		"of the configurations alternate.",
		s->n * ET_TRIANGLE_CATEGORIES, t->statements, t->level, t->k, t->runs, s->n);

	et_page_paragraph(page, 0, "", NULL, text, NULL);
}

void et_triangle_text(const struct et_profile_study *s, const struct et_page *page)
{
	for (size_t i = 0; i < s->n;) {
		size_t end = et_lab_same_instrument(s, i);
		grid(s, i, end, page);
		for (size_t k = i; k < end; k++)
			projection(&s->list[k], s->n, page);
		for (size_t k = i; k < end; k++)
			shares(&s->list[k], page);
		for (size_t k = i; k < end; k++)
			coverage(&s->list[k], page);
		putc('\n', page->out);
		i = end;
	}
	et_lab_invalid_text(s, page);
	et_lab_without_share_text(s, page);
	et_lab_missing_text(s, page);
	if (s->n)
		explain(s, page);
	et_lab_few_text(s, page);
}

/* --- SVG --- */

static void add_projection(
	struct et_svg_sheet *sheet, const struct et_profile_treatment *t, size_t configurations)
{
	static const double x[] = { 1, 2, 3, 4, 5 };
	double y[ET_TRIANGLE_FUNCTIONS], line[2];
	static const double ends[] = { 1, 5 }, first[] = { 1, 1, 1 };
	struct et_triangle_verdict v;
	ET_AUTO_FREE char *title = et_asprintf("%s, %s", t->instrument, t->name);

	et_triangle_judge(t, configurations, &v);
	for (size_t i = 0; i < ET_TRIANGLE_FUNCTIONS; i++)
		y[i] = t->cells[i].mean;
	line[0] = v.projected;
	line[1] = v.line.intercept + 5 * v.line.slope;
	const double interval[] = { v.projected - v.joint_half_width, v.projected,
		v.projected + v.joint_half_width };
	const struct et_svg_series series[] = {
		{ .name = "least squares, functions 2 to 5",
			.shape = ET_SVG_LINE,
			.color = ET_SVG_GREY,
			.x = ends,
			.y = line,
			.n = 2 },
		{ .name = "95 % prediction, all together",
			.shape = ET_SVG_TICKS,
			.color = ET_SVG_RED,
			.x = first,
			.y = interval,
			.n = 3 },
		{ .name = "mean samples",
			.shape = ET_SVG_POINTS,
			.color = ET_SVG_BLUE,
			.x = x,
			.y = y,
			.n = ET_TRIANGLE_FUNCTIONS },
	};
	struct et_chart c = { .title = title,
		.x = { .label = "function", .lo = 0.5, .hi = 5.5 },
		.y = { .label = "samples per run" },
		.series = series,
		.n_series = ET_LENGTH(series),
		.width = WIDTH,
		.height = HEIGHT };
	et_svg_sheet_add(sheet, &c);
}

/* The seven means of a treatment with their uncertainties, as tracks. */
static void add_means(struct et_svg_sheet *sheet, const struct et_profile_treatment *t)
{
	static const char *const names[] = { "function1", "function2", "function3", "function4",
		"function5", "main", "other" };
	double mean[ET_TRIANGLE_CATEGORIES], lo[ET_TRIANGLE_CATEGORIES], hi[ET_TRIANGLE_CATEGORIES],
		at[ET_TRIANGLE_CATEGORIES];
	ET_AUTO_FREE char *title = et_asprintf("%s, %s", t->instrument, t->name);

	for (size_t i = 0; i < ET_TRIANGLE_CATEGORIES; i++) {
		mean[i] = t->cells[i].mean;
		lo[i] = mean[i] - t->cells[i].expanded;
		hi[i] = mean[i] + t->cells[i].expanded;
		at[i] = (double)i;
	}
	const struct et_svg_series series[] = {
		{ .name = "expanded uncertainty",
			.shape = ET_SVG_INTERVALS,
			.color = ET_SVG_BLUE,
			.x = lo,
			.x_end = hi,
			.y = at,
			.n = ET_TRIANGLE_CATEGORIES },
		{ .name = "mean",
			.shape = ET_SVG_POINTS,
			.color = ET_SVG_BLUE,
			.x = mean,
			.y = at,
			.n = ET_TRIANGLE_CATEGORIES },
	};
	struct et_chart c = { .title = title,
		.x = { .label = "samples per run" },
		.y = { .tracks = names, .n_tracks = ET_TRIANGLE_CATEGORIES },
		.series = series,
		.n_series = ET_LENGTH(series),
		.width = WIDTH,
		.height = HEIGHT };
	et_svg_sheet_add(sheet, &c);
}

void et_triangle_svg(const struct et_profile_study *s, FILE *out)
{
	struct et_svg_sheet *sheet = et_svg_sheet_new(3 * WIDTH);

	et_svg_sheet_text(sheet, true, "Means with expanded uncertainty");
	for (size_t i = 0; i < s->n; i++)
		add_means(sheet, &s->list[i]);
	et_svg_sheet_text(sheet, true, "Projection of function1");
	for (size_t i = 0; i < s->n; i++)
		add_projection(sheet, &s->list[i], s->n);
	et_svg_sheet_write(sheet, "Five functions with 5/15 to 1/15 of the time", out);
}
