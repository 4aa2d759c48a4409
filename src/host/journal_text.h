/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and parses the lines of a journal. The parser must withstand forged and damaged files. */
#ifndef ET_HOST_JOURNAL_TEXT_H
#define ET_HOST_JOURNAL_TEXT_H

#include "host/journal.h"

#define ET_JOURNAL_TITLE "etalon-journal 1"

/*
 * Fills sessions, entries, damaged, size and last_id from the text. Returns -EINVAL and fills
 * nothing if the title is not that of a journal.
 */
int et_journal_parse(struct et_journal *j, const char *text, size_t len) ET_CHECK;

void et_journal_write_session(FILE *f, const struct et_journal_session *s);
void et_journal_write_change(
	FILE *f, uint64_t id, uint32_t session, const struct et_change *change);
/* name is "made" or "again" with a value, or "back" without (NULL). */
void et_journal_write_mark(FILE *f, const char *name, uint64_t id, const char *value);

#endif
