/* SPDX-License-Identifier: MIT */
/* The results of a benchmark program as text and as files, and their reader. Uses base/base.h. */
#pragma once

#include "lib/bench/judge.h"

enum { ET_BENCH_FORMAT = 2 }; /* the version of the JSON; 1 had no samples */

/* Where text is printed. */
struct et_bench_page {
	FILE *out;
	int columns; /* 0: as many as needed */
	bool color;
};

/* The table of all cases with warnings below it, and the decision of --fail-on-regression. */
void et_bench_text(const struct et_bench_results *r, const struct et_bench_page *page);
void et_bench_csv(const struct et_bench_results *r, FILE *out);
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

/* Fills the context of this process. root: as in base/sysroot.h; program: argv[0]. */
void et_bench_context_collect(const char *root, const char *program, struct et_bench_context *out);
void et_bench_context_free(struct et_bench_context *c);

/*
 * Reads a file of et_bench_json or Google Benchmark: rows with a name and slices, which are `old`,
 * without estimates. No byte is trusted: an error has status 4, or 2 for another version.
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

/* --- figures that several reports derive from a row alike, and names of its values --- */

extern const char *const et_bench_statistic_names[]; /* "best", "median", "mean"; NULL ends it */
extern const char *const et_bench_reason_names[];
extern const char *const et_bench_verdict_names[];
extern const char *const et_bench_event_names[];
extern const char *const et_bench_cache_names[];
extern const char *const et_bench_clock_names[];

/* The value of a name in one of these lists, or -1. */
int et_bench_name_index(const char *const *names, const char *text);

/* Why the benchmark failed, or NULL. */
const char *et_bench_error(const struct et_bench_row *row);
const char *et_bench_label(const struct et_bench_row *row);
/* A row without samples has no estimate: it failed, or the time was up. */
bool et_bench_timed(const struct et_bench_row *row);
/* The value of each process; or (cpu) its CPU time per call, by the same samples and statistic. */
void et_bench_process_values(
	const struct et_bench_row *row, bool cpu, struct et_bench_summary *out);
/* The larger half of the interval; infinite if a limit is unknown. */
double et_bench_half(const struct et_bench_estimate *e);
/* With threads: the elapsed time of all of them per call of one, over the processes; or NaN. */
double et_bench_wall(const struct et_bench_row *row);
/* Items and bytes per second of all threads together; NaN if the benchmark does not set them. */
double et_bench_items(const struct et_bench_row *row);
double et_bench_bytes(const struct et_bench_row *row);
/* The mean over the processes that have the event; NaN if none has it. */
double et_bench_event(const struct et_bench_row *row, enum et_bench_event event);
/* Ticks of the counter per second; NaN if no case was timed by it. */
double et_bench_hz(const struct et_bench_results *r);
/* The first slice of the new program, or NULL. */
const struct et_slice *et_bench_first(const struct et_bench_row *row);
/* The mean of a counter over the new slices; of inverses, of what was inverted. NaN: none. */
double et_bench_counter(const struct et_bench_row *row, const char *name, unsigned *kind);
/* The names of all counters by first appearance. The caller owns the list, but not the names. */
const char **et_bench_counter_names(const struct et_bench_results *r, size_t *n);
/* All warnings of a row, of its estimate and its slices: bits of enum etalon_warning. */
unsigned et_bench_warnings(const struct et_bench_row *row);
/* The sentence for one of them, which may depend on the benchmark. */
const char *et_bench_warning_text(const struct et_bench_row *row, unsigned warning);
