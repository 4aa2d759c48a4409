/* SPDX-License-Identifier: MIT */
/*
 * All cases as a table of clean text, which is printed in columns or as Markdown, and as CSV (RFC
 * 4180) for spreadsheets.
 */
#include "base/alloc.h"
#include "base/display.h"
#include "base/figure.h"
#include "base/json.h"
#include "lib/bench/output.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { GAP = 2, LEAST_NAME = 16, SI = 48 };

/* --- cells --- */

/* Where the cells of a column come from. */
struct source {
	const char *title;
	char *(*cell)(const struct et_bench_row *row, const struct source *s); /* NULL: empty */
	bool right;    /* aligned to the right */
	bool kept;     /* even if all cells are empty */
	unsigned rank; /* 0: always shown; the column of the highest rank is omitted first */
	enum et_bench_event event;
	double (*rate)(const struct et_bench_row *row);
	const char *unit; /* of the rate */
};

/* "23.5 G", "512 ": a number with a prefix of the SI for the unit that follows. */
static const char *si(double x, char buf[SI])
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E" };
	double size = fabs(x);
	size_t i = 0;

	while (size >= 999.95 && i + 1 < ET_LENGTH(prefixes)) {
		size /= 1000;
		i++;
	}
	snprintf(buf, SI, "%s%.4g %s", x < 0 ? "-" : "", size, prefixes[i]);
	return buf;
}

static char *name_cell(const struct et_bench_row *row, const struct source *s)
{
	(void)s;
	return et_clean(row->name, "");
}

static char *time_cell(const struct et_bench_row *row, const struct source *s)
{
	const struct et_bench_estimate *e = &row->estimate;
	struct et_scale scale = et_scale_of(e->ns, et_bench_half(e));
	char text[ET_FIGURE];

	(void)s;
	if (et_bench_error(row))
		return et_strdup(row->skipped ? "skipped" : "failed");
	if (!et_bench_timed(row))
		return et_strdup(ET_DASH);
	return et_asprintf("%s %s", et_scale_number(scale, e->ns, text), scale.unit);
}

static char *half_cell(const struct et_bench_row *row, const struct source *s)
{
	const struct et_bench_estimate *e = &row->estimate;
	struct et_scale scale = et_scale_of(e->ns, et_bench_half(e));
	char text[ET_FIGURE];

	(void)s;
	if (!et_bench_timed(row))
		return NULL;
	if (!isfinite(et_bench_half(e)))
		return et_strdup("± " ET_DASH);
	return et_asprintf("%s %s", et_scale_plus_minus(scale, et_bench_half(e), text), scale.unit);
}

/* The best elapsed time needs no words. */
static char *kind_cell(const struct et_bench_row *row, const struct source *s)
{
	const struct et_slice *first = et_bench_first(row);
	bool cpu = first && first->clock == ETALON_CLOCK_CPU;

	(void)s;
	if (!et_bench_timed(row) || (!cpu && row->estimate.statistic == ET_BENCH_BEST))
		return NULL;
	return et_asprintf(
		"%s%s", et_bench_statistic_names[row->estimate.statistic], cpu ? ", CPU time" : "");
}

static char *ratio_cell(const struct et_bench_row *row, const struct source *s)
{
	const struct et_bench_comparison *k = &row->comparison;
	char text[ET_FIGURE];

	(void)s;
	if (!row->has_old || !et_bench_timed(row))
		return NULL;
	return et_strdup(et_format_ratio_pm(k->ratio, k->lo, k->hi, text));
}

static char *verdict_cell(const struct et_bench_row *row, const struct source *s)
{
	static const char *const words[] = { "no difference", "faster", "slower", "too uncertain" };

	(void)s;
	if (!et_bench_timed(row))
		return NULL;
	return et_strdup(row->has_old ? words[row->comparison.verdict] : "new");
}

static char *rate_cell(const struct et_bench_row *row, const struct source *s)
{
	double x = s->rate(row);
	char text[SI];

	return isfinite(x) && et_bench_timed(row) ? et_asprintf("%s%s", si(x, text), s->unit)
						  : NULL;
}

static char *event_cell(const struct et_bench_row *row, const struct source *s)
{
	double x = et_bench_event(row, s->event);

	return isfinite(x) && et_bench_timed(row) ? et_asprintf("%.4g", x) : NULL;
}

static char *counter_cell(const struct et_bench_row *row, const struct source *s)
{
	unsigned kind = 0;
	double x = et_bench_counter(row, s->title, &kind);
	char text[SI], time[ET_FIGURE];

	if (!isfinite(x))
		return NULL;
	if (!(kind & ETALON_COUNTER_RATE))
		return et_asprintf("%.6g", x);
	return kind & ETALON_COUNTER_INVERT ? et_strdup(et_format_rounded(x * 1e9, 4, time))
					    : et_asprintf("%s/s", si(x, text));
}

static char *label_cell(const struct et_bench_row *row, const struct source *s)
{
	(void)s;
	return et_bench_label(row) ? et_clean(et_bench_label(row), "") : NULL;
}

/* --- columns --- */

struct column {
	char **cells; /* the title, then one per row; NULL: empty */
	bool right, omitted;
	unsigned rank;
};

struct columns {
	struct column *list;
	size_t n, room, rows; /* the row of titles included */
};

static void add(struct columns *c, const struct et_bench_results *r, const struct source *s)
{
	char **cells = et_calloc(c->rows, sizeof(*cells));
	bool any = s->kept;

	for (size_t i = 0; i < r->n; i++) {
		cells[i + 1] = s->cell(&r->rows[i], s);
		any = any || cells[i + 1];
	}
	if (!any) {
		free(cells);
		return;
	}
	cells[0] = et_clean(s->title, "");
	ET_GROW(c->list, c->n, c->room);
	c->list[c->n++] = (struct column){ .cells = cells, .right = s->right, .rank = s->rank };
}

static void make_columns(const struct et_bench_results *r, struct columns *out)
{
	static const struct source rates[] = {
		{ "items", rate_cell, true, .rank = 1, .rate = et_bench_items, .unit = "/s" },
		{ "bytes", rate_cell, true, .rank = 1, .rate = et_bench_bytes, .unit = "B/s" },
		{ "cycles", event_cell, true, .rank = 2, .event = ET_EVENT_CYCLES },
		{ "instructions", event_cell, true, .rank = 2, .event = ET_EVENT_INSTRUCTIONS },
		{ "branch misses", event_cell, true, .rank = 1000,
			.event = ET_EVENT_BRANCH_MISSES },
		{ "cache misses", event_cell, true, .rank = 1001, .event = ET_EVENT_CACHE_MISSES },
	};
	char half[32];
	const struct source times[] = {
		{ "function", name_cell, .kept = true },
		{ "time", time_cell, true, .kept = true },
		{ half, half_cell, .kept = true },
		{ "", .cell = kind_cell },
		{ "new / old", ratio_cell, true, .kept = true },
		{ "", verdict_cell, .kept = true },
	};
	bool compared = r->options.baseline || r->options.against;
	size_t n;
	ET_AUTO_FREE const char **names = et_bench_counter_names(r, &n);

	*out = (struct columns){ .rows = r->n + 1 };
	snprintf(half, sizeof(half), "± (%.3g %%)", 100 * r->options.level);
	for (size_t k = 0; k < ET_LENGTH(times) - (compared ? 0 : 2); k++)
		add(out, r, &times[k]);
	for (size_t k = 0; k < ET_LENGTH(rates); k++)
		add(out, r, &rates[k]);
	for (size_t k = 0; k < n; k++)
		add(out, r,
			&(struct source){
				names[k], counter_cell, true, true, .rank = 3 + (unsigned)k });
	add(out, r, &(struct source){ "", label_cell, .rank = 2000 });
}

static void free_columns(struct columns *c)
{
	for (size_t k = 0; k < c->n; k++) {
		for (size_t i = 0; i < c->rows; i++)
			free(c->list[k].cells[i]);
		free(c->list[k].cells);
	}
	free(c->list);
}

static const char *cell(const struct column *c, size_t row)
{
	return c->cells[row] ? c->cells[row] : "";
}

/* --- text --- */

static int width_of(const struct column *c, size_t rows)
{
	int most = 0;

	for (size_t i = 0; i < rows; i++) {
		int width = et_columns(cell(c, i));

		most = width > most ? width : most;
	}
	return most;
}

static int total_width(const struct columns *c)
{
	int sum = -GAP;

	for (size_t k = 0; k < c->n; k++)
		if (!c->list[k].omitted)
			sum += width_of(&c->list[k], c->rows) + GAP;
	return sum;
}

static void shorten(char **name, int width)
{
	char *text = et_shorten(*name, width);

	free(*name);
	*name = text;
}

/* Omits columns, the least important first, then parts of names. */
static void fit(struct columns *c, int columns)
{
	while (columns > 0 && total_width(c) > columns) {
		struct column *least = NULL;

		for (size_t k = 0; k < c->n; k++)
			if (!c->list[k].omitted && c->list[k].rank &&
				(!least || c->list[k].rank >= least->rank))
				least = &c->list[k];
		if (!least)
			break;
		least->omitted = true;
	}
	int excess = columns > 0 ? total_width(c) - columns : 0;
	int room = width_of(&c->list[0], c->rows) - excess;
	for (size_t i = 1; excess > 0 && i < c->rows; i++)
		shorten(&c->list[0].cells[i], room < LEAST_NAME ? LEAST_NAME : room);
}

/* Blanks are printed before a cell that is not empty, so that none end the line. */
static void print_line(const struct columns *c, size_t row, FILE *out)
{
	int at = 0, begin = 0; /* where the line ends so far, and where the column begins */

	for (size_t k = 0; k < c->n; k++) {
		const struct column *col = &c->list[k];
		const char *text = cell(col, row);
		int width = width_of(col, c->rows);

		if (col->omitted)
			continue;
		if (*text) {
			int from = begin + (col->right ? width - et_columns(text) : 0);

			fprintf(out, "%*s%s", from - at, "", text);
			at = from + et_columns(text);
		}
		begin += width + GAP;
	}
	putc('\n', out);
}

static const char *color_of(const struct et_bench_row *x)
{
	if (et_bench_error(x))
		return x->skipped ? NULL : "31";
	if (!x->has_old)
		return NULL;
	return x->comparison.verdict == ET_BENCH_SLOWER   ? "31"
	       : x->comparison.verdict == ET_BENCH_FASTER ? "32"
							  : NULL;
}

char *et_bench_table(const struct et_bench_results *r, const struct et_bench_page *page)
{
	struct columns c;
	char *omitted = NULL;

	make_columns(r, &c);
	fit(&c, page->columns);
	for (size_t i = 0; i < c.rows; i++) {
		const char *color = i ? color_of(&r->rows[i - 1]) : "1";

		if (page->color && color)
			fprintf(page->out, "\x1b[%sm", color);
		print_line(&c, i, page->out);
		if (page->color && color)
			fputs("\x1b[0m", page->out);
	}
	for (size_t k = 0; k < c.n; k++)
		if (c.list[k].omitted)
			et_append(&omitted, ", ", "%s",
				*cell(&c.list[k], 0) ? cell(&c.list[k], 0) : "label");
	free_columns(&c);
	return omitted;
}

/* --- Markdown --- */

/* Names of C++ functions contain characters that Markdown would interpret. */
static void markdown_text(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (strchr("\\`*_{}[]<>|", *text))
			putc('\\', out);
		putc(*text, out);
	}
}

void et_bench_markdown(const struct et_bench_results *r, FILE *out)
{
	struct columns c;

	make_columns(r, &c);
	for (size_t i = 0; i < c.rows; i++) {
		for (size_t k = 0; k < c.n; k++) {
			fputs(k ? " " : "| ", out);
			markdown_text(cell(&c.list[k], i), out);
			fputs(" |", out);
		}
		fputs(i ? "\n" : "\n|", out);
		for (size_t k = 0; i == 0 && k < c.n; k++)
			fputs(c.list[k].right ? "---:|" : ":---|", out);
		if (i == 0)
			putc('\n', out);
	}
	free_columns(&c);
}

/* --- CSV --- */

void et_bench_csv_text(const char *text, bool quoted, FILE *out)
{
	quoted = quoted || (text && strpbrk(text, ",\"\r\n"));
	if (quoted)
		putc('"', out);
	for (; text && *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	if (quoted)
		putc('"', out);
}

void et_bench_csv_number(double x, FILE *out)
{
	char buf[32];

	putc(',', out);
	if (isfinite(x))
		fputs(et_shortest(x, buf), out);
}

static void csv_word(const char *text, FILE *out)
{
	putc(',', out);
	et_bench_csv_text(text, false, out);
}

static void csv_estimate(const struct et_bench_row *row, FILE *out)
{
	const struct et_bench_estimate *e = &row->estimate;
	const double figures[] = { e->ns, e->lo_ns, e->hi_ns, e->min_ns, e->median_ns, e->mean_ns,
		e->sd_ns, e->q1_ns, e->q3_ns, e->p10_ns, e->p90_ns, e->p99_ns, e->max_ns };
	bool timed = et_bench_timed(row);

	for (size_t i = 0; i < ET_LENGTH(figures); i++)
		et_bench_csv_number(timed ? figures[i] : NAN, out);
	csv_word(timed ? et_bench_statistic_names[e->statistic] : NULL, out);
	fprintf(out, ",%zu,%zu", e->n, e->processes);
}

static void csv_row(const struct et_bench_row *row, const char **names, size_t n, FILE *out)
{
	const struct et_bench_comparison *c = &row->comparison;
	bool old = row->has_old && et_bench_timed(row);

	et_bench_csv_text(row->name, false, out);
	csv_estimate(row, out);
	et_bench_csv_number(et_bench_items(row), out);
	et_bench_csv_number(et_bench_bytes(row), out);
	for (int i = 0; i < ET_EVENTS; i++)
		et_bench_csv_number(et_bench_event(row, (enum et_bench_event)i), out);
	et_bench_csv_number(old ? row->old.ns : NAN, out);
	et_bench_csv_number(old ? c->ratio : NAN, out);
	et_bench_csv_number(old ? c->lo : NAN, out);
	et_bench_csv_number(old ? c->hi : NAN, out);
	csv_word(old ? et_bench_verdict_names[c->verdict] : NULL, out);
	csv_word(et_bench_label(row), out);
	csv_word(et_bench_error(row), out);
	for (size_t i = 0; i < n; i++)
		et_bench_csv_number(et_bench_counter(row, names[i], NULL), out);
	fputs("\r\n", out);
}

void et_bench_csv(const struct et_bench_results *r, FILE *out)
{
	size_t n;
	ET_AUTO_FREE const char **names = et_bench_counter_names(r, &n);

	fputs("name,time_ns,lo_ns,hi_ns,min_ns,median_ns,mean_ns,sd_ns,q1_ns,q3_ns,p10_ns,p90_ns,"
	      "p99_ns,max_ns,statistic,samples,processes,items_per_second,bytes_per_second,"
	      "cycles,instructions,branch_misses,cache_misses,old_ns,ratio,ratio_lo,ratio_hi,"
	      "verdict,label,error",
		out);
	for (size_t i = 0; i < n; i++)
		csv_word(names[i], out);
	fputs("\r\n", out);
	for (size_t i = 0; i < r->n; i++)
		csv_row(&r->rows[i], names, n, out);
}
