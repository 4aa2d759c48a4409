/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One execution of a statement: parameters are bound from left to right, then the columns of each
 * row are read from left to right. Ranges are checked in both directions: a value that would be
 * refused on reading is refused on writing. Private to src/store.
 */
#ifndef ET_STORE_CURSOR_H
#define ET_STORE_CURSOR_H

#include "store/handle.h"

struct et_cursor {
	struct et_statement *st; /* NULL if it could not be prepared */
	struct et_error *err;
	int at;     /* the next parameter or column */
	int failed; /* -errno of the first failure to prepare or to bind, which the step returns */
};

/*
 * A failure to prepare or to bind fills err and is returned by the next step, so that only steps
 * need a check. A statement has one open cursor at a time.
 */
struct et_cursor et_cursor_open(struct et_store *s, enum et_sql which, struct et_error *err);
void et_cursor_close(struct et_cursor *c);
#define ET_AUTO_CURSOR ET_CLEANUP(et_cursor_close)

/* 1 with a row, whose first column is the next to be read; 0 after the last; or -errno. */
int et_cursor_step(struct et_cursor *c) ET_CHECK;
/* Steps a statement that returns no rows; *changed is the number of rows that it changed. */
int et_cursor_change(struct et_cursor *c, int64_t *changed) ET_CHECK;

/* Bytes that are bound must stay valid until the last step. */
void et_bind_int(struct et_cursor *c, int64_t value);
/* A number of which all 64 bits up to INT64_MAX are allowed; name is for the error. */
void et_bind_count(struct et_cursor *c, const char *name, uint64_t value);
void et_bind_text(struct et_cursor *c, const char *name, const char *text); /* NULL is NULL */
/* The text in an array of that size. */
void et_bind_chars(struct et_cursor *c, const char *name, const char *chars, size_t size);
void et_bind_blob(struct et_cursor *c, const char *bytes, size_t size);
void et_bind_columns(struct et_cursor *c, const struct et_columns *columns, const void *base);

/*
 * Readers trust no value: the store may be damaged or edited by hand. Each reads one column and
 * returns false if its type, range or length is wrong.
 */
bool et_row_int(struct et_cursor *c, int64_t lo, int64_t hi, int64_t *out);
/* A copy of the text, NULL for NULL. */
bool et_row_text(struct et_cursor *c, char **out);
/* The text itself, valid until the next step, NULL for NULL. */
bool et_row_peek(struct et_cursor *c, const char **out);
/* A text that fits into the array; NULL is the empty text. */
bool et_row_chars(struct et_cursor *c, char *out, size_t size);
/* The name of an enum's value; *out is its place in the list. */
bool et_row_name(struct et_cursor *c, const char *const *names, int *out);
/* Valid until the next step. */
bool et_row_blob(struct et_cursor *c, const char **bytes, size_t *size);
/* NULL, or the first field for which the row has no valid value. */
const struct et_field *et_row_columns(
	struct et_cursor *c, const struct et_columns *columns, void *base) ET_CHECK;

#endif
