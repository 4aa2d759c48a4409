/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves over the size of the input, as in Figure 19 of the EMP paper and Figure 5 of SEDONA's. */
#include "app/lab/view/precision.h"
#include "base/alloc.h"
#include "draw/svg_sheet.h"

#include <string.h>

enum { WIDTH = 440, HEIGHT = 300 };

/* The sizes of one program with their figures by each way of timing. */
struct curve {
	double *size, *sd[ET_WAYS], *relative[ET_WAYS];
	size_t n;
};

static void collect(
	const struct et_program_precision *list, size_t n, const char *program, struct curve *c)
{
	c->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i].program, program))
			continue;
		c->size[c->n] = (double)list[i].size;
		for (int k = 0; k < ET_WAYS; k++) {
			c->sd[k][c->n] = list[i].by[k].sd;
			c->relative[k][c->n] = list[i].by[k].relative_error;
		}
		c->n++;
	}
}

static void add_chart(struct et_svg_sheet *sheet, const char *program, const struct curve *c,
	double *const y[ET_WAYS], const char *what, enum et_axis_unit unit)
{
	ET_AUTO_FREE char *title = et_asprintf("%s: %s", program, what);
	static const struct {
		const char *name;
		enum et_svg_color color;
	} ways[ET_WAYS] = { { "ORG (elapsed time)", ET_SVG_RED }, { "CPU time", ET_SVG_ORANGE },
		{ "SEDONA (check I)", ET_SVG_BLUE }, { "EMP (checks I and II)", ET_SVG_GREEN } };
	struct et_svg_series series[ET_WAYS];

	for (int k = 0; k < ET_WAYS; k++)
		series[k] = (struct et_svg_series){ .name = ways[k].name,
			.shape = ET_SVG_CURVE,
			.color = ways[k].color,
			.x = c->size,
			.y = y[k],
			.n = c->n };
	struct et_chart chart = { .title = title,
		.x = { .label = "size", .log = true },
		.y = { .label = what, .unit = unit, .log = true },
		.series = series,
		.n_series = ET_WAYS,
		.width = WIDTH,
		.height = HEIGHT };
	et_svg_sheet_add(sheet, &chart);
}

/* Commands of a program are successive, their sizes ascend. */
void et_programs_svg(const struct et_program_precision *list, size_t n, FILE *out)
{
	ET_AUTO_FREE double *memory = et_calloc((1 + 2 * ET_WAYS) * n + 1, sizeof(*memory));
	struct curve c = { .size = memory };
	struct et_svg_sheet *sheet = et_svg_sheet_new(2 * WIDTH);

	for (size_t k = 0; k < ET_WAYS; k++) {
		c.sd[k] = memory + (1 + 2 * k) * n;
		c.relative[k] = memory + (2 + 2 * k) * n;
	}
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
	et_svg_sheet_write(sheet, "ORG, CPU time, SEDONA and EMP over the size of the input", out);
}
