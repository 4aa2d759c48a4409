/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/core/machines.h"
#include "base/clock.h"
#include "base/doubles.h"
#include "base/memstream.h"
#include "model/experiment/field_rows.h"
#include "store/core/cursor.h"

#include <jansson.h>

/* --- facts --- */

int et_store_get_fact(struct et_store *s, const char *machine, const char *key, char **value,
	struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_GET_FACT, err);
	char *text = NULL;

	et_bind_text(&c, "key", key);
	et_bind_text(&c, "machine", machine);
	int rc = et_cursor_step(&c);
	if (rc < 0)
		return rc;
	if (rc == 1 && !et_row_text(&c, &text))
		return et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
			"%s: the fact '%s' is not as etalon writes it", s->db->name, key);
	if (text && !*text) { /* it was removed */
		free(text);
		text = NULL;
	}
	*value = text;
	return 0;
}

/* The values of a fact in the order of the statements that write one. */
#define FACT_VALUES(f)                                                                             \
	et_sql_text((f)->machine), et_sql_text((f)->key), et_sql_text((f)->value),                 \
		et_sql_int((int64_t)(f)->changed_wall_ns)

int et_store_set_fact(struct et_store *s, const char *machine, const char *key, const char *value,
	struct et_error *err)
{
	const struct et_fact fact = { machine, key, value, et_clock_read_ns(CLOCK_REALTIME) };

	return ET_EXECUTE_ALONE(s, ET_SQL_SET_FACT, err, FACT_VALUES(&fact));
}

int et_store_put_fact(struct et_store *s, const struct et_fact *fact, struct et_error *err)
{
	return ET_EXECUTE_ALONE(s, ET_SQL_PUT_FACT, err, FACT_VALUES(fact));
}

/* An empty text remains, so that the removal, too, is delivered. */
int et_store_remove_fact(
	struct et_store *s, const char *machine, const char *key, struct et_error *err)
{
	const struct et_fact gone = { machine, key, "", et_clock_read_ns(CLOCK_REALTIME) };
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	rc = ET_EXECUTE(s, ET_SQL_REMOVE_FACT, err, et_sql_text(key));
	if (rc == 0 && *machine)
		rc = ET_EXECUTE(s, ET_SQL_SET_FACT, err, FACT_VALUES(&gone));
	return et_store_conclude(s, rc, err);
}

/* Calls fn for the facts of a machine, or for those of a name; the other one is a column. */
static int list_facts(struct et_store *s, enum et_sql which, const struct et_fact *of,
	et_fact_fn fn, void *ctx, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, which, err);
	int rc;

	if (of->machine)
		et_bind_text(&c, "machine", of->machine);
	else
		et_bind_text(&c, "a fact's name", of->key);
	while ((rc = et_cursor_step(&c)) == 1) {
		struct et_fact fact = *of;
		const char **other = of->machine ? &fact.key : &fact.machine;
		if (!et_row_peek(&c, other) || !*other || !et_row_peek(&c, &fact.value) ||
			!fact.value || (of->machine && !et_row_u64(&c, &fact.changed_wall_ns)))
			return et_store_damaged(s, err, "a fact");
		if (fn(ctx, &fact))
			return 0;
	}
	return rc;
}

int et_store_list_facts(
	struct et_store *s, const char *machine, et_fact_fn fn, void *ctx, struct et_error *err)
{
	return list_facts(
		s, ET_SQL_LIST_FACTS, &(struct et_fact){ .machine = machine }, fn, ctx, err);
}

int et_store_list_fact(
	struct et_store *s, const char *key, et_fact_fn fn, void *ctx, struct et_error *err)
{
	return list_facts(s, ET_SQL_LIST_FACT, &(struct et_fact){ .key = key }, fn, ctx, err);
}

/* --- machines --- */

static const struct et_field deviation_fields[] = {
	ET_KEYS(et_factor, factor, state, wanted),
	{ 0 },
};

/* The environment is a JSON array: few read it with SQL, and nobody joins it. */
static char *environment_text(const struct et_machine_row *row)
{
	struct et_memstream stream;
	struct et_json w;

	if (!row->environment_known)
		return NULL;
	et_json_init(&w, et_memstream_open(&stream), 0);
	et_fields_list(&w, NULL, deviation_fields, row->deviations, row->n_deviations,
		sizeof(*row->deviations));
	return et_memstream_close(&stream);
}

static char *copy_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return et_strdup(text ? text : "");
}

/* A text that is not as etalon writes it is an environment that is not known. */
static void read_environment(struct et_machine_row *row, const char *text)
{
	enum { MOST_BYTES = 1 << 20 };
	json_t *list = text && strlen(text) < MOST_BYTES ? json_loads(text, 0, NULL) : NULL;
	size_t n = json_array_size(list);

	row->environment_known = json_is_array(list) && n <= ET_STORE_MOST_FACTORS;
	if (row->environment_known) {
		row->deviations = et_calloc(n + 1, sizeof(*row->deviations));
		row->n_deviations = n;
	}
	for (size_t i = 0; i < row->n_deviations; i++) {
		const json_t *one = json_array_get(list, i);
		row->deviations[i] = (struct et_factor){ .factor = copy_text(one, "factor"),
			.state = copy_text(one, "state"),
			.wanted = copy_text(one, "wanted") };
	}
	json_decref(list);
}

static void free_environment(struct et_machine_row *row)
{
	for (size_t i = 0; i < row->n_deviations; i++) {
		free(row->deviations[i].factor);
		free(row->deviations[i].state);
		free(row->deviations[i].wanted);
	}
	free(row->deviations);
}

/* Adds a row, or makes the row of a machine that is there already the later one. */
static int write_machine(struct et_store *s, enum et_sql which, const struct et_machine_row *row,
	const char *environment, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, which, err);

	et_bind_text(&c, "id", row->id);
	if (which == ET_SQL_ADD_MACHINE)
		et_bind_count(&c, "first_ns", row->first_wall_ns);
	et_bind_count(&c, "last_ns", row->last_wall_ns);
	et_bind_text(&c, "version", row->version);
	et_bind_text(&c, "environment", environment);
	et_bind_columns(&c, &et_columns_host, &row->host);
	return et_cursor_step(&c);
}

int et_store_put_machine(struct et_store *s, const struct et_machine_row *row, struct et_error *err)
{
	ET_AUTO_FREE char *environment = environment_text(row);
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	rc = write_machine(s, ET_SQL_ADD_MACHINE, row, environment, err);
	if (rc == 0)
		rc = write_machine(s, ET_SQL_SET_MACHINE, row, environment, err);
	if (rc == 0)
		rc = ET_EXECUTE(s, ET_SQL_AGE_MACHINE, err, et_sql_text(row->id),
			et_sql_int((int64_t)row->first_wall_ns));
	return et_store_conclude(s, rc, err);
}

int et_store_list_machines(
	struct et_store *s, const char *machine, et_machine_fn fn, void *ctx, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_of_texts(s, ET_SQL_LIST_MACHINES, err);
	int rc;

	et_bind_text(&c, "machine", machine ? machine : "");
	while ((rc = et_cursor_step(&c)) == 1) {
		struct et_machine_row row = { 0 };
		const char *environment;
		if (!et_row_chars(&c, row.id, sizeof(row.id)) ||
			!et_row_u64(&c, &row.first_wall_ns) || !et_row_u64(&c, &row.last_wall_ns) ||
			!et_row_chars(&c, row.version, sizeof(row.version)) ||
			!et_row_peek(&c, &environment) ||
			et_row_columns(&c, &et_columns_host, &row.host))
			return et_store_damaged(s, err, "a machine");
		read_environment(&row, environment);
		int end = fn(ctx, &row);
		free_environment(&row);
		if (end)
			return 0;
	}
	return rc;
}

/* --- copying --- */

struct copying {
	struct et_store *to;
	int rc;
	struct et_error *err;
};

static int copy_row(void *ctx, const struct et_machine_row *row)
{
	struct copying *x = ctx;

	x->rc = et_store_put_machine(x->to, row, x->err);
	return x->rc;
}

static int copy_fact(void *ctx, const struct et_fact *fact)
{
	struct copying *x = ctx;

	x->rc = et_store_put_fact(x->to, fact, x->err);
	return x->rc;
}

int et_store_copy_machine(
	struct et_store *from, struct et_store *to, const char *machine, struct et_error *err)
{
	struct copying x = { to, 0, err };

	if (!*machine || !strcmp(to->copied, machine))
		return 0;
	int rc = et_store_list_machines(from, machine, copy_row, &x, err);
	if (rc == 0 && x.rc == 0)
		rc = et_store_list_facts(from, machine, copy_fact, &x, err);
	rc = rc ? rc : x.rc;
	if (rc == 0)
		snprintf(to->copied, sizeof(to->copied), "%s", machine);
	return rc;
}

/* --- what was measured on them --- */

static double real_or_nan(struct et_cursor *c)
{
	double value;

	return et_row_real(c, 0, HUGE_VAL, &value) ? value : NAN;
}

/* Lenient: a damaged experiment does not hide the others. */
int et_store_count_machines(
	struct et_store *s, et_machine_count_fn fn, void *ctx, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_COUNT_MACHINES, err);
	int rc;

	while ((rc = et_cursor_step(&c)) == 1) {
		struct et_machine_count count = { 0 };
		count.machine = et_row_text_or_empty(&c);
		count.host = et_row_text_or_empty(&c);
		count.experiments = et_row_count_or_zero(&c);
		count.samples = et_row_count_or_zero(&c);
		count.first_wall_ns = et_row_count_or_zero(&c);
		count.last_wall_ns = et_row_count_or_zero(&c);
		if (fn(ctx, &count))
			return 0;
	}
	return rc;
}

int et_store_list_label(
	struct et_store *s, const char *label, et_label_fn fn, void *ctx, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_LIST_LABEL, err);
	int rc;

	et_bind_text(&c, "label", label);
	while ((rc = et_cursor_step(&c)) == 1) {
		const char *id = et_row_text_or_empty(&c), *machine = et_row_text_or_empty(&c);
		if (fn(ctx, id, machine, et_row_text_or_empty(&c)))
			return 0;
	}
	return rc;
}

/* Reads the factors of an experiment that are not ok. */
static int read_deviations(
	struct et_store *s, int64_t key, struct et_machine_row *row, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_GET_FACTORS, err);
	size_t room = 0;
	int rc;

	c.budget = &s->texts;
	et_bind_int(&c, key);
	while ((rc = et_cursor_step(&c)) == 1) {
		struct et_factor f = { 0 };
		bool wrong = et_row_columns(&c, &et_columns_factor, &f) != NULL;
		row->environment_known = true;
		if (wrong || f.ok || !f.factor || row->n_deviations == ET_STORE_MOST_FACTORS) {
			free(f.factor);
			free(f.state);
			free(f.wanted);
			continue;
		}
		ET_GROW(row->deviations, row->n_deviations, room);
		row->deviations[row->n_deviations++] = f;
	}
	return rc;
}

static int find_host(struct et_store *s, const char *machine, const char *host, int64_t *key,
	struct et_host *out, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_of_texts(s, ET_SQL_GET_HOST, err);

	et_bind_text(&c, "machine", machine);
	et_bind_text(&c, "host", host);
	int rc = et_cursor_step(&c);
	if (rc == 1 && (!et_row_int(&c, INT64_MIN, INT64_MAX, key) ||
			       et_row_columns(&c, &et_columns_host, out)))
		return et_store_damaged(s, err, "an experiment");
	return rc;
}

int et_store_describe_machine(struct et_store *s, const char *machine, const char *host,
	et_machine_fn fn, void *ctx, struct et_error *err)
{
	struct et_machine_row row = { 0 };
	int64_t key = 0;
	int rc = find_host(s, machine, host, &key, &row.host, err);

	if (rc != 1)
		return rc;
	snprintf(row.id, sizeof(row.id), "%s", machine);
	rc = read_deviations(s, key, &row, err);
	if (rc == 0)
		(void)fn(ctx, &row);
	free_environment(&row);
	return rc;
}

int et_store_list_timings(
	struct et_store *s, size_t limit, et_timing_fn fn, void *ctx, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_LIST_TIMINGS, err);
	int rc;

	et_bind_count(&c, "limit", limit);
	while ((rc = et_cursor_step(&c)) == 1) {
		struct et_timing t = { 0 };
		t.id = et_row_text_or_empty(&c);
		if (!et_row_peek(&c, &t.label))
			t.label = NULL;
		t.machine = et_row_text_or_empty(&c);
		t.host = et_row_text_or_empty(&c);
		t.started_wall_ns = et_row_count_or_zero(&c);
		t.name = et_row_text_or_empty(&c);
		t.text = et_row_text_or_empty(&c);
		t.n = et_row_count_or_zero(&c);
		t.elapsed.mean = real_or_nan(&c);
		t.elapsed.squares = real_or_nan(&c);
		t.cpu.mean = real_or_nan(&c);
		t.cpu.squares = real_or_nan(&c);
		if (fn(ctx, &t))
			return 0;
	}
	return rc;
}

/* --- summaries --- */

int et_store_summarise(struct et_store *s, const char *id, struct et_error *err)
{
	int rc = ET_EXECUTE(s, ET_SQL_DROP_SUMMARY, err, et_sql_text(id));

	return rc ? rc : ET_EXECUTE(s, ET_SQL_ADD_SUMMARY, err, et_sql_text(id));
}

static void add_time(struct et_welford *sums, uint64_t ns, uint64_t calls)
{
	if (ns != ET_UNKNOWN)
		et_welford_add(sums, (double)ns / (double)(calls ? calls : 1));
}

static void bind_sums(struct et_cursor *c, const struct et_welford *sums)
{
	if (sums->n > 0) {
		et_bind_real(c, sums->mean);
		et_bind_real(c, sums->squares);
	} else {
		et_bind_text(c, "mean", NULL);
		et_bind_text(c, "squares", NULL);
	}
}

static int put_summary(
	struct et_store *s, uint32_t number, const struct et_command *command, struct et_error *err)
{
	enum et_arrangement chosen = et_command_arrangement(command);
	ET_AUTO_READER struct et_sample_reader r = et_samples_read(&command->samples);
	struct et_welford elapsed = { 0 }, cpu = { 0 };
	bool any = false;

	for (const struct et_sample *one; (one = et_sample_reader_next(&r));) {
		if (one->place.warmup || one->ruling.removal.by != ET_KEPT ||
			one->place.arrangement != chosen)
			continue;
		any = true;
		add_time(&elapsed, one->measured.elapsed_ns, one->measured.calls);
		add_time(&cpu, one->measured.cpu_ns, one->measured.calls);
	}
	if (!any)
		return 0;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_PUT_SUMMARY, err);
	ET_BIND_INTS(&c, s->key, number, (int64_t)elapsed.n);
	bind_sums(&c, &elapsed);
	bind_sums(&c, &cpu);
	return et_cursor_step(&c);
}

int et_store_put_summary(struct et_store *s, const struct et_experiment *e, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < e->n_commands; i++)
		rc = put_summary(s, (uint32_t)i, &e->commands[i], err);
	return rc;
}
