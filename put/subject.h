/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole programs to measure: our own workloads in several sizes, and compute-bound programs of the
 * distribution. Their inputs are generated here and are the same on every machine.
 */
#ifndef ET_PUT_SUBJECT_H
#define ET_PUT_SUBJECT_H

#include "base/error.h"

#include <stdbool.h>

enum { ET_SUBJECT_SIZES = 3 };

extern const char *const et_subject_sizes[]; /* "small", "medium", "large", NULL */

struct et_subject {
	const char *name;    /* NULL ends the table */
	const char *program; /* the program that must be installed; NULL: etalon itself */
	uint64_t sizes[ET_SUBJECT_SIZES];        /* what they count depends on the program */
	const char *input;                       /* name of its input file; NULL: it has none */
	void (*write)(FILE *out, uint64_t size); /* writes the input file */
	const char *words[16]; /* its arguments; {in}, {out} and {size} are replaced */
};

extern const struct et_subject et_subjects[];

/* In both functions, size is an index of sizes. */

/* Creates the input file in the folder; an existing file is an error. */
int et_subject_prepare(
	const struct et_subject *s, int size, const char *folder, struct et_error *err) ET_CHECK;
/*
 * Returns the command line, quoted if needed. program is the path to run, folder that of the input.
 * The caller frees it.
 */
char *et_subject_command(
	const struct et_subject *s, int size, const char *program, const char *folder);

#endif
