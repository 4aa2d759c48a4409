/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads series of numbers from a stream. The stream has one number per line, or is CSV of which one
 * column is read, or is a record (etalon's JSON or CSV, or hyperfine's JSON) in which each command
 * is a series. Lines and columns need 8 bytes of memory per number; a record is read into memory as
 * a whole. Every error (exit status 2) names the file and the place in it.
 */
#pragma once

#include "base/error.h"
#include "model/result/series.h"

/* The most numbers in one series, and the most bytes in one line. */
#define ET_SERIES_MOST ((size_t)1 << 28)
#define ET_SERIES_LONGEST_LINE ((size_t)1 << 20)

struct et_series_options {
	const char *name;   /* of the file: for errors, and as the name of a series without one */
	const char *column; /* of CSV: its heading, or its number from 1; NULL: none is named */
	bool cpu_time;      /* times of any other kind are refused */
};

/* Adds at least one series to the set. After a failure some may have been added. */
int et_series_read(FILE *in, const struct et_series_options *o, struct et_series_set *out,
	struct et_error *err) ET_CHECK;
