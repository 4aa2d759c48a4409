/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of a file of results while it is read. Private to the readers of results. */
#pragma once

#include "base/hash.h"
#include "store/import/csv.h"
#include "store/import/importer.h"
#include "store/import/results.h"

enum { ET_RESULTS_MOST_NAME = 200 };

enum et_results_use {
	ET_RESULTS_FREE, /* not decided yet */
	ET_RESULTS_IGNORED,
	ET_RESULTS_FACTOR,
	ET_RESULTS_PROGRAM,
	ET_RESULTS_BLOCK,
	ET_RESULTS_ROUND,
	ET_RESULTS_ORDER,
	ET_RESULTS_COUNTS,
	ET_RESULTS_RESPONSE,
};

struct et_results_row {
	uint32_t program, treatment, block; /* block: from 1; 0: none */
	uint32_t order, line;
	bool warmup;
	uint64_t value;
	uint16_t levels[ET_RESULTS_MOST_FACTORS];
};

struct et_results_table {
	struct et_importer in;
	struct et_csv rows;
	enum et_results_use *columns;
	size_t n_columns, response;
	double factor; /* of the response, to its unit in a sample */
	enum et_metric metric;
	char **blocks; /* names */
	size_t n_blocks, cap_blocks;
	struct et_hash known_blocks; /* from the hash of a name to its number, from 1 */
	struct et_results_row *list;
	size_t n, cap;
	bool rounds, orders; /* there are such columns */
};

/* Returns a cell of the last row that was read. */
static inline const char *cell(const struct et_results_table *t, size_t i)
{
	return et_csv_cell(&t->rows, i);
}

/* Whether a text can be a level or a name: printable, not long, without blanks at its ends. */
bool et_results_is_name(const char *text);
/* Reads the header, which is the last row that was read, and adds the factors to the design. */
int et_results_columns(struct et_results_table *t, const struct et_results_options *o,
	struct et_design *d) ET_CHECK;
