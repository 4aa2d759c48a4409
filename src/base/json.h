/* SPDX-License-Identifier: MIT */
/* Writes JSON in UTF-8; invalid bytes become U+FFFD. To read JSON, use jansson. */
#pragma once

#include "base/base.h"

struct et_json {
	FILE *out;
	int depth;       /* levels that are open, at most 31 */
	int indent;      /* spaces per level; 0 writes one line */
	bool first[32];  /* nothing has been written at this level yet */
	bool flat[32];   /* this level is written on one line */
	char closer[32]; /* the bracket that ends the level */
};

void et_json_init(struct et_json *j, FILE *out, int indent);
/* Begin a level. In all functions, key is NULL inside arrays and at the top. */
void et_json_object(struct et_json *j, const char *key);
void et_json_array(struct et_json *j, const char *key);
/* The same, but everything in the level is written on one line. */
void et_json_flat_object(struct et_json *j, const char *key);
void et_json_flat_array(struct et_json *j, const char *key);
/* Ends the innermost level; after the outermost one, also the line. */
void et_json_end(struct et_json *j);
void et_json_string(struct et_json *j, const char *key, const char *value); /* NULL gives null */
void et_json_bool(struct et_json *j, const char *key, bool value);
void et_json_null(struct et_json *j, const char *key);
void et_json_int(struct et_json *j, const char *key, int64_t value);
void et_json_u64(struct et_json *j, const char *key, uint64_t value);  /* ET_UNKNOWN gives null */
void et_json_double(struct et_json *j, const char *key, double value); /* NaN, Inf give null */

/* Formats a double in as few digits as strtod needs to read the same value. Returns buf. */
const char *et_shortest(double value, char buf[32]);
