/* SPDX-License-Identifier: MIT */
/* Writes results as CSV (RFC 4180) for spreadsheets and as a Markdown table for documents. */
#include "base/alloc.h"
#include "base/json.h"
#include "lib/bench/columns.h"
#include "lib/bench/figures.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void csv_text(const char *text, FILE *out)
{
	bool quoted = text && strpbrk(text, ",\"\r\n");

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

static void csv_number(double x, FILE *out)
{
	char buf[32];

	putc(',', out);
	if (isfinite(x))
		fputs(et_shortest(x, buf), out);
}

static void csv_word(const char *text, FILE *out)
{
	putc(',', out);
	csv_text(text, out);
}

static void csv_estimate(const struct et_bench_row *row, FILE *out)
{
	const struct et_bench_estimate *e = &row->estimate;
	const double figures[] = { e->ns, e->lo_ns, e->hi_ns, e->min_ns, e->median_ns, e->mean_ns,
		e->sd_ns, e->q1_ns, e->q3_ns, e->p10_ns, e->p90_ns, e->p99_ns, e->max_ns };
	bool timed = et_bench_timed(row);

	for (size_t i = 0; i < ET_LENGTH(figures); i++)
		csv_number(timed ? figures[i] : NAN, out);
	csv_word(timed ? et_bench_statistic_names[e->statistic] : NULL, out);
	fprintf(out, ",%zu,%zu", e->n, e->processes);
}

static void csv_row(const struct et_bench_row *row, const char **names, size_t n, FILE *out)
{
	const struct et_bench_comparison *c = &row->comparison;
	bool old = row->has_old && et_bench_timed(row);

	csv_text(row->name, out);
	csv_estimate(row, out);
	csv_number(et_bench_items(row), out);
	csv_number(et_bench_bytes(row), out);
	for (int i = 0; i < ET_EVENTS; i++)
		csv_number(et_bench_event(row, (enum et_bench_event)i), out);
	csv_number(old ? row->old.ns : NAN, out);
	csv_number(old ? c->ratio : NAN, out);
	csv_number(old ? c->lo : NAN, out);
	csv_number(old ? c->hi : NAN, out);
	csv_word(old ? et_bench_verdict_names[c->verdict] : NULL, out);
	csv_word(et_bench_label(row), out);
	csv_word(et_bench_error(row), out);
	for (size_t i = 0; i < n; i++)
		csv_number(et_bench_counter(row, names[i], NULL), out);
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

/* Names of C++ functions contain characters that Markdown would interpret. */
static void markdown_text(const char *text, FILE *out)
{
	for (; text && *text; text++) {
		if (strchr("\\`*_{}[]<>|", *text))
			putc('\\', out);
		putc(*text, out);
	}
}

void et_bench_markdown(const struct et_bench_results *r, FILE *out)
{
	struct et_bench_columns c;

	et_bench_columns_make(r, &c);
	for (size_t k = 0; k < c.n; k++) {
		fputs(k ? " " : "| ", out);
		markdown_text(c.list[k].title, out);
		fputs(" |", out);
	}
	fputs("\n|", out);
	for (size_t k = 0; k < c.n; k++)
		fputs(c.list[k].right ? "---:|" : ":---|", out);
	putc('\n', out);
	for (size_t i = 0; i < c.rows; i++) {
		for (size_t k = 0; k < c.n; k++) {
			fputs(k ? " " : "| ", out);
			markdown_text(c.list[k].cells[i], out);
			fputs(" |", out);
		}
		putc('\n', out);
	}
	et_bench_columns_free(&c);
}
