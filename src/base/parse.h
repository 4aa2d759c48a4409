/* SPDX-License-Identifier: MIT */
/*
 * Parsers of what a user types: numbers, durations, proportions, CPU lists, command lines. Each
 * accepts the whole text, or refuses it with an error that quotes it and returns -EINVAL or
 * -ERANGE. In all of them, `what` names the option in the error ("--runs").
 */
#pragma once

#include "base/error.h"

#include <sched.h>

/* Parses a whole number from lo to hi. */
int et_parse_u64(const char *what, const char *text, uint64_t lo, uint64_t hi, uint64_t *out,
	struct et_error *err) ET_CHECK;
int et_parse_i64(const char *what, const char *text, int64_t lo, int64_t hi, int64_t *out,
	struct et_error *err) ET_CHECK;
/* Parses a finite decimal number. */
int et_parse_double(const char *what, const char *text, double *out, struct et_error *err) ET_CHECK;
/* Parses a duration of at least 1 ns: "20us", "500ms", "2s", "3m", "1h", "1d"; "1.5" is seconds. */
int et_parse_duration(
	const char *what, const char *text, uint64_t *out_ns, struct et_error *err) ET_CHECK;
/* Parses a proportion above 0: "0.5%" or "0.005". Without the % it must be below 1. */
int et_parse_ratio(const char *what, const char *text, double *out, struct et_error *err) ET_CHECK;
/* Parses a percentage of at least 0, "5" or "5%", and returns a proportion. NULL gives 0. */
int et_parse_percent(
	const char *what, const char *text, double *out, struct et_error *err) ET_CHECK;
/* Parses a probability between 0 and 1, both excluded. */
int et_parse_probability(
	const char *what, const char *text, double *out, struct et_error *err) ET_CHECK;
/* Parses a list of CPUs as the kernel writes it: "0-3,6". */
int et_parse_cpus(
	const char *what, const char *text, cpu_set_t *out, struct et_error *err) ET_CHECK;
/* The inverse of et_parse_cpus. The list is cut off if buf is too small. Returns buf. */
const char *et_format_cpus(const cpu_set_t *set, char *buf, size_t size);

/* Refuses a list that the user gave with --cpu if it has a CPU that is not allowed. */
int et_check_cpus(const cpu_set_t *asked, const cpu_set_t *allowed, struct et_error *err) ET_CHECK;

/* Whether a list has a word of len bytes between its separators, such as ",". */
bool et_list_has(const char *list, const char *separators, const char *word, size_t len);
/*
 * Splits a command line into words as a POSIX shell does (quotes, backslashes), without expansion,
 * and refuses one without words. *out ends with NULL; et_strv_free frees it.
 */
int et_split_words(const char *text, char ***out, struct et_error *err) ET_CHECK;
/* Returns a NULL-terminated vector of copies of the arguments, the last of which is NULL. */
char **et_strv_of(const char *first, ...) __attribute__((sentinel));
void et_strv_free(char **argv);
size_t et_strv_length(char *const *argv);
/* The inverse of et_split_words: joins words into one line, with quotes. The caller frees it. */
char *et_join_words(char *const *argv);
