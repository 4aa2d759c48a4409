/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes an experiment of other profilers' files. Errors (exit status 2) name the line. */
#pragma once

#include "base/error.h"
#include "model/experiment/experiment.h"

/*
 * The formats: the word of --format, and the name of the two functions that reader.h declares. They
 * are tried in this order: folded stacks accept the most.
 *
 * To add a row: copy skeleton.c to a file of this folder and list it in src/profile/meson.build;
 * its section in man/etalon-profile.1.scd (Other instruments), and its word below --format there;
 * tests/unit/profile/read.c; a fuzz target, which is a function and its FUZZ_TARGET in
 * tests/fuzz/profile.c, and a folder in tests/fuzz/corpus.
 */
#define ET_PROFILE_READERS(X)                                                                      \
	X("perf", perf_script)                                                                     \
	X("gprof", gprof)                                                                          \
	X("callgrind", callgrind)                                                                  \
	X("folded", folded)

/* "auto" and the names of the formats; NULL ends them. */
extern const char *const et_profile_format_names[];

struct et_profile_read_options {
	int format;        /* position in et_profile_format_names; 0: by the content of each file */
	const char *event; /* that is read of files with several; NULL: there must be only one */
};

/*
 * Reads the files of one command, each of which is a repetition (a file of concatenated gprof
 * outputs has several), into a new experiment without id, whose times are unknown. "-" is standard
 * input. An executable is not a repetition: gprof needs it for the files gmon.out after it.
 * perf.data and gmon.out are given to perf and gprof. On success the caller frees *out.
 */
int et_profile_read_files(char *const *paths, size_t n, const struct et_profile_read_options *o,
	struct et_experiment **out, struct et_error *err) ET_CHECK;
/* Whether perf or gprof must read the file, by its first bytes. */
bool et_profile_is_binary(const char *path);
/* The same as et_profile_read_files of one stream, for which no other program is started; name is
 * for errors. */
int et_profile_read_stream(FILE *in, const char *name, const struct et_profile_read_options *o,
	struct et_experiment **out, struct et_error *err) ET_CHECK;
/* Adds a further command with its repetitions, to be compared with the first. */
int et_profile_add_files(struct et_experiment *e, char *const *paths, size_t n,
	const struct et_profile_read_options *o, struct et_error *err) ET_CHECK;
