/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The SQL of the back end, the statements made of it, and what moves between structs and rows.
 * What comes out of a database is not believed: types, ranges and lengths are checked here.
 */
#include "base/alloc.h"
#include "store/sqlite.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* No text that etalon keeps is longer; a longer one is a damaged or hostile file. */
enum { MOST_TEXT = 4 << 20 };

/* Lists of columns that $NAME in the SQL stands for; $NAME? is as many question marks. */
static const struct {
	const char *name;
	const struct et_field *fields;
	const char *prefix;
	int skip; /* fields at the beginning that are not columns */
} lists[] = {
	{ "sample", et_sample_fields, "", 0 },
	{ "removal", et_removal_fields, "removed_", 0 },
	{ "interferer", et_culprit_fields, "", 1 },
	{ "plan", et_plan_fields, "plan_", 0 },
	{ "child", et_child_fields, "child_", 0 },
	{ "host", et_host_fields, "host_", 0 },
	{ "factor", et_factor_fields, "", 0 },
};

static const char *const sql[ET_SQL_LENGTH] = {
	[ET_SQL_BEGIN] = "BEGIN IMMEDIATE",
	[ET_SQL_BEGIN_READ] = "BEGIN",
	[ET_SQL_COMMIT] = "COMMIT",
	[ET_SQL_ROLLBACK] = "ROLLBACK",
	[ET_SQL_ADD_EXPERIMENT] =
		"INSERT INTO experiment (id, label, started_ns, finished_ns, state, protocol,"
		" metric, \"order\", seed, image_source, commands, $plan, $child, $host)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, $plan?, $child?, $host?)",
	[ET_SQL_ADD_COMMAND] = "INSERT INTO command (experiment, number, name, text, argv, prepare,"
			       " conclude, setup, cleanup) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[ET_SQL_ADD_PARAMETER] = "INSERT INTO parameter (experiment, command, number, name, value)"
				 " VALUES (?, ?, ?, ?, ?)",
	[ET_SQL_ADD_FACTOR] =
		"INSERT INTO factor (experiment, number, $factor) VALUES (?, ?, $factor?)",
	[ET_SQL_ADD_SAMPLE] = "INSERT INTO sample (experiment, command, $sample, $removal)"
			      " VALUES (?, ?, $sample?, $removal?)",
	[ET_SQL_ADD_INTERFERENCE] = "INSERT INTO interference (experiment, \"order\", command,"
				    " number, process, $interferer)"
				    " VALUES (?, ?, ?, ?, ?, $interferer?)",
	[ET_SQL_ADD_PROCESS] = "INSERT INTO process (name) VALUES (?)",
	[ET_SQL_FIND_PROCESS] = "SELECT key FROM process WHERE name = ?",
	[ET_SQL_COUNT_SAMPLES] = "UPDATE experiment SET samples = samples + ?2 WHERE key = ?1",
	[ET_SQL_DROP_SAMPLE] =
		"DELETE FROM sample WHERE experiment = ? AND \"order\" = ? AND command = ?",
	[ET_SQL_DROP_EXPERIMENT] = "DELETE FROM experiment WHERE id = ?",
	[ET_SQL_SET_STATE] = "UPDATE experiment SET state = ?2, finished_ns = ?3 WHERE id = ?1",
	[ET_SQL_SET_REMOVAL] = "UPDATE sample SET ($removal, marks) = ($removal?, ?)"
			       " WHERE experiment = ? AND \"order\" = ? AND command = ?",
	[ET_SQL_FIND_KEY] = "SELECT key, id FROM experiment WHERE id = ?",
	[ET_SQL_FIND_LAST] = "SELECT key, id FROM experiment ORDER BY key DESC LIMIT 1",
	[ET_SQL_FIND_LABEL] = "SELECT key, id FROM experiment WHERE label = ?"
			      " ORDER BY started_ns DESC, key DESC LIMIT 1",
	[ET_SQL_FIND_PREFIX] = "SELECT key, id FROM experiment WHERE id >= ?1"
			       " AND substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT 2",
	[ET_SQL_FIND_UNFINISHED] =
		"SELECT key, id FROM experiment WHERE state IN ('running', 'interrupted')"
		" ORDER BY started_ns DESC, key DESC LIMIT 1",
	[ET_SQL_GET_EXPERIMENT] =
		"SELECT key, id, label, started_ns, finished_ns, state, protocol, metric,"
		" \"order\", seed, image_source, $plan, $child, $host FROM experiment WHERE id = ?",
	[ET_SQL_GET_COMMANDS] = "SELECT number, name, text, argv, prepare, conclude, setup, cleanup"
				" FROM command WHERE experiment = ? ORDER BY number",
	[ET_SQL_GET_PARAMETERS] = "SELECT command, name, value FROM parameter"
				  " WHERE experiment = ? ORDER BY command, number",
	[ET_SQL_GET_FACTORS] = "SELECT $factor FROM factor WHERE experiment = ? ORDER BY number",
	[ET_SQL_GET_SAMPLES] = "SELECT command, $sample, $removal FROM sample"
			       " WHERE experiment = ? ORDER BY \"order\", command",
	[ET_SQL_GET_INTERFERENCE] =
		"SELECT i.\"order\", i.command, p.name, $interferer FROM interference i"
		" LEFT JOIN process p ON p.key = i.process WHERE i.experiment = ?"
		" ORDER BY i.\"order\", i.command, i.number",
	[ET_SQL_LIST] = "SELECT e.id, e.label, e.started_ns, e.state, e.commands, e.samples, c.name"
			" FROM experiment e LEFT JOIN command c"
			" ON c.experiment = e.key AND c.number = 0"
			" ORDER BY e.started_ns DESC, e.key DESC LIMIT ?",
	[ET_SQL_GET_FACT] = "SELECT value FROM fact WHERE key = ?",
	[ET_SQL_SET_FACT] = "INSERT INTO fact (key, value) VALUES (?1, ?2)"
			    " ON CONFLICT (key) DO UPDATE SET value = ?2",
};

/* Writes what the list at the beginning of text stands for; returns the list's length there. */
static size_t expand(FILE *out, const char *text)
{
	for (size_t i = 0; i < ET_LENGTH(lists); i++) {
		size_t len = strlen(lists[i].name);
		if (strncmp(text, lists[i].name, len))
			continue;
		bool marks = text[len] == '?';
		for (const struct et_field *f = lists[i].fields + lists[i].skip; f->name; f++) {
			const char *comma = f[1].name ? ", " : "";
			if (marks)
				fprintf(out, "?%s", comma);
			else
				fprintf(out, "\"%s%s\"%s", lists[i].prefix, f->name, comma);
		}
		return len + marks;
	}
	return 0;
}

static char *expanded(const char *text)
{
	char *whole = NULL;
	size_t size;
	FILE *out = open_memstream(&whole, &size);

	if (!out)
		return et_strdup(text);
	while (*text) {
		if (*text == '$')
			text += 1 + expand(out, text + 1);
		else
			putc(*text++, out);
	}
	fclose(out);
	return whole;
}

sqlite3_stmt *et_sqlite_prepare(struct et_sqlite *s, enum et_sql which, struct et_error *err)
{
	if (s->statements[which])
		return s->statements[which];
	ET_AUTO_FREE char *text = expanded(sql[which]);
	int rc = sqlite3_prepare_v3(
		s->db, text, -1, SQLITE_PREPARE_PERSISTENT, &s->statements[which], NULL);
	if (rc != SQLITE_OK)
		et_sqlite_fail(s->db, s->path, rc, err);
	return s->statements[which];
}

void et_sqlite_release(sqlite3_stmt **st)
{
	if (!*st)
		return;
	sqlite3_reset(*st);
	sqlite3_clear_bindings(*st);
}

int et_sqlite_step(struct et_sqlite *s, sqlite3_stmt *st, struct et_error *err)
{
	int rc = sqlite3_step(st);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return et_sqlite_fail(s->db, s->path, rc, err);
}

int et_sqlite_run(struct et_sqlite *s, enum et_sql which, struct et_error *err)
{
	ET_AUTO_STMT sqlite3_stmt *st = et_sqlite_prepare(s, which, err);

	return st ? et_sqlite_step(s, st, err) : -EIO;
}

static int fail_full(const char *path, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, ENOSPC, ET_EXIT_OUTSIDE, "%s: no space left for the store", path),
		"free some space there, or name another place with --store; "
		"what was kept before is safe");
}

/* SQLite does not tell which of these it was. */
static int fail_write(const char *path, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, EIO, ET_EXIT_OUTSIDE, "%s: the store could not be written", path),
		"a quota, a limit of file sizes (ulimit -f) or a failing disk; "
		"what was kept before is safe");
}

static int fail_opening(sqlite3 *db, const char *path, struct et_error *err)
{
	int errnum = sqlite3_system_errno(db);

	return et_hint(err,
		et_fail_errno(err, errnum ? errnum : EACCES, ET_EXIT_OUTSIDE,
			"%s: the store cannot be opened", path),
		"its folder must be writable, too; --store or ETALON_STORE name another place");
}

int et_sqlite_fail(sqlite3 *db, const char *path, int rc, struct et_error *err)
{
	switch (rc & 0xff) {
	case SQLITE_FULL:
		return fail_full(path, err);
	case SQLITE_READONLY:
		return et_hint(err,
			et_fail(err, EROFS, ET_EXIT_OUTSIDE, "%s: the store is read-only", path),
			"name one that can be written with --store or ETALON_STORE");
	case SQLITE_CANTOPEN:
		return fail_opening(db, path, err);
	case SQLITE_NOTADB:
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_OUTSIDE, "%s: not an etalon store", path),
			"name another file with --store or ETALON_STORE");
	case SQLITE_CORRUPT:
		return et_hint(err,
			et_fail(err, EBADMSG, ET_EXIT_OUTSIDE, "%s: the store is damaged: %s", path,
				sqlite3_errmsg(db)),
			"sqlite3 '%s' .recover | sqlite3 saved.db saves what can be read", path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return et_hint(err,
			et_fail(err, EBUSY, ET_EXIT_OUTSIDE,
				"%s: another program keeps the store locked", path),
			"fuser '%s' shows which", path);
	case SQLITE_CONSTRAINT:
		return et_fail(err, EEXIST, ET_EXIT_OUTSIDE, "%s: %s", path, sqlite3_errmsg(db));
	case SQLITE_IOERR:
		if (rc == SQLITE_IOERR_WRITE)
			return fail_write(path, err);
		break;
	}
	return et_fail(err, EIO, ET_EXIT_OUTSIDE, "%s: %s", path, sqlite3_errmsg(db));
}

bool et_sqlite_copy_id(char id[40], const char *text)
{
	return text && snprintf(id, 40, "%s", text) < 40;
}

void et_bind_int(struct et_cursor *c, int64_t value)
{
	sqlite3_bind_int64(c->stmt, ++c->at, value);
}

void et_bind_text(struct et_cursor *c, const char *text)
{
	/* A NULL pointer binds NULL. */
	sqlite3_bind_text(c->stmt, ++c->at, text, -1, SQLITE_STATIC);
}

void et_bind_fields(struct et_cursor *c, const struct et_field *fields, const void *base)
{
	for (const struct et_field *f = fields; f->name; f++) {
		switch (f->kind) {
		case ET_FIELD_DOUBLE:
			sqlite3_bind_double(c->stmt, ++c->at, et_field_double(f, base));
			break;
		case ET_FIELD_ENUM:
		case ET_FIELD_STRING:
		case ET_FIELD_CHARS:
			et_bind_text(
				c, et_field_is_missing(f, base) ? NULL : et_field_text(f, base));
			break;
		default:
			if (et_field_is_missing(f, base))
				c->at++;
			else
				et_bind_int(c, et_field_int(f, base));
		}
	}
}

/* The text of a column, or NULL when it is no text, or one longer than any of ours. */
static const char *sane_text(sqlite3_stmt *st, int column)
{
	if (sqlite3_column_type(st, column) != SQLITE_TEXT ||
		sqlite3_column_bytes(st, column) > MOST_TEXT)
		return NULL;
	return (const char *)sqlite3_column_text(st, column);
}

static bool row_field(sqlite3_stmt *st, int column, const struct et_field *f, void *base)
{
	const char *text;

	switch (sqlite3_column_type(st, column)) {
	case SQLITE_NULL:
		et_field_set_missing(f, base);
		return true;
	case SQLITE_INTEGER:
		return et_field_set_int(f, base, sqlite3_column_int64(st, column));
	case SQLITE_FLOAT:
		return et_field_set_double(f, base, sqlite3_column_double(st, column));
	case SQLITE_TEXT:
		text = sane_text(st, column);
		return text && et_field_set_text(f, base, text);
	default:
		return false;
	}
}

const struct et_field *et_row_fields(struct et_cursor *c, const struct et_field *fields, void *base)
{
	for (const struct et_field *f = fields; f->name; f++) {
		if (!row_field(c->stmt, c->at++, f, base))
			return f;
	}
	return NULL;
}

bool et_row_int(struct et_cursor *c, int64_t lo, int64_t hi, int64_t *out)
{
	int column = c->at++;
	int64_t value = sqlite3_column_int64(c->stmt, column);

	if (sqlite3_column_type(c->stmt, column) != SQLITE_INTEGER || value < lo || value > hi)
		return false;
	*out = value;
	return true;
}

bool et_row_text(struct et_cursor *c, char **out)
{
	int column = c->at++;

	if (sqlite3_column_type(c->stmt, column) == SQLITE_NULL) {
		*out = NULL;
		return true;
	}
	const char *text = sane_text(c->stmt, column);
	if (!text)
		return false;
	*out = et_strdup(text);
	return true;
}
