/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream a line at a time, in bounded memory. Private to src/store. */
#ifndef ET_STORE_LINES_H
#define ET_STORE_LINES_H

#include "base/attr.h"

#include <stdbool.h>

struct et_lines {
	FILE *in;
	size_t longest; /* a longer line is refused */
	bool quotes;    /* a line feed within quotes does not end the line */
	size_t number;  /* of the line that was read last, from 1 */
	/* inside */
	char *buf;
	size_t pos, end, cap;
	size_t next_number;
	size_t begin, stop; /* of the last line; stop is where its line feed was */
	bool fed, returned; /* it had a line feed, a carriage return */
	bool eof;
};

/* Makes sure that some bytes are there, unless the stream is at its end; -errno on failure. */
int et_lines_fill(struct et_lines *l) ET_CHECK;
/*
 * 1 with a line (terminated, without its line feed and the carriage return before it; it may hold
 * NULs), 0 at the end, -EMSGSIZE for a line too long, another -errno. Valid until the next call.
 */
int et_lines_next(struct et_lines *l, char **line, size_t *length) ET_CHECK;
/* Puts the line that was read last back. */
void et_lines_back(struct et_lines *l);
/*
 * All that is left, in a new buffer of *size bytes; -EFBIG when that is more than most. Line ends
 * stand as they were.
 */
int et_lines_rest(struct et_lines *l, size_t most, char **out, size_t *size) ET_CHECK;
void et_lines_free(struct et_lines *l); /* what it owns, not the stream */

#endif
