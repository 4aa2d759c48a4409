/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that the readers of all formats share. Private to src/store. */
#pragma once

#include "base/lines.h"
#include "model/experiment/field.h"
#include "store/import/import.h"

#include <jansson.h>

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

enum { ET_IMPORT_MOST_COMMANDS = 4096, ET_IMPORT_MOST_TEXT = 1 << 20 };
/* Of one experiment, and of one sample: no machine has as many. */
enum { ET_IMPORT_MOST_FACTORS = 4096, ET_IMPORT_MOST_CULPRITS = 65536 };

struct et_importer {
	const struct et_import_options *options;
	struct et_experiment *e;
	struct et_error *err;
	/*
	 * -EINVAL after the first failure. The later ones are not reported, values are missing from
	 * then on, and lists end: so a reader asks once, before it uses what it has read.
	 */
	int failed;
	struct et_outline outline; /* of a record in JSON */
	bool profiled;             /* the samples may have no times */
	bool designed;             /* there may be as many commands as in a design */
	size_t omitted;            /* functions that failed */
};

/*
 * A place in a JSON text: a list on the stack, from the innermost place outwards. Only an error
 * turns it into text.
 */
struct et_import_place {
	const struct et_import_place *up; /* NULL: the top */
	const char *key;                  /* of a member of an object; NULL: an array's element */
	size_t index;                     /* of the element */
};

/*
 * Makes the error "NAME: PLACE: TEXT" (exit status 2), if it is the first, and returns -EINVAL; at
 * may be NULL.
 */
int et_import_fail(struct et_importer *in, const struct et_import_place *at, const char *fmt, ...)
	ET_PRINTF(3, 4);
/*
 * Reads the next line of a text that is neither empty nor a comment. Returns 1, 0 at the end, or
 * -errno with the error filled.
 */
int et_import_next_line(
	struct et_importer *in, struct et_lines *lines, char **line, size_t *length) ET_CHECK;

/* As et_outline_load, and sets *format if it is AUTO. */
int et_import_load(struct et_importer *in, const char *data, size_t size,
	enum et_import_format *format) ET_CHECK;
int et_import_native(struct et_importer *in, const json_t *root) ET_CHECK;
/* Reads e->profile; the commands and their samples are read by now. */
void et_import_profile(struct et_importer *in, const json_t *profile);
/* Reads e->design; the commands are read by now. */
void et_import_design(struct et_importer *in, const json_t *design);
/* The same of a text that the store has. */
int et_design_parse(struct et_experiment *e, const char *text, struct et_error *err) ET_CHECK;
/* Reads the files of a command; at is the place of the command. */
void et_import_files(struct et_importer *in, const json_t *object, struct et_files *out,
	const struct et_import_place *at);
/* The same of a text that the store has, or NULL. 0 or -EINVAL. */
int et_files_parse(struct et_files *out, const char *text) ET_CHECK;
int et_import_bench(struct et_importer *in, const json_t *root) ET_CHECK;
int et_import_google(struct et_importer *in, const json_t *root) ET_CHECK;
/* Reads a time as RFC 3339 defines it, not before 1970; false for anything else. */
bool et_import_time(const char *text, uint64_t *wall_ns);
int et_import_csv(struct et_importer *in, const char *data, size_t size) ET_CHECK;

/* The largest number of runs, and of warm-up runs, that a command has. */
void et_import_most_runs(const struct et_experiment *e, uint32_t *runs, uint32_t *warmup);
/* Appends a command whose text is its name. Returns NULL with err filled if there are too many. */
struct et_command *et_import_command(
	struct et_importer *in, const struct et_import_place *at, const char *name);

/* --- long lists --- */

/*
 * JSON in little memory. jansson needs up to 75 bytes of memory per byte of text, so a long text is
 * not parsed whole: its long lists are cut out, the rest, the outline, is parsed, and the elements
 * of a list are parsed a few at a time when the reader comes to them. An element may have long
 * lists of its own. A short text is parsed whole, and its lists are read in the same way.
 */

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

/* Reads the elements of a list one after the other. Members from `next` on are private. */
struct et_list {
	struct et_importer *in;
	bool there; /* there is a list */
	size_t n;   /* number of elements */
	size_t at;  /* number of the element that was returned last, from 0 */
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
/* The list of a key, which may be missing. A value that is no list fails. */
struct et_list et_list_of(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at);
/* The same of a list of objects: another element fails. */
struct et_list et_objects_of(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at);
/* Returns the next element, valid until the next call, or NULL at the end and after a failure. */
const json_t *et_list_next(struct et_list *l);
void et_list_close(struct et_list *l);

#define ET_AUTO_LIST ET_CLEANUP(et_list_close)

/* --- typed values of a JSON object; a missing key is the same as null --- */

/* Sets each field of the struct at base from the key of its name. */
void et_read_fields(struct et_importer *in, const json_t *object, const struct et_field *fields,
	void *base, const struct et_import_place *at);
/* The same from the object of a key, if it is there. */
void et_read_object(struct et_importer *in, const json_t *object, const char *key,
	const struct et_field *fields, void *base, const struct et_import_place *at);
/* Reads each object of the list of a key, if there is one; at->index is its number. */
typedef void et_element_reader(
	struct et_importer *in, const json_t *element, void *ctx, const struct et_import_place *at);
void et_read_each(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at, et_element_reader *read, void *ctx);
/* Returns the string of a key, or NULL. It belongs to the JSON. */
const char *et_read_text(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at);
/* Returns the array or object of a key, or NULL. It belongs to the JSON. */
const json_t *et_read_branch(struct et_importer *in, const json_t *object, const char *key,
	json_type type, const struct et_import_place *at);
/* Reads the list of texts of a key, at most `most`; *out stays as it is if there is none. */
void et_read_texts(struct et_importer *in, const json_t *object, const char *key, size_t most,
	const struct et_import_place *at, char ***out, size_t *n);
/* Returns a number from lo to hi, which must be there; the other one that of a key. */
double et_to_number(struct et_importer *in, const json_t *value, const struct et_import_place *at,
	double lo, double hi);
double et_read_number(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at, double lo, double hi);
/* Reads the command's parameters: {"name": "value", "n": 3 …} */
void et_read_parameters(struct et_importer *in, const json_t *object, struct et_command *c,
	const struct et_import_place *at);
