/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interface between the store and a database. store.c picks a back end by the URL; sql.c,
 * schema.c, read.c and write.c state in SQL what is kept and reach the database through this
 * interface only. A back end translates values, transactions and errors of its library. It knows
 * nothing about samples. Functions that return an int return 0 or -errno with err filled, unless
 * stated otherwise. Private to src/store.
 */
#pragma once

#include "store/core/sql.h"
#include "store/core/store.h"

enum et_value_kind {
	ET_VALUE_NULL,
	ET_VALUE_INT,
	ET_VALUE_REAL,
	ET_VALUE_TEXT,
	ET_VALUE_BLOB,
};

/* A value on its way into a parameter or out of a column. It does not own its bytes. */
struct et_value {
	enum et_value_kind kind;
	union {
		int64_t integer;
		double real;
		const char *bytes; /* of a text, which a NUL ends, or of a blob */
	};
	size_t size; /* of a blob, or of a text that was read, without its NUL */
};

enum et_transaction {
	ET_TRANSACTION_READ,  /* all reads see the store as it was at one moment */
	ET_TRANSACTION_WRITE, /* other writers wait until it ends */
};

/* A back end's own structs for a database and for a statement begin with these. */
struct et_database {
	const struct et_database_ops *ops;
	const char *name; /* for error messages: the path, or the address of the server */
	bool shared;      /* other users may have written to it */
	bool central;     /* as its back end is; et_store_open sets it */
};

struct et_statement {
	struct et_database *db;
};

struct et_database_ops {
	const struct et_dialect *dialect;
	/* Rolls back an open transaction, releases a claim and frees db. */
	void (*close)(struct et_database *db);

	int (*prepare)(struct et_database *db, const char *sql, struct et_statement **out,
		struct et_error *err) ET_CHECK;
	/*
	 * Parameters and columns are numbered from 0. The bytes of a value that is bound must stay
	 * valid until the last step. If binding fails, the next step reports it.
	 */
	void (*bind)(struct et_statement *st, int at, const struct et_value *value);
	/* Returns 1 with a row, 0 after the last row, or -errno. */
	int (*step)(struct et_statement *st, struct et_error *err) ET_CHECK;
	/* Reads a column of the row. Its bytes are valid until the next step or reset. */
	void (*column)(struct et_statement *st, int at, struct et_value *value);
	/* Returns the number of rows that the last INSERT, UPDATE or DELETE changed. */
	int64_t (*changes)(struct et_statement *st);
	/* Ends the execution and unbinds all parameters: the statement can be used again. */
	void (*reset)(struct et_statement *st);
	void (*finalize)(struct et_statement *st); /* NULL is fine */
	/* Executes several statements that have no parameters. */
	int (*script)(struct et_database *db, const char *sql, struct et_error *err) ET_CHECK;

	int (*begin)(
		struct et_database *db, enum et_transaction kind, struct et_error *err) ET_CHECK;
	int (*commit)(struct et_database *db, struct et_error *err) ET_CHECK;
	void (*rollback)(struct et_database *db);
	/*
	 * Whether a transaction is open. A database that cannot continue a transaction after an
	 * error rolls it back at once; this returns false from then on.
	 */
	bool (*in_transaction)(struct et_database *db);

	/*
	 * Adds many rows to a table quickly: each step of the statement adds the row that is bound.
	 * No other statement can be executed until copy_end, which frees the statement and returns
	 * what failed; finalize cancels it. The columns are separated by commas. A row that is
	 * there already fails the transaction. NULL: the database has nothing quicker than INSERT.
	 */
	int (*copy_begin)(struct et_database *db, const char *table, const char *columns,
		struct et_statement **out, struct et_error *err) ET_CHECK;
	int (*copy_end)(struct et_statement *st, struct et_error *err) ET_CHECK;

	/*
	 * The first operation of a transaction that changes the schema: waits for others that do
	 * so. NULL: begin has done so.
	 */
	int (*begin_migration)(struct et_database *db, struct et_error *err) ET_CHECK;
	/* The version of the schema: 0 if the database is empty. Fails if it is not a store. */
	int (*read_version)(
		struct et_database *db, int64_t *version, struct et_error *err) ET_CHECK;
	int (*write_version)(struct et_database *db, int version, struct et_error *err) ET_CHECK;

	/*
	 * Locks an experiment, as et_store_claim promises, but does not wait: returns 1 if another
	 * has the lock. release is et_store_release.
	 */
	int (*claim)(struct et_database *db, const char *id, struct et_error *err) ET_CHECK;
	void (*release)(struct et_database *db);
};

/* One row per kind of store, in the table of store.c. */
struct et_backend {
	const char *name;
	const char *const *schemes; /* how its URLs begin; NULL ends the list */
	/* On a server, for many users: its owner migrates it, and runs are put into a spool. */
	bool central;
	/* Returns a URL without its passwords, which the caller frees. NULL: no URL has any. */
	char *(*without_secrets)(const char *url);
	/* Returns the version of its library. NULL: this build has no such back end. */
	const char *(*version)(void);
	/* rest is the URL without the scheme. The caller migrates the schema afterwards. */
	int (*open)(const char *rest, enum et_store_mode mode, const struct et_patience *patience,
		struct et_database **out, struct et_error *err) ET_CHECK;
};

/* The tables of a store, and the migration of older stores: schema.c. */
struct et_schema {
	const char *const *steps; /* step i turns a store of version i into one of version i + 1 */
	int version;              /* the newest: the number of steps */
};

extern const struct et_schema et_store_schema;

/*
 * Brings an empty database or an older store to the newest version, in one transaction. Fails if a
 * newer etalon made the store.
 */
int et_schema_migrate(
	struct et_database *db, const struct et_schema *schema, struct et_error *err) ET_CHECK;
