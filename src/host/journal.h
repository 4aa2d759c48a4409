/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The journal of changes, a write-ahead log: the old value goes to disk before it is changed, so
 * that it can be restored after a kill or a crash. A session is one `env apply` or one `run --env`.
 * A lock ensures that only one process at a time has the journal open for writing.
 *
 * It is a text file to which lines are appended: a title, then
 *	begin SESSION OWNER PID BOOT-ID WALL-NS
 *	change ID SESSION FACTOR KIND TARGET PID START BEFORE AFTER
 *	again ID AFTER       somebody else had undone the change; it is made once more
 *	made ID OBSERVED     the change was made, and its target reads OBSERVED
 *	back ID              the change is restored, or needs no restoring any more
 * Each line but the title ends with its checksum. If a crash has cut off the last line, the line is
 * ignored: its change had not been made yet. When every change is restored, the file is removed.
 *
 * This module records changes; it does not know how they are made.
 */
#pragma once

#include "base/error.h"
#include "model/experiment/environment.h"

#include <sys/types.h>

enum et_owner {
	ET_OWNER_APPLY, /* `env apply`: changes stay until `env restore` */
	ET_OWNER_RUN,   /* `run --env`: changes are restored at the end of `run` */
};

/* If the line of a session is damaged, all members but number are 0. */
struct et_journal_session {
	uint32_t number; /* from 1 */
	enum et_owner owner;
	int32_t pid;
	char boot_id[48]; /* of the boot in which the changes were made */
	uint64_t wall_ns; /* when it began, since 1970 */
};

struct et_journal_entry {
	uint64_t id;
	uint32_t session;
	struct et_change change;
	char *observed; /* the value read after the change; NULL: it may not have been made */
	bool restored;
	bool unmarked; /* restored, but the mark could not be written */
};

struct et_journal {
	char *path, *folder, *aside; /* its folder, and the name that a damaged journal gets */
	int fd;                      /* -1: read by et_journal_peek */
	off_t size;                  /* to the end of the last whole line */
	struct et_journal_session *sessions;
	size_t n_sessions, cap_sessions;
	struct et_journal_entry *entries;
	size_t n, cap;    /* of entries */
	size_t damaged;   /* lines with a wrong checksum, or that etalon would not write */
	uint64_t last_id; /* of an entry */
};

/* Opens and locks the journal. -EBUSY: locked for 2 s by another; -ENOENT: none, and not create. */
int et_journal_open(
	const char *path, bool create, struct et_journal **out, struct et_error *err) ET_CHECK;
/*
 * Reads the journal without keeping it locked. *busy is set if another process has locked it. If
 * the process that began the last session is gone, this waits 2 s for the lock first: a child that
 * it had just forked may still hold it. Returns -ENOENT if there is no journal.
 */
int et_journal_peek(
	const char *path, bool *busy, struct et_journal **out, struct et_error *err) ET_CHECK;
/*
 * Closes the journal and frees it. If et_journal_open opened it and every change is restored, the
 * file is removed, or renamed to PATH.damaged if it has damaged lines. NULL is fine.
 */
void et_journal_close(struct et_journal *j);

/* Returns the entry with the target of c that is not restored yet, or NULL. */
struct et_journal_entry *et_journal_find(struct et_journal *j, const struct et_change *c);
/* Returns NULL if there is no session of that number. */
const struct et_journal_session *et_journal_find_session(
	const struct et_journal *j, uint32_t number);
/* Counts the changes of an enum et_owner (-1: of both) that are not restored yet. */
size_t et_journal_pending(const struct et_journal *j, int owner);

/* Starts a session of this process. It is written together with its first change. */
void et_journal_begin(
	struct et_journal *j, enum et_owner owner, const char *boot_id, uint64_t wall_ns);
/*
 * Writes n changes of the last session to disk, reads the journal again as the next process would,
 * and compares. Make the changes only after this has returned 0; otherwise they are not in j.
 */
int et_journal_intend(struct et_journal *j, const struct et_change *changes, size_t n,
	struct et_error *err) ET_CHECK;
/* Writes to disk that a change is about to be made again, with a new value; reads it back, too. */
int et_journal_mark_again(struct et_journal *j, struct et_journal_entry *e, const char *after,
	struct et_error *err) ET_CHECK;
/*
 * Append a mark without waiting for the disk, and return -errno if it cannot be written. A mark
 * that is lost does no harm: restoring compares the present value with the old one anyway. If the
 * mark of a restored change is lost, et_journal_close tries to write it again.
 * et_journal_mark_restored and et_journal_close allocate no memory.
 */
int et_journal_mark_made(
	struct et_journal *j, struct et_journal_entry *e, const char *observed) ET_CHECK;
int et_journal_mark_restored(struct et_journal *j, struct et_journal_entry *e) ET_CHECK;
