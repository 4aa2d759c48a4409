/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading from a SQLite store. The file may have been edited by hand or damaged: what is not as
 * we write it is an error that names the place, never a crash and never a strange number.
 */
#include "base/alloc.h"
#include "store/sqlite.h"

#include <errno.h>
#include <string.h>

static int damaged(
	const struct et_sqlite *s, const char *id, const char *what, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
			"%s: experiment %s: %s is not as etalon writes it", s->path, id, what),
		"the file was damaged or changed by hand; etalon rm %s removes the experiment", id);
}

/* A column that holds the name of an enum's value. */
static bool row_enum(struct et_cursor *c, const char *const *names, int *out)
{
	char *name;

	if (!et_row_text(c, &name))
		return false;
	*out = name ? et_name_index(names, name) : -1;
	free(name);
	return *out >= 0;
}

/* Steps a statement that gives (key, id) and copies the id; 1 when there was a row. */
static int read_id(struct et_sqlite *s, sqlite3_stmt *st, char id[40], struct et_error *err)
{
	int rc = et_sqlite_step(s, st, err);

	if (rc != 1)
		return rc;
	const char *text = (const char *)sqlite3_column_text(st, 1);
	if (!et_sqlite_copy_id(id, text))
		return damaged(s, text ? text : "", "its id", err);
	return 1;
}

/* 1 and the id when the statement, given the name, finds one. */
static int find_by(
	struct et_sqlite *s, enum et_sql which, const char *name, char id[40], struct et_error *err)
{
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, which, err);
	struct et_cursor c = { st, 0 };

	if (!st)
		return -EIO;
	if (name)
		et_bind_text(&c, name);
	return read_id(s, st, id, err);
}

static int find_prefix(struct et_sqlite *s, const char *name, char id[40], struct et_error *err)
{
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_FIND_PREFIX, err);
	struct et_cursor c = { st, 0 };
	char second[40];

	if (!st)
		return -EIO;
	et_bind_text(&c, name);
	int rc = read_id(s, st, id, err);
	if (rc != 1)
		return rc;
	rc = read_id(s, st, second, err);
	if (rc < 0)
		return rc;
	if (rc == 1)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"'%s' is the beginning of more than one id: %s, %s", name, id,
				second),
			"give more of it");
	return 1;
}

int et_sqlite_find(struct et_store *store, const char *name, char id[40], struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;
	char found[40] = "";
	int rc = 0;

	if (!strcmp(name, "last")) {
		rc = find_by(s, ET_SQL_FIND_LAST, NULL, found, err);
	} else if (*name) {
		rc = find_by(s, ET_SQL_FIND_KEY, name, found, err);
		if (rc == 0)
			rc = find_by(s, ET_SQL_FIND_LABEL, name, found, err);
		if (rc == 0)
			rc = find_prefix(s, name, found, err);
	}
	if (rc < 0)
		return rc;
	if (rc == 0)
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE,
				"no experiment has the id or label '%s'", name),
			"etalon list shows what is kept in %s", s->path);
	et_sqlite_copy_id(id, found);
	return 0;
}

int et_sqlite_find_unfinished(struct et_store *store, char id[40], struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;
	char found[40];
	int rc = find_by(s, ET_SQL_FIND_UNFINISHED, NULL, found, err);

	if (rc < 0)
		return rc;
	if (rc == 0)
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE, "no experiment is unfinished"),
			"etalon list shows what is kept in %s", s->path);
	et_sqlite_copy_id(id, found);
	return 0;
}

/* --- one experiment --- */

struct loading {
	struct et_sqlite *s;
	struct et_experiment *e;
	struct et_error *err;
	int64_t key;
};

static int bad(const struct loading *l, const char *what)
{
	return damaged(l->s, l->e->id, what, l->err);
}

/* Everything of the experiment's own row behind its id. */
static bool read_head(struct loading *l, struct et_cursor *c, const char **what)
{
	struct et_experiment *e = l->e;
	int64_t started, finished, seed;
	int state, protocol, metric, order;
	const struct et_field *f;

	*what = "its time, state or plan";
	if (!et_row_text(c, &e->label) || !et_row_int(c, 0, INT64_MAX, &started) ||
		!et_row_int(c, 0, INT64_MAX, &finished))
		return false;
	if (!row_enum(c, et_state_names, &state) || !row_enum(c, et_protocol_names, &protocol) ||
		!row_enum(c, et_metric_names, &metric) || !row_enum(c, et_order_names, &order))
		return false;
	if (!et_row_int(c, INT64_MIN, INT64_MAX, &seed) || !et_row_text(c, &e->snapshot_source))
		return false;
	e->started_wall_ns = (uint64_t)started;
	e->finished_wall_ns = (uint64_t)finished;
	e->state = (enum et_state)state;
	e->protocol = (enum et_protocol)protocol;
	e->metric = (enum et_metric)metric;
	e->plan.order = (enum et_order)order;
	e->plan.seed = (uint64_t)seed;
	if ((f = et_row_fields(c, et_plan_fields, &e->plan)) ||
		(f = et_row_fields(c, et_child_fields, &e->child)) ||
		(f = et_row_fields(c, et_host_fields, &e->host))) {
		*what = f->name;
		return false;
	}
	return true;
}

static int load_head(struct loading *l, const char *id)
{
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(l->s, ET_SQL_GET_EXPERIMENT, l->err);
	struct et_cursor c = { st, 0 };
	const char *what;

	if (!st)
		return -EIO;
	et_bind_text(&c, id);
	int rc = et_sqlite_step(l->s, st, l->err);
	if (rc < 0)
		return rc;
	if (rc == 0 || !et_sqlite_copy_id(l->e->id, id))
		return et_hint(l->err,
			et_fail(l->err, ENOENT, ET_EXIT_USAGE, "%s: no experiment '%s'", l->s->path,
				id),
			"etalon list shows what is kept");
	l->key = sqlite3_column_int64(st, 0);
	c.at = 2;
	return read_head(l, &c, &what) ? 0 : bad(l, what);
}

/* The words of an argv from a blob in which each has its NUL. */
static char **split_argv(const char *blob, size_t size)
{
	size_t n = 0;

	if (size && blob[size - 1] != '\0')
		return NULL;
	for (size_t i = 0; i < size; i++)
		n += blob[i] == '\0';
	char **argv = et_calloc(n + 1, sizeof(*argv));
	for (size_t i = 0; i < n; i++) {
		argv[i] = et_strdup(blob);
		blob += strlen(blob) + 1;
	}
	return argv;
}

static bool read_command(struct et_cursor *c, struct et_command *command)
{
	if (!et_row_text(c, &command->name) || !command->name || !et_row_text(c, &command->text) ||
		!command->text)
		return false;
	int type = sqlite3_column_type(c->stmt, c->at);
	const char *blob = sqlite3_column_blob(c->stmt, c->at);
	int size = sqlite3_column_bytes(c->stmt, c->at++);
	if (type != SQLITE_BLOB)
		return false;
	command->argv = split_argv(blob, (size_t)size);
	return command->argv && et_row_text(c, &command->prepare) &&
	       et_row_text(c, &command->conclude) && et_row_text(c, &command->setup) &&
	       et_row_text(c, &command->cleanup);
}

/* A statement that gives rows of the experiment. */
static sqlite3_stmt *rows_of(struct loading *l, enum et_sql which)
{
	sqlite3_stmt *st = et_sqlite_prepare(l->s, which, l->err);
	struct et_cursor c = { st, 0 };

	if (st)
		et_bind_int(&c, l->key);
	return st;
}

static int load_commands(struct loading *l)
{
	ET_AUTO_STMT sqlite3_stmt *st = rows_of(l, ET_SQL_GET_COMMANDS);
	struct et_experiment *e = l->e;
	size_t room = 0;
	int rc = st ? 0 : -EIO;

	while (st && (rc = et_sqlite_step(l->s, st, l->err)) == 1) {
		struct et_cursor c = { st, 0 };
		int64_t number;

		ET_GROW(e->commands, e->n_commands, room);
		struct et_command *command = &e->commands[e->n_commands++];
		memset(command, 0, sizeof(*command));
		if (!et_row_int(&c, 0, UINT32_MAX, &number) ||
			(size_t)number + 1 != e->n_commands || !read_command(&c, command))
			return bad(l, "a command");
	}
	if (rc < 0)
		return rc;
	return e->n_commands && e->plan.reference < e->n_commands ? 0 : bad(l, "its commands");
}

static int load_parameters(struct loading *l)
{
	ET_AUTO_STMT sqlite3_stmt *st = rows_of(l, ET_SQL_GET_PARAMETERS);
	int rc = st ? 0 : -EIO;

	while (st && (rc = et_sqlite_step(l->s, st, l->err)) == 1) {
		struct et_cursor c = { st, 0 };
		int64_t number;

		if (!et_row_int(&c, 0, (int64_t)l->e->n_commands - 1, &number))
			return bad(l, "a parameter");
		struct et_command *command = &l->e->commands[number];
		command->parameters = et_realloc(command->parameters, command->n_parameters + 1,
			sizeof(*command->parameters));
		struct et_parameter *p = &command->parameters[command->n_parameters++];
		p->name = p->value = NULL;
		if (!et_row_text(&c, &p->name) || !p->name || !et_row_text(&c, &p->value) ||
			!p->value)
			return bad(l, "a parameter");
	}
	return rc;
}

static int load_factors(struct loading *l)
{
	ET_AUTO_STMT sqlite3_stmt *st = rows_of(l, ET_SQL_GET_FACTORS);
	struct et_experiment *e = l->e;
	size_t room = 0;
	int rc = st ? 0 : -EIO;

	while (st && (rc = et_sqlite_step(l->s, st, l->err)) == 1) {
		struct et_cursor c = { st, 0 };

		ET_GROW(e->environment, e->n_environment, room);
		struct et_factor *factor = &e->environment[e->n_environment++];
		memset(factor, 0, sizeof(*factor));
		if (et_row_fields(&c, et_factor_fields, factor))
			return bad(l, "a factor of the environment");
	}
	return rc;
}

/* The culprits of one experiment, read one sample at a time beside its samples. */
struct interference {
	sqlite3_stmt *st;
	bool row; /* st stands on a row that was not taken yet */
	struct et_culprit *list;
	size_t n, room;
};

/* Does the row that st stands on belong to the sample? */
static bool belongs(const struct interference *in, const struct et_sample *sample)
{
	return in->row && sqlite3_column_int64(in->st, 0) == sample->place.order &&
	       sqlite3_column_int64(in->st, 1) == sample->place.command;
}

static int take_culprits(struct loading *l, struct interference *in, struct et_sample *sample)
{
	in->n = 0;
	while (belongs(in, sample)) {
		struct et_cursor c = { in->st, 2 };

		ET_GROW(in->list, in->n, in->room);
		struct et_culprit *i = &in->list[in->n++];
		memset(i, 0, sizeof(*i));
		const struct et_field *f = et_row_fields(&c, et_culprit_fields, i);
		if (f)
			return bad(l, f->name);
		int rc = et_sqlite_step(l->s, in->st, l->err);
		if (rc < 0)
			return rc;
		in->row = rc == 1;
	}
	sample->measured.culprits = in->list;
	sample->measured.n_culprits = in->n;
	return 0;
}

static int read_sample(struct loading *l, sqlite3_stmt *st, struct et_sample *sample)
{
	struct et_cursor c = { st, 0 };
	int64_t command;
	const struct et_field *f;

	memset(sample, 0, sizeof(*sample));
	if (!et_row_int(&c, 0, (int64_t)l->e->n_commands - 1, &command))
		return bad(l, "the command of a sample");
	sample->place.command = (uint32_t)command;
	if ((f = et_row_fields(&c, et_sample_fields, sample)) ||
		(f = et_row_fields(&c, et_removal_fields, &sample->ruling.removal)))
		return bad(l, f->name);
	if (sample->place.partner >= (int64_t)l->e->n_commands)
		return bad(l, "partner");
	return 0;
}

static int load_samples(struct loading *l)
{
	ET_AUTO_STMT sqlite3_stmt *st = rows_of(l, ET_SQL_GET_SAMPLES);
	ET_AUTO_STMT sqlite3_stmt *others = rows_of(l, ET_SQL_GET_INTERFERENCE);
	struct interference in = { .st = others };
	int rc = st && others ? et_sqlite_step(l->s, others, l->err) : -EIO;

	in.row = rc == 1;
	while (rc >= 0 && (rc = et_sqlite_step(l->s, st, l->err)) == 1) {
		struct et_sample sample;

		rc = read_sample(l, st, &sample);
		if (!rc)
			rc = take_culprits(l, &in, &sample);
		if (rc)
			break;
		et_experiment_add(l->e, &sample);
	}
	if (rc == 0 && in.row)
		rc = bad(l, "the interference");
	free(in.list);
	return rc;
}

static int load_all(struct loading *l, const char *id)
{
	int rc = load_head(l, id);

	if (!rc)
		rc = load_commands(l);
	if (!rc)
		rc = load_parameters(l);
	if (!rc)
		rc = load_factors(l);
	return rc ? rc : load_samples(l);
}

int et_sqlite_load(
	struct et_store *store, const char *id, struct et_experiment **out, struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;
	struct loading l = { .s = s, .e = et_calloc(1, sizeof(*l.e)), .err = err };
	/* One picture of the store, whoever writes meanwhile. */
	bool alone = sqlite3_get_autocommit(s->db);
	int rc = alone ? et_sqlite_run(s, ET_SQL_BEGIN_READ, err) : 0;

	if (!rc) {
		rc = load_all(&l, id);
		if (alone)
			(void)et_sqlite_run(s, ET_SQL_COMMIT, NULL);
	}
	if (rc)
		et_experiment_free(l.e);
	else
		*out = l.e;
	return rc;
}

/* --- all experiments --- */

/* Lenient, so that an experiment with damage is still seen and can be removed. */
static bool read_entry(struct et_cursor *c, struct et_store_entry *entry)
{
	const char *id = (const char *)sqlite3_column_text(c->stmt, c->at++);
	int64_t started = 0, commands = 0, samples = 0;
	int state;

	memset(entry, 0, sizeof(*entry));
	if (!et_sqlite_copy_id(entry->id, id))
		return false;
	entry->label = (const char *)sqlite3_column_text(c->stmt, c->at++);
	(void)et_row_int(c, 0, INT64_MAX, &started);
	entry->state =
		row_enum(c, et_state_names, &state) ? (enum et_state)state : ET_STATE_INTERRUPTED;
	(void)et_row_int(c, 0, UINT32_MAX, &commands);
	(void)et_row_int(c, 0, INT64_MAX, &samples);
	const char *first = (const char *)sqlite3_column_text(c->stmt, c->at++);
	entry->started_wall_ns = (uint64_t)started;
	entry->n_commands = (uint32_t)commands;
	entry->n_samples = (uint64_t)samples;
	entry->first_command = first ? first : "";
	return true;
}

int et_sqlite_list(
	struct et_store *store, size_t limit, et_store_entry_fn fn, void *ctx, struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_LIST, err);
	struct et_cursor c = { st, 0 };
	int rc;

	if (!st)
		return -EIO;
	et_bind_int(&c, limit && limit < INT64_MAX ? (int64_t)limit : -1);
	while ((rc = et_sqlite_step(s, st, err)) == 1) {
		struct et_store_entry entry;

		c.at = 0;
		if (read_entry(&c, &entry) && fn(ctx, &entry))
			return 0;
	}
	return rc;
}

int et_sqlite_get_fact(struct et_store *store, const char *key, char **value, struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)store;
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, ET_SQL_GET_FACT, err);
	struct et_cursor c = { st, 0 };
	char *text = NULL;

	if (!st)
		return -EIO;
	et_bind_text(&c, key);
	int rc = et_sqlite_step(s, st, err);
	if (rc < 0)
		return rc;
	c.at = 0;
	if (rc == 1 && !et_row_text(&c, &text))
		return et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
			"%s: the fact '%s' is not as etalon writes it", s->path, key);
	*value = text;
	return 0;
}
