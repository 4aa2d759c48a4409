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

extern const char *const et_subject_sizes[]; /* "small", …; NULL-terminated */

struct et_subject {
	const char *name;
	const char *program; /* the program that must be installed; NULL: etalon itself */
	uint64_t sizes[ET_SUBJECT_SIZES];
	const char *input;                       /* name of its input file, or NULL */
	void (*write)(FILE *out, uint64_t size); /* writes that file */
	const char *words[16]; /* the arguments; {in}, {out} and {size} are replaced */
};

/* Ends with a row whose name is NULL. */
extern const struct et_subject et_subjects[];

/* Creates the input file of a size in the folder. */
int et_subject_prepare(
	const struct et_subject *s, int size, const char *folder, struct et_error *err) ET_CHECK;
/* Returns the command line, quoted if needed; program is the path to run. The caller frees it. */
char *et_subject_command(
	const struct et_subject *s, int size, const char *program, const char *folder);

#endif
