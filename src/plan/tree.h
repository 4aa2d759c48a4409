/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A YAML document as a tree of scalars, lists and maps that know their places. It is a subset of
 * YAML: no aliases (a small file of aliases can mean gigabytes), no tags, one document.
 */
#pragma once

#include "base/error.h"
#include "plan/plan.h"

enum et_yaml_kind { ET_YAML_SCALAR, ET_YAML_LIST, ET_YAML_MAP };

struct et_yaml {
	enum et_yaml_kind kind;
	struct et_plan_place at;
	char *text;    /* of a scalar */
	bool quoted;   /* so that "" and "null" are texts */
	bool block;    /* a block scalar, or one of several lines: offsets are no columns */
	size_t n, cap; /* of a list or map */
	struct et_yaml **items; /* of a map: key, value, key, value, …; keys are scalars */
};

/* Reads a document of that many bytes; et_yaml_free frees *out. */
int et_yaml_read(const char *text, size_t size, const char *path, struct et_yaml **out,
	struct et_error *err) ET_CHECK;
void et_yaml_free(struct et_yaml *y); /* itself, too; NULL is fine */
/* Returns the value of a key of a map; NULL: it has none. */
const struct et_yaml *et_yaml_find(const struct et_yaml *map, const char *key);
/* Whether it is a scalar without a value: nothing, ~ or null. */
bool et_yaml_empty(const struct et_yaml *y);

/* Fails with "PATH:LINE:COLUMN: …". */
int et_yaml_fail(const char *path, struct et_plan_place at, struct et_error *err, const char *fmt,
	...) ET_PRINTF(4, 5);
