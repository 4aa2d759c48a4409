/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that the readers of all formats share. Private to src/profile. */
#pragma once

#include "base/error.h"
#include "base/lines.h"
#include "model/sample/profile.h"
#include "profile/readers/read.h"

#include <sys/types.h>

/*
 * Functions of files that have no symbols, for the reader of perf script. perf prints "[unknown]"
 * for them, but it also prints which file was mapped where, and the address spaces of the sampler
 * (space.h) find the function. A file is opened only if its build id was recorded, because another
 * file may have its path now. Every text is hostile.
 */
struct et_perf_maps;

struct et_perf_maps *et_perf_maps_new(void);
void et_perf_maps_free(struct et_perf_maps *m); /* NULL is fine */
/* A file of perf ends: forgets build ids and processes, but keeps the symbols. */
void et_perf_maps_clear(struct et_perf_maps *m);

/* Reads a line of `perf buildid-list`, "ID PATH". Other lines are ignored. */
void et_perf_maps_add_id(struct et_perf_maps *m, const char *line);
/*
 * Applies "PERF_RECORD_MMAP2 …", "PERF_RECORD_FORK…" or "PERF_RECORD_COMM exec…", which perf script
 * prints with --show-mmap-events and --show-task-events. Other records are ignored.
 */
void et_perf_maps_apply(struct et_perf_maps *m, const char *record);

/* A place that perf script prints. */
struct et_perf_place {
	pid_t task;       /* the process or one of its threads */
	const char *path; /* of the file, without " (deleted)" */
	uint64_t address;
	bool may_be_offset; /* the address may be that of the process, or an offset in the file */
	bool is_caller;     /* the address is that after a call */
};

/* Returns the function, which the next call may free, or NULL if nothing is known. */
const struct et_profile_function *et_perf_maps_find(
	struct et_perf_maps *m, const struct et_perf_place *place, bool *at_entry);

enum {
	ET_READER_LONGEST_LINE = 4 << 20,
	ET_READER_LONGEST_NAME = 16 << 10, /* the rest of a function's name is cut off */
	ET_READER_MOST_FUNCTIONS = 1 << 22,
	ET_READER_MOST_NODES = 1 << 24,
	ET_READER_DEEPEST = 1 << 16,
};

/* The files of one command, which are read one after the other. */
struct et_reader {
	const char *name;         /* of the file, for errors */
	const char *path;         /* of the file, or NULL: no other program may read it */
	const char *program;      /* the executable that the samples belong to, or NULL */
	const char *wanted;       /* the only event that is read, or NULL */
	const char *first, *last; /* files that had runs, or NULL */
	struct et_lines lines;
	struct et_perf_maps *maps; /* NULL: no file of perf had any */
	struct et_profile *profile;
	struct et_error *err;
	int rc; /* of the first error, which stays: no line is read after it; 0: there is none */
	struct et_profile_run run;     /* that is being read, without counts; its reader fills it */
	struct et_profile_tally tally; /* its samples */
	char *command;                 /* the command line of the program, if a file has it */
	struct et_profile_run *runs;   /* that are complete, without command and order */
	size_t n_runs, runs_room;
	double *calls; /* sums over the runs, by function; NaN: not known */
	size_t calls_room;
};

/*
 * et_is_NAME: whether a line, without its line feed, could be the first one of the format.
 * et_read_NAME: reads all lines and adds at least one run to the reader, or fills the error.
 */
#define ET_PROFILE_READER_DECLARE(word, name)                                                      \
	bool et_is_##name(const char *line);                                                       \
	int et_read_##name(struct et_reader *r) ET_CHECK;
ET_PROFILE_READERS(ET_PROFILE_READER_DECLARE)

/* Fills the error "NAME:LINE: TEXT" (status 2) if it is the first; hint: or NULL. Returns r->rc. */
int et_reader_fail(struct et_reader *r, const char *hint, const char *fmt, ...) ET_PRINTF(3, 4);
/* The same for the failure rc of a read. */
int et_reader_fail_file(struct et_reader *r, int rc);
/* Reads a line of text. Returns 1, 0 at the end, or r->rc, also that of an earlier error. */
int et_reader_line(struct et_reader *r, char **line) ET_CHECK;

/* The following set r->rc if they fail, with valid results: a reader looks at it once per line. */

/*
 * Finds or adds a function; what is not clean UTF-8 becomes '?'. module: NULL if the file has none.
 */
uint32_t et_reader_function(
	struct et_reader *r, const char *name, const char *module, enum et_space_kind space);
/* The same for a function of another profile. */
uint32_t et_reader_copy(struct et_reader *r, const struct et_profile_function *f);
/* Finds or adds a context. */
uint32_t et_reader_node(struct et_reader *r, uint32_t parent, uint32_t function);
/* Adds samples to the run that is being read. */
void et_reader_add(struct et_reader *r, uint32_t node, uint64_t samples, uint64_t at_entry);
/* Adds calls of a function to the run that is being read. */
void et_reader_calls(struct et_reader *r, uint32_t function, uint64_t calls);
/* Sets the command line of the program, unless it is known already. */
void et_reader_command(struct et_reader *r, const char *text);
/* Refuses files that count something else than those before. */
void et_reader_event(struct et_reader *r, const char *event);
/* Ends the run that is being read, and refuses one without samples. Returns r->rc. */
int et_reader_end_run(struct et_reader *r);
void et_reader_free(struct et_reader *r); /* what it owns, without the stream and the profile */

/* Parses a decimal or 0x number at *text and moves *text after it. False: none, or too large. */
bool et_reader_whole(const char **text, uint64_t *out);
/* The length of a text without the blanks at its end. */
size_t et_reader_trimmed(const char *text);
/* The same of digits to the base 10 or 16. */
bool et_reader_digits(const char **text, unsigned base, uint64_t *out);
