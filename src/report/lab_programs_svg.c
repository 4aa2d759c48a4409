/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves over the size of the input, as in Figure 19 of the EMP paper and Figure 5 of SEDONA's. */
#include "base/alloc.h"
#include "report/lab_precision.h"
#include "report/svg_sheet.h"

#include <string.h>

enum { WIDTH = 440, HEIGHT = 300 };

/* The sizes of one program with their figures: row 0 is ORG, row 1 is SEDONA. */
struct curve {
	double *size, *sd[2], *relative[2];
	size_t n;
};

static void collect(
	const struct et_program_precision *list, size_t n, const char *program, struct curve *c)
{
	c->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct et_precision *by[] = { &list[i].org, &list[i].kept.by[ET_METRIC_CPU] };
		if (strcmp(list[i].program, program))
			continue;
		c->size[c->n] = (double)list[i].size;
		for (int k = 0; k < 2; k++) {
			c->sd[k][c->n] = by[k]->sd;
			c->relative[k][c->n] = by[k]->relative_error;
		}
		c->n++;
	}
}

static void add_chart(struct et_svg_sheet *sheet, const char *program, const struct curve *c,
	double *const y[2], const char *what, enum et_axis_unit unit)
{
	ET_AUTO_FREE char *title = et_asprintf("%s: %s", program, what);
	struct et_svg_series series[2];

	for (int k = 0; k < 2; k++)
		series[k] = (struct et_svg_series){ .name = k ? "SEDONA (CPU time)"
							      : "ORG (elapsed time)",
			.shape = ET_SVG_CURVE,
			.color = k ? ET_SVG_BLUE : ET_SVG_RED,
			.x = c->size,
			.y = y[k],
			.n = c->n };
	struct et_chart chart = { .title = title,
		.x = { .label = "size", .log = true },
		.y = { .label = what, .unit = unit, .log = true },
		.series = series,
		.n_series = 2,
		.width = WIDTH,
		.height = HEIGHT };
	et_svg_sheet_add(sheet, &chart);
}

/* Commands of a program are successive, their sizes ascend. */
void et_programs_svg(const struct et_program_precision *list, size_t n, FILE *out)
{
	ET_AUTO_FREE double *memory = et_calloc(5 * n + 1, sizeof(*memory));
	struct curve c = { memory, { memory + n, memory + 2 * n },
		{ memory + 3 * n, memory + 4 * n }, 0 };
	struct et_svg_sheet *sheet = et_svg_sheet_new(2 * WIDTH);

	for (size_t i = 0; i < n; i++) {
		const char *program = list[i].program;
		if (!program[0] || (i && !strcmp(program, list[i - 1].program)))
			continue;
		collect(list, n, program, &c);
		if (c.n < 2) /* no curve */
			continue;
		add_chart(sheet, program, &c, c.sd, "standard deviation", ET_AXIS_NS);
		add_chart(sheet, program, &c, c.relative, "relative error", ET_AXIS_SHARE);
	}
	et_svg_sheet_write(sheet, "ORG and SEDONA over the size of the input", out);
}
