/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of the nouns as tables: one row names a field, its kind and its range, and every
 * reader and writer (JSON, the store, CSV) walks the same rows. What a row refuses never gets
 * into a struct, whichever border it came over.
 */
#ifndef ET_MODEL_FIELD_H
#define ET_MODEL_FIELD_H

#include "base/json.h"
#include "model/experiment.h"

enum et_field_kind {
	ET_FIELD_U64, /* a value that is not known is ET_UNKNOWN, written as null */
	ET_FIELD_U32,
	ET_FIELD_I32,
	ET_FIELD_BOOL,
	ET_FIELD_ENUM, /* written by its name */
	ET_FIELD_BITS, /* bit i has name i; JSON has the list of names */
	ET_FIELD_DOUBLE,
	ET_FIELD_STRING, /* char *, owned */
	ET_FIELD_CHARS,  /* char [size] inside the struct */
};

struct et_field {
	const char *name; /* the JSON key; NULL ends the table */
	enum et_field_kind kind;
	bool nullable; /* written as null when it has the value `missing` */
	size_t offset, size;
	int64_t missing; /* what null or absence means; -1 is ET_UNKNOWN for a U64 */
	int64_t lo, hi;
	const char *const *names;
};

extern const struct et_field et_sample_fields[]; /* all but command, index and what it owns */
extern const struct et_field et_culprit_fields[];
extern const struct et_field et_removal_fields[];
extern const struct et_field et_plan_fields[]; /* all but order and seed */
extern const struct et_field et_child_fields[];
extern const struct et_field et_host_fields[];
extern const struct et_field et_factor_fields[];

/* Setting; false when the value is out of the field's range, the struct is untouched then. */
bool et_field_set_int(const struct et_field *f, void *base, int64_t value) ET_CHECK;
bool et_field_set_double(const struct et_field *f, void *base, double value) ET_CHECK;
/* The bits of a field are names that are separated by spaces. */
bool et_field_set_text(const struct et_field *f, void *base, const char *text) ET_CHECK;
void et_field_set_missing(const struct et_field *f, void *base);

bool et_field_is_missing(const struct et_field *f, const void *base);
/* Would the setters accept the value? Writers check it, so that whatever is kept can be read. */
bool et_field_is_valid(const struct et_field *f, const void *base);
int64_t et_field_int(const struct et_field *f, const void *base); /* numbers, enums, bits */
double et_field_double(const struct et_field *f, const void *base);
const char *et_field_text(const struct et_field *f, const void *base); /* enums and texts */

/* What the field holds as text: how errors say what would have been right. buf needs 96 bytes. */
const char *et_field_wants(const struct et_field *f, char buf[96]);
const struct et_field *et_field_find(const struct et_field *fields, const char *name);

void et_fields_set_missing(const struct et_field *fields, void *base);
/* Every field as a key of the object that is open. */
void et_fields_write(struct et_json *j, const struct et_field *fields, const void *base);

#endif
