/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files a run is asked to write: opened before the first run, written after the last. */
#ifndef ET_CMD_OUTPUTS_H
#define ET_CMD_OUTPUTS_H

#include "base/error.h"
#include "report/format.h"

/*
 * One file ("-" is stdout): tried now, written when the time has come. A plain file is replaced as
 * a whole: who looks meanwhile, or after a full disk, finds what was there before.
 */
struct et_output {
	const char *path;
	int fd;          /* -1: not open */
	bool created;    /* by us, and nothing is in it yet */
	FILE *file;      /* while it is written */
	char *temporary; /* what it is written to, beside the real file; NULL: to itself */
	char *real;
};

int et_output_open(struct et_output *o, const char *path, struct et_error *err) ET_CHECK;
/* The stream is o's; NULL with err filled on failure. */
FILE *et_output_begin(struct et_output *o, struct et_error *err) ET_CHECK;
/* Closes it, tells whether everything was written, and puts it in its place. */
int et_output_end(struct et_output *o, struct et_error *err) ET_CHECK;
void et_output_close(struct et_output *o); /* what is left of it, written or not */

enum { ET_MOST_OUTPUTS = 16 };

struct et_outputs {
	struct {
		const char *path;
		const struct et_format *format;
		struct et_output output;
	} list[ET_MOST_OUTPUTS];
	size_t n;
	bool stdout_taken; /* one of them is "-": talk goes to stderr */
};

int et_outputs_add(
	struct et_outputs *o, const char *format, const char *path, struct et_error *err);
/* Tries every path now, so that an hour of measuring does not end in a wrong folder. */
int et_outputs_open(struct et_outputs *o, struct et_error *err);
int et_outputs_write(struct et_outputs *o, const struct et_experiment *e,
	const struct et_judgement *j, struct et_error *err);
void et_outputs_close(struct et_outputs *o);

#endif
