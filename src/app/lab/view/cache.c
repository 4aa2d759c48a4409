/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/clocks.h"
#include "base/alloc.h"
#include "draw/svg.h"

#include <inttypes.h>
#include <math.h>

#define BOLD "1"

enum { STATE_COLUMNS = 20 };

/* --- text --- */

/* The bars are logarithmic: each block stands for the same factor. */
static void add_times(
	const struct et_cache_effects_times *t, double lo, double hi, struct et_table *table)
{
	char median[ET_FIGURE], least[ET_FIGURE], most[ET_FIGURE];
	bool known = t->median_ns > 0 && hi > lo;

	et_table_add(table, "%s\t%s\t%s", et_format_rounded(t->median_ns, 3, median),
		et_format_rounded(t->min_ns, 3, least), et_format_rounded(t->max_ns, 3, most));
	et_table_bar(
		table, known ? (log(t->median_ns / lo) + 0.2) / (log(hi / lo) + 0.2) : 0, NULL);
}

static void ends(const struct et_cache_effects_times *t, int n, double *lo, double *hi)
{
	*lo = *hi = NAN;
	for (int i = 0; i < n; i++) {
		*lo = fmin(*lo, t[i].median_ns);
		*hi = fmax(*hi, t[i].median_ns);
	}
}

static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "   call"),
	ET_COLUMN(NUMBER, "median"), ET_COLUMN(NUMBER, "least"), ET_COLUMN(NUMBER, "most"),
	ET_COLUMN(BAR, "", .drop = 1) };

/* Practice problem 9.6: the answer, before the measurements that it follows from. */
static void print_parts(const struct et_cache_effects *c, const struct et_page *page)
{
	const struct {
		char name;
		double ns;
		const char *what;
	} rows[] = {
		{ 'c', c->parts.c_ns, "a call with everything in the cache" },
		{ 'd', c->parts.d_ns, "to load its data" },
		{ 'p', c->parts.p_ns, "to load the code of the procedure" },
		{ 'm', c->parts.m_ns, "to load the code that measures" },
	};
	static const struct et_table_column parts[] = { ET_COLUMN(TEXT, ""), ET_COLUMN(NUMBER, ""),
		ET_COLUMN(TEXT, "") };
	struct et_table t = { ET_COLUMNS(parts), .indent = 3 };
	char buf[ET_FIGURE];

	et_page_paragraph(page, 0, "", NULL, "what a call of 64 bytes of data costs", BOLD);
	for (size_t i = 0; i < ET_LENGTH(rows); i++)
		et_table_add(&t, "%c\t%s\t%s", rows[i].name, et_format_rounded(rows[i].ns, 3, buf),
			rows[i].what);
	et_table_print(&t, page);
	putc('\n', page->out);
}

static void print_calls(const struct et_cache_effects *c, const struct et_page *page)
{
	struct et_table t = { ET_COLUMNS(columns), .split = true };
	double lo, hi;

	ends(c->calls, ET_CACHE_EFFECTS_CALLS, &lo, &hi);
	ET_AUTO_FREE char *title =
		et_asprintf("the calls of Figure 9.13, %zu times", c->calls[0].n);
	et_page_paragraph(page, 0, "", NULL, title, BOLD);
	for (int i = 0; i < ET_CACHE_EFFECTS_CALLS; i++) {
		const struct et_cache_effects_step *s = &et_cache_effects_calls[i];
		et_table_add(&t, "%2d proc%c(%s) %s", i + 1, s->procedure, s->state,
			et_cache_effects_sums[i]);
		add_times(&c->calls[i], lo, hi, &t);
	}
	et_table_print(&t, page);
	putc('\n', page->out);
}

static void print_steps(const struct et_cache_effects *c, const struct et_page *page)
{
	struct et_table t = { ET_COLUMNS(columns), .split = true };
	double lo, hi;

	ends(c->steps, ET_CACHE_EFFECTS_STEPS, &lo, &hi);
	ET_AUTO_FREE char *title = et_asprintf("with more data, %zu times", c->steps[0].n);
	et_page_paragraph(page, 0, "", NULL, title, BOLD);
	for (int i = 0; i < ET_CACHE_EFFECTS_STEPS; i++) {
		et_table_add(&t, "%2d %c  %s", i + 1, et_cache_effects_steps[i].procedure,
			et_cache_effects_steps[i].state);
		add_times(&c->steps[i], lo, hi, &t);
	}
	et_table_print(&t, page);
	putc('\n', page->out);
}

static void print_explanation(const struct et_cache_effects *c, const struct et_page *page)
{
	char a[ET_FIGURE], b[ET_FIGURE], cleared[ET_FIGURE];
	ET_AUTO_FREE char *text = et_asprintf(
		"Procedures A and B do the same and have code of their own. Before each sequence "
		"all "
		"caches were cleared, of data by writing %s; lines that were used just before then "
		"missed in %" PRIu64 " of %" PRIu64
		" cases. c, d, p, m: practice problem 9.6 of Bryant & "
		"O'Hallaron, from the medians. With more data, A reads one byte per cache line of "
		"%s "
		"and B of %s, which evicts A's data from all caches except the last level. The "
		"bars "
		"are logarithmic.",
		et_format_bytes((uint64_t)fmax(c->cleared_bytes, 0), cleared),
		c->clears - c->failures, c->clears,
		et_format_bytes((uint64_t)fmax(c->a_bytes, 0), a),
		et_format_bytes((uint64_t)fmax(c->b_bytes, 0), b));

	et_page_paragraph(page, 0, "", NULL, text, NULL);
}

void et_cache_effects_text(const struct et_cache_effects *c, const struct et_page *page)
{
	char time[ET_FIGURE];

	print_parts(c, page);
	print_calls(c, page);
	print_steps(c, page);
	et_page_paragraph(page, 0, "", NULL, "by libetalon, with more data", BOLD);
	for (int i = 0; i < ET_CACHE_EFFECTS_KBESTS; i++)
		fprintf(page->out, "   %c  %-*s%s\n", et_cache_effects_kbests[i].procedure,
			STATE_COLUMNS + 2, et_cache_effects_kbests[i].state,
			isnan(c->kbest_ns[i])
				? ET_DASH
				: et_format_measured(c->kbest_ns[i], c->error_ns[i], time));
	putc('\n', page->out);
	print_explanation(c, page);
}

/* --- SVG --- */

enum { TRACKS = ET_CACHE_EFFECTS_CALLS + ET_CACHE_EFFECTS_STEPS };

static void name_track(int i, char *out, size_t size)
{
	const struct et_cache_effects_step *s =
		i < ET_CACHE_EFFECTS_CALLS ? &et_cache_effects_calls[i]
					   : &et_cache_effects_steps[i - ET_CACHE_EFFECTS_CALLS];

	if (i < ET_CACHE_EFFECTS_CALLS)
		snprintf(out, size, "%d proc%c(%s): %s", i + 1, s->procedure, s->state,
			et_cache_effects_sums[i]);
	else
		snprintf(out, size, "%c %s", s->procedure, s->state);
}

void et_cache_effects_svg(const struct et_cache_effects *c, FILE *out)
{
	double median[TRACKS], least[TRACKS], most[TRACKS], track[TRACKS];
	const char *tracks[TRACKS];
	char names[TRACKS][48];

	for (int i = 0; i < TRACKS; i++) {
		const struct et_cache_effects_times *t =
			i < ET_CACHE_EFFECTS_CALLS ? &c->calls[i]
						   : &c->steps[i - ET_CACHE_EFFECTS_CALLS];
		median[i] = t->median_ns;
		least[i] = t->min_ns;
		most[i] = t->max_ns;
		track[i] = i;
		name_track(i, names[i], sizeof(names[i]));
		tracks[i] = names[i];
	}
	struct et_svg_series series[] = {
		{ .name = "least to most",
			.shape = ET_SVG_INTERVALS,
			.color = ET_SVG_GREY,
			.x = least,
			.x_end = most,
			.y = track,
			.n = TRACKS },
		{ .name = "median",
			.shape = ET_SVG_POINTS,
			.color = ET_SVG_BLUE,
			.x = median,
			.y = track,
			.n = TRACKS },
	};
	struct et_chart chart = { .title = "Calls in sequence: the effect of the cache",
		.description = "Times of successive calls of two procedures.",
		.x = { .label = "time", .unit = ET_AXIS_NS, .log = true },
		.y = { .tracks = tracks, .n_tracks = TRACKS },
		.series = series,
		.n_series = ET_LENGTH(series) };
	et_svg_write(&chart, out);
}

/* --- JSON --- */

static void write_times(struct et_json *w, const char *name,
	const struct et_cache_effects_step *steps, const struct et_cache_effects_times *times,
	int n)
{
	et_json_array(w, name);
	for (int i = 0; i < n; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "procedure", steps[i].procedure == 'A' ? "A" : "B");
		et_json_string(w, "state", steps[i].state);
		et_json_u64(w, "n", times[i].n);
		et_json_double(w, "median_ns", times[i].median_ns);
		et_json_double(w, "min_ns", times[i].min_ns);
		et_json_double(w, "max_ns", times[i].max_ns);
		et_json_end(w);
	}
	et_json_end(w);
}

void et_cache_effects_json(
	const struct et_experiment *e, const struct et_cache_effects *c, FILE *out)
{
	struct et_json w;

	et_lab_json_begin(&w, e, "cache", out);
	et_json_double(&w, "a_bytes", c->a_bytes);
	et_json_double(&w, "b_bytes", c->b_bytes);
	et_json_double(&w, "cleared_bytes", c->cleared_bytes);
	et_json_u64(&w, "clears", c->clears);
	et_json_u64(&w, "clears_failed", c->failures);
	et_json_flat_object(&w, "parts");
	et_json_double(&w, "c_ns", c->parts.c_ns);
	et_json_double(&w, "m_ns", c->parts.m_ns);
	et_json_double(&w, "p_ns", c->parts.p_ns);
	et_json_double(&w, "d_ns", c->parts.d_ns);
	et_json_end(&w);
	write_times(&w, "figure_9_13", et_cache_effects_calls, c->calls, ET_CACHE_EFFECTS_CALLS);
	write_times(&w, "calls", et_cache_effects_steps, c->steps, ET_CACHE_EFFECTS_STEPS);
	et_json_array(&w, "etalon");
	for (int i = 0; i < ET_CACHE_EFFECTS_KBESTS; i++) {
		et_json_flat_object(&w, NULL);
		et_json_string(
			&w, "procedure", et_cache_effects_kbests[i].procedure == 'A' ? "A" : "B");
		et_json_string(&w, "cache", et_cache_effects_kbests[i].state);
		et_json_double(&w, "ns", c->kbest_ns[i]);
		et_json_double(&w, "said", c->error_ns[i] / c->kbest_ns[i]);
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_end(&w);
}
