/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab branch` */
#include "app/lab/clocks.h"
#include "base/alloc.h"

/* The pattern over its period, and the times of sorted and random data. */
static struct et_chart chart_of(const struct et_branches *b)
{
	struct et_chart c = { .title = "Branch prediction: the time of a branch",
		.description = "The time of a branch over the period of its pattern.",
		.x = { .label = "branches until the pattern repeats", .log = true },
		.y = { .label = "time of a branch", .unit = ET_AXIS_NS },
		.marks = { { b->sorted_ns, "sorted", true }, { b->random_ns, "random", true } },
		.n_marks = 2,
		.text = { ET_TEXT_LOG, 1, "branches" } };
	struct et_curve *line =
		et_chart_curve(&c, ET_SVG_CURVE, ET_SVG_BLUE, "pattern that repeats");

	line->mark = 'p';
	for (int i = 0; i < ET_BRANCH_PERIODS; i++)
		et_curve_add(line, 2u << i, b->period_ns[i]);
	return c;
}

void et_branches_text(const struct et_branches *b, const struct et_page *page)
{
	char sorted[ET_FIGURE], random[ET_FIGURE], miss[ET_FIGURE];
	struct et_chart c = chart_of(b);
	struct et_curve *line = et_chart_curve(&c, ET_SVG_LINE, ET_SVG_RED, "random data");
	unsigned learned = et_branches_learned(b);

	et_lab_heading(page,
		"a branch takes %s with sorted data and %s with random data; one that is predicted "
		"wrongly costs %s",
		et_format_rounded(b->sorted_ns, 3, sorted),
		et_format_rounded(b->random_ns, 3, random),
		et_format_rounded(et_branches_miss_ns(b), 3, miss));
	if (learned)
		et_lab_heading(
			page, "the predictor learns random patterns of up to %u branches", learned);
	else
		et_lab_heading(page, "the predictor learned no pattern");
	putc('\n', page->out);
	line->mark = 'r';
	for (int i = 0; i < ET_BRANCH_PERIODS; i++)
		et_curve_add(line, 2u << i, b->random_ns);
	et_lab_chart(&c, page);
	et_lab_text(page, "The same loop with the same number of taken branches, timed by "
			  "libetalon, over the branches after which a random pattern repeats.");
}

void et_branches_svg(const struct et_branches *b, FILE *out)
{
	struct et_chart c = chart_of(b);

	et_chart_put(&c, &(struct et_chart_to){ .file = out });
}

static void write_json(const struct et_experiment *e, const struct et_branches *b, FILE *out)
{
	struct et_json w;

	et_lab_json_begin(&w, e, "branch", out);
	et_json_double(&w, "sorted_ns", b->sorted_ns);
	et_json_double(&w, "random_ns", b->random_ns);
	et_json_double(&w, "misprediction_ns", et_branches_miss_ns(b));
	et_json_u64(&w, "longest_pattern", et_branches_learned(b));
	et_json_array(&w, "patterns");
	for (int i = 0; i < ET_BRANCH_PERIODS; i++) {
		et_json_flat_object(&w, NULL);
		et_json_u64(&w, "period", 2u << i);
		et_json_double(&w, "branch_ns", b->period_ns[i]);
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_end(&w);
}

/* --- steps --- */

static int measure(struct et_lab_request *r, struct et_experiment **out, struct et_error *err)
{
	return et_branches_run(&r->simulation.progress, out, err);
}

static int print(const struct et_lab_request *r, const struct et_experiment *e, FILE *svg,
	struct et_error *err)
{
	struct et_branches b;
	int rc = et_branches_read(e, &b, err);

	if (rc)
		return rc;
	if (r->given & ET_LAB_JSON)
		write_json(e, &b, r->page.out);
	else
		et_branches_text(&b, &r->page);
	if (svg)
		et_branches_svg(&b, svg);
	return 0;
}

const struct et_lab_timed et_lab_branch = { "branch", measure, print };
