/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A chart: curves of values between two axes. It is described once, and drawn as SVG (a file, a
 * part of a sheet or of a page) or in a terminal.
 *
 *	struct et_chart c = { .title = "Time over size", .x = { .label = "size", .log = true } };
 *	struct et_curve *k = et_chart_curve(&c, ET_SVG_POINTS, ET_SVG_BLUE, "mean");
 *	et_curve_add(k, size, mean);
 *	et_chart_put(&c, &to);
 *
 * In SVG the colours are distinguishable for colour-blind readers and follow their light or dark
 * scheme; each colour also has its own shape of marks. Values that cannot be drawn are omitted:
 * those that are not finite or outside of the axes, and 0 on a log axis. A curve of more than
 * ET_SVG_MOST values is thinned to one value per place of the chart and has no tooltips, so that a
 * file stays below a few hundred kilobytes per curve; a note in the chart reports this.
 *
 * In a terminal a curve has a letter at each point, and braille dots join them. A special mark
 * shows where points of several curves meet, and the legend shows which curve hides another.
 */
#pragma once

#include "draw/terminal.h"
#include "draw/units.h"

/* An axis: its ends, its ticks at round numbers, and the position of a value on it. */

enum et_axis_unit {
	ET_AXIS_NUMBER,
	ET_AXIS_NS,    /* nanoseconds, printed in a suitable unit */
	ET_AXIS_SHARE, /* 1 is printed as 100 % */
};

struct et_axis {
	const char *label; /* without the unit; or NULL */
	enum et_axis_unit unit;
	bool log;
	double lo, hi; /* both 0: chosen from the data, with a margin */
	/* Names printed instead of the numbers 0, 1 …, of y from the top down; or NULL. */
	const char *const *tracks;
	size_t n_tracks;
};

enum { ET_MOST_TICKS = 32 };

struct et_ticks {
	double at[ET_MOST_TICKS];
	char text[ET_MOST_TICKS][ET_FIGURE]; /* without a unit if `unit` is set */
	size_t n;
	const char *unit; /* of all ticks; NULL: each text has its own, or none has one */
	/* "128.24 s": the texts are distances from this value, which has many digits; or "". */
	char above[ET_FIGURE];
};

/* Returns the axis with its ends: those given, else around data from lo to hi, if lo <= hi. */
struct et_axis et_axis_fit(const struct et_axis *a, double lo, double hi);
/* The position of a value on a fitted axis: 0 and 1 are its ends; NaN if it has no position. */
double et_axis_share(const struct et_axis *a, double x);
/* About as many ticks as wanted on a fitted axis, at most ET_MOST_TICKS; their texts differ. */
void et_axis_ticks(const struct et_axis *a, int wanted, struct et_ticks *out);

/* --- the chart --- */

enum { ET_SVG_MOST = 5000, ET_CHART_MARKS = 4 };

enum et_svg_shape {
	ET_SVG_POINTS,    /* a mark at each x, y */
	ET_SVG_LINE,      /* joined, without marks; x ascends */
	ET_SVG_CURVE,     /* joined, with marks; x ascends */
	ET_SVG_STEPS,     /* y holds until the next x; x ascends */
	ET_SVG_BARS,      /* from x to end, from 0 up to y */
	ET_SVG_SEGMENTS,  /* thick, from x to end at y, as in a timeline */
	ET_SVG_INTERVALS, /* thin with end caps, from x to end at y */
	ET_SVG_TICKS,     /* a short vertical stroke at x, y */
};

/* Each colour has its own shape of marks. */
enum et_svg_color {
	ET_SVG_BLUE,
	ET_SVG_RED,
	ET_SVG_GREEN,
	ET_SVG_PURPLE,
	ET_SVG_ORANGE,
	ET_SVG_SKY,
	ET_SVG_GREY,
	ET_SVG_COLORS, /* their number; larger values wrap around */
};

struct et_dot {
	double x, y;       /* NaN makes a gap in a line */
	double end;        /* of bars, segments, intervals: where it ends */
	double lo, hi;     /* with `limits`: the interval of y, or NaN */
	const char *title; /* a tooltip, or NULL */
};

struct et_curve {
	const char *name; /* in the legend; NULL: no entry there */
	enum et_svg_shape shape;
	unsigned color; /* enum et_svg_color */
	char mark;      /* the letter of its points in a terminal; '\0': dots only */
	/* Each dot has a line from lo to hi; curves are side by side, and not joined in text. */
	bool limits;
	struct et_dot *dots; /* owned by the chart, as is all that is added to it */
	size_t n, room;
};

/* A dashed line through the whole chart, in SVG. */
struct et_chart_mark {
	double at;
	const char *label; /* or NULL */
	bool across;       /* `at` is a y value, otherwise an x value */
};

/* The y axis in a terminal. */
enum et_text_scale {
	ET_TEXT_LOG,     /* whole decades around the values that are greater than 0 */
	ET_TEXT_SHARES,  /* from 0 to 100 % */
	ET_TEXT_ERRORS,  /* logarithmic from 0.01 % to 1000 %; others are drawn at its edge */
	ET_TEXT_SIGNED,  /* errors from -100 % to 1000 %, logarithmic on both sides of 0 */
	ET_TEXT_NUMBERS, /* from 0 to the upper end of the y axis; both axes are linear */
};

/* In a terminal x and its label are in a unit that is `x` times that of the chart; 0: the same. */
struct et_chart_text {
	enum et_text_scale scale;
	double x;
	const char *x_label;
};

struct et_chart {
	const char *title;
	const char *description; /* for readers who cannot see the chart; or NULL */
	struct et_axis x, y;
	struct et_chart_mark marks[ET_CHART_MARKS];
	size_t n_marks;
	int width, height; /* 0: a default */
	bool wide;         /* it takes a whole row of a page */
	bool bare;         /* it is small, in a cell of a page: only curves and marks are drawn */
	struct et_chart_text text;
	/* The functions below fill these; later curves are drawn on top of earlier ones. */
	struct et_curve **curves;
	const char **tracks;
	char **texts;
	size_t n_curves, room_curves, n_tracks, room_tracks, n_texts, room_texts;
};

/* --- what is drawn; names and titles are not copied --- */

struct et_curve *et_chart_curve(
	struct et_chart *c, enum et_svg_shape shape, unsigned color, const char *name);
void et_curve_add(struct et_curve *k, double x, double y);
void et_curve_add_dot(struct et_curve *k, struct et_dot dot);
/* Adds values at x, x + step …; the other one as bars that are `wide` and begin there. */
void et_curve_add_all(struct et_curve *k, double x, double step, const double *y, size_t n);
void et_curve_add_bars(
	struct et_curve *k, double x, double step, double wide, const double *y, size_t n);
/* Brings the values into the order of x. */
void et_curve_sort(struct et_curve *k);
/* Appends a track of y and returns its place: its name replaces the numbers 0, 1 … from the top. */
double et_chart_track(struct et_chart *c, const char *name);
/* Adds two curves: the interval, and a point, of each row. */
struct et_chart_rows {
	struct et_curve *intervals, *points;
};

struct et_chart_rows et_chart_rows(struct et_chart *c, unsigned color, unsigned of_intervals,
	const char *intervals, const char *points);
void et_chart_row(struct et_chart_rows f, double at, double x, double lo, double hi);
/* Keep a text as long as the chart: a formatted one, and one that the chart takes (or NULL). */
const char *et_chart_format(struct et_chart *c, const char *fmt, ...) ET_PRINTF(2, 3);
const char *et_chart_own(struct et_chart *c, char *text);

/* --- where it is drawn; these functions free what the chart owns --- */

/* Several charts in one SVG file, in rows as wide as the sheet. */
struct et_svg_sheet;

/* Where charts go: into a sheet, else a page, else a file of its own. */
struct et_chart_to {
	struct et_svg_sheet *sheet;
	FILE *page, *file;
};

void et_chart_put(struct et_chart *c, const struct et_chart_to *to);
/*
 * Draws it in a terminal; nothing if it is narrow or there are fewer than two values of x. The
 * legend of ET_TEXT_LOG is one paragraph, so labels are short; curves without a mark are not in it.
 */
void et_chart_print(struct et_chart *c, const struct et_page *page);
/*
 * Draws the points of a chart with equal axes from lo to hi (ns) as a scatter plot; '*' is where
 * different marks meet. It has at most width columns, and half as many lines, because a braille
 * cell is twice as high as wide. Nothing is drawn if no point is inside.
 */
void et_chart_scatter(struct et_chart *c, double lo, double hi, const struct et_page *page,
	int indent, int width);
void et_chart_free(struct et_chart *c);

struct et_svg_sheet *et_svg_sheet_new(int width) __attribute__((malloc, returns_nonnull));
/* Writes a line of text below what there is. */
void et_svg_sheet_text(struct et_svg_sheet *s, bool heading, const char *text);
/* Writes the file, and frees the sheet. */
void et_svg_sheet_write(struct et_svg_sheet *s, const char *title, FILE *out);

/* For et_chart_put: writes a whole file, or an element of a page that has ET_SVG_STYLE. */
void et_svg_write(const struct et_chart *c, bool alone, FILE *out);

/* The palette of Okabe & Ito (2008); some colours are darker on light and lighter on dark. */
#define ET_SVG_STYLE                                                                               \
	".et{font:12px system-ui,'DejaVu Sans',sans-serif}"                                        \
	".et text{fill:#444;stroke:none}"                                                          \
	".et .tt{fill:#111;font-size:14px;font-weight:600}"                                        \
	".et .bg{fill:#fff}.et .gr{stroke:#e4e4e4}.et .ax{stroke:#999}"                            \
	".et .mk{stroke:#666;stroke-dasharray:4 3}"                                                \
	".et .gr,.et .ax,.et .mk,.et g.ln,.et g.iv{fill:none}"                                     \
	".et .ln,.et .iv,.et .tk{stroke-width:1.5}"                                                \
	".et .pt{stroke-width:1.4;fill-opacity:.35}"                                               \
	".et .p0{stroke-width:5;stroke-linecap:round;stroke-opacity:.75}"                          \
	".et .br{stroke-width:.5;fill-opacity:.45}.et .sg{stroke:none}"                            \
	".et .c0{stroke:#0072b2;fill:#0072b2}.et .c1{stroke:#d55e00;fill:#d55e00}"                 \
	".et .c2{stroke:#00805d;fill:#009e73}.et .c3{stroke:#b0508a;fill:#cc79a7}"                 \
	".et .c4{stroke:#b87d00;fill:#e69f00}.et .c5{stroke:#2b8cc4;fill:#56b4e9}"                 \
	".et .c6{stroke:#999;fill:#bbb}"                                                           \
	"@media(prefers-color-scheme:dark){"                                                       \
	".et text{fill:#bbb}.et .tt{fill:#eee}.et .bg{fill:#1c1d21}.et .gr{stroke:#34363d}"        \
	".et .ax{stroke:#777}.et .mk{stroke:#aaa}"                                                 \
	".et .c0{stroke:#4aa8e0;fill:#4aa8e0}.et .c1{stroke:#ff8a3d;fill:#ff8a3d}"                 \
	".et .c2{stroke:#2cc79b;fill:#2cc79b}.et .c3{stroke:#e29cc5;fill:#e29cc5}"                 \
	".et .c4{stroke:#f0b429;fill:#f0b429}.et .c5{stroke:#8fd0f5;fill:#8fd0f5}"                 \
	".et .c6{stroke:#777;fill:#666}}"
