/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Charts as SVG: what to draw is said in one value, et_svg_write draws it. Colours can be told
 * apart by colour-blind people and follow the reader's light or dark scheme; series differ by form
 * too. What cannot be drawn (not finite, outside of the axes, 0 on a log axis) is left out. A
 * series of more than ET_SVG_MOST values is thinned to one for each place of the picture, loses its
 * tooltips, and the picture says so: a file stays below a few hundred kilobytes a series.
 */
#ifndef ET_REPORT_SVG_H
#define ET_REPORT_SVG_H

#include "report/axis.h"

enum { ET_SVG_MOST = 5000 };

enum et_svg_shape {
	ET_SVG_POINTS,    /* a mark at each x, y */
	ET_SVG_LINE,      /* joined, without marks; x ascends */
	ET_SVG_CURVE,     /* joined, with marks; x ascends */
	ET_SVG_STEPS,     /* y holds until the next x; x ascends */
	ET_SVG_BARS,      /* from x to x_end, as high as y */
	ET_SVG_SEGMENTS,  /* thick, from x to x_end at y: a lane of a timeline */
	ET_SVG_INTERVALS, /* thin with ends, from x to x_end at y */
	ET_SVG_TICKS,     /* a short upright stroke at x, y */
};

/* Each colour has its own form of marks. */
enum et_svg_color {
	ET_SVG_BLUE,
	ET_SVG_RED,
	ET_SVG_GREEN,
	ET_SVG_PURPLE,
	ET_SVG_ORANGE,
	ET_SVG_SKY,
	ET_SVG_GREY,
	ET_SVG_COLORS, /* how many; a larger number begins again */
};

struct et_svg_series {
	const char *name; /* in the legend; NULL: not there */
	enum et_svg_shape shape;
	unsigned color; /* enum et_svg_color */
	const double *x, *y;
	const double *x_end;       /* of bars, segments, intervals */
	const char *const *titles; /* a tooltip for each, entries may be NULL; or NULL */
	size_t n;
};

/* A dashed line through the whole picture. */
struct et_svg_mark {
	double at;
	const char *label; /* or NULL */
	bool across;       /* at is a y; else an x */
};

struct et_chart {
	const char *title;
	const char *description; /* what a person who cannot see it should know; or NULL */
	struct et_axis x, y;
	const struct et_svg_series *series; /* later ones are drawn above earlier ones */
	size_t n_series;
	const struct et_svg_mark *marks;
	size_t n_marks;
	int width, height; /* 0: what suits */
};

/* A file of its own. */
void et_svg_write(const struct et_chart *c, FILE *out);
/* Within a page that has ET_SVG_STYLE in its style. */
void et_svg_embed(const struct et_chart *c, FILE *out);

/* Okabe & Ito (2008), some darker on light and lighter on dark ground. */
#define ET_SVG_STYLE                                                                               \
	".elapsed{font:12px system-ui,'DejaVu Sans',sans-serif}"                                   \
	".elapsed text{fill:#444;stroke:none}"                                                     \
	".elapsed .tt{fill:#111;font-size:14px;font-weight:600}"                                   \
	".elapsed .bg{fill:#fff}.elapsed .gr{stroke:#e4e4e4}.elapsed .ax{stroke:#999}"             \
	".elapsed .mk{stroke:#666;stroke-dasharray:4 3}"                                           \
	".elapsed .gr,.elapsed .ax,.elapsed .mk,.elapsed g.ln,.elapsed g.iv{fill:none}"            \
	".elapsed .ln,.elapsed .iv,.elapsed .tk{stroke-width:1.5}"                                 \
	".elapsed .cpu{stroke-width:1.4;fill-opacity:.35}"                                         \
	".elapsed .p0{stroke-width:5;stroke-linecap:round;stroke-opacity:.75}"                     \
	".elapsed .br{stroke-width:.5;fill-opacity:.45}.elapsed .sg{stroke:none}"                  \
	".elapsed .c0{stroke:#0072b2;fill:#0072b2}.elapsed .c1{stroke:#d55e00;fill:#d55e00}"       \
	".elapsed .c2{stroke:#00805d;fill:#009e73}.elapsed .c3{stroke:#b0508a;fill:#cc79a7}"       \
	".elapsed .c4{stroke:#b87d00;fill:#e69f00}.elapsed .c5{stroke:#2b8cc4;fill:#56b4e9}"       \
	".elapsed .c6{stroke:#999;fill:#bbb}"                                                      \
	"@media(prefers-color-scheme:dark){"                                                       \
	".elapsed text{fill:#bbb}.elapsed .tt{fill:#eee}.elapsed .bg{fill:#1c1d21}.elapsed "       \
	".gr{stroke:#34363d}"                                                                      \
	".elapsed .ax{stroke:#777}.elapsed .mk{stroke:#aaa}"                                       \
	".elapsed .c0{stroke:#4aa8e0;fill:#4aa8e0}.elapsed .c1{stroke:#ff8a3d;fill:#ff8a3d}"       \
	".elapsed .c2{stroke:#2cc79b;fill:#2cc79b}.elapsed .c3{stroke:#e29cc5;fill:#e29cc5}"       \
	".elapsed .c4{stroke:#f0b429;fill:#f0b429}.elapsed .c5{stroke:#8fd0f5;fill:#8fd0f5}"       \
	".elapsed .c6{stroke:#777;fill:#666}}"

#endif
