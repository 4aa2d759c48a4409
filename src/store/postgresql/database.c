/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements and transactions of PostgreSQL. Opening the connection is in store/postgresql/open.c.
 */
#include "store/postgresql/pg.h"

/* A part of many rows should have about this many bytes. */
enum { PART_BYTES = 1 << 20, FIRST_ROWS = 256, MOST_ROWS = 8192 };

/* A statement that is executed this often is worth preparing. */
enum { OFTEN = 3 };

/* The types of columns that our statements return: OIDs of pg_type.dat, which never change. */
enum {
	OID_BOOL = 16,
	OID_BYTEA = 17,
	OID_INT8 = 20,
	OID_INT2 = 21,
	OID_INT4 = 23,
	OID_FLOAT4 = 700,
	OID_FLOAT8 = 701,
	OID_NUMERIC = 1700,
};

/* --- parameters --- */

/*
 * Costs no message: most statements are executed once or twice, and then preparing them would
 * double the number of round trips. A mistake is reported by the first step.
 */
static int prepare(struct et_database *db, const char *sql, struct et_statement **out,
	ET_UNUSED struct et_error *err)
{
	struct et_pg *s = et_pg_of(db);
	struct et_pg_statement *st = et_calloc(1, sizeof(*st));

	st->base.db = db;
	st->many = !strncmp(sql, ET_SQL_MANY, strlen(ET_SQL_MANY));
	st->sql = et_strdup(sql);
	snprintf(st->name, sizeof(st->name), "et_%u", ++s->names);
	*out = &st->base;
	return 0;
}

static void bind(struct et_statement *base, int at, const struct et_value *value)
{
	struct et_pg_statement *st = et_pg_statement_of(base);

	while (st->n_values <= (size_t)at) {
		ET_GROW(st->values, st->n_values, st->room);
		st->values[st->n_values++] = (struct et_value){ .kind = ET_VALUE_NULL };
	}
	st->values[at] = *value;
}

/* The parameters as libpq takes them. Numbers are texts, which fit columns of any type. */
struct parameters {
	const char **values;
	int *lengths, *formats;
	char **made; /* texts to be freed */
	size_t n;
};

static char *text_of(const struct et_value *value)
{
	if (value->kind == ET_VALUE_INT)
		return et_asprintf("%" PRId64, value->integer);
	if (value->kind == ET_VALUE_REAL)
		return isfinite(value->real) ? et_asprintf("%.17g", value->real)
		       : isnan(value->real)  ? et_strdup("NaN")
					    : et_strdup(value->real > 0 ? "Infinity" : "-Infinity");
	return value->kind == ET_VALUE_TEXT ? et_pg_encode(value->bytes) : NULL;
}

static struct parameters parameters_of(const struct et_pg_statement *st)
{
	size_t n = st->n_values, room = n ? n : 1;
	struct parameters p = { .values = et_calloc(room, sizeof(*p.values)),
		.lengths = et_calloc(room, sizeof(*p.lengths)),
		.formats = et_calloc(room, sizeof(*p.formats)),
		.made = et_calloc(room, sizeof(*p.made)),
		.n = n };

	for (size_t i = 0; i < n; i++) {
		const struct et_value *value = &st->values[i];

		p.made[i] = text_of(value);
		p.values[i] = p.made[i];
		if (!p.made[i] && value->kind == ET_VALUE_TEXT)
			p.values[i] = value->bytes;
		if (value->kind == ET_VALUE_BLOB) {
			p.values[i] = value->bytes ? value->bytes : "";
			p.lengths[i] = (int)value->size;
			p.formats[i] = 1;
		}
	}
	return p;
}

static void free_parameters(struct parameters *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->made[i]);
	free(p->made);
	free(p->values);
	free(p->lengths);
	free(p->formats);
}

/* --- execution --- */

static bool succeeded(const PGresult *result)
{
	ExecStatusType status = et_pq.PQresultStatus(result);

	return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

static int take_result(struct et_pg_statement *st, PGresult *result, struct et_error *err)
{
	et_pq.PQclear(st->result);
	st->result = result;
	st->row = -1;
	if (succeeded(result))
		return 0;
	st->cursor = false;
	return et_pg_fail(et_pg_of(st->base.db), result, err);
}

/*
 * Several statements are read in turn, so that libpq's single-row mode cannot be used. A cursor is
 * closed with its transaction, without a message of its own; so it gets a new name each time.
 */
static int open_cursor(struct et_pg_statement *st, struct et_error *err)
{
	struct et_pg *s = et_pg_of(st->base.db);

	snprintf(st->rows, sizeof(st->rows), "et_%u", ++s->names);
	ET_AUTO_FREE char *sql =
		et_asprintf("DECLARE %s NO SCROLL CURSOR FOR %s", st->rows, st->sql);
	struct parameters p = parameters_of(st);
	int rc = take_result(st,
		et_pg_result(s, et_pq.PQsendQueryParams(s->conn, sql, (int)p.n, NULL, p.values,
					p.lengths, p.formats, 1)),
		err);

	free_parameters(&p);
	st->cursor = rc == 0;
	st->transaction = s->transaction;
	st->chunk = FIRST_ROWS;
	return rc;
}

static int fetch(struct et_pg_statement *st, struct et_error *err)
{
	struct et_pg *s = et_pg_of(st->base.db);
	char sql[80];

	if (st->transaction != s->transaction || !s->open)
		return et_fail(err, ECANCELED, ET_EXIT_OUTSIDE,
			"%s: the transaction ended before all rows were read", s->name);
	snprintf(sql, sizeof(sql), "FETCH %d FROM %s", st->chunk, st->rows);
	int rc = take_result(st,
		et_pg_result(
			s, et_pq.PQsendQueryParams(s->conn, sql, 0, NULL, NULL, NULL, NULL, 1)),
		err);
	if (rc)
		return rc;
	int n = et_pq.PQntuples(st->result);
	if (n < st->chunk)
		st->cursor = false; /* these were the last */
	size_t bytes = n ? et_pq.PQresultMemorySize(st->result) / (size_t)n : 1;
	size_t rows = PART_BYTES / (bytes ? bytes : 1);
	st->chunk = rows < 1 ? 1 : rows > MOST_ROWS ? MOST_ROWS : (int)rows;
	return 0;
}

static int execute(struct et_pg_statement *st, struct et_error *err)
{
	struct et_pg *s = et_pg_of(st->base.db);

	st->done = true;
	if (st->many && s->open)
		return open_cursor(st, err);
	if (++st->executions == OFTEN) {
		int rc = take_result(st,
			et_pg_result(s, et_pq.PQsendPrepare(s->conn, st->name, st->sql, 0, NULL)),
			err);
		if (rc) {
			st->executions = 0;
			return rc;
		}
	}
	struct parameters p = parameters_of(st);
	int queued = st->executions < OFTEN ? et_pq.PQsendQueryParams(s->conn, st->sql, (int)p.n,
						      NULL, p.values, p.lengths, p.formats, 1)
					    : et_pq.PQsendQueryPrepared(s->conn, st->name, (int)p.n,
						      p.values, p.lengths, p.formats, 1);
	PGresult *result = et_pg_result(s, queued);
	free_parameters(&p);
	return take_result(st, result, err);
}

static void forget_texts(struct et_pg_statement *st)
{
	for (size_t i = 0; i < st->n_texts; i++)
		free(st->texts[i]);
	st->n_texts = 0;
}

static int step(struct et_statement *base, struct et_error *err)
{
	struct et_pg_statement *st = et_pg_statement_of(base);
	int rc = 0;

	forget_texts(st);
	if (st->copies)
		return et_pg_copy_row(st, err);
	if (!st->done)
		rc = execute(st, err);
	st->row++;
	if (rc == 0 && st->row >= et_pq.PQntuples(st->result) && st->cursor) {
		rc = fetch(st, err);
		st->row = 0;
	}
	return rc ? rc : st->row < et_pq.PQntuples(st->result);
}

static int64_t changes(struct et_statement *base)
{
	const char *text = et_pq.PQcmdTuples(et_pg_statement_of(base)->result);

	return strtoll(text, NULL, 10);
}

static void reset(struct et_statement *base)
{
	struct et_pg_statement *st = et_pg_statement_of(base);

	forget_texts(st);
	et_pq.PQclear(st->result);
	st->result = NULL;
	st->n_values = 0;
	st->done = st->cursor = false;
	st->transaction = 0;
}

void et_pg_finalize(struct et_statement *base)
{
	struct et_pg_statement *st = et_pg_statement_of(base);

	if (!st)
		return;
	if (st->copies)
		et_pg_copy_cancel(st);
	reset(base);
	free(st->texts);
	free(st->values);
	free(st->sql);
	free(st);
}

/* --- columns --- */

static uint64_t read_big_endian(const char *p, int n)
{
	uint64_t value = 0;

	for (int i = 0; i < n; i++)
		value = value << 8 | (unsigned char)p[i];
	return value;
}

/* A numeric, which sum() of large integers returns: digits to the base of 10,000. */
static void read_numeric(const char *p, int size, struct et_value *value)
{
	int n = size < 8 ? 0 : (int)read_big_endian(p, 2);

	if (size != 8 + 2 * n)
		return;
	int weight = (int16_t)read_big_endian(p + 2, 2);
	bool negative = read_big_endian(p + 4, 2) == 0x4000;
	double real = 0;
	int64_t whole = 0;

	for (int i = 0; i < n; i++) {
		int digit = (int)read_big_endian(p + 8 + 2 * i, 2);
		real += digit * pow(10000, weight - i);
	}
	value->kind = ET_VALUE_REAL;
	value->real = negative ? -real : real;
	if (weight > 3 || n > weight + 1)
		return;
	for (int i = 0; i <= weight; i++)
		whole = whole * 10000 + (i < n ? (int)read_big_endian(p + 8 + 2 * i, 2) : 0);
	value->kind = ET_VALUE_INT;
	value->integer = negative ? -whole : whole;
}

static void read_text(
	struct et_pg_statement *st, const char *bytes, size_t size, struct et_value *value)
{
	char *decoded = et_pg_decode(bytes, &size);

	if (decoded) {
		ET_GROW(st->texts, st->n_texts, st->texts_room);
		st->texts[st->n_texts++] = decoded;
	}
	value->kind = ET_VALUE_TEXT;
	value->bytes = decoded ? decoded : bytes;
	value->size = size;
}

static void read_int(const char *bytes, int size, struct et_value *value)
{
	if (size > 8)
		return;
	uint64_t raw = read_big_endian(bytes, size);

	value->kind = ET_VALUE_INT;
	value->integer = size == 8   ? (int64_t)raw
			 : size == 4 ? (int32_t)raw
			 : size == 2 ? (int16_t)raw
				     : (int64_t)raw;
}

static void read_real(const char *bytes, int size, struct et_value *value)
{
	uint64_t raw = read_big_endian(bytes, size == 8 || size == 4 ? size : 0);
	float single;

	if (size != 8 && size != 4)
		return;
	value->kind = ET_VALUE_REAL;
	memcpy(&single, &(uint32_t){ (uint32_t)raw }, sizeof(single));
	value->real = (double)single;
	if (size == 8)
		memcpy(&value->real, &raw, sizeof(raw));
}

/* A server that lies about the size of a value gets NULL for it. */
static void column(struct et_statement *base, int at, struct et_value *value)
{
	struct et_pg_statement *st = et_pg_statement_of(base);

	value->kind = ET_VALUE_NULL;
	if (et_pq.PQgetisnull(st->result, st->row, at))
		return;
	const char *bytes = et_pq.PQgetvalue(st->result, st->row, at);
	int size = et_pq.PQgetlength(st->result, st->row, at);
	switch (et_pq.PQftype(st->result, at)) {
	case OID_BOOL:
	case OID_INT2:
	case OID_INT4:
	case OID_INT8:
		read_int(bytes, size, value);
		return;
	case OID_FLOAT4:
	case OID_FLOAT8:
		read_real(bytes, size, value);
		return;
	case OID_NUMERIC:
		read_numeric(bytes, size, value);
		return;
	case OID_BYTEA:
		value->kind = ET_VALUE_BLOB;
		value->bytes = bytes;
		value->size = (size_t)size;
		return;
	default:
		read_text(st, bytes, (size_t)size, value);
	}
}

/* --- scripts and transactions --- */

int et_pg_script(struct et_database *db, const char *sql, struct et_error *err)
{
	struct et_pg *s = et_pg_of(db);
	PGresult *result = et_pg_query(s, sql);
	int rc = succeeded(result) ? 0 : et_pg_fail(s, result, err);

	et_pq.PQclear(result);
	return rc;
}

int et_pg_read_int(struct et_pg *s, const char *sql, int64_t *out, struct et_error *err)
{
	PGresult *result = et_pg_query(s, sql);
	int rc = succeeded(result) ? 0 : et_pg_fail(s, result, err);

	if (rc == 0 && et_pq.PQntuples(result) && !et_pq.PQgetisnull(result, 0, 0))
		*out = strtoll(et_pq.PQgetvalue(result, 0, 0), NULL, 10);
	et_pq.PQclear(result);
	return rc;
}

/*
 * A writer locks the rows that it changes: writers of different experiments do not wait for each
 * other.
 */
static int begin(struct et_database *db, enum et_transaction kind, struct et_error *err)
{
	struct et_pg *s = et_pg_of(db);
	int rc = et_pg_script(db,
		kind == ET_TRANSACTION_WRITE ? "BEGIN ISOLATION LEVEL READ COMMITTED"
					     : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
		err);

	s->open = rc == 0;
	s->transaction += rc == 0;
	s->sent = 0;
	return rc;
}

/* A COMMIT of a transaction that the server has ended answers ROLLBACK, without an error. */
static int commit(struct et_database *db, struct et_error *err)
{
	struct et_pg *s = et_pg_of(db);
	PGresult *result = et_pg_query(s, "COMMIT");
	int rc = 0;

	if (!succeeded(result))
		rc = et_pg_fail(s, result, err);
	else if (strcmp(et_pq.PQcmdStatus(result), "COMMIT"))
		rc = et_fail(err, EIO, ET_EXIT_OUTSIDE,
			"%s: the server rolled the transaction back", s->name);
	et_pq.PQclear(result);
	s->open = s->migrating = false;
	return rc;
}

void et_pg_rollback(struct et_database *db)
{
	struct et_pg *s = et_pg_of(db);

	if (s->open && et_pq.PQstatus(s->conn) == CONNECTION_OK)
		et_pq.PQclear(et_pg_query(s, "ROLLBACK"));
	s->open = s->migrating = false;
}

static bool in_transaction(struct et_database *db)
{
	return et_pg_of(db)->open;
}

/* --- the back end --- */

static void close_pg(struct et_database *db)
{
	struct et_pg *s = et_pg_of(db);

	et_pq.PQfinish(
		s->conn); /* ends the session: a transaction is rolled back, a lock released */
	free(s->name);
	free(s);
}

const struct et_database_ops et_pg_ops = {
	.dialect = &et_pg_dialect,
	.close = close_pg,
	.prepare = prepare,
	.bind = bind,
	.step = step,
	.column = column,
	.changes = changes,
	.reset = reset,
	.finalize = et_pg_finalize,
	.script = et_pg_script,
	.begin = begin,
	.commit = commit,
	.rollback = et_pg_rollback,
	.in_transaction = in_transaction,
	.copy_begin = et_pg_copy_begin,
	.copy_end = et_pg_copy_end,
	.begin_migration = et_pg_begin_migration,
	.read_version = et_pg_read_version,
	.write_version = et_pg_write_version,
	.claim = et_pg_claim,
	.release = et_pg_release,
};
