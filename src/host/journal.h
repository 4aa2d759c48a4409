/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The journal of changes: what was there before goes to disk before anything is changed, so that
 * it can be given back after a kill, a crash or a reboot. One process at a time holds it.
 *
 * A file of lines, only ever appended to: a title, then
 *	begin SESSION OWNER PID BOOT-ID WALL-NS
 *	change ID SESSION FACTOR KIND TARGET PID START BEFORE AFTER
 *	again ID AFTER       somebody had undone it, it is made once more
 *	made ID OBSERVED     the change was made, and reads so
 *	back ID              there is nothing to give back any more
 * each with its checksum at the end. A line that was cut off by a crash is no line: nothing had
 * been changed for it. When nothing is left to give back, the file goes away.
 *
 * Knows how changes are written down, not how they are made.
 */
#ifndef ET_HOST_JOURNAL_H
#define ET_HOST_JOURNAL_H

#include "base/error.h"
#include "model/environment.h"

#include <sys/types.h>

enum et_owner {
	ET_OWNER_APPLY, /* `env apply`: stays until `env restore` */
	ET_OWNER_RUN,   /* `run --env`: to be given back when that run ends */
};

struct et_journal_session {
	uint32_t number; /* from 1 */
	enum et_owner owner;
	int32_t pid;
	char boot_id[48]; /* "": its line is damaged */
	uint64_t wall_ns;
};

struct et_entry {
	uint64_t id;
	uint32_t session;
	struct et_change change;
	char *observed; /* how it read after the change; NULL: perhaps it was never made */
	bool restored;
};

struct et_journal {
	char *path;
	int fd;
	off_t size;
	struct et_journal_session *sessions;
	size_t n_sessions, cap_sessions;
	struct et_entry *entries;
	size_t n, cap;
	size_t damaged; /* lines that are not as etalon writes them */
	uint64_t last_id;
};

/*
 * Opens it and keeps others out until it is closed. Without create a journal that is not there
 * gives -ENOENT, with err filled. -EBUSY when another process has it.
 */
int et_journal_open(
	const char *path, bool create, struct et_journal **out, struct et_error *err) ET_CHECK;
/* Reads it for a look, whoever has it; *busy tells whether somebody does. -ENOENT for none. */
int et_journal_peek(
	const char *path, bool *busy, struct et_journal **out, struct et_error *err) ET_CHECK;
/* Closes it; one that has nothing left to give back is removed. NULL is fine. */
void et_journal_close(struct et_journal *j);

/* The open entry of the same target, or NULL. */
struct et_entry *et_journal_find(struct et_journal *j, const struct et_change *c);
const struct et_journal_session *et_journal_find_session(
	const struct et_journal *j, uint32_t number);
/* How many changes are still to be given back, of one owner or of all (-1). */
size_t et_journal_pending(const struct et_journal *j, int owner);

/* Starts a session; its number is the last session's. On disk with the first change. */
void et_journal_begin(
	struct et_journal *j, enum et_owner owner, const char *boot_id, uint64_t wall_ns);
/* Writes down n changes, durably: when it returns 0 they may be made. */
int et_journal_intend(struct et_journal *j, const struct et_change *changes, size_t n,
	struct et_error *err) ET_CHECK;
int et_journal_mark_again(
	struct et_journal *j, struct et_entry *e, const char *after, struct et_error *err) ET_CHECK;
/* Marks; a mark that is lost does no harm, so these are not durable each. */
void et_journal_mark_made(struct et_journal *j, struct et_entry *e, const char *observed);
void et_journal_mark_restored(struct et_journal *j, struct et_entry *e);

/* For tests: the line with its checksum, in new memory. */
char *et_journal_line(const char *text);

#endif
