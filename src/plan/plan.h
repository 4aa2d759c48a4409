/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plan files of `doe`, in YAML. Errors name the file, line and column. */
#pragma once

#include "base/error.h"
#include "model/experiment/experiment.h"

enum {
	ET_PLAN_MOST_BYTES = 1 << 20,   /* of a plan file */
	ET_PLAN_MOST_NODES = 20000,     /* values of a plan file */
	ET_PLAN_MOST_COMMANDS = 100000, /* programs × treatments */
	ET_PLAN_FREE_RUNS = 10000,      /* a larger experiment must be confirmed */
};

/* A place in the plan file; both count from 1, and columns are characters. */
struct et_plan_place {
	unsigned line, column;
};

/* An option of `run` that the plan sets, such as "warmup" and "0", with its place for errors. */
struct et_plan_option {
	char *name, *value;
	struct et_plan_place at;
};

struct et_plan_factor_places {
	struct et_plan_place name;
	struct et_plan_place *levels; /* one per level */
};

struct et_plan_program_places {
	struct et_plan_place name, command, build, input;
};

struct et_plan_file {
	char *path;               /* for errors */
	struct et_design *design; /* with treatments; NULL after it was moved elsewhere */
	enum et_order order;      /* "random", "yates" or "interleaved" */
	bool has_seed;
	uint64_t seed;
	struct et_plan_option *options; /* of `run` */
	size_t n_options;
	struct et_plan_factor_places *factors; /* in the order of the design's factors */
	size_t n_factors;
	struct et_plan_program_places *programs; /* in the order of the design's programs */
	size_t n_programs;
	struct et_plan_place design_at, response_at, between_at;
};

/* Reads a plan from a stream; path names it in errors. et_plan_file_free frees what it owns. */
int et_plan_read(
	FILE *in, const char *path, struct et_plan_file *out, struct et_error *err) ET_CHECK;
void et_plan_file_free(struct et_plan_file *p);

/* Puts "FILE:LINE:COLUMN: " before the text of err, which may be NULL, and returns rc. */
int et_plan_locate(
	const struct et_plan_file *p, struct et_plan_place at, int rc, struct et_error *err);

/* Runs of the whole experiment, those that are discarded included. */
uint64_t et_plan_runs(const struct et_design *d);
/* Refuses an experiment of more than ET_PLAN_FREE_RUNS runs, unless the user confirmed it. */
int et_plan_check_size(const struct et_design *d, bool yes, struct et_error *err) ET_CHECK;

/* --- the JSON Schema of plan files, for editors; made of the tables that read them --- */

/* An option of `run` that a plan can set. */
struct et_plan_schema_option {
	const char *name, *help;
	const char *const *choices; /* NULL-terminated; or NULL */
	bool flag;                  /* it is given or not */
};

struct et_plan_schema {
	const struct et_plan_schema_option *options;
	size_t n_options;
};

void et_plan_write_schema(FILE *out, const struct et_plan_schema *s);
