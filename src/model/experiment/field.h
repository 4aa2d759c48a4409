/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of the structs as tables: a row names a field, its kind and its range, and every
 * reader and writer (JSON, the store, CSV, options) uses the same rows. A value that a row refuses
 * never gets into a struct, wherever it came from. Rows of results, which nobody reads back, have
 * no range; model/experiment/field_rows.h has macros for them.
 */
#pragma once

#include "base/json.h"
#include "model/experiment/experiment.h"

enum et_field_kind {
	ET_FIELD_U64, /* an unknown value is ET_UNKNOWN, written as null */
	ET_FIELD_U32,
	ET_FIELD_I32,
	ET_FIELD_BOOL,
	ET_FIELD_ENUM,   /* written by its name */
	ET_FIELD_BITS,   /* bit i has name i; written as a list of names */
	ET_FIELD_DOUBLE, /* an unknown value of a nullable one is NaN */
	ET_FIELD_STRING, /* char *, owned */
	ET_FIELD_CHARS,  /* char [size] inside the struct */
	/* These are only written, and belong to results. */
	ET_FIELD_I64,
	ET_FIELD_SPAN,   /* two doubles, the second at `upper`: [lo, hi] */
	ET_FIELD_OBJECT, /* a struct inside the struct; `fields` has its rows, "" adds them to ours
			  */
	ET_FIELD_LIST,   /* a pointer to `count` elements of `size` bytes */
	ET_FIELD_ARRAY,  /* `length` elements of `size` bytes inside the struct */
	ET_FIELD_MADE,   /* `write` writes it */
};

/* The place and kind of a number, pointer or text that decides something: 0 and NULL are "no". */
struct et_field_given {
	bool set; /* the row has such a condition */
	enum et_field_kind kind;
	uint32_t offset;
};

/* The tables are relocated whenever a program starts, so a row is small. */
struct et_field {
	const char *name; /* the JSON key; NULL ends the table */
	enum et_field_kind kind;
	bool nullable; /* the value `missing` is written as null; a span without limits, too */
	/* These four are of results. */
	bool in_unit; /* the unit that the writer is given ends the key: mean_ns */
	bool flat;    /* an object, or each object of a list, is on one line */
	bool omitted; /* what is not given has no key, instead of null */
	bool unless;  /* `given` is turned around: written only if it is 0, NULL, empty or NaN */
	enum et_field_kind element; /* of a list without `fields`: DOUBLE, STRING, U64 or U32 */
	uint32_t offset, size;
	int64_t missing; /* the value that null or absence stands for; -1 is ET_UNKNOWN for a U64 */
	int64_t lo, hi;
	const char *const *names; /* a BOOL with names is written by its name, false first */
	/* The others are of results. */
	double scale;                /* of a DOUBLE or a SPAN: 100 writes percent; 0 is 1 */
	struct et_field_given given; /* null if it is 0, NULL, empty or NaN, or less than `least` */
	int32_t least;               /* 0 is 1 */
	const struct et_field *fields; /* of an object, or of the objects of a list */
	uint32_t upper;                /* the offset of the upper limit of a span */
	/* The offset of a size_t with the number of elements; the number itself, if it is fixed. */
	uint32_t count, length;
	uint32_t inner; /* the offset of a number or text in the elements of a list or array */
	double (*of)(const void *base);                                    /* computes a DOUBLE */
	void (*write)(struct et_json *j, const char *key, const void *at); /* at: base + offset */
};

extern const struct et_field et_sample_fields[]; /* all but command, index, removal and culprits */
extern const struct et_field et_culprit_fields[];
extern const struct et_field et_removal_fields[];
extern const struct et_field et_plan_fields[]; /* all but order and seed */
extern const struct et_field et_child_fields[];
extern const struct et_field et_host_fields[];
extern const struct et_field et_factor_fields[];
extern const struct et_field et_first_check_fields[];
extern const struct et_field et_member_fields[]; /* of a campaign */
extern const struct et_field et_study_fields[];  /* of struct et_member, too */
extern const struct et_field et_figure_fields[];
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
/* The same; unit, as "ns", ends the keys of rows that are in the unit. NULL: it is not written. */
void et_fields_write_in(
	struct et_json *j, const struct et_field *fields, const void *base, const char *unit);
/* Writes an object with these fields; of the flat one everything is on one line. */
void et_fields_object(
	struct et_json *j, const char *key, const struct et_field *fields, const void *base);
void et_fields_flat(
	struct et_json *j, const char *key, const struct et_field *fields, const void *base);
/* Writes [lo, hi], or null if neither is known. */
void et_fields_span(struct et_json *j, const char *key, double lo, double hi);
/* Writes an array of n such objects, each of `size` bytes and on one line. */
void et_fields_list(struct et_json *j, const char *key, const struct et_field *fields,
	const void *list, size_t n, size_t size);
