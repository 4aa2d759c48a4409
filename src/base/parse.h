/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a user types, made into values: numbers, durations, proportions, CPU lists, command lines.
 * Every parser takes the whole text or refuses it with a sentence that names the text.
 */
#ifndef ET_BASE_PARSE_H
#define ET_BASE_PARSE_H

#include "base/error.h"

#include <sched.h>
#include <stdbool.h>

/* A whole number from lo to hi; what names the option in the error ("--runs"). */
int et_parse_u64(const char *what, const char *text, uint64_t lo, uint64_t hi, uint64_t *out,
	struct et_error *err) ET_CHECK;
int et_parse_i64(const char *what, const char *text, int64_t lo, int64_t hi, int64_t *out,
	struct et_error *err) ET_CHECK;
/* A finite number. */
int et_parse_double(const char *what, const char *text, double *out, struct et_error *err) ET_CHECK;
/* "500ms", "2s", "1.5", "3m", "1h", "20us", "100ns"; a bare number is seconds. Above 0. */
int et_parse_duration(
	const char *what, const char *text, uint64_t *out_ns, struct et_error *err) ET_CHECK;
/* "0.5%" or "0.005": a proportion above 0. */
int et_parse_ratio(const char *what, const char *text, double *out, struct et_error *err) ET_CHECK;
/* "5" or "5%": a percentage of at least 0, as a proportion; 0 of NULL, where it was left out. */
int et_parse_percent(
	const char *what, const char *text, double *out, struct et_error *err) ET_CHECK;
/* "0.05": a probability, neither 0 nor 1. */
int et_parse_probability(
	const char *what, const char *text, double *out, struct et_error *err) ET_CHECK;
/* "0-3,6": CPUs as the kernel writes them. */
int et_parse_cpus(
	const char *what, const char *text, cpu_set_t *out, struct et_error *err) ET_CHECK;
/* The list of a set, in the kernel's form. buf is always terminated. */
const char *et_format_cpus(const cpu_set_t *set, char *buf, size_t size);

/* Refuses CPUs of --cpu that are not there or not for this process: those that are, are allowed. */
int et_check_cpus(const cpu_set_t *asked, const cpu_set_t *allowed, struct et_error *err) ET_CHECK;

/*
 * Splits a command line as a POSIX shell splits words (quotes, backslashes), without expansion.
 * *out is a NULL-terminated vector, freed by et_strv_free.
 */
int et_split_words(const char *text, char ***out, struct et_error *err) ET_CHECK;
void et_strv_free(char **argv);
size_t et_strv_length(char *const *argv);
/* The reverse: one line that splits into the same words. Caller frees. */
char *et_join_words(char *const *argv);

#endif
