/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Charts as SVG: struct et_chart describes a chart completely, and et_svg_write draws it. The
 * colours are distinguishable for colour-blind readers and follow their light or dark scheme; each
 * colour also has its own shape of marks. Values that cannot be drawn are omitted: those that are
 * not finite or outside of the axes, and 0 on a log axis. A series of more than ET_SVG_MOST values
 * is thinned to one value per place of the chart and has no tooltips, so that a file stays below a
 * few hundred kilobytes per series; a note in the chart reports this.
 */
#pragma once

#include "draw/axis.h"

enum { ET_SVG_MOST = 5000 };

enum et_svg_shape {
	ET_SVG_POINTS,    /* a mark at each x, y */
	ET_SVG_LINE,      /* joined, without marks; x ascends */
	ET_SVG_CURVE,     /* joined, with marks; x ascends */
	ET_SVG_STEPS,     /* y holds until the next x; x ascends */
	ET_SVG_BARS,      /* from x to x_end, from 0 up to y */
	ET_SVG_SEGMENTS,  /* thick, from x to x_end at y, as in a timeline */
	ET_SVG_INTERVALS, /* thin with end caps, from x to x_end at y */
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

struct et_svg_series {
	const char *name; /* in the legend; NULL: no entry there */
	enum et_svg_shape shape;
	unsigned color; /* enum et_svg_color */
	const double *x, *y;
	const double *x_end;       /* of bars, segments, intervals */
	const char *const *titles; /* a tooltip per value, or NULL for none; or NULL */
	size_t n;
};

/* A dashed line through the whole chart. */
struct et_svg_mark {
	double at;
	const char *label; /* or NULL */
	bool across;       /* `at` is a y value, otherwise an x value */
};

struct et_chart {
	const char *title;
	const char *description; /* for readers who cannot see the chart; or NULL */
	struct et_axis x, y;
	const struct et_svg_series *series; /* later ones are drawn on top of earlier ones */
	size_t n_series;
	const struct et_svg_mark *marks;
	size_t n_marks;
	int width, height; /* 0: a default */
};

/* Writes a file of its own. */
void et_svg_write(const struct et_chart *c, FILE *out);
/* Writes an element of a page whose style sheet contains ET_SVG_STYLE. */
void et_svg_embed(const struct et_chart *c, FILE *out);

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
