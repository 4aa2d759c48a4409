/* SPDX-License-Identifier: MIT */
/*
 * The results of a benchmark program as text for people and as files for other programs, and the
 * reader of such files. Like etalon_bench_main, these functions may use base/alloc.h.
 */
#pragma once

#include "lib/bench/model.h"

#include <stdio.h>

enum { ET_BENCH_FORMAT = 2 }; /* the version of the JSON; 1 had no samples */

/* Where text is printed. */
struct et_bench_page {
	int columns; /* 0: as many as needed */
	bool color;
};

/* The table of all cases with warnings below it, and the decision of --fail-on-regression. */
void et_bench_text(const struct et_bench_results *r, const struct et_bench_page *page, FILE *out);
/* Only the table. Returns the titles of columns that do not fit the page, or NULL. */
char *et_bench_table(const struct et_bench_results *r, const struct et_bench_page *page, FILE *out);
void et_bench_csv(const struct et_bench_results *r, FILE *out);
/* A cell of CSV: a text, quoted if that is wanted or needed; a number, after a comma. */
void et_bench_csv_text(const char *text, bool quoted, FILE *out);
void et_bench_csv_number(double x, FILE *out);
void et_bench_markdown(const struct et_bench_results *r, FILE *out);
void et_bench_json(const struct et_bench_results *r, FILE *out);
/* The formats of Google Benchmark's --benchmark_out. */
void et_bench_google_json(const struct et_bench_results *r, FILE *out);
void et_bench_google_csv(const struct et_bench_results *r, FILE *out);

/* How many functions were compared with old times, and how many of these have a verdict. */
struct et_bench_comparisons {
	size_t compared, decided;
};

struct et_bench_comparisons et_bench_count_compared(const struct et_bench_results *r);

/*
 * Fills the context of this process; root is "" or a captured tree as in base/sysroot.h, and
 * program is argv[0]. et_bench_context_free frees its strings.
 */
void et_bench_context_collect(const char *root, const char *program, struct et_bench_context *out);
void et_bench_context_free(struct et_bench_context *c);

/*
 * Reads a file that et_bench_json or Google Benchmark wrote. Each row has a name and its slices,
 * which are `old`; there are no estimates. The bytes are not trusted: an error has exit status 4,
 * or 2 for a file of another version.
 */
int et_bench_read(const char *path, struct et_bench_results *out, struct et_error *err) ET_CHECK;
/*
 * Checks whether times of `old` can be compared with those of r, whose options and context are
 * set. Refuses (exit status 2) another cache mode, kind of clock or processor. Other differences
 * are added to the notes of r. Means of Google Benchmark make r report means, too.
 */
int et_bench_comparable(const char *path, struct et_bench_results *r,
	const struct et_bench_results *old, struct et_error *err) ET_CHECK;
/* Adds a warning that concerns all cases. */
void et_bench_note(struct et_bench_results *r, const char *fmt, ...) ET_PRINTF(2, 3);
/* Adds a note that the old program or file has these functions, which the new one lacks. */
void et_bench_note_missing(
	struct et_bench_results *r, const char *old, const char *const *names, size_t n);
/* Frees rows, context and notes. */
void et_bench_results_free(struct et_bench_results *r);
