/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes an experiment of a record in etalon's own JSON, in the JSON of hyperfine, of a benchmark
 * program of libetalon or of Google Benchmark, or in CSV. The bytes are not trusted: every error
 * (exit status 2) names the place in them.
 */
#pragma once

#include "base/error.h"
#include "model/experiment/experiment.h"

enum et_import_format {
	ET_IMPORT_AUTO, /* recognized by the first character and, in JSON, by the keys */
	ET_IMPORT_NATIVE,
	ET_IMPORT_HYPERFINE,
	ET_IMPORT_BENCH,  /* functions that libetalon timed */
	ET_IMPORT_GOOGLE, /* functions that Google Benchmark timed */
	ET_IMPORT_CSV,
};

extern const char *const et_import_format_names[];

/*
 * A larger record is refused. An import needs at most 20 times the size of its text in memory: a
 * sample of two bytes ("1,") is the worst; a record of etalon's own needs twice its size.
 */
#define ET_IMPORT_MOST_BYTES ((size_t)256 << 20)

struct et_import_options {
	const char *name; /* of the file, for errors */
	enum et_import_format format;
	const char *column; /* CSV: the column that holds the times; NULL: found by the header */
	const char *label;  /* NULL: the record's own */
	bool copy;          /* give the experiment a new id even if the record has one */
	uint64_t wall_ns;   /* now: the start of an experiment if its record has none */
	uint64_t random;    /* a random number, for new ids */
	size_t *omitted;    /* set to the number of functions without times; may be NULL */
};

/*
 * On success the caller frees *out. A native record keeps its id unless copy is set, and a running
 * experiment becomes an interrupted one. hyperfine's files and most CSV files have no CPU time: it
 * is then ET_UNKNOWN, and the experiment's metric is ET_METRIC_ELAPSED.
 */
int et_import(const char *data, size_t size, const struct et_import_options *o,
	struct et_experiment **out, struct et_error *err) ET_CHECK;
