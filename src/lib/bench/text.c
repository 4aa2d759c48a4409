/* SPDX-License-Identifier: MIT */
/* Prints results for people: the table (also as Markdown), warnings, details and the decision. */
#include "base/display.h"
#include "base/figure.h"
#include "lib/bench/output.h"
#include "lib/slice/complexity.h"
#include "lib/time/events.h"

enum { GAP = 2, LEAST_NAME = 16, SI = 48, MOST_NAMED = 3 };

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

	(void)s;
	if (et_bench_error(row))
		return et_strdup(row->skipped ? "skipped" : "failed");
	if (!et_bench_timed(row))
		return et_strdup(ET_DASH);
	return et_asprintf("%s %s", et_scale_number(scale, e->ns, ET_BUF), scale.unit);
}

static char *half_cell(const struct et_bench_row *row, const struct source *s)
{
	const struct et_bench_estimate *e = &row->estimate;
	struct et_scale scale = et_scale_of(e->ns, et_bench_half(e));

	(void)s;
	if (!et_bench_timed(row))
		return NULL;
	if (!isfinite(et_bench_half(e)))
		return et_strdup("± " ET_DASH);
	return et_asprintf(
		"%s %s", et_scale_plus_minus(scale, et_bench_half(e), ET_BUF), scale.unit);
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

	(void)s;
	if (!row->has_old || !et_bench_timed(row))
		return NULL;
	return et_strdup(et_format_ratio_pm(k->ratio, k->lo, k->hi, ET_BUF));
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
	char text[SI];

	if (!isfinite(x))
		return NULL;
	if (!(kind & ETALON_COUNTER_RATE))
		return et_asprintf("%.6g", x);
	return kind & ETALON_COUNTER_INVERT ? et_strdup(et_format_rounded(x * 1e9, 4, ET_BUF))
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
	for (size_t i = 1; excess > 0 && i < c->rows; i++) {
		char **name = &c->list[0].cells[i], *whole = *name;

		*name = et_shorten(whole, room < LEAST_NAME ? LEAST_NAME : room);
		free(whole);
	}
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

/* Prints the table. Returns the titles of columns that do not fit the page, or NULL. */
static char *print_table(const struct et_bench_results *r, const struct et_bench_page *page)
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

/* --- paragraphs --- */

/* Prints any text, which is cleaned here. A line longer than the page continues indented. */
static void print_words(const char *lead, const char *words, const struct et_bench_page *page)
{
	ET_AUTO_FREE char *clean = et_clean(words, "");
	const char *text = clean;
	int at = et_columns(lead);

	fputs(lead, page->out);
	for (bool first = true; *text; first = false) {
		size_t length = strcspn(text, " ");
		ET_AUTO_FREE char *word = et_strndup(text, length);
		int width = et_columns(word);

		if (!first && page->columns > 0 && at + 1 + width > page->columns)
			at = fprintf(page->out, "\n   ") - 1;
		if (!first)
			at += fprintf(page->out, " ");
		fputs(word, page->out);
		at += width;
		text += length + (text[length] == ' ');
	}
	putc('\n', page->out);
}

/* --- warnings --- */

/* "a, b, c and 4 others"; NULL: none */
static char *join_names(const char *const *names, size_t n)
{
	char *list = NULL;

	for (size_t i = 0; i < n && i < MOST_NAMED; i++)
		et_append(&list, ", ", "%s", names[i]);
	if (n > MOST_NAMED)
		et_append(&list, " ", "and %zu other%s", n - MOST_NAMED,
			n == MOST_NAMED + 1 ? "" : "s");
	return list;
}

static char *name_rows(const struct et_bench_results *r, const bool *which)
{
	ET_AUTO_FREE const char **names = et_calloc(r->n + 1, sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (which[i])
			names[n++] = r->rows[i].name;
	return join_names(names, n);
}

void et_bench_note_missing(
	struct et_bench_results *r, const char *old, const char *const *names, size_t n)
{
	ET_AUTO_FREE char *list = join_names(names, n);

	if (list)
		et_bench_note(r, "%s has functions that this program lacks: %s", old, list);
}

static void warn(const char *words, const struct et_bench_page *page)
{
	print_words(page->color ? "\x1b[33mwarning:\x1b[0m " : "warning: ", words, page);
}

static void warn_rows(const struct et_bench_results *r, const bool *which, const char *text,
	const struct et_bench_page *page)
{
	ET_AUTO_FREE char *line = name_rows(r, which);

	if (!line)
		return;
	et_append(&line, ": ", "%s", text);
	warn(line, page);
}

static const char *const reasons[] = {
	[ET_BENCH_BELOW_FLOOR] =
		"shorter while the processor was slowed down, so that the shortest "
		"samples mean nothing: the time is the median",
	[ET_BENCH_CALLS_DIFFER] = "some calls take far longer than others: the time is the mean; "
				  "set ETALON_BENCH_CALLS_DIFFER if that is intended",
	[ET_BENCH_NO_FLOOR] =
		"undisturbed samples differ by more than 5 %, so that the shortest are not "
		"typical: the time is the median",
};

/* Rows with the usual sentence are named together, and so are those with another one. */
static void warn_bit(const struct et_bench_results *r, unsigned bit, bool *which,
	const struct et_bench_page *page)
{
	for (int other = 0; other < 2; other++) {
		const char *sentence = NULL;

		for (size_t i = 0; i < r->n; i++) {
			const char *text = et_bench_warning_text(&r->rows[i], bit);

			which[i] = et_bench_timed(&r->rows[i]) &&
				   (et_bench_warnings(&r->rows[i]) & bit) &&
				   (text != etalon_warning_text(bit)) == other;
			sentence = which[i] ? text : sentence;
		}
		if (sentence)
			warn_rows(r, which, sentence, page);
	}
}

static void print_warnings(const struct et_bench_results *r, const struct et_bench_page *page)
{
	ET_AUTO_FREE bool *which = et_calloc(r->n + 1, sizeof(*which));

	for (size_t i = 0; i < r->n; i++) {
		const char *error = et_bench_error(&r->rows[i]);

		if (error) {
			const char *word = r->rows[i].skipped ? "skipped" : "failed";
			const char *lead = strncmp(error, word, strlen(word)) ? ": " : NULL;
			ET_AUTO_FREE char *line = et_asprintf("%s: %s%s%s", r->rows[i].name,
				lead ? word : "", lead ? lead : "", error);
			warn(line, page);
		}
	}
	for (size_t k = 0; k < ET_LENGTH(reasons); k++) {
		for (size_t i = 0; i < r->n; i++) {
			const struct et_bench_row *row = &r->rows[i];
			bool intended = row->which && row->which->bench &&
					(row->which->bench->flags & ETALON_BENCH_CALLS_DIFFER);

			which[i] = reasons[k] && et_bench_timed(row) && row->estimate.reason == k &&
				   !intended;
		}
		warn_rows(r, which, reasons[k], page);
	}
	for (unsigned bit = 1; bit; bit <<= 1)
		warn_bit(r, bit, which, page);
}

/* --- complexity --- */

static void add_cycles(char **line, const struct et_per_element *e)
{
	if (!(e->slope > 0))
		return;
	if (isfinite(e->hi) && isfinite(e->lo))
		et_append(line, "; ", "%s cycles per element",
			et_format_ratio_pm(e->slope, e->lo, e->hi, ET_BUF));
	else
		et_append(line, "; ", "%.3g cycles per element", e->slope);
}

/* "n log n, 3.21 ± 0.02 ns per n log n", or "constant" */
static void add_model(
	char **line, const char *separator, enum et_growth_model m, const struct et_coefficient *c)
{
	const char *model = et_growth_names[m];

	et_append(line, separator, "%s", model);
	if (m != ET_GROWTH_CONSTANT && c->ns > 0)
		et_append(line, ", ", "%s ns per %s",
			et_format_ratio_pm(c->ns, c->lo, c->hi, ET_BUF), model);
}

/*
 * "sort: n log n, 3.21 ± 0.02 ns per n log n", "sum: n, 0.5 ns per n; 1.3 cycles per element", and
 * if another model than this was asked for: "sum: n, 0.5 ns per n (n log n fits better: …)".
 */
static char *complexity_line(const struct et_complexity *c)
{
	bool worse = c->asked && c->model != c->growth.best;
	char *line = et_strdup(c->name);

	if (worse && isnan(c->of_model.ns))
		et_append(&line, ": ", "%s cannot be fitted", et_growth_names[c->model]);
	else
		add_model(&line, ": ", c->model, &c->of_model);
	if (worse) {
		add_model(&line, " (", c->growth.best, &c->best);
		et_append(&line, " ", "%s)",
			et_growth_possible(&c->growth, c->model) ? "fits slightly better"
								 : "fits better");
	}
	if (c->model == ET_GROWTH_N && c->of_model.ns > 0)
		add_cycles(&line, &c->cycles);
	return line;
}

static void print_complexity(const struct et_bench_results *r, const struct et_bench_page *page)
{
	for (size_t i = 0; i < r->n_complexity; i++) {
		const struct et_complexity *c = &r->complexity[i];
		ET_AUTO_FREE char *line = NULL;

		if (c->problem)
			line = et_asprintf("%s: too few %s to tell how the time grows (%d are "
					   "needed)",
				c->name,
				c->problem == ET_GROWTH_FEW_SIZES ? "sizes" : "values of processes",
				c->problem == ET_GROWTH_FEW_SIZES ? ET_GROWTH_SIZES_LEAST
								  : ET_GROWTH_SAMPLES_LEAST);
		else
			line = complexity_line(c);
		print_words("", line, page);
	}
}

/* --- the details of --verbose --- */

static void print_clock(const struct et_slice *s, FILE *out)
{
	if (s->clock == ETALON_CLOCK_COUNTER)
		fprintf(out, "  clock        counter at %.5g GHz; reading it costs %s per sample\n",
			s->hz / 1e9, et_format_rounded(s->overhead_ns, 3, ET_BUF));
	else
		fprintf(out, "  clock        %s; reading it costs %s per sample\n",
			s->clock == ETALON_CLOCK_CPU ? "CPU time of the thread"
						     : "CLOCK_MONOTONIC_RAW",
			et_format_rounded(s->overhead_ns, 3, ET_BUF));
	if (s->empty_ns > 0)
		fprintf(out, "  empty call   %s ± %s, subtracted\n",
			et_format_rounded(s->empty_ns, 3, ET_BUF),
			et_format_rounded(s->empty_uncertainty_ns, 2, ET_BUF));
	if (s->floor_loss_ns > 0)
		fprintf(out, "  interrupts   %s per call, subtracted\n",
			et_format_rounded(s->floor_loss_ns, 3, ET_BUF));
}

static void print_details(const struct et_bench_row *row, FILE *out)
{
	const struct et_bench_estimate *e = &row->estimate;
	const struct et_slice *first = et_bench_first(row);
	char a[ET_FIGURE], b[ET_FIGURE], c[ET_FIGURE];

	fprintf(out, "\n%s\n", row->name);
	fprintf(out, "  minimum      %s, median %s, mean %s\n", et_format_time(e->min_ns, a),
		et_format_time(e->median_ns, b), et_format_time(e->mean_ns, c));
	fprintf(out, "  quartiles    %s … %s; standard deviation %s\n", et_format_time(e->q1_ns, a),
		et_format_time(e->q3_ns, b), et_format_rounded(e->sd_ns, 2, c));
	fprintf(out, "  quantiles    10 %% %s, 90 %% %s, 99 %% %s\n", et_format_time(e->p10_ns, a),
		et_format_time(e->p90_ns, b), et_format_time(e->p99_ns, c));
	fprintf(out, "  samples      %zu in %zu process%s; %zu preempted, %zu at reduced speed\n",
		e->n, e->processes, e->processes == 1 ? "" : "es", e->preempted, e->slow);
	if (e->processes > 1)
		fprintf(out, "  variation    %s between processes, %s within them\n",
			et_format_percent(e->between, a), et_format_percent(e->within, b));
	if (!first)
		return;
	fprintf(out, "  calls        %" PRIu64 " per sample\n", first->calls);
	if (isfinite(first->wall_ns))
		fprintf(out,
			"  threads      %s elapsed per call of one thread, all of them running\n",
			et_format_time(et_bench_wall(row), a));
	print_clock(first, out);
	if (first->events_error)
		fprintf(out, "  events       not available here: %s\n",
			et_pmu_why(first->events_error));
	else if (first->events_user_only)
		fprintf(out,
			"  events       without the kernel's part (kernel.perf_event_paranoid)\n");
	if (row->has_old)
		fprintf(out, "  old          %s\n",
			et_format_measured(row->old.ns, et_bench_half(&row->old), a));
}

/* --- the decision --- */

static bool undecided(const struct et_bench_row *row)
{
	return row->has_old && et_bench_timed(row) && row->comparison.verdict == ET_BENCH_UNSURE;
}

struct et_bench_comparisons et_bench_count_compared(const struct et_bench_results *r)
{
	struct et_bench_comparisons n = { 0 };

	for (size_t i = 0; i < r->n; i++) {
		bool compared = r->rows[i].has_old && et_bench_timed(&r->rows[i]);

		n.compared += compared;
		n.decided += compared && !undecided(&r->rows[i]);
	}
	return n;
}

/* "; too uncertain to tell: a, b; without an old time: c" */
static void add_undecided(const struct et_bench_results *r, char **line)
{
	ET_AUTO_FREE bool *which = et_calloc(r->n + 1, sizeof(*which));

	for (size_t i = 0; i < r->n; i++)
		which[i] = undecided(&r->rows[i]);
	ET_AUTO_FREE char *unsure = name_rows(r, which);
	for (size_t i = 0; i < r->n; i++)
		which[i] = !r->rows[i].has_old && et_bench_timed(&r->rows[i]);
	ET_AUTO_FREE char *new = name_rows(r, which);
	if (unsure)
		et_append(line, "; ", "too uncertain to tell: %s", unsure);
	if (new)
		et_append(line, "; ", "without an old time: %s", new);
}

/* "PASS: none of 3 functions is slower by more than 2 % (…)", or FAIL. */
static void print_verdict(const struct et_bench_results *r, struct et_bench_comparisons n,
	const struct et_bench_page *page)
{
	ET_AUTO_FREE bool *which = et_calloc(r->n + 1, sizeof(*which));
	ET_AUTO_FREE char *line = NULL;
	char limit[32] = "";
	size_t slower = 0;

	for (size_t i = 0; i < r->n; i++) {
		which[i] = r->rows[i].has_old && et_bench_timed(&r->rows[i]) &&
			   r->rows[i].comparison.regression;
		slower += which[i];
	}
	ET_AUTO_FREE char *names = name_rows(r, which);
	if (r->options.fail_ratio > 0)
		snprintf(
			limit, sizeof(limit), " by more than %.3g %%", 100 * r->options.fail_ratio);
	if (slower)
		line = et_asprintf(
			"FAIL: %zu of %zu functions slower%s: %s", slower, n.decided, limit, names);
	else
		line = et_asprintf("PASS: none of %zu function%s is slower%s", n.decided,
			n.decided == 1 ? "" : "s", limit);
	et_append(&line, " ", "(at most %.3g %% false alarms among all of them together)",
		100 * (1 - r->options.level));
	add_undecided(r, &line);
	print_words("", line, page);
}

static void print_decision(const struct et_bench_results *r, const struct et_bench_page *page)
{
	struct et_bench_comparisons n = et_bench_count_compared(r);

	if (!isfinite(r->options.fail_ratio))
		return;
	if (r->cut_short)
		print_words("", "no decision: the run was interrupted", page);
	else if (!n.decided)
		print_words("", "no decision: nothing could be compared", page);
	else
		print_verdict(r, n, page);
}

void et_bench_text(const struct et_bench_results *r, const struct et_bench_page *page)
{
	ET_AUTO_FREE char *omitted = print_table(r, page);

	if (omitted)
		print_words("omitted to fit the terminal: ", omitted, page);
	print_complexity(r, page);
	print_warnings(r, page);
	if (r->context.compiler && !r->context.optimised)
		warn("the program was compiled without optimisation: use -O2", page);
	for (size_t i = 0; i < r->n_notes; i++)
		warn(r->notes[i], page);
	for (size_t i = 0; r->options.verbose && i < r->n; i++)
		if (et_bench_timed(&r->rows[i]))
			print_details(&r->rows[i], page->out);
	print_decision(r, page);
	fflush(page->out);
}
