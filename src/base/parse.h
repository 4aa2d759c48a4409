/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parsers of what a user types: numbers, durations, proportions, CPU lists, command lines. Each
 * accepts the whole text or refuses it with an error that quotes it.
 */
#ifndef ET_BASE_PARSE_H
#define ET_BASE_PARSE_H

#include "base/error.h"

#include <sched.h>
#include <stdbool.h>

/* Parses a whole number from lo to hi. `what` names the option in the error ("--runs"). */
int et_parse_u64(const char *what, const char *text, uint64_t lo, uint64_t hi, uint64_t *out,
	struct et_error *err) ET_CHECK;
int et_parse_i64(const char *what, const char *text, int64_t lo, int64_t hi, int64_t *out,
	struct et_error *err) ET_CHECK;
/* Parses a finite number. */
int et_parse_double(const char *what, const char *text, double *out, struct et_error *err) ET_CHECK;
/* Parses a duration above 0: "500ms", "2s", "3m", "1h", "20us", "100ns", "1.5" (seconds). */
int et_parse_duration(
	const char *what, const char *text, uint64_t *out_ns, struct et_error *err) ET_CHECK;
/* Parses a proportion above 0: "0.5%" or "0.005". */
int et_parse_ratio(const char *what, const char *text, double *out, struct et_error *err) ET_CHECK;
/* Parses a percentage of at least 0, "5" or "5%", to a proportion. NULL, if omitted, gives 0. */
int et_parse_percent(
	const char *what, const char *text, double *out, struct et_error *err) ET_CHECK;
/* Parses a probability between 0 and 1, both excluded. */
int et_parse_probability(
	const char *what, const char *text, double *out, struct et_error *err) ET_CHECK;
/* Parses a list of CPUs as the kernel writes it: "0-3,6". */
int et_parse_cpus(
	const char *what, const char *text, cpu_set_t *out, struct et_error *err) ET_CHECK;
/* Writes a list of CPUs as the kernel does, cut off if buf is too small, and returns buf. */
const char *et_format_cpus(const cpu_set_t *set, char *buf, size_t size);

/* Refuses CPUs of --cpu that do not exist or that this process may not use. */
int et_check_cpus(const cpu_set_t *asked, const cpu_set_t *allowed, struct et_error *err) ET_CHECK;

/*
 * Splits a command line into words as a POSIX shell does (quotes, backslashes), without expansion.
 * *out ends with NULL; et_strv_free frees it.
 */
int et_split_words(const char *text, char ***out, struct et_error *err) ET_CHECK;
/* A vector of copies of the arguments; NULL ends them. */
char **et_strv_of(const char *first, ...) __attribute__((sentinel));
void et_strv_free(char **argv);
size_t et_strv_length(char *const *argv);
/* Joins words into one line that splits into the same words. The caller frees it. */
char *et_join_words(char *const *argv);

#endif
