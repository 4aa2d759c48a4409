/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Series out of a stream: one number a line, a column of CSV, or the records that import reads
 * (etalon's JSON and CSV, hyperfine's JSON: each command is a series). Text is read as a stream,
 * 8 bytes of memory a number; JSON is held whole. What is not right is an error (exit 2) that
 * names file and line.
 */
#ifndef ET_STORE_SERIES_H
#define ET_STORE_SERIES_H

#include "base/error.h"
#include "model/series.h"

/* Numbers of one series, and bytes of one line: more is refused. */
#define ET_SERIES_MOST ((size_t)1 << 28)
#define ET_SERIES_LONGEST_LINE ((size_t)1 << 20)

struct et_series_options {
	const char *name;             /* of the file: for errors, and for series without a name */
	const char *column;           /* of CSV, by its heading or its number from 1; or NULL */
	const enum et_metric *metric; /* NULL: the one that the record was judged by */
};

/* Adds what is there to the set; on failure some may have been added. */
int et_series_read(FILE *in, const struct et_series_options *o, struct et_series_set *out,
	struct et_error *err) ET_CHECK;

#endif
