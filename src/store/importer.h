/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of the several formats share. Private to src/store. */
#ifndef ET_STORE_IMPORTER_H
#define ET_STORE_IMPORTER_H

#include "model/field.h"
#include "store/import.h"

#include <jansson.h>

enum { ET_IMPORT_MOST_COMMANDS = 4096, ET_IMPORT_MOST_TEXT = 1 << 20 };

struct et_importer {
	const struct et_import_options *options;
	struct et_experiment *e;
	struct et_error *err;
};

/* A place in a JSON text, as a chain on the stack: written out only when there is an error. */
struct et_import_place {
	const struct et_import_place *up; /* NULL: the top */
	const char *key;                  /* NULL: an element of an array … */
	size_t index;                     /* … this one */
};

/* "NAME: PLACE: TEXT", exit 2; place may be NULL. */
int et_import_fail(struct et_importer *in, const struct et_import_place *at, const char *fmt, ...)
	ET_PRINTF(3, 4);

/* A JSON text whose *format is known in the end; the caller gives *out back. */
int et_import_load(struct et_importer *in, const char *data, size_t size,
	enum et_import_format *format, json_t **out) ET_CHECK;
int et_import_native(struct et_importer *in, const json_t *root) ET_CHECK;
int et_import_hyperfine(struct et_importer *in, const json_t *root) ET_CHECK;
int et_import_csv(struct et_importer *in, const char *data, size_t size) ET_CHECK;

/* A new command at the end, whose text is its name; NULL (with an error) when there are too many.
 */
struct et_command *et_import_command(
	struct et_importer *in, const struct et_import_place *at, const char *name);

/* --- typed values of a JSON object; absent and null are the same --- */

/* Sets all fields from the object's keys of their names. */
int et_read_fields(struct et_importer *in, const json_t *object, const struct et_field *fields,
	void *base, const struct et_import_place *at) ET_CHECK;
/* The text of a key, NULL where there is none; valid as long as the JSON is. */
int et_read_text(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at, const char **out) ET_CHECK;
/* The array or object of a key, NULL where there is none. */
int et_read_branch(struct et_importer *in, const json_t *object, const char *key, json_type type,
	const struct et_import_place *at, const json_t **out) ET_CHECK;
/* {"name": "value", "n": 3 …} */
int et_read_parameters(struct et_importer *in, const json_t *object, struct et_command *c,
	const struct et_import_place *at) ET_CHECK;

#endif
