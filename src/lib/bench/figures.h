/* SPDX-License-Identifier: MIT */
/* Figures that several reports derive from a row in the same way, and the names of its values. */
#pragma once

#include "lib/bench/model.h"
#include "lib/bench/values.h"

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
/*
 * The value of each process, of which the answer is made; or (cpu) its CPU time per call, by the
 * same samples and the same statistic. Free it by et_bench_summary_free.
 */
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
/*
 * The mean of a counter over the slices of the new program; of an inverse, the inverse of what was
 * inverted. NaN if none has it.
 */
double et_bench_counter(const struct et_bench_row *row, const char *name, unsigned *kind);
/*
 * The names of all counters, in the order of their first appearance. The list belongs to the
 * caller, the names to the slices.
 */
const char **et_bench_counter_names(const struct et_bench_results *r, size_t *n);
/* All warnings of a row, of its estimate and its slices: bits of enum etalon_warning. */
unsigned et_bench_warnings(const struct et_bench_row *row);
/* The sentence for one of them, which may depend on the benchmark. */
const char *et_bench_warning_text(const struct et_bench_row *row, unsigned warning);
