/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Results of a designed experiment that was run elsewhere, as CSV: one row per run, with columns
 * for the factors and one for the response. They become an experiment with a design, as if `doe
 * run` had measured it. The bytes are not trusted: every error (exit status 2) names the line.
 */
#pragma once

#include "base/error.h"
#include "model/experiment/experiment.h"

enum et_results_unit {
	ET_RESULTS_AUTO, /* by the end of the column's name, such as _ms; else seconds */
	ET_RESULTS_S,
	ET_RESULTS_MS,
	ET_RESULTS_US,
	ET_RESULTS_NS,
	ET_RESULTS_BYTES,
	ET_RESULTS_COUNT,
};

extern const char *const et_results_unit_names[]; /* NULL ends them */

/* The column that was taken for the response. */
struct et_results_found {
	char *response; /* the name of its column, for free() */
	enum et_results_unit unit;
};

struct et_results_options {
	const char *name; /* of the file, for errors */
	/* Names of columns; NULL: found by the header. factors: "a,b". */
	const char *response, *factors, *program, *block;
	enum et_results_unit unit;
	const char *label;              /* of the experiment */
	uint64_t wall_ns;               /* now */
	uint64_t random;                /* for the id */
	struct et_results_found *found; /* filled; or NULL */
};

/* A factor has at most this many levels: others are likely measurements. */
enum { ET_RESULTS_MOST_LEVELS = 256, ET_RESULTS_MOST_FACTORS = 20 };

/* The first line of a file of `doe export`: its levels are in the order of the design. */
#define ET_RESULTS_OWN "# etalon doe"

int et_results_read(const char *data, size_t size, const struct et_results_options *o,
	struct et_experiment **out, struct et_error *err) ET_CHECK;
