/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing to a SQLite store. Samples go into a group, one write transaction, which et_store_flush
 * commits; everything else flushes the group and is a transaction of its own.
 */
#include "base/alloc.h"
#include "base/parse.h"
#include "store/sqlite.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* What a rollback, SQLite's own or ours, leaves of the group: nothing. */
static void forget_group(struct et_sqlite *s)
{
	s->in_group = false;
	s->key = 0;
	s->uncounted = 0;
}

/* After a failure: SQLite may have rolled back by itself (disk full, I/O error). */
static void notice_rollback(struct et_sqlite *s)
{
	if (s->in_group && sqlite3_get_autocommit(s->db))
		forget_group(s);
}

static void drop_group(struct et_sqlite *s)
{
	if (!sqlite3_get_autocommit(s->db))
		(void)et_sqlite_run(s, ET_SQL_ROLLBACK, NULL);
	forget_group(s);
}

static int open_group(struct et_sqlite *s, struct et_error *err)
{
	if (s->in_group)
		return 0;
	int rc = et_sqlite_run(s, ET_SQL_BEGIN, err);
	s->in_group = rc == 0;
	return rc;
}

/* Steps a statement that changes rows; -ENOENT without an error text when it changed none. */
static int change(struct et_sqlite *s, sqlite3_stmt *st, struct et_error *err)
{
	int rc = et_sqlite_step(s, st, err);

	if (rc)
		return rc;
	return sqlite3_changes(s->db) > 0 ? 0 : -ENOENT;
}

static int no_experiment(const struct et_sqlite *s, const char *id, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, ENOENT, ET_EXIT_USAGE, "%s: no experiment '%s'", s->path, id),
		"etalon list shows what is kept");
}

/* The row of the experiment counts its samples, so that a list need not. */
static int count_samples(struct et_sqlite *s, struct et_error *err)
{
	if (!s->uncounted)
		return 0;
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_COUNT_SAMPLES, err);
	if (!st)
		return -EIO;
	struct et_cursor c = { st, 0 };
	et_bind_int(&c, s->key);
	et_bind_int(&c, s->uncounted);
	int rc = et_sqlite_step(s, st, err);
	if (!rc)
		s->uncounted = 0;
	return rc;
}

int et_sqlite_flush(struct et_store *store, struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;

	if (!s->in_group)
		return 0;
	int rc = count_samples(s, err);
	if (!rc)
		rc = et_sqlite_run(s, ET_SQL_COMMIT, err);
	if (!rc)
		s->in_group = false;
	else
		notice_rollback(s); /* still open: another flush may succeed once there is space */
	return rc;
}

/* Ends a transaction of its own: all of it, or nothing. */
static int finish(struct et_sqlite *s, int rc, struct et_error *err)
{
	if (!rc)
		rc = et_sqlite_flush(&s->base, err);
	if (rc)
		drop_group(s);
	return rc;
}

/* Flushes what is open and begins a transaction for something else. */
static int begin_alone(struct et_sqlite *s, struct et_error *err)
{
	int rc = et_sqlite_flush(&s->base, err);

	return rc ? rc : open_group(s, err);
}

static int add_parameters(struct et_sqlite *s, int64_t key, uint32_t number,
	const struct et_command *command, struct et_error *err)
{
	for (size_t i = 0; i < command->n_parameters; i++) {
		ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_ADD_PARAMETER, err);
		struct et_cursor c = { st, 0 };

		if (!st)
			return -EIO;
		et_bind_int(&c, key);
		et_bind_int(&c, number);
		et_bind_int(&c, (int64_t)i);
		et_bind_text(&c, command->parameters[i].name);
		et_bind_text(&c, command->parameters[i].value);
		int rc = et_sqlite_step(s, st, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* The words one behind the other, each with its NUL. */
static char *join_argv(char *const *argv, size_t *size)
{
	size_t n = 0;

	*size = 0;
	for (size_t i = 0; argv && argv[i]; i++)
		*size += strlen(argv[i]) + 1;
	char *blob = et_alloc(*size + 1);
	for (size_t i = 0; argv && argv[i]; i++) {
		size_t len = strlen(argv[i]) + 1;
		memcpy(blob + n, argv[i], len);
		n += len;
	}
	return blob;
}

static int add_command(struct et_sqlite *s, int64_t key, uint32_t number,
	const struct et_command *command, struct et_error *err)
{
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_ADD_COMMAND, err);
	struct et_cursor c = { st, 0 };
	size_t size;
	ET_AUTO_FREE char *argv = join_argv(command->argv, &size);

	if (!st)
		return -EIO;
	et_bind_int(&c, key);
	et_bind_int(&c, number);
	et_bind_text(&c, command->name ? command->name : "");
	et_bind_text(&c, command->text ? command->text : "");
	sqlite3_bind_blob64(st, ++c.at, argv, size, SQLITE_TRANSIENT);
	et_bind_text(&c, command->prepare);
	et_bind_text(&c, command->conclude);
	et_bind_text(&c, command->setup);
	et_bind_text(&c, command->cleanup);
	int rc = et_sqlite_step(s, st, err);
	return rc ? rc : add_parameters(s, key, number, command, err);
}

static int add_factor(struct et_sqlite *s, int64_t key, size_t number,
	const struct et_factor *factor, struct et_error *err)
{
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_ADD_FACTOR, err);
	struct et_cursor c = { st, 0 };

	if (!st)
		return -EIO;
	et_bind_int(&c, key);
	et_bind_int(&c, (int64_t)number);
	et_bind_fields(&c, et_factor_fields, factor);
	return et_sqlite_step(s, st, err);
}

static int add_head(
	struct et_sqlite *s, const struct et_experiment *e, int64_t *key, struct et_error *err)
{
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_ADD_EXPERIMENT, err);
	struct et_cursor c = { st, 0 };

	if (!st)
		return -EIO;
	et_bind_text(&c, e->id);
	et_bind_text(&c, e->label);
	et_bind_int(&c, (int64_t)e->started_wall_ns);
	et_bind_int(&c, (int64_t)e->finished_wall_ns);
	et_bind_text(&c, et_state_names[e->state]);
	et_bind_text(&c, et_protocol_names[e->protocol]);
	et_bind_text(&c, et_metric_names[e->metric]);
	et_bind_text(&c, et_order_names[e->plan.order]);
	et_bind_int(&c, (int64_t)e->plan.seed); /* all 64 bits, the upper one as a sign */
	et_bind_text(&c, e->snapshot_source);
	et_bind_int(&c, (int64_t)e->n_commands);
	et_bind_fields(&c, et_plan_fields, &e->plan);
	et_bind_fields(&c, et_child_fields, &e->child);
	et_bind_fields(&c, et_host_fields, &e->host);
	int rc = et_sqlite_step(s, st, err);
	*key = sqlite3_last_insert_rowid(s->db);
	if (rc == -EEXIST)
		return et_fail(err, EEXIST, ET_EXIT_USAGE, "%s: experiment %s is already kept",
			s->path, e->id);
	return rc;
}

/* The experiment without its samples, into the open group. */
static int add_experiment(struct et_sqlite *s, const struct et_experiment *e, struct et_error *err)
{
	int64_t key = 0;

	if (!e->id[0] || !e->n_commands)
		return et_fail(err, EINVAL, ET_EXIT_OUTSIDE,
			"an experiment without id or commands is not kept");
	int rc = add_head(s, e, &key, err);
	for (size_t i = 0; !rc && i < e->n_commands; i++)
		rc = add_command(s, key, (uint32_t)i, &e->commands[i], err);
	for (size_t i = 0; !rc && i < e->n_environment; i++)
		rc = add_factor(s, key, i, &e->environment[i], err);
	return rc;
}

int et_sqlite_begin(struct et_store *store, const struct et_experiment *e, struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;
	int rc = begin_alone(s, err);

	return rc ? rc : finish(s, add_experiment(s, e, err), err);
}

int et_sqlite_keep(struct et_store *store, const struct et_experiment *e, struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;
	int rc = begin_alone(s, err);

	if (rc)
		return rc;
	rc = add_experiment(s, e, err);
	for (size_t i = 0; !rc && i < e->n_commands; i++) {
		for (size_t k = 0; !rc && k < e->commands[i].n_samples; k++)
			rc = et_sqlite_add(store, e->id, &e->commands[i].samples[k], err);
	}
	return finish(s, rc, err);
}

/* Makes the experiment the one that samples are added to. */
static int select_experiment(struct et_sqlite *s, const char *id, struct et_error *err)
{
	if (s->key && !strcmp(s->id, id))
		return 0;
	int rc = count_samples(s, err);
	if (rc)
		return rc;
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_FIND_KEY, err);
	if (!st)
		return -EIO;
	struct et_cursor c = { st, 0 };
	et_bind_text(&c, id);
	rc = et_sqlite_step(s, st, err);
	if (rc < 0)
		return rc;
	if (rc == 0 || !et_sqlite_copy_id(s->id, id))
		return no_experiment(s, id, err);
	s->key = sqlite3_column_int64(st, 0);
	return 0;
}

static int find_process(
	struct et_sqlite *s, const char *name, int64_t *process, struct et_error *err)
{
	ET_AUTO_STMT sqlite3_stmt *find = et_sqlite_prepare(s, ET_SQL_FIND_PROCESS, err);
	struct et_cursor c = { find, 0 };

	if (!find)
		return -EIO;
	et_bind_text(&c, name);
	int rc = et_sqlite_step(s, find, err);
	if (rc < 0)
		return rc;
	if (rc == 1) {
		*process = sqlite3_column_int64(find, 0);
		return 0;
	}
	ET_AUTO_STMT sqlite3_stmt *add = et_sqlite_prepare(s, ET_SQL_ADD_PROCESS, err);
	if (!add)
		return -EIO;
	c = (struct et_cursor){ add, 0 };
	et_bind_text(&c, name);
	rc = et_sqlite_step(s, add, err);
	*process = sqlite3_last_insert_rowid(s->db);
	return rc;
}

static int add_culprit(
	struct et_sqlite *s, const struct et_sample *sample, size_t number, struct et_error *err)
{
	const struct et_culprit *i = &sample->measured.culprits[number];
	int64_t process;
	int rc = find_process(s, i->name, &process, err);

	if (rc)
		return rc;
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_ADD_INTERFERENCE, err);
	if (!st)
		return -EIO;
	struct et_cursor c = { st, 0 };
	et_bind_int(&c, s->key);
	et_bind_int(&c, sample->place.order);
	et_bind_int(&c, sample->place.command);
	et_bind_int(&c, (int64_t)number);
	et_bind_int(&c, process);
	et_bind_fields(&c, et_culprit_fields + 1, i);
	return et_sqlite_step(s, st, err);
}

static void bind_sample_key(
	struct et_cursor *c, const struct et_sqlite *s, const struct et_sample *sample)
{
	et_bind_int(c, s->key);
	et_bind_int(c, sample->place.order);
	et_bind_int(c, sample->place.command);
}

/* Takes back a sample of which only a part could be written. */
static void drop_sample(struct et_sqlite *s, const struct et_sample *sample)
{
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_DROP_SAMPLE, NULL);
	struct et_cursor c = { st, 0 };

	if (!st) {
		drop_group(s);
		return;
	}
	bind_sample_key(&c, s, sample);
	if (et_sqlite_step(s, st, NULL))
		drop_group(s);
}

static int add_row(struct et_sqlite *s, const struct et_sample *sample, struct et_error *err)
{
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_ADD_SAMPLE, err);
	struct et_cursor c = { st, 0 };

	if (!st)
		return -EIO;
	et_bind_int(&c, s->key);
	et_bind_int(&c, sample->place.command);
	et_bind_fields(&c, et_sample_fields, sample);
	et_bind_fields(&c, et_removal_fields, &sample->ruling.removal);
	int rc = et_sqlite_step(s, st, err);
	if (rc == -EEXIST)
		return et_hint(err,
			et_fail(err, EEXIST, ET_EXIT_OUTSIDE,
				"%s: experiment %s already has run %u of command %u", s->path,
				s->id, sample->place.order, sample->place.command + 1),
			"is another etalon running the same experiment?");
	return rc;
}

int et_sqlite_add(struct et_store *store, const char *id, const struct et_sample *sample,
	struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;
	int rc = open_group(s, err);

	if (!rc)
		rc = select_experiment(s, id, err);
	if (!rc)
		rc = add_row(s, sample, err);
	if (rc) {
		notice_rollback(s);
		return rc;
	}
	for (size_t i = 0; !rc && i < sample->measured.n_culprits; i++)
		rc = add_culprit(s, sample, i, err);
	if (!rc) {
		s->uncounted += !sample->place.warmup;
		return 0;
	}
	notice_rollback(s);
	if (s->in_group)
		drop_sample(s, sample);
	return rc;
}

int et_sqlite_set_state(struct et_store *store, const char *id, enum et_state state,
	uint64_t wall_ns, struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;
	int rc = open_group(s, err);

	if (rc)
		return rc;
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_SET_STATE, err);
	if (!st)
		return -EIO;
	struct et_cursor c = { st, 0 };
	et_bind_text(&c, id);
	et_bind_text(&c, et_state_names[state]);
	et_bind_int(&c, state == ET_STATE_RUNNING ? 0 : (int64_t)wall_ns);
	rc = change(s, st, err);
	notice_rollback(s);
	if (rc && rc != -ENOENT)
		return rc;
	int flushed = et_sqlite_flush(store, err);
	if (flushed)
		return flushed;
	return rc ? no_experiment(s, id, err) : 0;
}

int et_sqlite_set_removal(struct et_store *store, const char *id, const struct et_sample *sample,
	struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;
	int rc = open_group(s, err);

	if (!rc)
		rc = select_experiment(s, id, err);
	if (rc) {
		notice_rollback(s);
		return rc;
	}
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_SET_REMOVAL, err);
	if (!st)
		return -EIO;
	struct et_cursor c = { st, 0 };
	et_bind_fields(&c, et_removal_fields, &sample->ruling.removal);
	et_bind_int(&c, sample->ruling.marks);
	bind_sample_key(&c, s, sample);
	rc = change(s, st, err);
	notice_rollback(s);
	if (rc == -ENOENT)
		return et_fail(err, ENOENT, ET_EXIT_OUTSIDE,
			"%s: experiment %s has no run %u of command %u", s->path, id,
			sample->place.order, sample->place.command + 1);
	return rc;
}

int et_sqlite_remove(struct et_store *store, const char *id, struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;
	int rc = begin_alone(s, err);

	if (rc)
		return rc;
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_DROP_EXPERIMENT, err);
	if (!st)
		return finish(s, -EIO, err);
	struct et_cursor c = { st, 0 };
	et_bind_text(&c, id);
	rc = change(s, st, err);
	s->key = 0;
	if (rc == -ENOENT)
		no_experiment(s, id, err);
	return finish(s, rc, err);
}

int et_sqlite_set_fact(
	struct et_store *store, const char *key, const char *value, struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;
	int rc = begin_alone(s, err);

	if (rc)
		return rc;
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_SET_FACT, err);
	if (!st)
		return finish(s, -EIO, err);
	struct et_cursor c = { st, 0 };
	et_bind_text(&c, key);
	et_bind_text(&c, value);
	return finish(s, et_sqlite_step(s, st, err), err);
}
