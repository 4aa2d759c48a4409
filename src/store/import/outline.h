/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON in little memory. jansson needs up to 75 bytes of memory per byte of text, so a long text is
 * not parsed whole: its long lists are cut out, the rest, the outline, is parsed, and the elements
 * of a list are parsed a few at a time when the reader comes to them. An element may have long
 * lists of its own. A short text is parsed whole, and its lists are read in the same way. Private
 * to src/store.
 */
#pragma once

#include "base/attr.h"

#include <jansson.h>
#include <stdbool.h>

struct et_importer;

/* A list that was cut out: the text between its brackets. */
struct et_cut {
	const char *begin, *end;
	size_t n; /* number of elements */
};

struct et_outline {
	const char *data; /* the whole text */
	size_t size;
	char mark[32]; /* in the outline, the string mark + number replaces a list; not in the text
			*/
	struct et_cut *cuts;
	size_t n_cuts, room;
	json_t *root;
};

/*
 * Parses a text, which must stay valid until et_outline_free, into in->outline.root. Every failure
 * names its line, and needs et_outline_free, too.
 */
int et_outline_load(struct et_importer *in, const char *data, size_t size) ET_CHECK;
void et_outline_free(struct et_importer *in);

/* Is the value a string of the text? Readers must not use json_is_string. */
bool et_is_string(const struct et_importer *in, const json_t *value);
/* Is the value a list, cut out or not? Readers must not use jansson's functions on lists. */
bool et_is_list(const struct et_importer *in, const json_t *value);
size_t et_list_size(const struct et_importer *in, const json_t *list); /* 0 if it is none */

/*
 * A place in a JSON text: a list on the stack, from the innermost place outwards. Only an error
 * turns it into text.
 */
struct et_import_place {
	const struct et_import_place *up; /* NULL: the top */
	const char *key;                  /* of a member of an object; NULL: an array's element */
	size_t index;                     /* of the element */
};

/* Reads the elements of a list one after the other. Members from `next` on are private. */
struct et_list {
	struct et_importer *in;
	bool there; /* there is a list */
	size_t n;   /* number of elements */
	size_t at;  /* number of the element that was returned last, from 0 */
	int rc;     /* 0, or -errno of a failure, which ended the list */
	struct et_import_place list, here; /* its place, and that of this element */
	size_t next;
	bool objects;           /* no other elements */
	const json_t *whole;    /* a list that was not cut out */
	const char *text, *end; /* of one that was cut out: the elements that are not parsed yet */
	json_t *some;           /* elements that are parsed */
	size_t n_some, next_some;
	size_t cuts_before;
};

/* list may be NULL, which has no elements. */
struct et_list et_list_open(struct et_importer *in, const json_t *list);
/* The list of a key, which may be missing. A value that is no list fails: rc is set at once. */
struct et_list et_list_of(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at);
/* The same of a list of objects: another element fails. */
struct et_list et_objects_of(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at);
/* Returns the next element, valid until the next call, or NULL at the end and after a failure. */
const json_t *et_list_next(struct et_list *l);
void et_list_close(struct et_list *l);

#define ET_AUTO_LIST ET_CLEANUP(et_list_close)
