/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/clock/view.h"
#include "base/alloc.h"
#include "draw/chart.h"
#include "draw/table.h"
#include "draw/units.h"
#include "model/experiment/field_rows.h"

#include <math.h>

/* The scale has this many columns per decade, from 1 ns to 1 s. */
enum { DECADES = 9, PER_DECADE = 3, COLUMNS = DECADES * PER_DECADE };

/* "141 … 144 ns": an interval in the unit of its median. */
static const char *interval_text(const struct et_clock_spread *x, char buf[ET_FIGURE])
{
	if (isnan(x->lo)) {
		snprintf(buf, ET_FIGURE, "%s", "");
		return buf;
	}
	struct et_scale s = et_scale_of(x->median, (x->hi - x->lo) / 2);
	snprintf(buf, ET_FIGURE, "%s … %s", et_scale_number(s, x->lo, ET_BUF),
		et_scale_number(s, x->hi, ET_BUF));
	return buf;
}

static void add_row(const struct et_timescale *x, struct et_table *t)
{
	ET_AUTO_FREE char *bar = et_strdup(""), *missing = NULL;

	if (x->missing) {
		missing = et_asprintf("%-15s not measured: %s", x->name, x->missing);
		et_table_note(t, 2, "", NULL, missing);
		return;
	}
	double column = round(PER_DECADE * log10(fmax(x->ns.median, 1)));
	for (int i = 0; i < column && i < COLUMNS; i++)
		et_append(&bar, "", "%s", i % PER_DECADE ? "·" : "¦");
	et_table_add(t, "%s\t%s\t%s\t%s●", x->name, et_format_rounded(x->ns.median, 3, ET_BUF),
		interval_text(&x->ns, ET_BUF), bar);
}

void et_scales_text(const struct et_timescales *r, const struct et_page *page, bool verbose)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, ""),
		ET_COLUMN(NUMBER, "median"), ET_COLUMN(NUMBER, "95 % interval"),
		ET_COLUMN(TEXT, "1 ns     1 µs     1 ms     1 s") };
	struct et_table t = { ET_COLUMNS(columns), .indent = 2, .split = true };

	et_page_paragraph(page, 0, "", NULL, "how long events take on this machine", "1");
	for (size_t i = 0; i < r->n; i++)
		add_row(&r->list[i], &t);
	et_table_print(&t, page);
	for (size_t i = 0; i < r->n && verbose; i++)
		et_page_say(page, 2, "", NULL, NULL, "%s: %s (%zu batches)", r->list[i].name,
			r->list[i].what, r->list[i].ns.n);
	if (r->cut_short)
		et_page_paragraph(
			page, 2, "", NULL, "Interrupted: later events are missing.", NULL);
}

static const struct et_field row_fields[] = {
	ET_KEYS(et_timescale, name, what, missing),
	ET_KEYS_OF(et_timescale, ns,
		ET_TABLE(ET_KEYS(et_clock_spread, n), ET_KEYS_NS(et_clock_spread, min, median),
			ET_KEY_SPAN(et_clock_spread, "interval_ns", lo, hi),
			ET_KEY_SPAN(et_clock_spread, "quartiles_ns", q1, q3))),
	{ 0 },
};

void et_scales_json(struct et_json *w, const struct et_timescales *r)
{
	et_json_object(w, NULL);
	et_json_int(w, "cpu", r->cpu);
	et_json_bool(w, "complete", !r->cut_short);
	et_fields_list(w, "scales", row_fields, r->list, r->n, sizeof(*r->list));
	et_json_end(w);
}

void et_scales_svg(const struct et_timescales *r, FILE *out)
{
	struct et_chart c = { .title = "How long events take on this machine",
		.description = "Durations of events on a logarithmic scale",
		.x = { .label = "duration", .unit = ET_AXIS_NS, .log = true, .lo = 1, .hi = 1e9 },
		.width = 800 };
	struct et_chart_rows rows =
		et_chart_rows(&c, ET_SVG_BLUE, ET_SVG_RED, "95 % interval", "median");

	for (size_t i = 0; i < r->n; i++) {
		const struct et_clock_spread *s = &r->list[i].ns;
		if (!r->list[i].missing)
			et_chart_row(rows, et_chart_track(&c, r->list[i].name), s->median,
				isnan(s->lo) ? s->median : s->lo, isnan(s->hi) ? s->median : s->hi);
	}
	c.height = 100 + 30 * (int)c.n_tracks;
	et_chart_put(&c, &(struct et_chart_to){ .file = out });
}
