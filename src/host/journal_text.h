/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and parses the lines of a journal. The parser must withstand forged and damaged files. */
#pragma once

#include "host/journal.h"

#define ET_JOURNAL_TITLE "etalon-journal 1"

/* Fills sessions, entries, damaged, size and last_id. -EINVAL, and nothing, without the title. */
int et_journal_parse(struct et_journal *j, const char *text, size_t len) ET_CHECK;

enum { ET_JOURNAL_LINE = 4096 }; /* bytes of a line, at most, with the newline */

/* A line in a buffer of fixed size, because marks are also written after memory has run out. */
struct et_journal_line {
	char text[ET_JOURNAL_LINE];
	size_t n; /* its length */
	bool too_long;
};

/* These fill in a whole line, with checksum and newline. -EMSGSIZE if it is too long. */
int et_journal_line_session(struct et_journal_line *l, const struct et_journal_session *s) ET_CHECK;
int et_journal_line_change(struct et_journal_line *l, uint64_t id, uint32_t session,
	const struct et_change *change) ET_CHECK;
/* name is "made" or "again" with a value, or "back" without (NULL). */
int et_journal_line_mark(
	struct et_journal_line *l, const char *name, uint64_t id, const char *value) ET_CHECK;
/* Appends checksum and newline to the text in l. */
int et_journal_line_end(struct et_journal_line *l) ET_CHECK;
