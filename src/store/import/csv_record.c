/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads CSV: etalon's own columns by their names, or one column of times. A file of numbers alone
 * needs no header.
 */
#include "base/parse.h"
#include "model/experiment/machine_id.h"
#include "store/import/csv.h"
#include "store/import/importer.h"

struct column {
	enum { IGNORED, COMMAND, FIELD, REMOVED, TIME, LABEL, MACHINE, PARAMETER } use;
	const struct et_field *field;
	double ns;  /* of TIME: nanoseconds per unit */
	char *name; /* of PARAMETER */
};

/* --- columns --- */

static int fail_columns(const struct et_csv *c, const char *text)
{
	char names[ET_CSV_NAMES];

	return et_hint(c->in->err, et_csv_fail(c, "%s", text),
		"name the column of times with --column: %s", et_csv_names(c, names));
}

static void know_column(const char *name, bool times_given, struct column *out)
{
	const struct et_field *f = et_field_find(et_sample_fields, name);

	if (!strcmp(name, "command"))
		out->use = COMMAND;
	else if (!strcmp(name, "removed"))
		*out = (struct column){ REMOVED, .field = et_removal_fields };
	else if (f &&
		 !(times_given && f->offset == offsetof(struct et_sample, measured.elapsed_ns)))
		*out = (struct column){ FIELD, .field = f };
}

/* The columns about the experiment, which a file of another program may have with other meanings.
 */
static void know_common_columns(const struct et_csv *c, struct column *columns)
{
	static const char parameter[] = "parameter_";
	bool own = false;

	for (size_t i = 0; i < c->n_cells; i++)
		own = own || !strcmp(et_csv_cell(c, i), "id");
	for (size_t i = 0; own && i < c->n_cells; i++) {
		const char *name = et_csv_cell(c, i);
		if (!strcmp(name, "label"))
			columns[i].use = LABEL;
		else if (!strcmp(name, "machine"))
			columns[i].use = MACHINE;
		else if (!strncmp(name, parameter, strlen(parameter)))
			columns[i] = (struct column){ PARAMETER,
				.name = et_strdup(name + strlen(parameter)) };
	}
}

/* Finds out what each column is from the first row; *header: is that row a header? */
static int read_header(struct et_csv *c, struct column *columns, bool *header)
{
	const char *wanted = c->in->options->column;
	bool times = false;
	size_t at = 0;

	*header = false;
	for (size_t i = 0; i < c->n_cells; i++)
		*header = *header || !et_csv_is_number(et_csv_cell(c, i));
	for (size_t i = 0; *header && i < c->n_cells; i++) {
		know_column(et_csv_cell(c, i), wanted != NULL, &columns[i]);
		times = times || !strcmp(et_csv_cell(c, i), "et_ns") ||
			!strcmp(et_csv_cell(c, i), "pt_ns");
	}
	if (times && !wanted) {
		know_common_columns(c, columns);
		return 0;
	}
	if (!wanted && c->n_cells > 1)
		return fail_columns(c, "it is not known which column holds the times");
	if (wanted && !et_csv_find(c, wanted, *header, &at))
		return fail_columns(c, "there is no such column");
	columns[at] =
		(struct column){ TIME, .ns = *header ? et_csv_unit_ns(et_csv_cell(c, at)) : 1e9 };
	return 0;
}

/* --- cells --- */

static bool set_bool(const struct et_field *f, void *base, const char *text)
{
	static const char *const words[] = { "false", "true", "0", "1", NULL };
	int i = et_name_index(words, text);

	return i >= 0 && et_field_set_int(f, base, i & 1);
}

static bool set_cell(const struct et_field *f, void *base, const char *text)
{
	int64_t whole;
	double value;

	if (!*text) {
		et_field_set_missing(f, base);
		return true;
	}
	if (f->kind == ET_FIELD_BOOL)
		return set_bool(f, base, text);
	if (f->kind == ET_FIELD_ENUM || f->kind == ET_FIELD_BITS)
		return et_field_set_text(f, base, text);
	if (et_parse_i64("", text, INT64_MIN, INT64_MAX, &whole, NULL) == 0)
		return et_field_set_int(f, base, whole);
	return et_parse_double("", text, &value, NULL) == 0 && et_field_set_double(f, base, value);
}

static void set_field(const struct et_csv *c, const struct column *column, void *base, size_t i)
{
	char buf[96];

	if (!set_cell(column->field, base, et_csv_cell(c, i)))
		et_csv_fail(c, "%s: '%.40s' is not %s",
			column->use == REMOVED ? "removed" : column->field->name, et_csv_cell(c, i),
			et_field_wants(column->field, buf));
}

static void set_time(
	const struct et_csv *c, const struct column *column, struct et_sample *s, size_t i)
{
	double value;

	if (et_parse_double("", et_csv_cell(c, i), &value, NULL) || !(value >= 0) ||
		!(value * column->ns < 9.2e18))
		et_csv_fail(c, "'%.40s' is not a time", et_csv_cell(c, i));
	else
		s->measured.elapsed_ns = (uint64_t)llround(value * column->ns);
}

/* A command has the parameters of its first row; an empty cell is none. */
static void add_parameters(
	const struct et_csv *c, const struct column *columns, struct et_command *command)
{
	size_t room = 0;

	for (size_t i = 0; i < c->n_cells; i++) {
		if (columns[i].use != PARAMETER || !*et_csv_cell(c, i))
			continue;
		ET_GROW(command->parameters, command->n_parameters, room);
		command->parameters[command->n_parameters++] =
			(struct et_parameter){ et_strdup(columns[i].name),
				et_strdup(et_csv_plain(et_csv_cell(c, i))) };
	}
}

/* Label and machine are those of the first row. */
static void read_experiment(const struct et_csv *c, const struct column *columns)
{
	struct et_experiment *e = c->in->e;

	for (size_t i = 0; i < c->n_cells; i++) {
		const char *text = et_csv_plain(et_csv_cell(c, i));
		if (*text && columns[i].use == LABEL && !e->label)
			e->label = et_strdup(text);
		if (!*text || columns[i].use != MACHINE || *e->machine)
			continue;
		if (et_machine_id_valid(text))
			memcpy(e->machine, text, strlen(text) + 1);
		else
			et_csv_fail(c, "machine: it is not the identity of a machine");
	}
}

/*
 * Finds the command of that name or makes a new one. number is the command of the row before:
 * it is tried first, because most files have the rows of a command together.
 */
static uint32_t find_command(
	struct et_csv *c, const struct column *columns, const char *text, uint32_t number)
{
	struct et_experiment *e = c->in->e;
	const char *name = *text ? et_csv_plain(text) : "imported";

	if (number < e->n_commands && !strcmp(e->commands[number].name, name))
		return number;
	for (uint32_t i = 0; i < e->n_commands; i++) {
		if (!strcmp(e->commands[i].name, name))
			return i;
	}
	struct et_command *made = et_import_command(c->in, NULL, name);
	if (made)
		add_parameters(c, columns, made);
	return (uint32_t)e->n_commands - 1;
}

/* Returns the cell with the command, or "". */
static const char *read_sample(struct et_csv *c, const struct column *columns, struct et_sample *s)
{
	const char *command = "";

	memset(s, 0, sizeof(*s));
	et_fields_set_missing(et_sample_fields, s);
	s->measured.exit_code = 0;
	for (size_t i = 0; i < c->n_cells; i++) {
		if (columns[i].use == COMMAND)
			command = et_csv_cell(c, i);
		else if (columns[i].use == FIELD)
			set_field(c, &columns[i], s, i);
		else if (columns[i].use == REMOVED)
			set_field(c, &columns[i], &s->ruling.removal, i);
		else if (columns[i].use == TIME)
			set_time(c, &columns[i], s, i);
	}
	if (s->measured.elapsed_ns == ET_UNKNOWN && s->measured.cpu_ns == ET_UNKNOWN)
		et_csv_fail(c, "it has no time");
	return command;
}

/* Reads all rows; unless there is a header, the first one has been read already. */
static int read_rows(struct et_csv *c, const struct column *columns, size_t n_columns, bool header)
{
	struct et_importer *in = c->in;
	uint32_t command = 0;
	bool cpu = false;
	int rc;

	for (rc = header ? et_csv_next(c) : 1; rc == 1; rc = et_csv_next(c)) {
		struct et_sample s;

		if (c->n_cells > n_columns)
			return et_csv_fail(c, "it has more cells than the first line");
		const char *name = read_sample(c, columns, &s);
		if (!in->failed && !in->e->n_commands)
			read_experiment(c, columns);
		if (!in->failed)
			command = find_command(c, columns, name, command);
		if (in->failed)
			return in->failed;
		s.place.command = command;
		if (!s.place.round && !s.place.warmup)
			s.place.round = (uint32_t)in->e->commands[command].samples.n + 1;
		et_experiment_add(in->e, &s);
		cpu = cpu || s.measured.cpu_ns != ET_UNKNOWN;
	}
	in->e->metric = cpu ? ET_METRIC_CPU : ET_METRIC_ELAPSED;
	in->e->plan.order = ET_ORDER_SEQUENTIAL;
	if (rc == 0 && !in->e->n_commands)
		return et_import_fail(in, NULL, "it has no samples");
	return rc;
}

int et_import_csv(struct et_importer *in, const char *data, size_t size)
{
	struct et_csv *c = et_calloc(1, sizeof(*c));
	struct column *columns = et_calloc(ET_CSV_MOST_COLUMNS, sizeof(*columns));
	bool header;

	int rc = et_csv_open(c, in, data, size);
	if (!rc && !(rc = et_csv_next(c)))
		rc = et_import_fail(in, NULL, "it has no samples");
	else if (rc == 1 && !(rc = read_header(c, columns, &header)))
		rc = read_rows(c, columns, c->n_cells, header);
	for (size_t i = 0; i < ET_CSV_MOST_COLUMNS; i++)
		free(columns[i].name);
	free(columns);
	et_csv_free(c);
	free(c);
	return rc;
}
