/* SPDX-License-Identifier: MIT */
/* Prints results for people: the table first, then warnings, details and the decision. */
#include "base/alloc.h"
#include "base/display.h"
#include "base/figure.h"
#include "lib/bench/output.h"
#include "lib/slice/complexity.h"
#include "lib/time/events.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_NAMED = 3 };

/*
 * Prints the words of any text, which is cleaned here; a line that would be longer than the page
 * begins again, indented.
 */
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

static void print_table(const struct et_bench_results *r, const struct et_bench_page *page)
{
	ET_AUTO_FREE char *omitted = et_bench_table(r, page);

	if (omitted)
		print_words("omitted to fit the terminal: ", omitted, page);
}

/* --- warnings --- */

/* Appends a name to a list of n before it; others than the first are counted at the end. */
static void add_name(char **list, size_t n, const char *name)
{
	if (n < MOST_NAMED)
		et_append(list, ", ", "%s", name);
}

/* "a, b, c and 4 others" */
static void end_names(char **list, size_t n)
{
	if (n > MOST_NAMED)
		et_append(list, " ", "and %zu other%s", n - MOST_NAMED,
			n == MOST_NAMED + 1 ? "" : "s");
}

static void name_rows(const struct et_bench_results *r, const bool *which, char **out)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (which[i])
			add_name(out, n++, r->rows[i].name);
	end_names(out, n);
}

void et_bench_note_missing(
	struct et_bench_results *r, const char *old, const char *const *names, size_t n)
{
	ET_AUTO_FREE char *list = NULL;

	for (size_t i = 0; i < n; i++)
		add_name(&list, i, names[i]);
	end_names(&list, n);
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
	char *line = NULL;

	name_rows(r, which, &line);
	if (!line)
		return;
	et_append(&line, ": ", "%s", text);
	warn(line, page);
	free(line);
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

static bool by_intent(const struct et_bench_row *row)
{
	return row->which && row->which->bench &&
	       (row->which->bench->flags & ETALON_BENCH_CALLS_DIFFER);
}

static void print_notes(const struct et_bench_results *r, const struct et_bench_page *page)
{
	if (r->context.compiler && !r->context.optimised)
		warn("the program was compiled without optimisation: use -O2", page);
	for (size_t i = 0; i < r->n_notes; i++)
		warn(r->notes[i], page);
}

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

		memset(which, 0, r->n * sizeof(*which));
		which[i] = error != NULL;
		if (error) {
			const char *word = r->rows[i].skipped ? "skipped" : "failed";
			const char *lead = strncmp(error, word, strlen(word)) ? ": " : NULL;
			ET_AUTO_FREE char *text =
				et_asprintf("%s%s%s", lead ? word : "", lead ? lead : "", error);
			warn_rows(r, which, text, page);
		}
	}
	for (size_t k = 0; k < ET_LENGTH(reasons); k++) {
		for (size_t i = 0; i < r->n; i++)
			which[i] = reasons[k] && et_bench_timed(&r->rows[i]) &&
				   r->rows[i].estimate.reason == k && !by_intent(&r->rows[i]);
		warn_rows(r, which, reasons[k], page);
	}
	for (unsigned bit = 1; bit; bit <<= 1)
		warn_bit(r, bit, which, page);
	print_notes(r, page);
}

/* --- complexity --- */

static void add_cycles(char **line, const struct et_per_element *e)
{
	char figure[ET_FIGURE];

	if (!(e->slope > 0))
		return;
	if (isfinite(e->hi) && isfinite(e->lo))
		et_append(line, "; ", "%s cycles per element",
			et_format_ratio_pm(e->slope, e->lo, e->hi, figure));
	else
		et_append(line, "; ", "%.3g cycles per element", e->slope);
}

/* "n log n, 3.21 ± 0.02 ns per n log n", or "constant" */
static void add_model(
	char **line, const char *separator, enum et_growth_model m, const struct et_coefficient *c)
{
	const char *model = et_growth_names[m];
	char figure[ET_FIGURE];

	et_append(line, separator, "%s", model);
	if (m != ET_GROWTH_CONSTANT && c->ns > 0)
		et_append(line, ", ", "%s ns per %s",
			et_format_ratio_pm(c->ns, c->lo, c->hi, figure), model);
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
		char *line = NULL;

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
		free(line);
	}
}

/* --- the details of --verbose --- */

static void print_clock(const struct et_slice *s, FILE *out)
{
	char a[ET_FIGURE], b[ET_FIGURE];

	if (s->clock == ETALON_CLOCK_COUNTER)
		fprintf(out, "  clock        counter at %.5g GHz; reading it costs %s per sample\n",
			s->hz / 1e9, et_format_rounded(s->overhead_ns, 3, a));
	else
		fprintf(out, "  clock        %s; reading it costs %s per sample\n",
			s->clock == ETALON_CLOCK_CPU ? "CPU time of the thread"
						     : "CLOCK_MONOTONIC_RAW",
			et_format_rounded(s->overhead_ns, 3, a));
	if (s->empty_ns > 0)
		fprintf(out, "  empty call   %s ± %s, subtracted\n",
			et_format_rounded(s->empty_ns, 3, a),
			et_format_rounded(s->empty_uncertainty_ns, 2, b));
	if (s->floor_loss_ns > 0)
		fprintf(out, "  interrupts   %s per call, subtracted\n",
			et_format_rounded(s->floor_loss_ns, 3, a));
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

/* Whether a row is a regression in the sense of --fail-on-regression. */
static bool regressed(const struct et_bench_row *row, const struct et_bench_options *o)
{
	return row->has_old && et_bench_timed(row) && isfinite(o->fail_ratio) &&
	       row->comparison.regression;
}

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
	ET_AUTO_FREE char *unsure = NULL, *new = NULL;

	for (size_t i = 0; i < r->n; i++)
		which[i] = undecided(&r->rows[i]);
	name_rows(r, which, &unsure);
	for (size_t i = 0; i < r->n; i++)
		which[i] = !r->rows[i].has_old && et_bench_timed(&r->rows[i]);
	name_rows(r, which, &new);
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
	ET_AUTO_FREE char *names = NULL, *line = NULL;
	char limit[32] = "";
	size_t slower = 0;

	for (size_t i = 0; i < r->n; i++) {
		which[i] = regressed(&r->rows[i], &r->options);
		slower += which[i];
	}
	name_rows(r, which, &names);
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
	print_table(r, page);
	print_complexity(r, page);
	print_warnings(r, page);
	for (size_t i = 0; r->options.verbose && i < r->n; i++)
		if (et_bench_timed(&r->rows[i]))
			print_details(&r->rows[i], page->out);
	print_decision(r, page);
	fflush(page->out);
}
