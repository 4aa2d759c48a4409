/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of Nogueira and Matias (2015): for each pair of treatments the share of programs in
 * which they differ, before and after Holm's correction within each program, the tests that judged
 * them, and the share of false positives of each program.
 */
#include "app/doe/view.h"
#include "base/alloc.h"
#include "base/parse.h"

#include <math.h>
#include <string.h>

/* --- the design and how it was run --- */

static void treatments(
	const struct et_design *d, char **names, bool numbers, const struct et_page *page)
{
	struct et_table table = { .split = true };

	et_doe_heading(page, "treatments in standard (Yates) order");
	et_table_column(&table, ET_TABLE_NAME, "treatment");
	for (size_t f = 0; f < d->n_factors; f++)
		et_table_column(&table, ET_TABLE_NUMBER, d->factors[f].name);
	for (size_t t = 0; t < d->n_treatments; t++) {
		et_table_name(&table, names[t], NULL);
		for (size_t f = 0; f < d->n_factors; f++) {
			const struct et_design_factor *factor = &d->factors[f];
			uint32_t at = d->treatments[t].levels[f];
			ET_AUTO_FREE char *level = et_asprintf("%s%s",
				factor->n_levels > 2 ? ""
				: at                 ? "+ "
						     : "- ",
				factor->levels[at]);
			et_table_name(&table, level, NULL);
		}
	}
	et_table_print(&table, page);
	if (numbers)
		et_doe_say(page, NULL, "The numbers name the treatments below.");
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
	char seed[48] = "";
	if (plan->order == ET_ORDER_RANDOM)
		snprintf(seed, sizeof(seed), ", seed %llu", (unsigned long long)plan->seed);
	putc('\n', page->out);
	et_doe_say(page, NULL,
		"order of the runs: %s%s; %zu runs, of which the first of each treatment, %zu in "
		"all, were discarded and %zu were removed",
		names[plan->order], seed, runs, discarded, removed);
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
static void pair_cell(struct et_table *t, const struct et_doe_pair *p, bool after)
{
	if (p && p->programs)
		et_table_add(t, "%.0f%s",
			100 * (double)(after ? p->after : p->before) / (double)p->programs,
			after && p->after < p->before ? "*" : "");
	else
		et_table_add(t, ET_DASH);
}

static void pairs(
	const struct et_doe_result *r, char **names, bool after, const struct et_page *page)
{
	size_t n = r->design->n_treatments;
	struct et_table t = { .split = true };

	et_table_column(&t, ET_TABLE_NAME, after ? "after" : "before");
	for (size_t b = 1; b < n; b++)
		et_table_column(&t, ET_TABLE_NUMBER, names[b]);
	for (size_t a = 0; a + 1 < n; a++) {
		et_table_name(&t, names[a], NULL);
		for (size_t b = 1; b < n; b++) {
			if (b > a)
				pair_cell(&t, find(r, a, b), after);
			else
				et_table_text(&t, "", "", NULL);
		}
	}
	et_table_print(&t, page);
}

static void tests(const struct et_doe_result *r, char **names, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "pair"),
		ET_COLUMN(NUMBER, "Student"), ET_COLUMN(NUMBER, "Welch"),
		ET_COLUMN(NUMBER, "Wilcoxon"), ET_COLUMN(NUMBER, "other") };
	size_t other = 0;

	for (size_t i = 0; i < r->n_pairs; i++)
		other += r->pairs[i].other;
	struct et_table t = { .columns = columns, .n_columns = other ? 5 : 4, .split = true };
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct et_doe_pair *pair = &r->pairs[i];
		const size_t counts[] = { pair->student, pair->welch, pair->wilcoxon, pair->other };
		ET_AUTO_FREE char *name = et_asprintf("%s-%s", names[pair->a], names[pair->b]);

		et_table_name(&t, name, NULL);
		for (size_t k = 0; k + 1 < t.n_columns; k++) {
			if (pair->programs)
				et_table_add(&t, "%.0f",
					100 * (double)counts[k] / (double)pair->programs);
			else
				et_table_add(&t, ET_DASH);
		}
	}
	et_table_print(&t, page);
}

/* --- programs --- */

static void program_row(struct et_table *t, const char *name, size_t k, size_t before, size_t after)
{
	et_table_name(t, name, NULL);
	et_table_add(t, "%zu\t%zu\t%zu", k, before, after);
	if (before)
		et_table_add(t, "%.2f %% (%zu of %zu)",
			100 * (double)(before - after) / (double)before, before - after, before);
	else
		et_table_add(t, ET_DASH);
}

static void programs(const struct et_doe_result *r, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "program"),
		ET_COLUMN(NUMBER, "k"), ET_COLUMN(NUMBER, "before"), ET_COLUMN(NUMBER, "after"),
		ET_COLUMN(NUMBER, "false positives") };
	struct et_table t = { ET_COLUMNS(columns), .split = true };
	size_t k = 0, before = 0, after = 0;

	for (size_t i = 0; i < r->n_programs; i++) {
		const struct et_doe_program *one = &r->programs[i];
		program_row(&t, one->name, one->n_pairs, one->before, one->after);
		k += one->n_pairs;
		before += one->before;
		after += one->after;
	}
	if (r->n_programs > 1)
		program_row(&t, "all", k, before, after);
	et_table_print(&t, page);
}

void et_doe_tables(const struct et_doe_view *v, const struct et_page *page)
{
	const struct et_doe_result *r = v->result;
	bool numbers;
	char **names = et_doe_short_names(r->design, &numbers);

	treatments(r->design, names, numbers, page);
	order(v, page);
	et_doe_heading(page, "programs in which a pair of treatments differs (%%)");
	pairs(r, names, false, page);
	et_doe_heading(page, "the same after Holm's correction within each program; *: it fell");
	pairs(r, names, true, page);
	et_doe_heading(page, "programs judged by each test (%%)");
	tests(r, names, page);
	et_doe_heading(page,
		"pairs that differ per program, before and after Holm's correction for its k "
		"pairs");
	programs(r, page);
	et_strv_free(names);
}
