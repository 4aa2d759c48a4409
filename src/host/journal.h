/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The journal of changes, a write-ahead log: the old value goes to disk before it is changed, so
 * that it can be restored after a kill, a crash or a reboot. A lock gives it to one process at a
 * time.
 *
 * It is a text file to which lines are appended: a title, then
 *	begin SESSION OWNER PID BOOT-ID WALL-NS
 *	change ID SESSION FACTOR KIND TARGET PID START BEFORE AFTER
 *	again ID AFTER       another process had undone the change; it is made once more
 *	made ID OBSERVED     the change was made, and its target reads OBSERVED
 *	back ID              the change is restored, or needs no restoring any more
 * Each line ends with its checksum. A last line that a crash has cut off is ignored: its change had
 * not been made yet. When every change is restored, the file is removed.
 *
 * This module records changes; it does not know how they are made.
 */
#ifndef ET_HOST_JOURNAL_H
#define ET_HOST_JOURNAL_H

#include "base/error.h"
#include "model/environment.h"

#include <sys/types.h>

enum et_owner {
	ET_OWNER_APPLY, /* `env apply`: changes stay until `env restore` */
	ET_OWNER_RUN,   /* `run --env`: changes are restored when that run ends */
};

struct et_journal_session {
	uint32_t number; /* from 1 */
	enum et_owner owner;
	int32_t pid;
	char boot_id[48]; /* "" if the line of the session is damaged */
	uint64_t wall_ns;
};

struct et_journal_entry {
	uint64_t id;
	uint32_t session;
	struct et_change change;
	char *observed; /* the value read after the change; NULL: it may not have been made */
	bool restored;
};

struct et_journal {
	char *path;
	int fd;
	off_t size;
	struct et_journal_session *sessions;
	size_t n_sessions, cap_sessions;
	struct et_journal_entry *entries;
	size_t n, cap;
	size_t damaged; /* lines that etalon cannot have written so */
	uint64_t last_id;
};

/*
 * Opens the journal and locks it until it is closed. Returns -EBUSY if another process holds the
 * lock, and without create -ENOENT if there is no journal.
 */
int et_journal_open(
	const char *path, bool create, struct et_journal **out, struct et_error *err) ET_CHECK;
/*
 * Reads the journal without locking it. *busy is true if another process holds the lock. Returns
 * -ENOENT if there is no journal.
 */
int et_journal_peek(
	const char *path, bool *busy, struct et_journal **out, struct et_error *err) ET_CHECK;
/* Closes the journal, and removes it if every change is restored. NULL is fine. */
void et_journal_close(struct et_journal *j);

/* Returns the entry of the same target that is not restored yet, or NULL. */
struct et_journal_entry *et_journal_find(struct et_journal *j, const struct et_change *c);
const struct et_journal_session *et_journal_find_session(
	const struct et_journal *j, uint32_t number);
/* Counts the changes that are not restored yet, of one owner or of all (-1). */
size_t et_journal_pending(const struct et_journal *j, int owner);

/* Starts a session, the last of the list. It is written together with its first change. */
void et_journal_begin(
	struct et_journal *j, enum et_owner owner, const char *boot_id, uint64_t wall_ns);
/* Writes n changes to disk. Once it has returned 0, they may be made. */
int et_journal_intend(struct et_journal *j, const struct et_change *changes, size_t n,
	struct et_error *err) ET_CHECK;
/* Writes to disk that a change is about to be made again, with a new value. */
int et_journal_mark_again(struct et_journal *j, struct et_journal_entry *e, const char *after,
	struct et_error *err) ET_CHECK;
/*
 * Append a mark without waiting for the disk. A mark that is lost does no harm: restoring compares
 * the present value with the old one anyway.
 */
void et_journal_mark_made(struct et_journal *j, struct et_journal_entry *e, const char *observed);
void et_journal_mark_restored(struct et_journal *j, struct et_journal_entry *e);

/* Returns the line with its checksum, for tests too. The caller frees it. */
char *et_journal_line(const char *text);

#endif
