/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/core/machines.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/doubles.h"
#include "base/json.h"
#include "base/memstream.h"
#include "store/core/cursor.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static int damaged(const struct et_store *s, const char *what, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, EBADMSG, ET_EXIT_OUTSIDE, "%s: %s is not as etalon writes it",
			s->db->name, what),
		"the store was damaged or changed by hand");
}

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

/* Adds it to the open group. */
static int write_fact(
	struct et_store *s, enum et_sql which, const struct et_fact *f, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, which, err);

	et_bind_text(&c, "a machine", f->machine);
	et_bind_text(&c, "a fact's name", f->key);
	et_bind_text(&c, "a fact", f->value);
	et_bind_count(&c, "changed_ns", f->changed_wall_ns);
	return et_cursor_step(&c);
}

int et_store_set_fact(struct et_store *s, const char *machine, const char *key, const char *value,
	struct et_error *err)
{
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	const struct et_fact fact = { machine, key, value, et_clock_read_ns(CLOCK_REALTIME) };
	return et_store_conclude(s, write_fact(s, ET_SQL_SET_FACT, &fact, err), err);
}

int et_store_put_fact(struct et_store *s, const struct et_fact *fact, struct et_error *err)
{
	int rc = et_store_transact(s, err);

	return rc ? rc : et_store_conclude(s, write_fact(s, ET_SQL_PUT_FACT, fact, err), err);
}

static int drop_fact(struct et_store *s, const char *key, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_REMOVE_FACT, err);

	et_bind_text(&c, "a fact's name", key);
	return et_cursor_step(&c);
}

/* An empty text remains, so that the removal, too, is delivered. */
int et_store_remove_fact(
	struct et_store *s, const char *machine, const char *key, struct et_error *err)
{
	const struct et_fact gone = { machine, key, "", et_clock_read_ns(CLOCK_REALTIME) };
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	rc = drop_fact(s, key, err);
	if (rc == 0 && *machine)
		rc = write_fact(s, ET_SQL_SET_FACT, &gone, err);
	return et_store_conclude(s, rc, err);
}

int et_store_list_facts(
	struct et_store *s, const char *machine, et_fact_fn fn, void *ctx, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_LIST_FACTS, err);
	int rc;

	et_bind_text(&c, "machine", machine);
	while ((rc = et_cursor_step(&c)) == 1) {
		struct et_fact fact = { .machine = machine };
		int64_t changed;
		if (!et_row_peek(&c, &fact.key) || !fact.key || !et_row_peek(&c, &fact.value) ||
			!fact.value || !et_row_int(&c, 0, INT64_MAX, &changed))
			return damaged(s, "a fact", err);
		fact.changed_wall_ns = (uint64_t)changed;
		if (fn(ctx, &fact))
			return 0;
	}
	return rc;
}

int et_store_list_fact(
	struct et_store *s, const char *key, et_fact_fn fn, void *ctx, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_LIST_FACT, err);
	int rc;

	et_bind_text(&c, "a fact's name", key);
	while ((rc = et_cursor_step(&c)) == 1) {
		struct et_fact fact = { .key = key };
		if (!et_row_peek(&c, &fact.machine) || !fact.machine ||
			!et_row_peek(&c, &fact.value) || !fact.value)
			return damaged(s, "a fact", err);
		if (fn(ctx, &fact))
			return 0;
	}
	return rc;
}

/* --- machines --- */

/* The environment is a JSON array: few read it with SQL, and nobody joins it. */
static char *environment_text(const struct et_machine_row *row)
{
	struct et_memstream stream;
	struct et_json w;

	if (!row->environment_known)
		return NULL;
	et_json_init(&w, et_memstream_open(&stream), 0);
	et_json_array(&w, NULL);
	for (size_t i = 0; i < row->n_deviations; i++) {
		const struct et_factor *f = &row->deviations[i];
		et_json_object(&w, NULL);
		et_json_string(&w, "factor", f->factor);
		et_json_string(&w, "state", f->state);
		et_json_string(&w, "wanted", f->wanted);
		et_json_end(&w);
	}
	et_json_end(&w);
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

static int add_machine(struct et_store *s, const struct et_machine_row *row,
	const char *environment, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_ADD_MACHINE, err);

	et_bind_text(&c, "id", row->id);
	et_bind_count(&c, "first_ns", row->first_wall_ns);
	et_bind_count(&c, "last_ns", row->last_wall_ns);
	et_bind_text(&c, "version", row->version);
	et_bind_text(&c, "environment", environment);
	et_bind_columns(&c, &et_columns_host, &row->host);
	return et_cursor_step(&c);
}

/* The row of a machine that is there already becomes the later one. */
static int renew_machine(struct et_store *s, const struct et_machine_row *row,
	const char *environment, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_SET_MACHINE, err);

	et_bind_text(&c, "id", row->id);
	et_bind_count(&c, "last_ns", row->last_wall_ns);
	et_bind_text(&c, "version", row->version);
	et_bind_text(&c, "environment", environment);
	et_bind_columns(&c, &et_columns_host, &row->host);
	return et_cursor_step(&c);
}

static int age_machine(struct et_store *s, const struct et_machine_row *row, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_AGE_MACHINE, err);

	et_bind_text(&c, "id", row->id);
	et_bind_count(&c, "first_ns", row->first_wall_ns);
	return et_cursor_step(&c);
}

int et_store_put_machine(struct et_store *s, const struct et_machine_row *row, struct et_error *err)
{
	ET_AUTO_FREE char *environment = environment_text(row);
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	rc = add_machine(s, row, environment, err);
	if (rc == 0)
		rc = renew_machine(s, row, environment, err);
	if (rc == 0)
		rc = age_machine(s, row, err);
	return et_store_conclude(s, rc, err);
}

static bool read_times(struct et_cursor *c, uint64_t *first, uint64_t *last)
{
	int64_t from, to;

	if (!et_row_int(c, 0, INT64_MAX, &from) || !et_row_int(c, 0, INT64_MAX, &to))
		return false;
	*first = (uint64_t)from;
	*last = (uint64_t)to;
	return true;
}

int et_store_list_machines(
	struct et_store *s, const char *machine, et_machine_fn fn, void *ctx, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_LIST_MACHINES, err);
	int rc;

	s->texts = ET_STORE_MOST_TEXT;
	c.budget = &s->texts;
	et_bind_text(&c, "machine", machine ? machine : "");
	while ((rc = et_cursor_step(&c)) == 1) {
		struct et_machine_row row = { 0 };
		const char *environment;
		if (!et_row_chars(&c, row.id, sizeof(row.id)) ||
			!read_times(&c, &row.first_wall_ns, &row.last_wall_ns) ||
			!et_row_chars(&c, row.version, sizeof(row.version)) ||
			!et_row_peek(&c, &environment) ||
			et_row_columns(&c, &et_columns_host, &row.host))
			return damaged(s, "a machine", err);
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
	int rc = *machine ? et_store_list_machines(from, machine, copy_row, &x, err) : 0;

	if (rc == 0 && x.rc == 0 && *machine)
		rc = et_store_list_facts(from, machine, copy_fact, &x, err);
	return rc ? rc : x.rc;
}

/* --- what was measured on them --- */

static const char *text_or_empty(struct et_cursor *c)
{
	const char *text;

	return et_row_peek(c, &text) && text ? text : "";
}

static uint64_t count_or_zero(struct et_cursor *c)
{
	int64_t value;

	return et_row_int(c, 0, INT64_MAX, &value) ? (uint64_t)value : 0;
}

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
		count.machine = text_or_empty(&c);
		count.host = text_or_empty(&c);
		count.experiments = count_or_zero(&c);
		count.samples = count_or_zero(&c);
		count.first_wall_ns = count_or_zero(&c);
		count.last_wall_ns = count_or_zero(&c);
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
		const char *id = text_or_empty(&c), *machine = text_or_empty(&c);
		if (fn(ctx, id, machine, text_or_empty(&c)))
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
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_GET_HOST, err);

	s->texts = ET_STORE_MOST_TEXT;
	c.budget = &s->texts;
	et_bind_text(&c, "machine", machine);
	et_bind_text(&c, "host", host);
	int rc = et_cursor_step(&c);
	if (rc == 1 && (!et_row_int(&c, INT64_MIN, INT64_MAX, key) ||
			       et_row_columns(&c, &et_columns_host, out)))
		return damaged(s, "an experiment", err);
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
		t.id = text_or_empty(&c);
		if (!et_row_peek(&c, &t.label))
			t.label = NULL;
		t.machine = text_or_empty(&c);
		t.host = text_or_empty(&c);
		t.started_wall_ns = count_or_zero(&c);
		t.name = text_or_empty(&c);
		t.text = text_or_empty(&c);
		t.n = count_or_zero(&c);
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

static int change_summary(
	struct et_store *s, enum et_sql which, const char *id, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, which, err);

	et_bind_text(&c, "id", id);
	return et_cursor_step(&c);
}

int et_store_summarise(struct et_store *s, const char *id, struct et_error *err)
{
	int rc = change_summary(s, ET_SQL_DROP_SUMMARY, id, err);

	return rc ? rc : change_summary(s, ET_SQL_ADD_SUMMARY, id, err);
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
	et_bind_int(&c, s->key);
	et_bind_int(&c, number);
	et_bind_int(&c, (int64_t)elapsed.n);
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
