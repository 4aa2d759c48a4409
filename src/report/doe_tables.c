/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of Nogueira and Matias (2015): for each pair of treatments the share of programs in
 * which they differ, before and after Holm's correction within each program, the tests that judged
 * them, and the share of false positives of each program.
 */
#include "base/alloc.h"
#include "base/parse.h"
#include "report/doe.h"
#include "report/rows.h"

#include <math.h>
#include <string.h>

#define BOLD "1"

static void heading(const struct et_page *page, const char *text)
{
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, text, BOLD);
}

static int widest_of(char **names, int least)
{
	int widest = least;

	for (; *names; names++) {
		int columns = et_columns(*names);
		widest = columns > widest ? columns : widest;
	}
	return widest;
}

static void left(const struct et_page *page, const char *text, int width)
{
	fprintf(page->out, "%s%*s", text, width - et_columns(text), "");
}

/* --- the design and how it was run --- */

static void treatments(
	const struct et_design *d, char **names, bool numbers, const struct et_page *page)
{
	struct et_rows rows;
	int name = widest_of(names, 9) + 2;

	heading(page, "treatments in standard (Yates) order");
	const struct et_page *p = et_rows_begin(&rows, page);
	left(p, "treatment", name);
	for (size_t f = 0; f < d->n_factors; f++) {
		ET_AUTO_FREE char *clean = et_clean(d->factors[f].name, "");
		et_cell(p, widest_of(d->factors[f].levels, et_columns(clean)) + 3, clean);
	}
	putc('\n', p->out);
	for (size_t t = 0; t < d->n_treatments; t++) {
		left(p, names[t], name);
		for (size_t f = 0; f < d->n_factors; f++) {
			uint32_t at = d->treatments[t].levels[f];
			ET_AUTO_FREE char *factor = et_clean(d->factors[f].name, "");
			ET_AUTO_FREE char *level = et_clean(d->factors[f].levels[at], "");
			ET_AUTO_FREE char *text = et_asprintf("%s%s",
				d->factors[f].n_levels > 2 ? ""
				: at                       ? "+ "
							   : "- ",
				level);
			et_cell(p, widest_of(d->factors[f].levels, et_columns(factor)) + 3, text);
		}
		putc('\n', p->out);
	}
	et_rows_end(&rows);
	if (numbers)
		et_page_paragraph(
			page, 2, "", NULL, "The numbers name the treatments below.", NULL);
}

static void order(const struct et_doe_view *v, const struct et_page *page)
{
	static const char *const names[] = { [ET_ORDER_AUTO] = "automatic",
		[ET_ORDER_RANDOM] = "random within blocks",
		[ET_ORDER_ROUND_ROBIN] = "interleaved",
		[ET_ORDER_SEQUENTIAL] = "standard (Yates) order",
		[ET_ORDER_DUET] = "duets" };
	size_t runs = 0, discarded = 0, removed = 0;

	if (!v->n_experiments)
		return;
	for (size_t e = 0; e < v->n_experiments; e++) {
		for (size_t i = 0; i < v->experiments[e]->n_commands; i++) {
			const struct et_command *c = &v->experiments[e]->commands[i];
			ET_AUTO_READER struct et_sample_reader r =
				et_samples_read_figures(&c->samples);
			for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
				runs++;
				discarded += s->place.warmup;
				removed += !s->place.warmup && s->ruling.removal.by != ET_KEPT;
			}
		}
	}
	const struct et_plan *plan = &v->experiments[0]->plan;
	ET_AUTO_FREE char *seed =
		plan->order == ET_ORDER_RANDOM
			? et_asprintf(", seed %llu", (unsigned long long)plan->seed)
			: et_strdup("");
	ET_AUTO_FREE char *text = et_asprintf("order of the runs: %s%s; %zu runs, of which the "
					      "first of each treatment, %zu in all, "
					      "were discarded and %zu were removed",
		names[plan->order], seed, runs, discarded, removed);
	putc('\n', page->out);
	et_page_paragraph(page, 2, "", NULL, text, NULL);
}

/* --- pairs --- */

static const struct et_doe_pair *find(const struct et_doe_result *r, size_t a, size_t b)
{
	for (size_t i = 0; i < r->n_pairs; i++) {
		if (r->pairs[i].a == a && r->pairs[i].b == b)
			return &r->pairs[i];
	}
	return NULL;
}

/* "90", and after the correction "80*" if it fell. */
static void pair_cell(
	const struct et_page *page, int width, const struct et_doe_pair *p, bool after)
{
	char text[32] = ET_DASH;

	if (p && p->programs)
		snprintf(text, sizeof(text), "%.0f%s",
			100 * (double)(after ? p->after : p->before) / (double)p->programs,
			after && p->after < p->before ? "*" : "");
	et_cell(page, width, text);
}

static void pairs(
	const struct et_doe_result *r, char **names, bool after, const struct et_page *page)
{
	const char *corner = after ? "after" : "before";
	int name = widest_of(names, 6) + 2, width = widest_of(names, 4) + 1;
	size_t n = r->design->n_treatments;
	struct et_rows rows;

	const struct et_page *p = et_rows_begin(&rows, page);
	left(p, corner, name);
	for (size_t b = 1; b < n; b++)
		et_cell(p, width, names[b]);
	putc('\n', p->out);
	for (size_t a = 0; a + 1 < n; a++) {
		left(p, names[a], name);
		for (size_t b = 1; b < n; b++) {
			if (b > a)
				pair_cell(p, width, find(r, a, b), after);
			else
				et_cell(p, width, "");
		}
		putc('\n', p->out);
	}
	et_rows_end(&rows);
}

static void test_cell(const struct et_page *page, size_t count, size_t programs)
{
	char text[32] = ET_DASH;

	if (programs)
		snprintf(text, sizeof(text), "%.0f", 100 * (double)count / (double)programs);
	et_cell(page, 10, text);
}

static void tests(const struct et_doe_result *r, char **names, const struct et_page *page)
{
	struct et_rows rows;
	size_t other = 0;
	int width = 2 * widest_of(names, 2) + 3;

	for (size_t i = 0; i < r->n_pairs; i++)
		other += r->pairs[i].other;
	const struct et_page *p = et_rows_begin(&rows, page);
	left(p, "pair", width);
	et_cell(p, 10, "Student");
	et_cell(p, 10, "Welch");
	et_cell(p, 10, "Wilcoxon");
	if (other)
		et_cell(p, 10, "other");
	putc('\n', p->out);
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct et_doe_pair *pair = &r->pairs[i];
		ET_AUTO_FREE char *name = et_asprintf("%s-%s", names[pair->a], names[pair->b]);

		left(p, name, width);
		test_cell(p, pair->student, pair->programs);
		test_cell(p, pair->welch, pair->programs);
		test_cell(p, pair->wilcoxon, pair->programs);
		if (other)
			test_cell(p, pair->other, pair->programs);
		putc('\n', p->out);
	}
	et_rows_end(&rows);
}

/* --- programs --- */

static void program_row(
	const struct et_page *p, int width, const char *name, size_t k, size_t before, size_t after)
{
	char number[32], share[64] = ET_DASH;

	ET_AUTO_FREE char *clean = et_clean(name, "");
	ET_AUTO_FREE char *fitted = et_shorten(clean, width - 2);
	left(p, fitted, width);
	snprintf(number, sizeof(number), "%zu", k);
	et_cell(p, 8, number);
	snprintf(number, sizeof(number), "%zu", before);
	et_cell(p, 10, number);
	snprintf(number, sizeof(number), "%zu", after);
	et_cell(p, 10, number);
	if (before)
		snprintf(share, sizeof(share), "%.2f %% (%zu of %zu)",
			100 * (double)(before - after) / (double)before, before - after, before);
	et_cell(p, 24, share);
	putc('\n', p->out);
}

static void programs(const struct et_doe_result *r, const struct et_page *page)
{
	enum { MOST_NAME = 20 };
	size_t k = 0, before = 0, after = 0;
	struct et_rows rows;
	int width = 9;

	for (size_t i = 0; i < r->n_programs; i++) {
		int columns = et_columns(r->programs[i].name) + 2;
		width = columns > width ? columns : width;
	}
	width = width > MOST_NAME ? MOST_NAME : width;
	const struct et_page *p = et_rows_begin(&rows, page);
	left(p, "program", width);
	et_cell(p, 8, "k");
	et_cell(p, 10, "before");
	et_cell(p, 10, "after");
	et_cell(p, 24, "false positives");
	putc('\n', p->out);
	for (size_t i = 0; i < r->n_programs; i++) {
		const struct et_doe_program *one = &r->programs[i];
		program_row(p, width, one->name, one->n_pairs, one->before, one->after);
		k += one->n_pairs;
		before += one->before;
		after += one->after;
	}
	if (r->n_programs > 1)
		program_row(p, width, "all", k, before, after);
	et_rows_end(&rows);
}

void et_doe_tables(const struct et_doe_view *v, const struct et_page *page)
{
	const struct et_doe_result *r = v->result;
	bool numbers;
	char **names = et_doe_short_names(r->design, &numbers);

	treatments(r->design, names, numbers, page);
	order(v, page);
	heading(page, "programs in which a pair of treatments differs (%)");
	pairs(r, names, false, page);
	heading(page, "the same after Holm's correction within each program; *: it fell");
	pairs(r, names, true, page);
	heading(page, "programs judged by each test (%)");
	tests(r, names, page);
	heading(page, "pairs that differ per program, before and after Holm's correction for its k "
		      "pairs");
	programs(r, page);
	et_strv_free(names);
}
