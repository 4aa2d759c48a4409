/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab branch` */
#include "app/lab/experiments.h"
#include "lab/branches.h"

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

static void print_text(const void *result, const struct et_page *page)
{
	const struct et_branches *b = result;
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

static void draw(const void *result, const struct et_chart_to *to)
{
	struct et_chart c = chart_of(result);

	et_chart_put(&c, to);
}

static double miss_ns(const void *result)
{
	return et_branches_miss_ns(result);
}

static double learned(const void *result)
{
	return et_branches_learned(result);
}

static void write_patterns(struct et_json *w, const char *key, const void *result)
{
	const struct et_branches *b = result;

	et_json_array(w, key);
	for (int i = 0; i < ET_BRANCH_PERIODS; i++) {
		et_json_flat_object(w, NULL);
		et_json_u64(w, "period", 2u << i);
		et_json_double(w, "branch_ns", b->period_ns[i]);
		et_json_end(w);
	}
	et_json_end(w);
}

/* --- steps --- */

static int time_branches(struct et_lab_request *r, struct et_experiment *e, struct et_error *err)
{
	return et_branches_run(&r->simulation.progress, e, err);
}

const struct et_lab et_lab_branch = { .size = sizeof(struct et_branches),
	.time = time_branches,
	.read = et_branches_read,
	.fields = ET_TABLE(ET_KEYS(et_branches, sorted_ns, random_ns),
		ET_KEY_OF("misprediction_ns", miss_ns), ET_KEY_OF("longest_pattern", learned),
		ET_KEY_MADE("patterns", write_patterns)),
	.text = print_text,
	.draw = draw };
