/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/import/results.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "model/design/json.h"
#include "model/experiment/field.h"
#include "store/import/results_table.h"

#include <math.h>
#include <string.h>

enum { MOST_BLOCKS = 100000 };

static int bad_cell(struct et_results_table *t, size_t i, const char *wanted)
{
	return et_csv_fail(&t->rows, "column %zu: '%.40s' is not %s", i + 1, cell(t, i), wanted);
}

/* --- cells --- */

static int read_level(
	struct et_results_table *t, size_t i, struct et_design_factor *f, uint16_t *out)
{
	const char *text = et_csv_plain(cell(t, i));
	size_t k = 0;

	while (k < f->n_levels && strcmp(f->levels[k], text))
		k++;
	*out = (uint16_t)k;
	if (k < f->n_levels)
		return 0;
	if (!et_results_is_name(text))
		return bad_cell(t, i, "a level: it is empty, long or not plain text");
	if (k == ET_RESULTS_MOST_LEVELS)
		return et_hint(t->in.err,
			et_csv_fail(&t->rows, "the column '%.40s' has more than %d levels", f->name,
				ET_RESULTS_MOST_LEVELS),
			"name the columns that are factors with --factors");
	f->levels = et_realloc(f->levels, f->n_levels + 2, sizeof(*f->levels));
	f->levels[f->n_levels++] = et_strdup(text);
	f->levels[f->n_levels] = NULL;
	return 0;
}

static int read_program(struct et_results_table *t, size_t i, struct et_design *d, uint32_t *out)
{
	const char *name = et_csv_plain(cell(t, i));
	uint32_t k = 0;

	while (k < d->n_programs && strcmp(d->programs[k].name, name))
		k++;
	*out = k;
	if (k < d->n_programs)
		return 0;
	if (!et_results_is_name(name))
		return bad_cell(t, i, "a program: it is empty, long or not plain text");
	if (k == ET_DESIGN_MOST_COMMANDS)
		return et_csv_fail(&t->rows, "there are too many programs");
	et_design_add_program(d, name)->command = et_strdup(name);
	return 0;
}

static int read_block(struct et_results_table *t, size_t i, struct et_results_row *row)
{
	const char *name = cell(t, i);
	uint64_t *known = et_hash_put(&t->known_blocks, et_hash_text(name) | 1);
	size_t k = *known ? *known - 1 : t->n_blocks;

	/* Two names may have the same hash. */
	if (*known && strcmp(t->blocks[k], name)) {
		for (k = 0; k < t->n_blocks && strcmp(t->blocks[k], name);)
			k++;
	}
	if (k == MOST_BLOCKS || strlen(name) > ET_RESULTS_MOST_NAME)
		return et_csv_fail(&t->rows, "there are too many blocks, or a name is too long");
	if (k == t->n_blocks) {
		ET_GROW(t->blocks, t->n_blocks, t->cap_blocks);
		t->blocks[t->n_blocks++] = et_strdup(name);
	}
	*known = *known ? *known : k + 1;
	row->block = (uint32_t)k + 1;
	return 0;
}

static int read_whole(struct et_results_table *t, size_t i, uint64_t lo, uint32_t *out)
{
	uint64_t value;

	if (et_parse_u64("", cell(t, i), lo, UINT32_MAX - 1, &value, NULL))
		return bad_cell(t, i, lo ? "a whole number from 1" : "a whole number");
	*out = (uint32_t)value;
	return 0;
}

static int read_value(struct et_results_table *t, size_t i, uint64_t *out)
{
	double value;

	if (et_parse_double("", cell(t, i), &value, NULL))
		return et_hint(t->in.err, bad_cell(t, i, "a number"), "%s",
			et_csv_has_decimal_comma(cell(t, i))
				? "write decimals with a point: 3.5, not 3,5 (for example by sed "
				  "'s/,/./g')"
				: "remove rows without a result, or name another column with "
				  "--response");
	value *= t->factor;
	if (!(value >= 0) || !(value < 9e18))
		return et_hint(t->in.err, bad_cell(t, i, "at least 0, or it is too large"),
			"import only times, sizes and counts");
	if (t->factor == 1 && fabs(value - round(value)) > 1e-6 && t->metric == ET_METRIC_COUNTER)
		return bad_cell(t, i, "a whole number");
	*out = (uint64_t)llround(value);
	return 0;
}

static int read_cell(struct et_results_table *t, size_t i, struct et_design *d, size_t *factor,
	struct et_results_row *row)
{
	uint32_t counts = 1;
	int rc = 0;

	switch (t->columns[i]) {
	case ET_RESULTS_FACTOR:
		rc = read_level(t, i, &d->factors[*factor], &row->levels[*factor]);
		(*factor)++;
		return rc;
	case ET_RESULTS_PROGRAM:
		return read_program(t, i, d, &row->program);
	case ET_RESULTS_BLOCK:
		return read_block(t, i, row);
	case ET_RESULTS_ROUND:
		t->rounds = true;
		return read_whole(t, i, 0, &row->block);
	case ET_RESULTS_ORDER:
		t->orders = true;
		return read_whole(t, i, 1, &row->order);
	case ET_RESULTS_COUNTS:
		rc = read_whole(t, i, 0, &counts);
		row->warmup = !counts;
		return rc;
	case ET_RESULTS_RESPONSE:
		return read_value(t, i, &row->value);
	default:
		return 0;
	}
}

static int read_rows(struct et_results_table *t, struct et_design *d)
{
	int rc;

	while ((rc = et_csv_next(&t->rows)) == 1) {
		struct et_results_row row = { .order = (uint32_t)t->n + 1,
			.line = (uint32_t)t->rows.line };
		size_t factor = 0;

		if (t->rows.n_cells != t->n_columns)
			return et_csv_fail(&t->rows, "it has %zu cells, but the first line has %zu",
				t->rows.n_cells, t->n_columns);
		rc = 0;
		for (size_t i = 0; !rc && i < t->n_columns; i++)
			rc = read_cell(t, i, d, &factor, &row);
		if (rc)
			return rc;
		ET_GROW(t->list, t->n, t->cap);
		t->list[t->n++] = row;
	}
	if (rc == 0 && !t->n)
		return et_import_fail(&t->in, NULL, "it has no rows");
	return rc;
}

/* --- levels --- */

static bool number_of(const char *text, double *out)
{
	return et_parse_double("", text, out, NULL) == 0;
}

static int by_number(const void *a, const void *b, void *levels)
{
	double x = 0, y = 0;
	char **list = levels;

	(void)number_of(list[*(const uint16_t *)a], &x);
	(void)number_of(list[*(const uint16_t *)b], &y);
	return (x > y) - (x < y);
}

/* Levels that are all numbers ascend; others stay in the order in which they appear. */
static void sort_levels(struct et_results_table *t, struct et_design *d, size_t factor)
{
	struct et_design_factor *f = &d->factors[factor];
	uint16_t order[ET_RESULTS_MOST_LEVELS], rank[ET_RESULTS_MOST_LEVELS];
	double number;

	for (size_t i = 0; i < f->n_levels; i++) {
		if (!number_of(f->levels[i], &number))
			return;
		order[i] = (uint16_t)i;
	}
	qsort_r(order, f->n_levels, sizeof(*order), by_number, f->levels);
	char **sorted = et_calloc(f->n_levels + 1, sizeof(*sorted));
	for (size_t i = 0; i < f->n_levels; i++) {
		sorted[i] = f->levels[order[i]];
		rank[order[i]] = (uint16_t)i;
	}
	free(f->levels);
	f->levels = sorted;
	for (size_t i = 0; i < t->n; i++)
		t->list[i].levels[factor] = rank[t->list[i].levels[factor]];
}

static int check_levels(struct et_results_table *t, const struct et_design *d)
{
	for (size_t i = 0; i < d->n_factors; i++) {
		if (d->factors[i].n_levels < 2)
			return et_hint(t->in.err,
				et_import_fail(&t->in, NULL,
					"the column '%.40s' has a single level, '%.40s'",
					d->factors[i].name, d->factors[i].levels[0]),
				"name the columns that are factors with --factors");
	}
	return 0;
}

/* --- treatments --- */

/* Standard order: the first factor changes fastest. */
static int by_levels(const void *a, const void *b, void *n_factors)
{
	const struct et_results_row *x = *(struct et_results_row *const *)a;
	const struct et_results_row *y = *(struct et_results_row *const *)b;

	for (size_t f = *(size_t *)n_factors; f-- > 0;) {
		if (x->levels[f] != y->levels[f])
			return x->levels[f] < y->levels[f] ? -1 : 1;
	}
	return 0;
}

static int add_treatments(struct et_results_table *t, struct et_design *d)
{
	ET_AUTO_FREE struct et_results_row **rows = et_calloc(t->n, sizeof(*rows));

	for (size_t i = 0; i < t->n; i++)
		rows[i] = &t->list[i];
	qsort_r(rows, t->n, sizeof(*rows), by_levels, &d->n_factors);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t levels[ET_RESULTS_MOST_FACTORS];

		if (!i || by_levels(&rows[i - 1], &rows[i], &d->n_factors)) {
			if ((d->n_treatments + 1) * d->n_programs > ET_DESIGN_MOST_COMMANDS)
				return et_hint(t->in.err,
					et_import_fail(&t->in, NULL,
						"more than %d treatments of programs",
						ET_DESIGN_MOST_COMMANDS),
					"name the columns that are factors with --factors");
			for (size_t f = 0; f < d->n_factors; f++)
				levels[f] = rows[i]->levels[f];
			et_design_add_treatment(d, levels);
		}
		rows[i]->treatment = (uint32_t)d->n_treatments - 1;
	}
	return 0;
}

/* --- the experiment --- */

static void add_command(struct et_experiment *e, uint32_t treatment, uint32_t program)
{
	const struct et_design *d = e->design;
	char *name = et_asprintf("%s %s", d->programs[program].name, d->treatments[treatment].name);
	struct et_command *c = et_experiment_add_command(e, name, et_calloc(1, sizeof(*c->argv)));

	free(c->text);
	c->text = et_strdup(name);
	c->parameters = et_calloc(d->n_factors, sizeof(*c->parameters));
	for (size_t f = 0; f < d->n_factors; f++) {
		uint32_t level = d->treatments[treatment].levels[f];
		c->parameters[c->n_parameters++] =
			(struct et_parameter){ et_strdup(d->factors[f].name),
				et_strdup(d->factors[f].levels[level]) };
	}
}

static int by_order(const void *a, const void *b)
{
	const struct et_results_row *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

static int add_samples(struct et_results_table *t, struct et_experiment *e)
{
	ET_AUTO_FREE uint32_t *counted = et_calloc(e->n_commands, sizeof(*counted));

	qsort(t->list, t->n, sizeof(*t->list), by_order);
	for (size_t i = 0; i < t->n; i++) {
		const struct et_results_row *row = &t->list[i];
		struct et_sample s = { 0 };

		if (i && row->order == t->list[i - 1].order)
			return et_import_fail(&t->in, NULL,
				"line %u: the order %u is that of line %u, too", row->line,
				row->order, t->list[i - 1].line);
		et_fields_set_missing(et_sample_fields, &s);
		s.measured.exit_code = 0;
		s.place.command = et_design_command(e->design, row->treatment, row->program);
		s.place.order = row->order;
		s.place.warmup = row->warmup;
		if (!row->warmup)
			s.place.round = row->block ? row->block : ++counted[s.place.command];
		*(uint64_t *)((char *)&s + et_metrics[t->metric].offset) = row->value;
		et_experiment_add(e, &s);
	}
	return 0;
}

static void count_runs(struct et_experiment *e)
{
	et_import_most_runs(e, &e->plan.runs, &e->plan.warmup);
	if (!e->plan.runs)
		e->plan.runs = 1;
	e->design->discard = e->plan.warmup;
	e->design->replications = e->plan.runs + e->plan.warmup;
}

static int make(struct et_results_table *t, const struct et_results_options *o)
{
	struct et_experiment *e = t->in.e;
	struct et_design *d = e->design;

	d->name = et_strdup(o->label);
	d->response = et_strdup(et_metrics[t->metric].name);
	d->blocks = t->n_blocks ? ET_BLOCKS_ROUND : ET_BLOCKS_NONE;
	for (uint32_t i = 0; i < d->n_treatments; i++) {
		for (uint32_t p = 0; p < d->n_programs; p++)
			add_command(e, i, p);
	}
	int rc = add_samples(t, e);
	if (rc)
		return rc;
	count_runs(e);
	et_experiment_name(e, o->wall_ns, o->random);
	e->started_wall_ns = e->finished_wall_ns = o->wall_ns;
	e->state = ET_STATE_DONE;
	e->origin = ET_ORIGIN_IMPORTED;
	e->protocol = ET_PROTOCOL_RAW;
	e->metric = t->metric == ET_METRIC_CPU ? ET_METRIC_CPU : ET_METRIC_ELAPSED;
	e->metric_auto = false;
	e->plan.order = t->rounds || t->n_blocks ? ET_ORDER_RANDOM : ET_ORDER_SEQUENTIAL;
	e->label = et_strdup(o->label);
	return 0;
}

static int read_table(struct et_results_table *t, const struct et_results_options *o,
	const char *data, size_t size)
{
	struct et_design *d = t->in.e->design;
	bool own = size >= strlen(ET_RESULTS_OWN) &&
		   !memcmp(data, ET_RESULTS_OWN, strlen(ET_RESULTS_OWN));
	int rc = et_csv_open(&t->rows, &t->in, data, size);

	if (!rc && !(rc = et_csv_next(&t->rows)))
		return et_import_fail(&t->in, NULL, "it is empty");
	if (rc == 1)
		rc = et_results_columns(t, o, d);
	if (!rc)
		rc = read_rows(t, d);
	if (rc)
		return rc;
	if (!d->n_programs)
		et_design_add_program(d, "program")->command = et_strdup("program");
	rc = check_levels(t, d);
	for (size_t f = 0; !rc && !own && f < d->n_factors; f++)
		sort_levels(t, d, f);
	if (!rc)
		rc = add_treatments(t, d);
	return rc ? rc : make(t, o);
}

int et_results_read(const char *data, size_t size, const struct et_results_options *o,
	struct et_experiment **out, struct et_error *err)
{
	const struct et_import_options named = { .name = o->name };
	struct et_results_table *t = et_calloc(1, sizeof(*t));

	t->in = (struct et_importer){ .options = &named, .e = et_experiment_new(), .err = err };
	t->in.e->design = et_design_new();
	t->known_blocks.width = sizeof(uint64_t);

	int rc = read_table(t, o, data, size);
	if (rc == 0)
		*out = t->in.e;
	else
		et_experiment_free(t->in.e);
	for (size_t i = 0; i < t->n_blocks; i++)
		free(t->blocks[i]);
	free(t->blocks);
	et_hash_free(&t->known_blocks);
	free(t->columns);
	free(t->list);
	et_csv_free(&t->rows);
	free(t);
	return rc;
}
