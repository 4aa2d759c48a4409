/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An open store, and cursors on it. A cursor is one execution of a statement: parameters are bound
 * from left to right, then the columns of each row are read from left to right. Ranges are checked
 * in both directions: a value that would be refused on reading is refused on writing. Private to
 * src/store.
 */
#pragma once

#include "store/core/backend.h"

/* --- the members of an open store --- */

/* The key of a process's name in the table `process`; key 0 marks an empty entry. */
struct et_process_key {
	char name[16];
	int64_t key;
};

struct et_store {
	struct et_database *db;
	char *url;
	char *destination; /* of a spool: where its experiments are to be delivered; or NULL */
	struct et_queued *queued; /* of a spool: the ids of these experiments; or NULL */
	const char *digest;       /* of the experiment that is being delivered, or NULL */
	char copied[96]; /* the machine whose row and facts were delivered or pulled last */
	struct et_statement *statements[ET_SQL_LENGTH]; /* each is prepared when it is first used */
	bool in_group;                                  /* a write transaction is open */
	size_t texts; /* the budget of the experiment that is being read or written */
	/* The experiment that a sample was last added to. */
	char id[40];
	int64_t key; /* of its row; 0: there is none */
	int64_t n_commands;
	int64_t uncounted; /* samples in this group that its row does not count yet */
	/* How many functions and nodes of its profile are in the store. */
	struct {
		bool known;
		int64_t functions, nodes;
		size_t texts; /* the budget that is left for the names of further functions */
	} profile;
	/* A cache of recent names, indexed by their hash, so that most culprits need no query. */
	struct et_process_key processes[64];
};

/* Reports that the store has no experiment of that id: fills err and returns -ENOENT. */
int et_store_no_experiment(const struct et_store *s, const char *id, struct et_error *err) ET_CHECK;

/*
 * Flushes the open group and begins a transaction; et_store_conclude commits it, or rolls it back
 * if rc is not 0, and returns rc or the failure to commit.
 */
int et_store_transact(struct et_store *s, struct et_error *err) ET_CHECK;
int et_store_conclude(struct et_store *s, int rc, struct et_error *err) ET_CHECK;
/* As et_store_keep and et_store_remove, but in the open transaction, which the caller ends. */
int et_store_put(struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
int et_store_drop(struct et_store *s, const char *id, struct et_error *err) ET_CHECK;
/*
 * Adds the summary of the selected experiment to the open group, from its samples in memory; the
 * other makes it anew from the store, because samples were added, or others count now.
 */
int et_store_put_summary(
	struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
int et_store_summarise(struct et_store *s, const char *id, struct et_error *err) ET_CHECK;
/* Refuses a sample of a command that the selected experiment does not have. */
int et_store_check_place(
	const struct et_store *s, const struct et_sample *sample, struct et_error *err) ET_CHECK;
/*
 * Adds the samples and their culprits to the experiment that s->key names by COPY, in the open
 * transaction. The number of round trips to the server does not depend on the number of samples.
 */
int et_bulk_samples(
	struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;

/* --- cursors --- */

struct et_cursor {
	struct et_statement *st; /* NULL if it could not be prepared */
	struct et_error *err;
	int at;         /* the next parameter or column */
	size_t *budget; /* what et_cursor_spend takes from; NULL: without limit */
	int failed;     /* -errno of the first failure to prepare or to bind; 0: none */
	bool copies;    /* st is a COPY of its own, not a statement of the store */
};

/*
 * Opens a cursor. A statement has one open cursor at a time. If preparing or binding fails, err is
 * filled at once and the next step returns the failure, so that only steps need a check.
 */
struct et_cursor et_cursor_open(
	struct et_store *s, enum et_sql which, struct et_error *err) ET_CHECK;
void et_cursor_close(struct et_cursor *c);
#define ET_AUTO_CURSOR ET_CLEANUP(et_cursor_close)
/* The same with a new budget for the texts that are bound and read. */
struct et_cursor et_cursor_of_texts(
	struct et_store *s, enum et_sql which, struct et_error *err) ET_CHECK;
/* The same for the rows of the experiment that has this key. The texts are in the budget. */
struct et_cursor et_cursor_rows(
	struct et_store *s, enum et_sql which, int64_t key, struct et_error *err) ET_CHECK;

/* Returns 1 with a row, of which the first column is read next; 0 after the last row; or -errno. */
int et_cursor_step(struct et_cursor *c) ET_CHECK;
/*
 * Executes a statement that returns no rows. *changed is the number of rows that it changed.
 * Returns 0 or -errno.
 */
int et_cursor_change(struct et_cursor *c, int64_t *changed) ET_CHECK;

/*
 * Executes a statement that returns no rows in the open transaction, with these values, each made
 * by et_sql_int or et_sql_text, as its parameters. Returns 0 or -errno. The other one is a
 * transaction of its own, and durable on return.
 */
#define ET_EXECUTE(s, which, err, ...)                                                             \
	et_store_execute(s, which, (const struct et_value[]){ __VA_ARGS__ },                       \
		ET_LENGTH(((const struct et_value[]){ __VA_ARGS__ })), err)
#define ET_EXECUTE_ALONE(s, which, err, ...)                                                       \
	et_store_execute_alone(s, which, (const struct et_value[]){ __VA_ARGS__ },                 \
		ET_LENGTH(((const struct et_value[]){ __VA_ARGS__ })), err)
int et_store_execute(struct et_store *s, enum et_sql which, const struct et_value *values, size_t n,
	struct et_error *err) ET_CHECK;
int et_store_execute_alone(struct et_store *s, enum et_sql which, const struct et_value *values,
	size_t n, struct et_error *err) ET_CHECK;

static inline struct et_value et_sql_int(int64_t value)
{
	return (struct et_value){ .kind = ET_VALUE_INT, .integer = value };
}

/* text may be NULL. */
static inline struct et_value et_sql_text(const char *text)
{
	return (struct et_value){ .kind = text ? ET_VALUE_TEXT : ET_VALUE_NULL, .bytes = text };
}

/*
 * Finds an id by a statement that returns ids, with the parameter name (NULL: it has none). Returns
 * 1 with the id, 0 if there is none, or -errno: two ids are an error, because name is ambiguous.
 */
int et_store_find_by(struct et_store *s, enum et_sql which, const char *name, char id[40],
	struct et_error *err) ET_CHECK;

/*
 * Opens a cursor that adds many rows by a statement, which is an INSERT: by COPY where the database
 * has it. Bind the values of a row, call et_cursor_add, and so on; et_cursor_finish then ends the
 * COPY, or cancels it if rc is not 0, and returns rc or its failure. No other cursor of the store
 * can be used in between.
 */
struct et_cursor et_cursor_bulk(
	struct et_store *s, enum et_sql insert, struct et_error *err) ET_CHECK;
int et_cursor_add(struct et_cursor *c) ET_CHECK;
int et_cursor_finish(struct et_cursor *c, int rc) ET_CHECK;

/*
 * The budget for the texts of one experiment. A store from elsewhere may have millions of them, or
 * columns whose default value is long, so the size of the file does not limit them.
 */
#define ET_STORE_MOST_TEXT ((size_t)64 << 20)
enum { ET_STORE_MOST_FACTORS = 4096 };
/* Spends that many bytes of the budget, and the cost of the memory block with them. */
bool et_cursor_spend(struct et_cursor *c, size_t bytes);

/*
 * Each binds the next parameter. Bytes must stay valid until the last step. name is for the error
 * if the value is refused.
 */
void et_bind_int(struct et_cursor *c, int64_t value);
/* Binds a parameter to each of the whole numbers. */
#define ET_BIND_INTS(c, ...)                                                                       \
	et_bind_ints(c, (const int64_t[]){ __VA_ARGS__ },                                          \
		ET_LENGTH(((const int64_t[]){ __VA_ARGS__ })))
void et_bind_ints(struct et_cursor *c, const int64_t *values, size_t n);
/* Refuses a number above INT64_MAX. */
void et_bind_count(struct et_cursor *c, const char *name, uint64_t value);
/* text may be NULL, which binds NULL. */
void et_bind_text(struct et_cursor *c, const char *name, const char *text);
/* Refuses an array of that size without a NUL. */
void et_bind_chars(struct et_cursor *c, const char *name, const char *chars, size_t size);
/* Binds the words as one blob, in which a NUL ends each word. */
void et_bind_words(struct et_cursor *c, const char *blob, size_t size);
void et_bind_blob(struct et_cursor *c, const unsigned char *bytes, size_t size);
void et_bind_real(struct et_cursor *c, double value);
/* The value that a column has for a field. */
struct et_value et_value_of(const struct et_field *f, const void *base);
/* Binds one parameter per column, from the fields of the struct at base. */
void et_bind_columns(struct et_cursor *c, const struct et_columns *columns, const void *base);

/* Makes the error "STORE: WHAT is not as etalon writes it" and returns -EBADMSG. */
int et_store_damaged(const struct et_store *s, struct et_error *err, const char *what, ...)
	ET_PRINTF(3, 4);
/*
 * Each reads the next column and returns false if its type, range or length is wrong: the store may
 * be damaged or edited by hand.
 */
bool et_row_int(struct et_cursor *c, int64_t lo, int64_t hi, int64_t *out);
/* Copies the text; *out is NULL for NULL. */
bool et_row_text(struct et_cursor *c, char **out);
/* The same without a copy: the text is valid until the next step. */
bool et_row_peek(struct et_cursor *c, const char **out);
/* Copies a text that fits into the array; NULL becomes "". */
bool et_row_chars(struct et_cursor *c, char *out, size_t size);
/* Sets *out to the position in names of the text. */
bool et_row_name(struct et_cursor *c, const char *const *names, int *out);
/* Reads what et_bind_words wrote into a new vector. */
bool et_row_words(struct et_cursor *c, char ***out);
/* Both read a whole number from 0 on. */
bool et_row_u32(struct et_cursor *c, uint32_t *out);
bool et_row_u64(struct et_cursor *c, uint64_t *out);
/* These read what is damaged as 0 or "", so that a damaged row does not hide others. */
uint64_t et_row_count_or_zero(struct et_cursor *c);
const char *et_row_text_or_empty(struct et_cursor *c);
/* Sets *out to the bytes of a blob, which are valid until the next step. */
bool et_row_blob(struct et_cursor *c, const unsigned char **out, size_t *size);
/* Reads a number of any kind. */
bool et_row_real(struct et_cursor *c, double lo, double hi, double *out);
/*
 * Reads one column per field into the struct at base. Returns NULL, or the first field whose column
 * has no valid value.
 */
const struct et_field *et_row_columns(
	struct et_cursor *c, const struct et_columns *columns, void *base) ET_CHECK;
