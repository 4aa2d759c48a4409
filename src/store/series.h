/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads series from a stream: one number per line, a column of CSV, or a record that import reads
 * (etalon's JSON and CSV, hyperfine's JSON), of which each command is a series. Text is read line
 * by line and needs 8 bytes of memory per number; JSON is held in memory as a whole. Every error
 * (exit 2) names the file and the line.
 */
#ifndef ET_STORE_SERIES_H
#define ET_STORE_SERIES_H

#include "base/error.h"
#include "model/series.h"

/* The most numbers in one series, and the most bytes in one line. */
#define ET_SERIES_MOST ((size_t)1 << 28)
#define ET_SERIES_LONGEST_LINE ((size_t)1 << 20)

struct et_series_options {
	const char *name;   /* of the file: for errors, and as the name of a series without one */
	const char *column; /* of CSV, by its heading or its number from 1; or NULL */
	const enum et_metric *metric; /* NULL: the metric of the record */
};

/* Adds the series to the set; after a failure some may have been added. */
int et_series_read(FILE *in, const struct et_series_options *o, struct et_series_set *out,
	struct et_error *err) ET_CHECK;

#endif
