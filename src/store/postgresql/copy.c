/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds many rows by COPY in the binary format (PostgreSQL's documentation, COPY, "Binary Format").
 */
#include "store/postgresql/pg.h"

enum { FLUSH_BYTES = 64 << 10 };
enum { OID_BYTEA = 17, OID_INT8 = 20, OID_FLOAT8 = 701 };

struct et_pg_copy {
	Oid *types; /* of the columns */
	int n;
	char *bytes; /* of rows that have not been sent */
	size_t size, room;
};

static char *make_room(struct et_pg_copy *c, size_t more)
{
	if (c->size + more > c->room) {
		c->room = 2 * (c->size + more);
		c->bytes = et_realloc(c->bytes, c->room, 1);
	}
	c->size += more;
	return c->bytes + c->size - more;
}

static void put_bytes(struct et_pg_copy *c, const char *bytes, size_t n)
{
	if (n)
		memcpy(make_room(c, n), bytes, n);
}

static void put_number(struct et_pg_copy *c, uint64_t value, int n)
{
	char *p = make_room(c, (size_t)n);

	for (int i = n; i--; value >>= 8)
		p[i] = (char)value;
}

static void put_double(struct et_pg_copy *c, double value)
{
	uint64_t raw;

	memcpy(&raw, &value, sizeof(raw));
	put_number(c, 8, 4);
	put_number(c, raw, 8);
}

static void put_text(struct et_pg_copy *c, const char *text)
{
	ET_AUTO_FREE char *encoded = et_pg_encode(text);
	const char *bytes = encoded ? encoded : text;

	put_number(c, strlen(bytes), 4);
	put_bytes(c, bytes, strlen(bytes));
}

/* Each value must have the type of its column, which the format does not convert. */
static bool put_value(struct et_pg_copy *c, Oid type, const struct et_value *value)
{
	switch (value->kind) {
	case ET_VALUE_NULL:
		put_number(c, UINT32_MAX, 4);
		return true;
	case ET_VALUE_INT:
		if (type == OID_FLOAT8) {
			put_double(c, (double)value->integer);
			return true;
		}
		put_number(c, 8, 4);
		put_number(c, (uint64_t)value->integer, 8);
		return type == OID_INT8;
	case ET_VALUE_REAL:
		put_double(c, value->real);
		return type == OID_FLOAT8;
	case ET_VALUE_TEXT:
		put_text(c, value->bytes);
		return type != OID_INT8 && type != OID_FLOAT8 && type != OID_BYTEA;
	case ET_VALUE_BLOB:
		put_number(c, value->size, 4);
		put_bytes(c, value->bytes, value->size);
		return type == OID_BYTEA;
	}
	return false;
}

static int flush(struct et_pg_statement *st, struct et_error *err)
{
	struct et_pg *s = et_pg_of(st->base.db);
	bool sent = et_pg_put(s, st->copy->bytes, st->copy->size);

	st->copy->size = 0;
	return sent ? 0 : et_pg_fail(s, NULL, err);
}

int et_pg_copy_row(struct et_pg_statement *st, struct et_error *err)
{
	struct et_pg_copy *c = st->copy;
	bool good = st->n_values == (size_t)c->n;

	put_number(c, (uint64_t)c->n, 2);
	for (int i = 0; good && i < c->n; i++)
		good = put_value(c, c->types[i], &st->values[i]);
	if (!good)
		return et_fail_hint(err, EINVAL, ET_EXIT_OUTSIDE,
			"the tables of the store were changed by hand, or this is a defect of "
			"etalon",
			"%s: a value has another type than its column", st->base.db->name);
	return c->size < FLUSH_BYTES ? 0 : flush(st, err);
}

/* Asks for the types of the columns. */
static int describe(struct et_pg *s, const char *table, const char *columns, struct et_pg_copy *c,
	struct et_error *err)
{
	ET_AUTO_FREE char *sql = et_asprintf("SELECT %s FROM %s LIMIT 0", columns, table);
	PGresult *result = et_pg_query(s, sql);
	int rc = et_pq.PQresultStatus(result) == PGRES_TUPLES_OK ? 0 : et_pg_fail(s, result, err);

	if (rc == 0) {
		c->n = et_pq.PQnfields(result);
		c->types = et_calloc((size_t)c->n, sizeof(*c->types));
		for (int i = 0; i < c->n; i++)
			c->types[i] = et_pq.PQftype(result, i);
	}
	et_pq.PQclear(result);
	return rc;
}

static int start(struct et_pg *s, const char *table, const char *columns, struct et_error *err)
{
	ET_AUTO_FREE char *sql =
		et_asprintf("COPY %s (%s) FROM STDIN (FORMAT binary)", table, columns);
	PGresult *result = et_pg_query(s, sql);
	int rc = et_pq.PQresultStatus(result) == PGRES_COPY_IN ? 0 : et_pg_fail(s, result, err);

	et_pq.PQclear(result);
	return rc;
}

int et_pg_copy_begin(struct et_database *db, const char *table, const char *columns,
	struct et_statement **out, struct et_error *err)
{
	static const char header[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0"; /* and its NUL */
	struct et_pg *s = et_pg_of(db);
	struct et_pg_copy *c = et_calloc(1, sizeof(*c));
	int rc = describe(s, table, columns, c, err);

	if (rc == 0)
		rc = start(s, table, columns, err);
	if (rc) {
		free(c->types);
		free(c);
		return rc;
	}
	put_bytes(c, header, sizeof(header));
	struct et_pg_statement *st = et_calloc(1, sizeof(*st));
	st->base.db = db;
	st->copies = true;
	st->copy = c;
	*out = &st->base;
	return 0;
}

/* Ends COPY on the connection: with an error message, nothing is added. */
static int end(struct et_pg_statement *st, const char *message, struct et_error *err)
{
	struct et_pg *s = et_pg_of(st->base.db);
	PGresult *result = et_pg_put_end(s, message);
	int rc = et_pq.PQresultStatus(result) == PGRES_COMMAND_OK ? 0 : et_pg_fail(s, result, err);

	et_pq.PQclear(result);
	if (rc && s->open)
		et_pg_rollback(st->base.db);
	return rc;
}

static void free_copy(struct et_pg_statement *st)
{
	free(st->copy->types);
	free(st->copy->bytes);
	free(st->copy);
	st->copy = NULL;
	st->copies = false;
}

void et_pg_copy_cancel(struct et_pg_statement *st)
{
	(void)!end(st, "etalon ended it", NULL);
	free_copy(st);
}

int et_pg_copy_end(struct et_statement *base, struct et_error *err)
{
	struct et_pg_statement *st = et_pg_statement_of(base);

	put_number(st->copy, UINT16_MAX, 2);
	int rc = flush(st, err);
	int ended = end(st, rc ? "etalon ended it" : NULL, rc ? NULL : err);
	free_copy(st);
	et_pg_finalize(base);
	return rc ? rc : ended;
}
