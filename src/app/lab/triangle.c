/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab triangle`: Figures 24 to 27 of NIST TN 1826. */
#include "app/lab/profile.h"

enum { WIDTH = 480, HEIGHT = 300, GROUP = 10 };

static void plan(struct et_profiling *p)
{
	struct et_profile_plan fixed = et_default_profile_plan;

	fixed.fixed = true;
	et_profiling_add(p, "random", ET_LAB_RANDOM, &et_default_profile_plan);
	et_profiling_add(p, "fixed", ET_LAB_FIXED, &fixed);
	(void)et_profiling_add_gprof(p, "gprof", "triangle");
	(void)et_profiling_add_perf(p, "perf");
}

static void add_configuration(const struct et_profiling *p, const struct et_lab_part *part,
	struct et_experiment *e, const char *name, uint64_t inner, bool reverse)
{
	uint64_t work = et_lab_iterations(p), loop = 15 * inner, loops = (work + loop / 2) / loop;
	ET_AUTO_FREE char *work_text = et_lab_number(work < loop ? loop : work);
	ET_AUTO_FREE char *inner_text = et_lab_number(inner);
	ET_AUTO_FREE char *loops_text = et_lab_number(loops ? loops : 1);
	ET_AUTO_FREE char *alone = et_asprintf("%s/triangle", p->folder ? p->folder : "");
	const char *last = reverse ? "--reverse" : NULL;
	char **argv;

	if (part->alone)
		argv = et_strv_of(alone, loops_text, inner_text, reverse ? "1" : "0", NULL);
	else if (!strcmp(part->plan.event, ET_EVENT_PERF))
		argv = et_strv_of("perf", "record", "-q", "-e", "cpu-clock", "-F", "1000", "-o",
			"perf.data", "--", p->study.exe, "put", "triangle", "--iterations",
			work_text, "--inner", inner_text, last, NULL);
	else
		argv = et_strv_of(p->study.exe, "put", "triangle", "--iterations", work_text,
			"--inner", inner_text, last, NULL);
	et_experiment_add_command(e, et_strdup(name), argv);
}

static void add_commands(
	const struct et_profiling *p, const struct et_lab_part *part, struct et_experiment *e)
{
	add_configuration(p, part, e, "original", 256, false);
	add_configuration(p, part, e, "forward", 1, false);
	add_configuration(p, part, e, "reverse", 1, true);
}

static double categorise(
	const struct et_lab_part *part, const struct et_command *c, struct et_category *out)
{
	(void)part;
	(void)c;
	memcpy(out, et_triangle_categories, sizeof(et_triangle_categories));
	return NAN;
}

/* --- text --- */

static void grid(
	const struct et_profile_study *s, size_t first, size_t end, const struct et_page *page)
{
	struct et_table t = { .split = true };
	char buf[ET_FIGURE];

	et_lab_heading(page, "%s: %zu runs of each configuration", s->list[first].instrument,
		s->list[first].runs);
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

static void projection(
	const struct et_profile_treatment *t, size_t configurations, const struct et_page *page)
{
	struct et_triangle_verdict v;
	char projected[ET_FIGURE], observed[ET_FIGURE];
	ET_AUTO_FREE char *name = et_asprintf("  %-10s", t->name);
	bool has_samples = false;

	for (size_t i = 0; i < ET_TRIANGLE_FUNCTIONS; i++)
		has_samples = has_samples || t->cells[i].mean > 0;
	et_triangle_judge(t, configurations, &v);
	if (isnan(v.joint_half_width) || t->runs < 2 || !has_samples) {
		et_lab_item(page, 12, name, "too few samples");
		return;
	}
	et_lab_item(page, 12, name, "function1 is expected at %s and observed at %s: %s",
		et_format_count(v.projected, v.joint_half_width, projected),
		et_format_count(v.observed, t->cells[0].interval, observed),
		!v.anomalous               ? "consistent"
		: v.observed < v.projected ? "anomalous, below the line"
					   : "anomalous, above the line");
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
	et_lab_item(page, 12, name, "%s: %s", text,
		v.all_shares_hold ? "5/15 … 1/15 are within the intervals"
				  : "(!) 5/15 … 1/15 are not all within the intervals");
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
	et_lab_item(page, 12, name,
		"the 95 %% intervals of %d successive runs had the mean of all %zu runs in %zu of "
		"%zu cases (%.1f %%), over five functions",
		GROUP, t->runs, covered, groups, 100 * (double)covered / (double)groups);
}

static void explain(const struct et_profile_study *s, const struct et_page *page)
{
	const struct et_profile_treatment *t = &s->list[0];

	if (!s->n)
		return;
	et_lab_text(page,
		"Means per run with expanded uncertainties that hold together: %zu means, so %zu "
		"statements, each at the level %.9f (Šidák), k = %.3f with %zu runs. The expected "
		"count of function1 is the projection of a least-squares line through the means of "
		"functions 2 to 5, ± its prediction interval (of one configuration 6.803 residual "
		"standard deviations, here more, so that all %zu hold together at 95 %%). A count "
		"is anomalous only if it is outside of that interval and its own 95 %% interval "
		"excludes the projection. Shares are of the samples in the five functions, with "
		"simultaneous 95 %% intervals of the five. The runs of the configurations "
		"alternate.",
		s->n * ET_TRIANGLE_CATEGORIES, t->statements, t->level, t->k, t->runs, s->n);
}

static void print_text(
	const struct et_profile_study *s, size_t first, size_t end, const struct et_page *page)
{
	grid(s, first, end, page);
	for (size_t k = first; k < end; k++)
		projection(&s->list[k], s->n, page);
	for (size_t k = first; k < end; k++)
		shares(&s->list[k], page);
	for (size_t k = first; k < end; k++)
		coverage(&s->list[k], page);
	putc('\n', page->out);
}

/* --- JSON --- */

ET_FIELDS(verdict_fields,
	ET_KEY_GROUP("function1",
		ET_TABLE(ET_KEYS(et_triangle_verdict, observed, projected),
			ET_KEY(et_triangle_verdict, "prediction_half_width", half_width),
			ET_KEYS(et_triangle_verdict, joint_half_width, observed_half_width),
			ET_KEY(et_triangle_verdict, "residual_sd", line.residual_sd),
			ET_KEYS(et_triangle_verdict, anomalous)),
		.flat = true),
	ET_KEY(et_triangle_verdict, "shares_hold", all_shares_hold,
		ET_GIVEN(et_triangle_verdict, shares_known)));

static void write_treatment(struct et_json *w, const struct et_profile_study *s, size_t i)
{
	struct et_triangle_verdict v;

	et_triangle_judge(&s->list[i], s->n, &v);
	et_lab_write_treatment(w, s, i);
	et_fields_write(w, verdict_fields, &v);
}

/* --- SVG --- */

static struct et_chart picture_of(const struct et_profile_treatment *t)
{
	struct et_chart c = { .width = WIDTH, .height = HEIGHT };

	c.title = et_chart_format(&c, "%s, %s", t->instrument, t->name);
	return c;
}

static void add_projection(
	const struct et_chart_to *to, const struct et_profile_treatment *t, size_t configurations)
{
	struct et_chart p = picture_of(t);
	struct et_triangle_verdict v;
	struct et_curve *line =
		et_chart_curve(&p, ET_SVG_LINE, ET_SVG_GREY, "least squares, functions 2 to 5");

	et_triangle_judge(t, configurations, &v);
	et_curve_add(line, 1, v.projected);
	et_curve_add(line, 5, v.line.intercept + 5 * v.line.slope);
	line = et_chart_curve(&p, ET_SVG_TICKS, ET_SVG_RED, "95 % prediction, all together");
	for (int side = -1; side <= 1; side++)
		et_curve_add(line, 1, v.projected + side * v.joint_half_width);
	line = et_chart_curve(&p, ET_SVG_POINTS, ET_SVG_BLUE, "mean samples");
	for (size_t i = 0; i < ET_TRIANGLE_FUNCTIONS; i++)
		et_curve_add(line, (double)(i + 1), t->cells[i].mean);
	p.x = (struct et_axis){ .label = "function", .lo = 0.5, .hi = 5.5 };
	p.y.label = "samples per run";
	et_chart_put(&p, to);
}

/* The seven means of a treatment with their uncertainties, as tracks. */
static void add_means(const struct et_chart_to *to, const struct et_profile_treatment *t)
{
	struct et_chart c = picture_of(t);
	struct et_chart_rows rows =
		et_chart_rows(&c, ET_SVG_BLUE, ET_SVG_BLUE, "expanded uncertainty", "mean");

	for (size_t i = 0; i < ET_TRIANGLE_CATEGORIES; i++) {
		const struct et_treatment_cell *cell = &t->cells[i];
		et_chart_row(rows, et_chart_track(&c, et_triangle_categories[i].name), cell->mean,
			cell->mean - cell->expanded, cell->mean + cell->expanded);
	}
	c.x.label = "samples per run";
	et_chart_put(&c, to);
}

static void draw(const struct et_profile_study *s, const struct et_chart_to *to)
{
	et_svg_sheet_text(to->sheet, true, "Means with expanded uncertainty");
	for (size_t i = 0; i < s->n; i++)
		add_means(to, &s->list[i]);
	et_svg_sheet_text(to->sheet, true, "Projection of function1");
	for (size_t i = 0; i < s->n; i++)
		add_projection(to, &s->list[i], s->n);
}

const struct et_profile_lab et_lab_triangle = { 15, 100, 500 * ET_LAB_MS, 1000 * ET_LAB_MS, plan,
	add_commands, categorise, ET_TRIANGLE_CATEGORIES, ET_TRIANGLE_FUNCTIONS, .together = true,
	.has_spreads = true, .has_shares = true, .text = print_text, .notes = explain, .draw = draw,
	.sheet = "Five functions with 5/15 to 1/15 of the time", .sheet_width = 3 * WIDTH,
	.write_treatment = write_treatment };
