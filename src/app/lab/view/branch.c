/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/clocks.h"
#include "base/alloc.h"
#include "draw/plot.h"
#include "draw/svg.h"

#include <math.h>

#define BOLD "1"

static void periods_of(double *x)
{
	for (int i = 0; i < ET_BRANCH_PERIODS; i++)
		x[i] = 2u << i;
}

void et_branches_text(const struct et_branches *b, const struct et_page *page)
{
	char sorted[ET_FIGURE], random[ET_FIGURE], miss[ET_FIGURE];
	double x[ET_BRANCH_PERIODS], all[ET_BRANCH_PERIODS];
	unsigned learned = et_branches_learned(b);

	periods_of(x);
	for (int i = 0; i < ET_BRANCH_PERIODS; i++)
		all[i] = b->random_ns;
	ET_AUTO_FREE char *answer = et_asprintf(
		"a branch takes %s with sorted data and %s with random data; one that is predicted "
		"wrongly costs %s",
		et_format_rounded(b->sorted_ns, 3, sorted),
		et_format_rounded(b->random_ns, 3, random),
		et_format_rounded(et_branches_miss_ns(b), 3, miss));
	et_page_paragraph(page, 0, "", NULL, answer, BOLD);
	ET_AUTO_FREE char *pattern =
		learned ? et_asprintf("the predictor learns random patterns of up to %u branches",
				  learned)
			: et_strdup("the predictor learned no pattern");
	et_page_paragraph(page, 0, "", NULL, pattern, BOLD);
	putc('\n', page->out);
	struct et_curve curves[] = { { "pattern that repeats", 'p', b->period_ns },
		{ "random data", 'r', all } };
	et_plot_log(x, ET_BRANCH_PERIODS, curves, ET_LENGTH(curves), ET_AXIS_NS, "branches", page);
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL,
		"The same loop with the same number of taken branches, timed by libetalon, over "
		"the "
		"branches after which a random pattern repeats.",
		NULL);
}

void et_branches_svg(const struct et_branches *b, FILE *out)
{
	double x[ET_BRANCH_PERIODS];
	struct et_svg_mark marks[] = { { b->sorted_ns, "sorted", true },
		{ b->random_ns, "random", true } };

	periods_of(x);
	struct et_svg_series series = { .name = "pattern that repeats",
		.shape = ET_SVG_CURVE,
		.color = ET_SVG_BLUE,
		.x = x,
		.y = b->period_ns,
		.n = ET_BRANCH_PERIODS };
	struct et_chart chart = { .title = "Branch prediction: the time of a branch",
		.description = "The time of a branch over the period of its pattern.",
		.x = { .label = "branches until the pattern repeats", .log = true },
		.y = { .label = "time of a branch", .unit = ET_AXIS_NS },
		.series = &series,
		.n_series = 1,
		.marks = marks,
		.n_marks = ET_LENGTH(marks) };
	et_svg_write(&chart, out);
}

void et_branches_json(const struct et_experiment *e, const struct et_branches *b, FILE *out)
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
