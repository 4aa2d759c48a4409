/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plan files of `doe`, in YAML. Errors name the file, line and column. A plan becomes an
 * experiment: the design, one command per program and treatment, and the options of `run`.
 */
#ifndef ET_PLAN_PLAN_H
#define ET_PLAN_PLAN_H

#include "base/error.h"
#include "model/design.h"

#include <stdio.h>

/* An option of `run` that the plan sets, such as "warmup" and "0", with its place for errors. */
struct et_plan_option {
	char *name, *value;
	unsigned line, column;
};

struct et_plan_file {
	char *path;               /* for errors */
	struct et_design *design; /* with treatments */
	char *order;              /* "yates", "random", "interleaved" */
	bool has_seed;
	uint64_t seed;
	struct et_plan_option *options; /* of `run` */
	size_t n_options;
};

/* Reads a plan from a stream; path names it in errors. et_plan_file_free frees what it owns. */
int et_plan_read(
	FILE *in, const char *path, struct et_plan_file *out, struct et_error *err) ET_CHECK;
void et_plan_file_free(struct et_plan_file *p);

#endif
