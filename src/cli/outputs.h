/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a run writes: opened before the first run, written after the last. */
#pragma once

#include "base/error.h"
#include "base/option.h"
#include "base/outfile.h"
#include "record/format.h"

/*
 * One file ("-" is stdout), opened early and written at the end. A regular file is replaced by
 * rename(2): a reader finds either the old contents or the new, also if the disk is full.
 */
struct et_output {
	const char *path;
	bool open;
	struct et_outfile target; /* created: by etalon, and still empty */
	FILE *file;               /* open while it is written */
	/* The file beside it that is renamed to it; "": it is written in place. */
	char temporary[NAME_MAX + 1];
};

int et_output_open(struct et_output *o, const char *path, struct et_error *err) ET_CHECK;
/* Returns a stream that o owns; NULL with err filled on failure. */
FILE *et_output_begin(struct et_output *o, struct et_error *err) ET_CHECK;
/* Closes and renames the file; fails if not everything was written. */
int et_output_end(struct et_output *o, struct et_error *err) ET_CHECK;
void et_output_close(struct et_output *o); /* frees what it owns, whether it was written or not */

/*
 * The same for a file that is written at once: et_output_start opens and begins it, or returns
 * NULL; et_output_finish ends it, unless something failed (rc) or it was not begun, and closes it.
 */
FILE *et_output_start(struct et_output *o, const char *path, struct et_error *err) ET_CHECK;
int et_output_finish(struct et_output *o, int rc, struct et_error *err) ET_CHECK;

/* Writes one file whole, unless path is NULL. "-" is refused, as standard output has the text. */
int et_output_write(const char *path, const char *option, void (*write)(const void *ctx, FILE *out),
	const void *ctx, struct et_error *err) ET_CHECK;

enum { ET_MOST_OUTPUTS = 16 };

struct et_outputs {
	struct {
		const char *path;
		const struct et_format *format;
		const void *own; /* if `format` is NULL: what the command knows the format by */
		struct et_output output;
	} list[ET_MOST_OUTPUTS];
	size_t n;
	bool stdout_taken; /* one of them is "-": text for people goes to stderr */
};

/* Options made from the table of formats, such as --export-csv; they fill a struct et_outputs. */
const struct et_option *et_outputs_options(void);
int et_outputs_add(struct et_outputs *o, const struct et_format *format, const char *path,
	struct et_error *err) ET_CHECK;
/* Opens every path early, so that a wrong one does not fail after an hour of measuring. */
int et_outputs_open(struct et_outputs *o, struct et_error *err) ET_CHECK;
int et_outputs_write(struct et_outputs *o, const struct et_experiment *e,
	const struct et_judgement *j, struct et_error *err) ET_CHECK;
void et_outputs_close(struct et_outputs *o);
