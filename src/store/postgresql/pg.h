/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PostgreSQL back end. Private to this folder and its tests. */
#pragma once

#include "store/core/backend.h"
#include "store/postgresql/text.h"

#include <libpq-fe.h>

/*
 * libpq is loaded when the first store in PostgreSQL is opened. It brings twenty other libraries,
 * and linking it would cost every start of etalon 5 ms, also that of the built-in programs which
 * others measure. A function of libpq that is not listed here does not link; none that waits for
 * the server is listed (see store/postgresql/wait.c).
 */
/* clang-format off */
#define ET_PQ_FUNCTIONS(X) \
	X(PQclear) X(PQcmdStatus) X(PQcmdTuples) X(PQconnectPoll) X(PQconnectStartParams) \
	X(PQconnectionNeedsPassword) X(PQconninfo) X(PQconninfoFree) X(PQconninfoParse) \
	X(PQconsumeInput) X(PQdb) X(PQerrorMessage) X(PQfinish) X(PQflush) X(PQfreemem) \
	X(PQftype) X(PQgetResult) X(PQgetisnull) X(PQgetlength) X(PQgetvalue) X(PQhost) \
	X(PQhostaddr) X(PQisBusy) X(PQlibVersion) X(PQnfields) X(PQnotifies) X(PQntuples) \
	X(PQparameterStatus) X(PQport) X(PQputCopyData) X(PQputCopyEnd) X(PQresultErrorField) \
	X(PQresultMemorySize) X(PQresultStatus) X(PQsendPrepare) X(PQsendQuery) \
	X(PQsendQueryParams) X(PQsendQueryPrepared) X(PQserverVersion) X(PQsetErrorVerbosity) \
	X(PQsetNoticeProcessor) X(PQsetnonblocking) X(PQsocket) X(PQstatus) \
	X(PQtransactionStatus) X(PQuser)
/* clang-format on */

#define ET_PQ_MEMBER(function) __typeof__(function) *function;
struct et_pq {
	ET_PQ_FUNCTIONS(ET_PQ_MEMBER)
};
#undef ET_PQ_MEMBER

/* The functions, as the dynamic linker would have filled them in: et_pq.PQclear(result). */
extern struct et_pq et_pq;

/* The oldest server that has all that the statements use. */
enum { ET_PG_OLDEST = 120000 };

/* Why the connection cannot be used any more, although libpq takes it for good. */
enum et_pg_end {
	ET_PG_USABLE,
	ET_PG_SILENT,      /* the server did not answer in time */
	ET_PG_SLOW,        /* it answered a few bytes at a time */
	ET_PG_TOO_MUCH,    /* it sent more than any answer has */
	ET_PG_TOO_LONG,    /* it answered without an end */
	ET_PG_HELD,        /* it made a login last that libpq does not interrupt */
	ET_PG_INTERRUPTED, /* a signal asked etalon to end */
};

struct et_pg {
	struct et_database base;
	PGconn *conn;
	struct et_patience patience;
	enum et_pg_end end;
	int signal;           /* that interrupted */
	uint64_t sent;        /* bytes of rows, in this transaction */
	char *name;           /* the URL without passwords, for messages */
	bool open;            /* a transaction is open */
	unsigned transaction; /* counts transactions: a cursor ends with its own */
	unsigned names;       /* counts the names of statements and cursors */
	enum et_store_mode mode;
	bool migrating; /* the open transaction changes the schema */
	bool claimed;
	int64_t claim; /* the key of the advisory lock */
};

/* The result of a statement, and what a caller has bound. */
struct et_pg_statement {
	struct et_statement base;
	char *sql, name[24], rows[24]; /* rows: the name of its cursor */
	bool many;                     /* its rows are read in parts, by a cursor */
	bool copies;                   /* its steps are rows of COPY */
	bool done;                     /* it has been executed since the last reset */
	bool cursor;                   /* the rest of its rows is to be fetched */
	unsigned transaction;          /* of the cursor */
	int chunk;                     /* rows to fetch next */
	int executions; /* without a cursor; those from some number on are prepared */
	struct et_value *values;
	size_t n_values, room;
	PGresult *result;
	int row;      /* in the result */
	char **texts; /* decoded texts of this row */
	size_t n_texts, texts_room;
	struct et_pg_copy *copy;
};

static inline struct et_pg *et_pg_of(struct et_database *db)
{
	return (struct et_pg *)db;
}

static inline struct et_pg_statement *et_pg_statement_of(struct et_statement *st)
{
	return (struct et_pg_statement *)st;
}

/* In store/postgresql/database.c; these are operations that other files have or need. */
extern const struct et_database_ops et_pg_ops;
void et_pg_finalize(struct et_statement *st);
int et_pg_script(struct et_database *db, const char *sql, struct et_error *err) ET_CHECK;
void et_pg_rollback(struct et_database *db);
int et_pg_copy_begin(struct et_database *db, const char *table, const char *columns,
	struct et_statement **out, struct et_error *err) ET_CHECK;
int et_pg_copy_row(struct et_pg_statement *st, struct et_error *err) ET_CHECK;
int et_pg_copy_end(struct et_statement *st, struct et_error *err) ET_CHECK;
void et_pg_copy_cancel(struct et_pg_statement *st);

int et_pg_begin_migration(struct et_database *db, struct et_error *err) ET_CHECK;
int et_pg_read_version(struct et_database *db, int64_t *version, struct et_error *err) ET_CHECK;
int et_pg_write_version(struct et_database *db, int version, struct et_error *err) ET_CHECK;
int et_pg_claim(struct et_database *db, const char *id, struct et_error *err) ET_CHECK;
void et_pg_release(struct et_database *db);

/*
 * Waiting, in store/postgresql/wait.c. Connects as PQconnectdbParams does, with the URL in the
 * place of the database's name; false if that fails.
 */
bool et_pg_connect(struct et_pg *s, const char *const *names, const char *const *values) ET_CHECK;
/*
 * Waits for the answer to what a function PQsend… has queued, which returned 1, and returns the
 * last result, or the first that failed. NULL: the connection failed; et_pg_fail says why.
 */
PGresult *et_pg_result(struct et_pg *s, int queued) ET_CHECK;
/* Executes statements without parameters, as PQexec does. */
PGresult *et_pg_query(struct et_pg *s, const char *sql) ET_CHECK;
/* Sends rows of a COPY; false if the connection failed. Ends it: with a message, it fails. */
bool et_pg_put(struct et_pg *s, const char *bytes, size_t n) ET_CHECK;
PGresult *et_pg_put_end(struct et_pg *s, const char *message) ET_CHECK;
/* How long the server may be silent, and how long an answer may take in all. */
unsigned et_pg_silence_s(const struct et_pg *s);
unsigned et_pg_answer_s(const struct et_pg *s);

/* Executes statements and reads the number in the first column of the first row, if there is one.
 */
int et_pg_read_int(struct et_pg *s, const char *sql, int64_t *out, struct et_error *err) ET_CHECK;

/*
 * Fills err from a failed result (NULL: the connection failed), rolls back the transaction, and
 * returns -errno.
 */
int et_pg_fail(struct et_pg *s, const PGresult *result, struct et_error *err) ET_CHECK;
/* The same for a connection that could not be made. */
int et_pg_fail_connecting(struct et_pg *s, struct et_error *err) ET_CHECK;
/* Makes one line of a message of libpq or of the server. The caller frees it. */
char *et_pg_one_line(const char *message);
