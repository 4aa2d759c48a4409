/* SPDX-License-Identifier: MIT */
/* Reads lines in bounded memory. The caller sets in, longest and quotes, and all else to 0. */
#pragma once

#include "base/base.h"

struct et_lines {
	FILE *in;
	size_t longest; /* a line of more bytes is refused */
	bool quotes;    /* a line feed within quotes does not end the line */
	size_t number;  /* number of the last line, from 1 */
	/* The rest is private, except that a caller may look at the bytes from pos to end. */
	char *buf;
	size_t pos, end, cap;
	size_t next_number;
	size_t begin, stop;  /* of the last line; stop is where its line feed was */
	bool has_lf, has_cr; /* it ended in a line feed; a carriage return was before it */
	bool eof;
};

/* Reads more bytes into the buffer, unless the stream is at its end. Returns 0 or -errno. */
int et_lines_fill(struct et_lines *l) ET_CHECK;
/*
 * The same at the beginning of a stream: skips a byte order mark. *json is set if the first
 * character that is no blank begins an object or an array of JSON.
 */
int et_lines_begin(struct et_lines *l, bool *json) ET_CHECK;
/*
 * Reads the next line. Returns 1 with a line, 0 at the end, -EMSGSIZE if the line is too long, or
 * another -errno. A NUL replaces the line feed, or CR LF, at the end of the line; the line itself
 * may contain NULs too. It is valid until the next call.
 */
int et_lines_next(struct et_lines *l, char **line, size_t *length) ET_CHECK;
/* Puts the last line back, to be read again. */
void et_lines_back(struct et_lines *l);
/*
 * Reads the rest of the stream unchanged into a new buffer of *size bytes, which the caller frees.
 * Returns 0, -EFBIG if there are more than `most` bytes, or another -errno.
 */
int et_lines_rest(struct et_lines *l, size_t most, char **out, size_t *size) ET_CHECK;
void et_lines_free(struct et_lines *l); /* does not close the stream */
