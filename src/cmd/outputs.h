/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files a run is asked to write: opened before the first run, written after the last. */
#ifndef ET_CMD_OUTPUTS_H
#define ET_CMD_OUTPUTS_H

#include "base/error.h"
#include "base/option.h"
#include "report/format.h"

/*
 * One file ("-" is stdout), opened early and written at the end. A regular file is replaced by
 * rename(2): a reader finds either the old contents or the new ones, also after a full disk.
 */
struct et_output {
	const char *path;
	int fd;          /* -1: not open */
	bool created;    /* by us, and still empty */
	FILE *file;      /* while it is written */
	char *temporary; /* the file that is renamed over it; NULL: it is written in place */
	char *real;
};

int et_output_open(struct et_output *o, const char *path, struct et_error *err) ET_CHECK;
/* The stream is o's; NULL with err filled on failure. */
FILE *et_output_begin(struct et_output *o, struct et_error *err) ET_CHECK;
/* Closes it, renames it into its place, and reports whether everything was written. */
int et_output_end(struct et_output *o, struct et_error *err) ET_CHECK;
void et_output_close(struct et_output *o); /* releases it, written or not */

enum { ET_MOST_OUTPUTS = 16 };

struct et_outputs {
	struct {
		const char *path;
		const struct et_format *format;
		struct et_output output;
	} list[ET_MOST_OUTPUTS];
	size_t n;
	bool stdout_taken; /* one of them is "-": text for people goes to stderr */
};

/* One option per format that has one, made from the table of formats; ctx is a struct et_outputs.
 */
const struct et_option *et_outputs_options(void);
int et_outputs_add(struct et_outputs *o, const struct et_format *format, const char *path,
	struct et_error *err) ET_CHECK;
/* Opens every path now, so that a wrong one fails before an hour of measuring. */
int et_outputs_open(struct et_outputs *o, struct et_error *err) ET_CHECK;
int et_outputs_write(struct et_outputs *o, const struct et_experiment *e,
	const struct et_judgement *j, struct et_error *err) ET_CHECK;
void et_outputs_close(struct et_outputs *o);

#endif
