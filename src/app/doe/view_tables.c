/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of Nogueira and Matias (2015), the runs as CSV, and a script for R. */
#include "app/doe/view.h"
#include "draw/xml.h"
#include "stats/series/tally.h"

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
	static const struct et_doe_pair none;

	for (size_t i = 0; i < r->n_pairs; i++) {
		if (r->pairs[i].a == a && r->pairs[i].b == b)
			return &r->pairs[i];
	}
	return &none;
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
			const struct et_doe_pair *p = find(r, a, b);
			if (b <= a)
				et_table_text(&t, "", "", NULL);
			else /* "80*" if it fell */
				et_doe_share_cell(&t, 0, after ? p->after : p->before, p->programs,
					after && p->after < p->before ? "*" : "");
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
		for (size_t k = 0; k + 1 < t.n_columns; k++)
			et_doe_share_cell(&t, 0, counts[k], pair->programs, "");
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

/* The runs of a designed experiment as CSV, and a script for R that repeats the analysis. */

static char *metric_column(enum et_metric m)
{
	return et_asprintf("%s_%s", et_metrics[m].name, et_unit_names[et_metrics[m].unit]);
}

/* Columns with a meaning: a factor of that name is called factor.NAME. */
static bool is_reserved(const char *name)
{
	static const char *const names[] = { "program", "block", "round", "order", "counts", NULL };

	if (et_name_index(names, name) >= 0)
		return true;
	for (int m = 0; m < ET_METRICS; m++) {
		ET_AUTO_FREE char *own = metric_column((enum et_metric)m);
		if (!strcmp(own, name))
			return true;
	}
	return false;
}

/* The name of the column of a factor, or of the response. */
static char *column_of(const struct et_design *d, size_t factor)
{
	const char *name = d->factors[factor].name;

	return et_asprintf("%s%s", is_reserved(name) ? "factor." : "", name);
}

static enum et_metric metric_of(const struct et_design *d)
{
	int metric = d->response ? et_name_index(et_recorded_metric_names, d->response) : -1;

	return metric < 0 ? ET_METRIC_ELAPSED : (enum et_metric)metric;
}

struct source {
	const struct et_experiment *const *experiments;
	size_t n;
	struct et_doe_machines machines;
};

/* "block" if blocks are part of the analysis, "round" if runs are only arranged in rounds. */
static const char *block_column(const struct source *s)
{
	const struct et_experiment *e = s->experiments[0];

	if (e->design->blocks != ET_BLOCKS_NONE || s->n > 1)
		return "block";
	return e->plan.order == ET_ORDER_SEQUENTIAL ? NULL : "round";
}

/* The machine; else the round, of several experiments with the number of its experiment. */
static void put_block(const struct source *s, size_t number, uint32_t round, FILE *out)
{
	enum et_design_blocks blocks = s->experiments[0]->design->blocks;

	putc(',', out);
	if (s->machines.population || blocks == ET_BLOCKS_MACHINE ||
		(blocks == ET_BLOCKS_NONE && s->machines.n > 1))
		et_csv_text(s->machines.names[s->machines.number[number]], out);
	else if (blocks == ET_BLOCKS_NONE && s->n > 1)
		fprintf(out, "%zu", number + 1);
	else if (s->n > 1)
		fprintf(out, "%zu.%u", number + 1, round);
	else
		fprintf(out, "%u", round);
}

static void header(const struct source *s, FILE *out)
{
	const struct et_design *d = s->experiments[0]->design;
	ET_AUTO_FREE char *response = metric_column(metric_of(d));

	fputs("# etalon doe: the runs of a designed experiment, in the order of its treatments\n"
	      "program,",
		out);
	for (size_t f = 0; f < d->n_factors; f++) {
		ET_AUTO_FREE char *name = column_of(d, f);
		et_csv_text(name, out);
		putc(',', out);
	}
	if (block_column(s))
		fprintf(out, "%s,", block_column(s));
	fprintf(out, "order,counts,%s\n", response);
}

static void command(
	const struct source *from, size_t number, uint32_t command, uint32_t first, FILE *out)
{
	const struct et_experiment *e = from->experiments[number];
	const struct et_design *d = e->design;
	enum et_metric metric = metric_of(d);
	ET_AUTO_READER struct et_sample_reader r =
		et_samples_read_figures(&e->commands[command].samples);

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		uint64_t value = et_sample_metric(s, metric);
		if (value == ET_UNKNOWN)
			continue;
		et_csv_text(d->programs[et_design_program_of(d, command)].name, out);
		for (size_t f = 0; f < d->n_factors; f++) {
			putc(',', out);
			et_csv_text(et_design_level(d, command, f), out);
		}
		if (block_column(from))
			put_block(from, number, s->place.round, out);
		fprintf(out, ",%u,%d,%" PRIu64 "\n", first + s->place.order, et_sample_counts(s),
			value);
	}
}

static uint32_t last_order(const struct et_experiment *e)
{
	uint32_t last = 0;

	for (size_t i = 0; i < e->n_commands; i++) {
		ET_AUTO_READER struct et_sample_reader r =
			et_samples_read_figures(&e->commands[i].samples);
		for (const struct et_sample *s; (s = et_sample_reader_next(&r));)
			last = s->place.order > last ? s->place.order : last;
	}
	return last;
}

void et_doe_csv(const struct et_experiment *const *experiments, size_t n, FILE *out)
{
	struct source s = { experiments, n, et_doe_machines_of(experiments, n) };
	uint32_t first = 0;

	header(&s, out);
	for (size_t k = 0; k < n; k++) {
		for (uint32_t i = 0; i < experiments[k]->n_commands; i++)
			command(&s, k, i, first, out);
		first += last_order(experiments[k]);
	}
	et_doe_machines_free(&s.machines);
}

/* --- R --- */

/* A text in R's quotes. */
static void r_text(const char *text, FILE *out)
{
	putc('"', out);
	for (const char *p = text; *p; p++) {
		unsigned char c = (unsigned char)*p;
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\%03o", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

/* The factors as columns f1, f2 …, whose names need no quotes in a formula. */
static void r_factors(const struct et_design *d, FILE *out)
{
	fputs("factors <- list(\n", out);
	for (size_t f = 0; f < d->n_factors; f++) {
		ET_AUTO_FREE char *name = column_of(d, f);
		fputs("  list(name = ", out);
		r_text(name, out);
		fputs(", levels = c(", out);
		for (size_t i = 0; i < d->factors[f].n_levels; i++) {
			fputs(i ? ", " : "", out);
			r_text(d->factors[f].levels[i], out);
		}
		fprintf(out, "))%s\n", f + 1 < d->n_factors ? "," : "");
	}
	fputs(")\n", out);
}

/* The arrays `script_begin` and `analysis`: what is before and after the names and levels. */
#include "app/doe/analysis.R.inc"
#include "app/doe/script_begin.R.inc"

void et_doe_r(const struct et_experiment *const *experiments, size_t n, const char *data, FILE *out)
{
	const struct et_design *d = experiments[0]->design;
	struct et_doe_machines machines = et_doe_machines_of(experiments, n);
	ET_AUTO_FREE char *response = metric_column(metric_of(d));

	fputs(script_begin, out);
	fputs("file <- if (length(argument)) argument[1] else ", out);
	r_text(data, out);
	fputs("\nresponse <- ", out);
	r_text(response, out);
	fprintf(out, "\nblocked <- %s\n", d->blocks == ET_BLOCKS_NONE && n < 2 ? "FALSE" : "TRUE");
	fprintf(out, "machines <- %s\n", machines.population ? "TRUE" : "FALSE");
	fprintf(out, "parts <- %s\n", n > machines.n ? "TRUE" : "FALSE");
	et_doe_machines_free(&machines);
	r_factors(d, out);
	fputs(analysis, out);
}
