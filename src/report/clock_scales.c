/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/clock_scales.h"
#include "base/alloc.h"
#include "report/rows.h"
#include "report/svg.h"
#include "report/units.h"

#include <math.h>

/* The scale has this many columns per decade, from 1 ns to 1 s. */
enum { DECADES = 9, PER_DECADE = 3, COLUMNS = DECADES * PER_DECADE };

static int column_of(double ns)
{
	double at = round(PER_DECADE * log10(ns > 1 ? ns : 1));

	return at < COLUMNS ? (int)at : COLUMNS;
}

/* "141 … 144 ns": an interval in the unit of its median. */
static const char *interval_text(const struct et_spread *x, char buf[ET_FIGURE])
{
	char lo[ET_FIGURE], hi[ET_FIGURE];

	if (isnan(x->lo)) {
		snprintf(buf, ET_FIGURE, "%s", "");
		return buf;
	}
	struct et_scale s = et_scale_of(x->median, (x->hi - x->lo) / 2);
	snprintf(buf, ET_FIGURE, "%s … %s", et_scale_number(s, x->lo, lo),
		et_scale_number(s, x->hi, hi));
	return buf;
}

/* A line of dots up to the place of the median. */
static void bar(const struct et_page *p, double ns)
{
	int to = column_of(ns);

	for (int i = 0; i < to; i++)
		fputs(i % PER_DECADE ? "·" : "¦", p->out);
	fputs("●", p->out);
}

static void scale_row(const struct et_scales_row *x, const struct et_page *p)
{
	char figure[ET_FIGURE], span[ET_FIGURE];

	fprintf(p->out, "  %-15s", x->name);
	if (x->missing) {
		fprintf(p->out, " not measured: %s\n", x->missing);
		return;
	}
	et_right(p, 9, et_format_rounded(x->ns.median, 3, figure));
	et_right(p, 19, interval_text(&x->ns, span));
	fputs("  ", p->out);
	bar(p, x->ns.median);
	putc('\n', p->out);
}

void et_scales_text(const struct et_scales_report *r, const struct et_page *page, bool verbose)
{
	et_page_paragraph(page, 0, "", NULL, "how long events take on this machine", "1");
	fprintf(page->out, "  %-15s", "");
	et_right(page, 9, "median");
	et_right(page, 19, "95 % interval");
	fputs("  1 ns     1 µs     1 ms     1 s\n", page->out);
	for (size_t i = 0; i < r->n; i++)
		scale_row(&r->rows[i], page);
	for (size_t i = 0; i < r->n && verbose; i++) {
		ET_AUTO_FREE char *text = et_asprintf(
			"%s: %s (%zu batches)", r->rows[i].name, r->rows[i].what, r->rows[i].ns.n);
		et_page_paragraph(page, 2, "", NULL, text, NULL);
	}
	if (r->cut_short)
		et_page_paragraph(
			page, 2, "", NULL, "Interrupted: later events are missing.", NULL);
}

void et_scales_json(struct et_json *w, const struct et_scales_report *r)
{
	et_json_object(w, NULL);
	et_json_int(w, "cpu", r->cpu);
	et_json_bool(w, "complete", !r->cut_short);
	et_json_array(w, "scales");
	for (size_t i = 0; i < r->n; i++) {
		const struct et_scales_row *x = &r->rows[i];
		et_json_flat_object(w, NULL);
		et_json_string(w, "name", x->name);
		et_json_string(w, "what", x->what);
		et_json_string(w, "missing", x->missing);
		et_json_u64(w, "n", x->ns.n);
		et_json_double(w, "min_ns", x->ns.min);
		et_json_double(w, "median_ns", x->ns.median);
		et_json_flat_array(w, "interval_ns");
		et_json_double(w, NULL, x->ns.lo);
		et_json_double(w, NULL, x->ns.hi);
		et_json_end(w);
		et_json_flat_array(w, "quartiles_ns");
		et_json_double(w, NULL, x->ns.q1);
		et_json_double(w, NULL, x->ns.q3);
		et_json_end(w);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}

void et_scales_svg(const struct et_scales_report *r, FILE *out)
{
	ET_AUTO_FREE double *x = et_calloc(3 * r->n + 1, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(r->n + 1, sizeof(*y));
	ET_AUTO_FREE const char **tracks = et_calloc(r->n + 1, sizeof(*tracks));
	double *lo = x + r->n, *hi = lo + r->n;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct et_spread *s = &r->rows[i].ns;
		if (r->rows[i].missing)
			continue;
		tracks[n] = r->rows[i].name;
		x[n] = s->median;
		lo[n] = isnan(s->lo) ? s->median : s->lo;
		hi[n] = isnan(s->hi) ? s->median : s->hi;
		y[n] = (double)n;
		n++;
	}
	const struct et_svg_series series[] = {
		{ .name = "95 % interval",
			.shape = ET_SVG_INTERVALS,
			.color = ET_SVG_RED,
			.x = lo,
			.x_end = hi,
			.y = y,
			.n = n },
		{ .name = "median", .shape = ET_SVG_POINTS, .x = x, .y = y, .n = n },
	};
	const struct et_chart chart = { .title = "How long events take on this machine",
		.description = "Durations of events on a logarithmic scale",
		.x = { .label = "duration", .unit = ET_AXIS_NS, .log = true, .lo = 1, .hi = 1e9 },
		.y = { .tracks = tracks, .n_tracks = n },
		.series = series,
		.n_series = 2,
		.width = 800,
		.height = 100 + 30 * (int)n };
	et_svg_write(&chart, out);
}
