/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces that the experiments print: headings, paragraphs, pictures, the beginning of JSON. */
#pragma once

#include "base/json.h"
#include "draw/svg_sheet.h"
#include "draw/table.h"
#include "model/experiment/experiment.h"

/* Print a paragraph: in bold, plain, and indented after a lead. */
void et_lab_heading(const struct et_page *page, const char *fmt, ...) ET_PRINTF(2, 3);
void et_lab_text(const struct et_page *page, const char *fmt, ...) ET_PRINTF(2, 3);
void et_lab_item(const struct et_page *page, int indent, const char *lead, const char *fmt, ...)
	ET_PRINTF(4, 5);
/* Prints a table and an empty line. */
void et_lab_table(struct et_table *t, const struct et_page *page);

/* "+0.02": an error in percent; a larger one has fewer decimals; NaN is "–". */
const char *et_format_error(double error, char buf[ET_FIGURE]);
/* k / n, or NaN. */
double et_lab_share(uint64_t k, uint64_t n);

/*
 * A chart whose values are added one by one, and which owns them. The same lines are drawn as SVG
 * and, with a letter per line, in a terminal.
 */
struct et_picture_line {
	char *name; /* in the legend, owned; NULL: no entry there */
	char mark;  /* the letter in a terminal; '\0': dots only */
	enum et_svg_shape shape;
	unsigned color;
	double *x, *y; /* x ascends, unless there are only points and only SVG is drawn */
	double *end;   /* where a bar or an interval ends */
	size_t n, room;
};

struct et_picture {
	struct et_chart chart; /* without its series */
	char *title;           /* owned; instead of that of the chart */
	struct et_picture_line **lines;
	size_t n, room;
};

/* Appends a line. Takes name, which may be NULL. */
struct et_picture_line *et_picture_line(
	struct et_picture *p, char *name, enum et_svg_shape shape, unsigned color, char mark);
void et_picture_add(struct et_picture_line *l, double x, double y);
/* The same for a bar or an interval. */
void et_picture_add_span(struct et_picture_line *l, double x, double end, double y);
/* Brings the values into the order of x. */
void et_picture_sort(struct et_picture_line *l);

/* Draws a file of its own, or a part of a sheet, and frees the picture. */
void et_picture_svg(struct et_picture *p, FILE *out);
void et_picture_place(struct et_picture *p, struct et_svg_sheet *sheet);

/* The functions of draw/plot.h. */
enum et_picture_scale {
	ET_PICTURE_SHARES,
	ET_PICTURE_ERRORS,
	ET_PICTURE_ERROR_POINTS,
	ET_PICTURE_SIGNED_ERRORS,
	ET_PICTURE_LOG,     /* in the unit of the y axis */
	ET_PICTURE_NUMBERS, /* up to the upper end of the y axis */
};

/*
 * Draws it in a terminal, with an empty line below, and frees it; x and its label are in a unit
 * that is `unit` times that of the chart.
 */
void et_picture_plot(struct et_picture *p, enum et_picture_scale scale, double unit,
	const char *x_label, const struct et_page *page);
