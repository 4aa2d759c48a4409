/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a stream line by line in bounded memory. Private to src/store. */
#ifndef ET_STORE_LINES_H
#define ET_STORE_LINES_H

#include "base/attr.h"

#include <stdbool.h>

struct et_lines {
	FILE *in;
	size_t longest; /* a longer line is refused */
	bool quotes;    /* a line feed within quotes does not end the line */
	size_t number;  /* of the last line, from 1 */
	/* The rest is for lines.c only. */
	char *buf;
	size_t pos, end, cap;
	size_t next_number;
	size_t begin, stop;  /* of the last line; stop is where its line feed was */
	bool has_lf, has_cr; /* it ended in a line feed; a carriage return was before it */
	bool eof;
};

/* Reads more bytes into the buffer, unless the stream is at its end; 0 or -errno. */
int et_lines_fill(struct et_lines *l) ET_CHECK;
/*
 * Reads the next line: 1 with a line, 0 at the end, -EMSGSIZE if the line is too long, or another
 * -errno. A NUL replaces the line feed and the carriage return before it; the line itself may also
 * contain NULs. It is valid until the next call.
 */
int et_lines_next(struct et_lines *l, char **line, size_t *length) ET_CHECK;
/* Puts the last line back, to be read again. */
void et_lines_back(struct et_lines *l);
/*
 * Reads the rest of the stream, with its line ends, into a new buffer of *size bytes; -EFBIG if it
 * is larger than most.
 */
int et_lines_rest(struct et_lines *l, size_t most, char **out, size_t *size) ET_CHECK;
void et_lines_free(struct et_lines *l); /* frees what it owns, but does not close the stream */

#endif
