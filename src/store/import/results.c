/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/import/results.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "model/design/json.h"
#include "model/experiment/field.h"
#include "store/import/csv.h"
#include "store/import/importer.h"

enum { MOST_BLOCKS = 100000 };
enum { MOST_NAME = 200 };

enum use {
	FREE, /* not decided yet */
	IGNORED,
	FACTOR,
	PROGRAM,
	BLOCK,
	ROUND,
	ORDER,
	COUNTS,
	RESPONSE,
};

struct row {
	uint32_t program, treatment, block; /* block: from 1; 0: none */
	uint32_t order, line;
	bool warmup;
	uint64_t value;
	uint16_t levels[ET_RESULTS_MOST_FACTORS];
};

struct table {
	struct et_importer in;
	struct et_csv rows;
	enum use *columns;
	size_t n_columns, response;
	double factor; /* of the response, to its unit in a sample */
	enum et_metric metric;
	char **blocks; /* names */
	size_t n_blocks, cap_blocks;
	struct et_hash known_blocks; /* from the hash of a name to its number, from 1 */
	struct row *list;
	size_t n, cap;
	bool rounds; /* there is such a column */
};

/* Returns a cell of the last row that was read. */
static const char *cell(const struct table *t, size_t i)
{
	return et_csv_cell(&t->rows, i);
}

/* --- columns --- */

const char *const et_results_unit_names[] = { "auto", "s", "ms", "us", "ns", "bytes", "count",
	NULL };

static bool is_name(const char *text)
{
	size_t length = strlen(text);

	if (!length || length > MOST_NAME || *text == ' ' || text[length - 1] == ' ')
		return false;
	while (*text) {
		size_t n = et_utf8_length(text);
		uint32_t c = n ? et_utf8_decode(text, n) : 0;

		if (c < 0x20 || c == 0x7f || et_utf8_deceives(c))
			return false;
		text += n;
	}
	return true;
}

/* The place of a column; the number of columns if there is none. */
static size_t find(const struct table *t, const char *name)
{
	size_t i = 0;

	while (i < t->n_columns && strcmp(cell(t, i), name))
		i++;
	return i;
}

static void unknown(struct table *t, const char *option, const char *name)
{
	struct et_nearest n = et_nearest_to(name);
	char names[ET_CSV_NAMES];

	for (size_t i = 0; i < t->n_columns; i++)
		et_nearest_offer(&n, cell(t, i));
	int rc = et_csv_fail(&t->rows, "there is no column '%.40s' (%s)", name, option);
	if (n.best)
		et_hint(t->in.err, rc, "did you mean '%.40s'?", n.best);
	else
		et_hint(t->in.err, rc, "the columns are %s", et_csv_names(&t->rows, names));
}

/* Sets the use of a column that an option names, or that has a known name. */
static void use(
	struct table *t, const char *given, const char *option, const char *known, enum use what)
{
	size_t i = find(t, given ? given : known);

	if (t->in.failed || (i == t->n_columns && !given))
		return;
	if (i == t->n_columns)
		unknown(t, option, given);
	else if (t->columns[i] == FREE)
		t->columns[i] = what;
	else if (given)
		et_csv_fail(&t->rows, "the column '%.40s' cannot be two things (%s)", cell(t, i),
			option);
}

static void use_factors(struct table *t, const char *list)
{
	ET_AUTO_FREE char *copy = et_strdup(list ? list : "");
	char *rest = list ? copy : NULL, *name;

	while ((name = strsep(&rest, ",")))
		use(t, name, "--factors", NULL, FACTOR);
}

/* The metric of a column of our own, such as pt_ns; ET_METRICS: it is none. */
static enum et_metric own_metric(const char *name)
{
	char own[64];
	int m = 0;

	for (; m < ET_METRICS; m++) {
		snprintf(own, sizeof(own), "%s_%s", et_metrics[m].name,
			et_unit_names[et_metrics[m].unit]);
		if (!strcmp(own, name))
			break;
	}
	return (enum et_metric)m;
}

static bool is_free(const struct table *t, size_t i)
{
	return i < t->n_columns && t->columns[i] == FREE;
}

/* Without an option: a name of our own, a usual one, or else the last column. */
static size_t guess_response(const struct table *t)
{
	static const char *const usual[] = { "response", "time", "elapsed", "seconds", "duration",
		"result", "value", "y" };

	for (size_t i = 0; i < t->n_columns; i++) {
		if (is_free(t, i) && own_metric(cell(t, i)) < ET_METRICS)
			return i;
	}
	for (size_t k = 0; k < ET_LENGTH(usual); k++) {
		if (is_free(t, find(t, usual[k])))
			return find(t, usual[k]);
	}
	for (size_t i = t->n_columns; i-- > 0;) {
		if (is_free(t, i))
			return i;
	}
	return t->n_columns;
}

static void use_response(struct table *t, const char *given)
{
	size_t at = given ? find(t, given) : guess_response(t);

	if (t->in.failed)
		return;
	if (given && at == t->n_columns)
		unknown(t, "--response", given);
	else if (!is_free(t, at))
		et_hint(t->in.err, et_csv_fail(&t->rows, "no column is left for the response"),
			"name it with --response");
	else
		t->columns[at] = RESPONSE;
	t->response = at;
}

static bool ends(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

/* "Time [ms]" and "time (ms)" */
static bool ends_in_brackets(const char *name, const char *unit)
{
	ET_AUTO_FREE char *square = et_asprintf("[%s]", unit), *round = et_asprintf("(%s)", unit);

	return ends(name, square) || ends(name, round);
}

static void set_unit(struct table *t, enum et_results_unit unit, struct et_results_found *found)
{
	static const struct {
		const char *end;
		enum et_results_unit unit;
	} known[] = { { "_ns", ET_RESULTS_NS }, { "_us", ET_RESULTS_US }, { "_ms", ET_RESULTS_MS },
		{ "_s", ET_RESULTS_S }, { "_bytes", ET_RESULTS_BYTES },
		{ "_ticks", ET_RESULTS_COUNT }, { "_count", ET_RESULTS_COUNT } };
	static const double factors[] = { [ET_RESULTS_S] = 1e9,
		[ET_RESULTS_MS] = 1e6,
		[ET_RESULTS_US] = 1e3,
		[ET_RESULTS_NS] = 1,
		[ET_RESULTS_BYTES] = 1,
		[ET_RESULTS_COUNT] = 1 };
	const char *name = cell(t, t->response);

	for (size_t i = 0; unit == ET_RESULTS_AUTO && i < ET_LENGTH(known); i++) {
		if (ends(name, known[i].end) || ends_in_brackets(name, known[i].end + 1))
			unit = known[i].unit;
	}
	unit = unit == ET_RESULTS_AUTO ? ET_RESULTS_S : unit;
	t->factor = factors[unit];
	if (found)
		*found = (struct et_results_found){ et_strdup(name), unit };
	t->metric = own_metric(name);
	if (t->metric == ET_METRICS)
		t->metric = unit == ET_RESULTS_BYTES   ? ET_METRIC_PEAK_MEMORY
			    : unit == ET_RESULTS_COUNT ? ET_METRIC_COUNTER
						       : ET_METRIC_ELAPSED;
}

static const char *why_no_name(const char *name)
{
	if (!*name)
		return "is empty";
	if (strlen(name) > MOST_NAME)
		return "is too long";
	if (*name == ' ' || name[strlen(name) - 1] == ' ')
		return "begins or ends with a space";
	return strpbrk(name, ":,=") ? "has one of \":,=\"" : "is not plain text";
}

/* A name is part of terms such as a:b, and of lists. */
static int check_name(struct table *t, size_t i)
{
	const char *name = cell(t, i);

	if (!is_name(name) || strpbrk(name, ":,="))
		return et_hint(t->in.err,
			et_csv_fail(
				&t->rows, "the name of column %zu %s", i + 1, why_no_name(name)),
			"rename it, or list the factors with --factors");
	for (size_t k = 0; k < i; k++) {
		if (!strcmp(cell(t, k), name))
			return et_csv_fail(&t->rows, "two columns have the name '%.40s'", name);
	}
	return 0;
}

static void add_factors(struct table *t, struct et_design *d, bool listed)
{
	for (size_t i = 0; !t->in.failed && i < t->n_columns; i++) {
		if (t->columns[i] == FREE)
			t->columns[i] = listed ? IGNORED : FACTOR;
		if (t->columns[i] != FACTOR)
			continue;
		if (d->n_factors == ET_RESULTS_MOST_FACTORS)
			et_import_fail(
				&t->in, NULL, "more than %d factors", ET_RESULTS_MOST_FACTORS);
		else if (!check_name(t, i))
			et_design_add_factor(d, cell(t, i))->kind = ET_KIND_PARAMETER;
	}
	if (!t->in.failed && !d->n_factors)
		et_hint(t->in.err, et_csv_fail(&t->rows, "no column is a factor"),
			"name them with --factors");
}

/* Finds out from the header, the last row that was read, and the options what the columns are. */
static void choose_columns(struct table *t, const struct et_results_options *o, struct et_design *d)
{
	t->n_columns = t->rows.n_cells;
	t->columns = et_calloc(t->n_columns, sizeof(*t->columns));
	use_factors(t, o->factors);
	use(t, o->program, "--program", "program", PROGRAM);
	use(t, o->block, "--block", "block", BLOCK);
	use(t, NULL, "", "round", ROUND);
	use(t, NULL, "", "order", ORDER);
	use(t, NULL, "", "counts", COUNTS);
	use_response(t, o->response);
	add_factors(t, d, o->factors != NULL);
	if (!t->in.failed)
		set_unit(t, o->unit, o->found);
}

static int bad_cell(struct table *t, size_t i, const char *wanted)
{
	return et_csv_fail(&t->rows, "column %zu: '%.40s' is not %s", i + 1, cell(t, i), wanted);
}

/* --- cells --- */

static uint16_t read_level(struct table *t, size_t i, struct et_design_factor *f)
{
	const char *text = et_csv_plain(cell(t, i));
	size_t k = 0;

	while (k < f->n_levels && strcmp(f->levels[k], text))
		k++;
	if (k < f->n_levels)
		return (uint16_t)k;
	if (!is_name(text)) {
		bad_cell(t, i, "a level: it is empty, long or not plain text");
	} else if (k == ET_RESULTS_MOST_LEVELS) {
		et_hint(t->in.err,
			et_csv_fail(&t->rows, "the column '%.40s' has more than %d levels", f->name,
				ET_RESULTS_MOST_LEVELS),
			"name the columns that are factors with --factors");
	} else {
		f->levels = et_realloc(f->levels, f->n_levels + 2, sizeof(*f->levels));
		f->levels[f->n_levels++] = et_strdup(text);
		f->levels[f->n_levels] = NULL;
	}
	return (uint16_t)k;
}

static uint32_t read_program(struct table *t, size_t i, struct et_design *d)
{
	const char *name = et_csv_plain(cell(t, i));
	uint32_t k = 0;

	while (k < d->n_programs && strcmp(d->programs[k].name, name))
		k++;
	if (k < d->n_programs)
		return k;
	if (!is_name(name))
		bad_cell(t, i, "a program: it is empty, long or not plain text");
	else if (k == ET_DESIGN_MOST_COMMANDS)
		et_csv_fail(&t->rows, "there are too many programs");
	else
		et_design_add_program(d, name)->command = et_strdup(name);
	return k;
}

static uint32_t read_block(struct table *t, size_t i)
{
	const char *name = cell(t, i);
	uint64_t *known = et_hash_put(&t->known_blocks, et_hash_text(name) | 1);
	size_t k = *known ? *known - 1 : t->n_blocks;

	/* Two names may have the same hash. */
	if (*known && strcmp(t->blocks[k], name)) {
		for (k = 0; k < t->n_blocks && strcmp(t->blocks[k], name);)
			k++;
	}
	if (k == MOST_BLOCKS || strlen(name) > MOST_NAME) {
		et_csv_fail(&t->rows, "there are too many blocks, or a name is too long");
	} else if (k == t->n_blocks) {
		ET_GROW(t->blocks, t->n_blocks, t->cap_blocks);
		t->blocks[t->n_blocks++] = et_strdup(name);
	}
	*known = *known ? *known : k + 1;
	return (uint32_t)k + 1;
}

static uint32_t read_whole(struct table *t, size_t i, uint64_t lo)
{
	uint64_t value = 0;

	if (et_parse_u64("", cell(t, i), lo, UINT32_MAX - 1, &value, NULL))
		bad_cell(t, i, lo ? "a whole number from 1" : "a whole number");
	return (uint32_t)value;
}

static uint64_t read_value(struct table *t, size_t i)
{
	double value = 0;

	if (et_parse_double("", cell(t, i), &value, NULL))
		et_hint(t->in.err, bad_cell(t, i, "a number"), "%s",
			et_csv_has_decimal_comma(cell(t, i))
				? "write decimals with a point: 3.5, not 3,5 (for example by sed "
				  "'s/,/./g')"
				: "remove rows without a result, or name another column with "
				  "--response");
	value *= t->factor;
	if (!(value >= 0) || !(value < 9e18)) {
		et_hint(t->in.err, bad_cell(t, i, "at least 0, or it is too large"),
			"import only times, sizes and counts");
		return 0;
	}
	if (t->factor == 1 && fabs(value - round(value)) > 1e-6 && t->metric == ET_METRIC_COUNTER)
		bad_cell(t, i, "a whole number");
	return (uint64_t)llround(value);
}

static void read_cell(
	struct table *t, size_t i, struct et_design *d, size_t *factor, struct row *row)
{
	switch (t->columns[i]) {
	case FACTOR:
		row->levels[*factor] = read_level(t, i, &d->factors[*factor]);
		(*factor)++;
		break;
	case PROGRAM:
		row->program = read_program(t, i, d);
		break;
	case BLOCK:
		row->block = read_block(t, i);
		break;
	case ROUND:
		t->rounds = true;
		row->block = read_whole(t, i, 0);
		break;
	case ORDER:
		row->order = read_whole(t, i, 1);
		break;
	case COUNTS:
		row->warmup = !read_whole(t, i, 0);
		break;
	case RESPONSE:
		row->value = read_value(t, i);
		break;
	default:
		break;
	}
}

static void read_rows(struct table *t, struct et_design *d)
{
	while (!t->in.failed && et_csv_next(&t->rows) == 1) {
		struct row row = { .order = (uint32_t)t->n + 1, .line = (uint32_t)t->rows.line };
		size_t factor = 0;

		if (t->rows.n_cells != t->n_columns)
			et_csv_fail(&t->rows, "it has %zu cells, but the first line has %zu",
				t->rows.n_cells, t->n_columns);
		for (size_t i = 0; !t->in.failed && i < t->n_columns; i++)
			read_cell(t, i, d, &factor, &row);
		ET_GROW(t->list, t->n, t->cap);
		t->list[t->n++] = row;
	}
	if (!t->n)
		et_import_fail(&t->in, NULL, "it has no rows");
}

/* --- levels --- */

static int by_number(const void *a, const void *b, void *levels)
{
	double x = 0, y = 0;
	char **list = levels;

	(void)!et_parse_double("", list[*(const uint16_t *)a], &x, NULL);
	(void)!et_parse_double("", list[*(const uint16_t *)b], &y, NULL);
	return ET_ORDER(x, y);
}

/* Levels that are all numbers ascend; others stay in the order in which they appear. */
static void sort_levels(struct table *t, struct et_design *d, size_t factor)
{
	struct et_design_factor *f = &d->factors[factor];
	uint16_t order[ET_RESULTS_MOST_LEVELS], rank[ET_RESULTS_MOST_LEVELS];

	for (size_t i = 0; i < f->n_levels; i++) {
		if (!et_csv_is_number(f->levels[i]))
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

static int check_levels(struct table *t, const struct et_design *d)
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
	const struct row *x = *(struct row *const *)a;
	const struct row *y = *(struct row *const *)b;

	for (size_t f = *(size_t *)n_factors; f-- > 0;) {
		if (x->levels[f] != y->levels[f])
			return x->levels[f] < y->levels[f] ? -1 : 1;
	}
	return 0;
}

static int add_treatments(struct table *t, struct et_design *d)
{
	ET_AUTO_FREE struct row **rows = et_calloc(t->n, sizeof(*rows));

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
	const struct row *x = a, *y = b;

	return ET_ORDER(x->order, y->order);
}

static int add_samples(struct table *t, struct et_experiment *e)
{
	ET_AUTO_FREE uint32_t *counted = et_calloc(e->n_commands, sizeof(*counted));

	qsort(t->list, t->n, sizeof(*t->list), by_order);
	for (size_t i = 0; i < t->n; i++) {
		const struct row *row = &t->list[i];
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

static void make(struct table *t, const struct et_results_options *o)
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
	add_samples(t, e);
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
}

static void read_table(
	struct table *t, const struct et_results_options *o, const char *data, size_t size)
{
	struct et_design *d = t->in.e->design;
	bool own = size >= strlen(ET_RESULTS_OWN) &&
		   !memcmp(data, ET_RESULTS_OWN, strlen(ET_RESULTS_OWN));

	if (!et_csv_open(&t->rows, &t->in, data, size) && !et_csv_next(&t->rows))
		et_import_fail(&t->in, NULL, "it is empty");
	if (!t->in.failed)
		choose_columns(t, o, d);
	read_rows(t, d);
	if (t->in.failed)
		return;
	if (!d->n_programs)
		et_design_add_program(d, "program")->command = et_strdup("program");
	if (check_levels(t, d))
		return;
	for (size_t f = 0; !own && f < d->n_factors; f++)
		sort_levels(t, d, f);
	add_treatments(t, d);
	if (!t->in.failed)
		make(t, o);
}

int et_results_read(const char *data, size_t size, const struct et_results_options *o,
	struct et_experiment **out, struct et_error *err)
{
	const struct et_import_options named = { .name = o->name };
	struct table *t = et_calloc(1, sizeof(*t));

	t->in = (struct et_importer){ .options = &named, .e = et_experiment_new(), .err = err };
	t->in.e->design = et_design_new();
	t->known_blocks.width = sizeof(uint64_t);

	read_table(t, o, data, size);
	int rc = t->in.failed;
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
