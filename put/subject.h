/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole programs to measure: our own workloads in several sizes, and compute-bound programs of the
 * distribution, each of another field. Their inputs are generated (put/inputs.h).
 */
#pragma once

#include "base/error.h"
#include "put/inputs.h"

enum { ET_SUBJECT_SIZES = 3, ET_SUBJECT_CURVE = 6 };

/* Names of sets of sizes: "small", "medium", "large", "curve", "paper", NULL. */
extern const char *const et_subject_sizes[];
enum et_subject_size {
	ET_SIZE_SMALL,
	ET_SIZE_MEDIUM,
	ET_SIZE_LARGE,
	ET_SIZE_CURVE, /* several sizes of our own workloads; the three above of others */
	ET_SIZE_PAPER, /* the sizes of the EMP papers; none of programs that are not in them */
	ET_SIZE_SETS,
};
enum { ET_SUBJECT_MOST = ET_SUBJECT_SIZES + 2 * ET_SUBJECT_CURVE };

struct et_subject {
	const char *name;    /* NULL ends the table */
	const char *field;   /* what such programs do */
	const char *counted; /* what its size counts */
	const char *program; /* the program that must be installed; NULL: etalon itself */
	const char *package; /* the Debian package that has it */
	uint64_t sizes[ET_SUBJECT_SIZES];
	double seconds[ET_SUBJECT_SIZES]; /* of CPU time that they took on a machine of 2023 */
	uint64_t curve[ET_SUBJECT_CURVE], paper[ET_SUBJECT_CURVE]; /* end with 0 */
	const char *input;                                         /* suffix of its input file */
	et_input_write *write;                                     /* NULL: it has no input file */
	const char *words[16]; /* its arguments; {in}, {out} and {size} are replaced */
	const char *codes;     /* exit statuses beside 0 that mean success, "10,20"; or NULL */
};

extern const struct et_subject et_subjects[];

/* Returns the subject of that name, or NULL. */
const struct et_subject *et_subject_find(const char *name);
/*
 * Fills the ascending sizes of a set of bits (1 << ET_SIZE_SMALL …) and returns their number, at
 * most ET_SUBJECT_MOST.
 */
size_t et_subject_choose(const struct et_subject *s, unsigned sets, uint64_t *out);
/* About how long a run of that size takes: a power law through the known sizes. */
double et_subject_seconds(const struct et_subject *s, uint64_t size);

/* Creates the input file in the folder; an existing file is an error. */
int et_subject_prepare(const struct et_subject *s, uint64_t size, const char *folder,
	struct et_error *err) ET_CHECK;
/*
 * Returns the command line, quoted if needed. program is the path to run, folder that of the input.
 * The caller frees it.
 */
char *et_subject_command(
	const struct et_subject *s, uint64_t size, const char *program, const char *folder);
