/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole programs to measure: our own workloads over sizes, and compute-bound programs that a
 * distribution has, each with an input that is made here and the same everywhere.
 */
#ifndef ET_PUT_SUBJECT_H
#define ET_PUT_SUBJECT_H

#include "base/error.h"

#include <stdbool.h>

enum { ET_SUBJECT_SIZES = 3 };

extern const char *const et_subject_sizes[]; /* "small" …; NULL ends them */

struct et_subject {
	const char *name;
	const char *program; /* what must be installed; NULL: our own */
	uint64_t sizes[ET_SUBJECT_SIZES];
	const char *input;                       /* the name of its input, or NULL */
	void (*write)(FILE *out, uint64_t size); /* which this makes */
	const char *words[16]; /* behind the program; {in}, {out}, {size} are filled in */
};

/* Ends with a row whose name is NULL. */
extern const struct et_subject et_subjects[];

/* Makes the input for a size in the folder; 0 or -errno. */
int et_subject_prepare(
	const struct et_subject *s, int size, const char *folder, struct et_error *err) ET_CHECK;
/* The command line, quoted where it needs it; program is the path to run. Caller frees. */
char *et_subject_command(
	const struct et_subject *s, int size, const char *program, const char *folder);

#endif
