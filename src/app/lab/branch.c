/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab branch` */
#include "app/lab/clocks.h"
#include "base/alloc.h"

/* The pattern over its period; random data, too, if there are no marks for it. */
static struct et_picture picture_of(const struct et_branches *b, const struct et_svg_mark *marks)
{
	struct et_picture p = {
		.chart = { .title = "Branch prediction: the time of a branch",
			.description = "The time of a branch over the period of its pattern.",
			.x = { .label = "branches until the pattern repeats", .log = true },
			.y = { .label = "time of a branch", .unit = ET_AXIS_NS },
			.marks = marks,
			.n_marks = marks ? 2 : 0 }
	};
	struct et_picture_line *line = et_picture_line(
		&p, et_strdup("pattern that repeats"), ET_SVG_CURVE, ET_SVG_BLUE, 'p');

	for (int i = 0; i < ET_BRANCH_PERIODS; i++)
		et_picture_add(line, 2u << i, b->period_ns[i]);
	if (marks)
		return p;
	line = et_picture_line(&p, et_strdup("random data"), ET_SVG_LINE, ET_SVG_RED, 'r');
	for (int i = 0; i < ET_BRANCH_PERIODS; i++)
		et_picture_add(line, 2u << i, b->random_ns);
	return p;
}

void et_branches_text(const struct et_branches *b, const struct et_page *page)
{
	char sorted[ET_FIGURE], random[ET_FIGURE], miss[ET_FIGURE];
	struct et_picture p = picture_of(b, NULL);
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
	et_picture_plot(&p, ET_PICTURE_LOG, 1, "branches", page);
	et_lab_text(page, "The same loop with the same number of taken branches, timed by "
			  "libetalon, over the branches after which a random pattern repeats.");
}

void et_branches_svg(const struct et_branches *b, FILE *out)
{
	const struct et_svg_mark marks[] = { { b->sorted_ns, "sorted", true },
		{ b->random_ns, "random", true } };
	struct et_picture p = picture_of(b, marks);

	et_picture_svg(&p, out);
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
