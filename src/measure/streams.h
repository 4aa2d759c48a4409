/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors 0, 1 and 2 of the measured programs: opened once, the same for every run. */
#ifndef ET_MEASURE_STREAMS_H
#define ET_MEASURE_STREAMS_H

#include "model/executor.h"

struct et_streams {
	bool seekable;       /* the input has a beginning to go back to */
	bool truncated;      /* the output is a file of the user's, emptied before each run */
	int in_fd[ET_SLOTS]; /* one per program: each has its own offset in the input */
	int out_fd, err_fd;
	int null_fd;
};

void et_streams_init(struct et_streams *s); /* nothing is open */
/* input: a file, NULL is /dev/null. output: "null", "inherit", a file, or NULL for "null". */
int et_streams_open(
	struct et_streams *s, const char *input, const char *output, struct et_error *err) ET_CHECK;
/* Before a run: inputs at their beginning, the output empty. */
void et_streams_rewind(const struct et_streams *s);
void et_streams_close(struct et_streams *s);

#endif
