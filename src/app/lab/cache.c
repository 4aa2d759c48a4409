/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab cache` */
#include "app/lab/experiments.h"
#include "lab/cache_effects.h"

enum {
	STATE_COLUMNS = 20,
	CALLS = ET_CACHE_EFFECTS_CALLS,
	STEPS = ET_CACHE_EFFECTS_STEPS,
	TRACKS = CALLS + STEPS, /* the calls of Figure 9.13, then those with more data */
};

static void fill_names(char names[TRACKS][48], bool svg)
{
	for (int i = 0; i < TRACKS; i++) {
		const struct et_cache_effects_step *s =
			i < CALLS ? &et_cache_effects_calls[i] : &et_cache_effects_steps[i - CALLS];
		if (i < CALLS)
			snprintf(names[i], 48, svg ? "%d proc%s(%s): %s" : "%2d proc%s(%s) %s",
				i + 1, s->procedure, s->state, s->sum);
		else if (svg)
			snprintf(names[i], 48, "%s %s", s->procedure, s->state);
		else
			snprintf(names[i], 48, "%2d %s  %s", i - CALLS + 1, s->procedure, s->state);
	}
}

/* --- text --- */

/* Practice problem 9.6: the answer, before the measurements that it follows from. */
static void print_parts(const struct et_cache_effects *c, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, ""),
		ET_COLUMN(NUMBER, "", .format = et_format_three), ET_COLUMN(TEXT, "") };
	struct et_table t = { ET_COLUMNS(columns), .indent = 3 };

	et_lab_heading(page, "what a call of 64 bytes of data costs");
	et_table_row(&t, "c", c->parts.c_ns, "a call with everything in the cache");
	et_table_row(&t, "d", c->parts.d_ns, "to load its data");
	et_table_row(&t, "p", c->parts.p_ns, "to load the code of the procedure");
	et_table_row(&t, "m", c->parts.m_ns, "to load the code that measures");
	et_lab_table(&t, page);
}

/* The bars are logarithmic: each block stands for the same factor. */
static void print_times(const struct et_cache_effects_times *times, char names[][48], int n,
	const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "   call"),
		ET_COLUMN(NUMBER, "median", .format = et_format_three),
		ET_COLUMN(NUMBER, "least", .format = et_format_three),
		ET_COLUMN(NUMBER, "most", .format = et_format_three),
		ET_COLUMN(BAR, "", .drop = 1) };
	struct et_table t = { ET_COLUMNS(columns), .split = true };
	double lo = NAN, hi = NAN;

	for (int i = 0; i < n; i++) {
		lo = fmin(lo, times[i].median_ns);
		hi = fmax(hi, times[i].median_ns);
	}
	for (int i = 0; i < n; i++) {
		double ns = times[i].median_ns;
		et_table_add(&t, "%s", names[i]);
		et_table_row(&t, ns, times[i].min_ns, times[i].max_ns);
		et_table_bar(&t,
			ns > 0 && hi > lo ? (log(ns / lo) + 0.2) / (log(hi / lo) + 0.2) : 0, NULL);
	}
	et_lab_table(&t, page);
}

static void explain(const struct et_cache_effects *c, const struct et_page *page)
{
	char a[ET_FIGURE], b[ET_FIGURE], cleared[ET_FIGURE];

	et_lab_text(page,
		"Procedures A and B do the same and have code of their own. Before each sequence "
		"all caches were cleared, of data by writing %s; lines that were used just before "
		"then missed in %" PRIu64 " of %" PRIu64 " cases. c, d, p, m: practice problem 9.6 "
		"of Bryant & O'Hallaron, from the medians. With more data, A reads one byte per "
		"cache line of %s and B of %s, which evicts A's data from all caches except the "
		"last level. The bars are logarithmic.",
		et_format_bytes((uint64_t)fmax(c->cleared_bytes, 0), cleared),
		c->clears - c->failures, c->clears,
		et_format_bytes((uint64_t)fmax(c->a_bytes, 0), a),
		et_format_bytes((uint64_t)fmax(c->b_bytes, 0), b));
}

static void print_text(const void *result, const struct et_page *page)
{
	const struct et_cache_effects *c = result;
	char names[TRACKS][48], time[ET_FIGURE];

	print_parts(c, page);
	fill_names(names, false);
	et_lab_heading(page, "the calls of Figure 9.13, %zu times", c->calls[0].n);
	print_times(c->calls, names, CALLS, page);
	et_lab_heading(page, "with more data, %zu times", c->steps[0].n);
	print_times(c->steps, names + CALLS, STEPS, page);
	et_lab_heading(page, "by libetalon, with more data");
	for (int i = 0; i < ET_CACHE_EFFECTS_KBESTS; i++)
		fprintf(page->out, "   %s  %-*s%s\n", et_cache_effects_kbests[i].procedure,
			STATE_COLUMNS + 2, et_cache_effects_kbests[i].state,
			isnan(c->kbest_ns[i])
				? ET_DASH
				: et_format_measured(c->kbest_ns[i], c->error_ns[i], time));
	putc('\n', page->out);
	explain(c, page);
}

/* --- SVG --- */

static void draw(const void *result, const struct et_chart_to *to)
{
	const struct et_cache_effects *all = result;
	char names[TRACKS][48];
	struct et_chart c = { .title = "Calls in sequence: the effect of the cache",
		.description = "Times of successive calls of two procedures.",
		.x = { .label = "time", .unit = ET_AXIS_NS, .log = true } };
	struct et_chart_rows rows =
		et_chart_rows(&c, ET_SVG_BLUE, ET_SVG_GREY, "least to most", "median");

	fill_names(names, true);
	for (int i = 0; i < TRACKS; i++) {
		const struct et_cache_effects_times *t =
			i < CALLS ? &all->calls[i] : &all->steps[i - CALLS];
		et_chart_row(
			rows, et_chart_track(&c, names[i]), t->median_ns, t->min_ns, t->max_ns);
	}
	et_chart_put(&c, to);
}

/* --- JSON --- */

static void write_kbests(struct et_json *w, const char *key, const void *result)
{
	const struct et_cache_effects *c = result;

	et_json_array(w, key);
	for (int i = 0; i < ET_CACHE_EFFECTS_KBESTS; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "procedure", et_cache_effects_kbests[i].procedure);
		et_json_string(w, "cache", et_cache_effects_kbests[i].state);
		et_json_double(w, "ns", c->kbest_ns[i]);
		et_json_double(w, "said", c->error_ns[i] / c->kbest_ns[i]);
		et_json_end(w);
	}
	et_json_end(w);
}

ET_FIELDS(times_fields,
	ET_KEYS(et_cache_effects_times, procedure, state, n, median_ns, min_ns, max_ns));

/* --- steps --- */

static int time_calls(struct et_lab_request *r, struct et_experiment *e, struct et_error *err)
{
	return et_cache_effects_run(
		r->measure.runs ? (uint32_t)r->measure.runs : 20, &r->simulation.progress, e, err);
}

const struct et_lab et_lab_cache = { .size = sizeof(struct et_cache_effects),
	.time = time_calls,
	.read = et_cache_effects_read,
	.fields = ET_TABLE(ET_KEYS(et_cache_effects, a_bytes, b_bytes, cleared_bytes, clears),
		ET_KEY(et_cache_effects, "clears_failed", failures),
		ET_KEY_FLAT(et_cache_effects, "parts", parts,
			ET_TABLE(ET_KEYS(et_cache_effects_parts, c_ns, m_ns, p_ns, d_ns))),
		ET_KEY_ARRAY(et_cache_effects, "figure_9_13", calls, times_fields, .flat = true),
		ET_KEY_ARRAY(et_cache_effects, "calls", steps, times_fields, .flat = true),
		ET_KEY_MADE("etalon", write_kbests)),
	.text = print_text,
	.draw = draw };
