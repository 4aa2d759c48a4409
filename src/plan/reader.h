/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that read a plan: the tree of its values, and tables of the keys of maps. */
#pragma once

#include "base/json.h"
#include "plan/plan.h"

/* --- YAML --- */

/*
 * A YAML document as a tree of scalars, lists and maps that know their places. It is a subset of
 * YAML: no aliases (a small file of aliases can mean gigabytes), no tags, one document.
 */
enum et_yaml_kind { ET_YAML_SCALAR, ET_YAML_LIST, ET_YAML_MAP };

struct et_yaml {
	enum et_yaml_kind kind;
	struct et_plan_place at;
	char *text;             /* of a scalar */
	bool quoted;            /* so that "" and "null" are texts */
	size_t n, cap;          /* of a list or map */
	struct et_yaml **items; /* of a map: key, value, key, value, …; keys are scalars */
};

struct et_plan_reader;
/* Reads a document of that many bytes; et_yaml_free frees *out. */
int et_yaml_read(const struct et_plan_reader *r, const char *text, size_t size,
	struct et_yaml **out) ET_CHECK;
void et_yaml_free(struct et_yaml *y); /* itself, too; NULL is fine */
/* Returns the value of a key of a map; NULL: it has none. */
const struct et_yaml *et_yaml_find(const struct et_yaml *map, const char *key);
/* Whether it is a scalar without a value: nothing, ~ or null. */
bool et_yaml_empty(const struct et_yaml *y);

/* --- tables of keys --- */

struct et_plan_reader {
	struct et_plan_file *out;
	struct et_design *d; /* of out */
	struct et_error *err;
	struct et_plan_place *generators; /* where the generator of each factor is; or NULL */
	void *object, *places; /* that have the texts of the map that is read, and their places */
};

/* Fails with "PATH:LINE:COLUMN: …", and a hint, or none: NULL. */
int et_plan_fail(const struct et_plan_reader *r, struct et_plan_place at, const char *hint,
	const char *fmt, ...) ET_PRINTF(4, 5);
/* Puts the place of a value before the error, unless rc is 0; returns rc. */
int et_plan_at(const struct et_plan_reader *r, const struct et_yaml *value, int rc);

typedef int et_plan_read_key(struct et_plan_reader *r, const struct et_yaml *value) ET_CHECK;

/* Writes the members of a JSON Schema that a value of a key must fit. */
typedef void et_plan_shape(struct et_json *j, const struct et_plan_schema *s);

/* A key of a map. The rows of a table are read in their order, not in that of the file. */
struct et_plan_key {
	const char *name;       /* NULL ends a table */
	const char *what;       /* one line for the schema */
	et_plan_read_key *read; /* NULL: a map of `keys`, or a text */
	bool required;
	/* Of a value, for the schema; of a list of maps, what else holds. NULL: what follows. */
	et_plan_shape *shape;
	const struct et_plan_key *keys; /* of a map */
	bool list;                      /* it is a list of such maps */
	const char *const *names;       /* one of these, or such a map; NULL ends them */
	const char *pattern;            /* of a name */
	bool whole;                     /* a whole number */
	int64_t least, most;            /* of it; most 0: no limit */
	/* Else it is any text; without `read`, where it is kept and, if not 0, its place. */
	size_t text, at;
};

extern const struct et_plan_key et_plan_keys[];   /* of the file */
extern const struct et_plan_key et_factor_keys[]; /* of a factor */
extern const struct et_plan_key et_design_keys[]; /* of `design` */
extern const struct et_plan_key et_hook_keys[];   /* of `hooks` */
et_plan_shape et_shape_kind, et_shape_objects, et_shape_levels, et_shape_generators;

/* Refuses unknown keys and misses required ones, then reads each; `of` names the map in errors. */
int et_plan_read_map(struct et_plan_reader *r, const struct et_yaml *map,
	const struct et_plan_key *keys, const char *of) ET_CHECK;
/* Reads a text that is not empty; *out is freed before. */
int et_plan_read_text(const struct et_plan_reader *r, const struct et_yaml *value, const char *what,
	char **out) ET_CHECK;
/* The same for a name that tables print: one line without control characters, not too long. */
int et_plan_read_name(const struct et_plan_reader *r, const struct et_yaml *value, const char *what,
	char **out) ET_CHECK;
/* Reads a whole number from lo to hi. */
int et_plan_read_whole(const struct et_plan_reader *r, const struct et_yaml *value,
	const char *what, uint64_t lo, uint64_t hi, uint64_t *out) ET_CHECK;
/* Fails unless value is a list that has an item. */
int et_plan_want_list(
	const struct et_plan_reader *r, const struct et_yaml *value, const char *what) ET_CHECK;
/* Adds "did you mean" or the list of names (NULL ends it) as the hint, and returns rc. */
int et_plan_hint_names(
	const struct et_plan_reader *r, int rc, const char *typed, const char *const *names);
/* Finds a text among names; the error is "WHAT 'TEXT'", with the same hint. */
int et_plan_choose(const struct et_plan_reader *r, const struct et_yaml *y, const char *what,
	const char *text, const char *const *names, size_t *out) ET_CHECK;
/* Reads the value of a key, which must be one of the names. */
int et_plan_read_choice(const struct et_plan_reader *r, const struct et_yaml *value,
	const char *key, const char *what, const char *const *names, size_t *out) ET_CHECK;

et_plan_read_key et_plan_read_factors, et_plan_read_design;
