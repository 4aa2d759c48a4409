/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of the structs as tables: a row names a field, its kind and its range, and every
 * reader and writer (JSON, the store, CSV, options) uses the same rows. A value that a row refuses
 * never gets into a struct, wherever it came from.
 */
#ifndef ET_MODEL_FIELD_H
#define ET_MODEL_FIELD_H

#include "base/json.h"
#include "model/experiment.h"

enum et_field_kind {
	ET_FIELD_U64, /* an unknown value is ET_UNKNOWN, written as null */
	ET_FIELD_U32,
	ET_FIELD_I32,
	ET_FIELD_BOOL,
	ET_FIELD_ENUM, /* written by its name */
	ET_FIELD_BITS, /* bit i has name i; written as a list of names */
	ET_FIELD_DOUBLE,
	ET_FIELD_STRING, /* char *, owned */
	ET_FIELD_CHARS,  /* char [size] inside the struct */
};

struct et_field {
	const char *name; /* the JSON key; NULL ends the table */
	enum et_field_kind kind;
	bool nullable; /* the value `missing` is written as null */
	size_t offset, size;
	int64_t missing; /* the value that null or absence stands for; -1 is ET_UNKNOWN for a U64 */
	int64_t lo, hi;
	const char *const *names;
};

extern const struct et_field et_sample_fields[]; /* all but command, index, removal and culprits */
extern const struct et_field et_culprit_fields[];
extern const struct et_field et_removal_fields[];
extern const struct et_field et_plan_fields[]; /* all but order and seed */
extern const struct et_field et_child_fields[];
extern const struct et_field et_host_fields[];
extern const struct et_field et_factor_fields[];
extern const struct et_field et_first_check_fields[];
extern const struct et_field et_member_fields[];
extern const struct et_field et_profile_plan_fields[];
extern const struct et_field et_profile_fields[]; /* how the samples really came about */
extern const struct et_field et_profile_function_fields[];
extern const struct et_field et_profile_run_fields[]; /* all but command, order and counts */

/* Setters. They return false and leave the struct as it is if the value is out of range. */
bool et_field_set_int(const struct et_field *f, void *base, int64_t value) ET_CHECK;
bool et_field_set_double(const struct et_field *f, void *base, double value) ET_CHECK;
/* The bits of a field are names that are separated by spaces. */
bool et_field_set_text(const struct et_field *f, void *base, const char *text) ET_CHECK;
void et_field_set_missing(const struct et_field *f, void *base);

bool et_field_is_missing(const struct et_field *f, const void *base);
/* Would the setters accept the value? Writers check it, so that whatever is stored can be read. */
bool et_field_is_valid(const struct et_field *f, const void *base);
int64_t et_field_int(const struct et_field *f, const void *base); /* numbers, enums, bits */
double et_field_double(const struct et_field *f, const void *base);
const char *et_field_text(const struct et_field *f, const void *base); /* enums and texts */

/* Describes the values that a field accepts, for error messages: "a whole number from 0 to 9". */
const char *et_field_wants(const struct et_field *f, char buf[96]);
const struct et_field *et_field_find(const struct et_field *fields, const char *name);

void et_fields_set_missing(const struct et_field *fields, void *base);
/* Writes every field as a key of the open object. */
void et_fields_write(struct et_json *j, const struct et_field *fields, const void *base);

#endif
