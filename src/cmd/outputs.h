/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files a run is asked to write: opened before the first run, written after the last. */
#ifndef ET_CMD_OUTPUTS_H
#define ET_CMD_OUTPUTS_H

#include "base/error.h"
#include "report/format.h"

enum { ET_MOST_OUTPUTS = 16 };

struct et_outputs {
	struct {
		const char *path;
		const struct et_format *format;
		int fd;
	} list[ET_MOST_OUTPUTS];
	size_t n;
	bool stdout_taken; /* one of them is "-": talk goes to stderr */
};

/*
 * One file ("-" is stdout): tried now, written when the time has come. et_output_begin takes the
 * descriptor over; NULL with err filled on failure. et_cli_close_output ends it.
 */
int et_output_open(const char *path, int *fd, struct et_error *err) ET_CHECK;
FILE *et_output_begin(const char *path, int *fd, struct et_error *err) ET_CHECK;

int et_outputs_add(
	struct et_outputs *o, const char *format, const char *path, struct et_error *err);
/* Tries every path now, so that an hour of measuring does not end in a wrong folder. */
int et_outputs_open(struct et_outputs *o, struct et_error *err);
int et_outputs_write(struct et_outputs *o, const struct et_experiment *e,
	const struct et_judgement *j, struct et_error *err);
void et_outputs_close(struct et_outputs *o);

#endif
