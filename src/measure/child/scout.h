/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scouting: which files one run of a program reads and writes. Right before execve() the child
 * installs a seccomp filter that notifies us about the system calls that open, name or lock files
 * (seccomp_unotify(2)); all descendants inherit it. A thread of ours reads their arguments and lets
 * each call continue. A program can change its arguments after we have read them, so the result is
 * a hint for the schedule and the record, never a security decision.
 *
 * While the filter is in force, a call that nobody answers waits, and when the listener is closed
 * it fails with ENOSYS. So the thread serves until the last process with the filter has ended.
 * Usually that is before et_scout_finish(), because a run ends with killing what it left behind;
 * processes that cannot be killed are served for as long as etalon lives. Looking at the files of a
 * program can last for ever, so another thread watches the first, and takes over; nothing that the
 * main thread does here waits for a file system.
 */
#pragma once

#include "base/error.h"
#include "model/experiment/files.h"

#include <sys/types.h>

struct et_scout;

/* Begins to serve a run: NULL if this kernel or processor has no such notifications. */
struct et_scout *et_scout_start(void);
/* The descriptor by which the child hands over its listener. */
int et_scout_socket(const struct et_scout *s);
/* In the child, right before execve(): allocates nothing. If it is refused, the child runs without.
 */
void et_scout_install(int socket);
/* In the parent, when the child exists or could not be made. */
void et_scout_spawned(struct et_scout *s);
/*
 * When the run has ended: fills *out, which the caller frees, and frees s; also if the program
 * could not be started. ET_SCOUTED_NOT: there was no filter. ET_SCOUTED_UNFIT: the program was or
 * may have been disturbed: it executed a file with privileges that no_new_privs withholds, it
 * wanted to be a listener itself and got EBUSY, or it had to wait for us. It was not ended for
 * that: it may have to tidy up.
 */
void et_scout_finish(struct et_scout *s, struct et_files *out);

/*
 * The files that are named in the words of a command, and those directly in a folder, as they are
 * now: a comparison of two moments shows which of them a run has changed.
 * A thread looks, because a file system whose server is gone never answers.
 */
struct et_sight;
/* NULL: that took too long. */
struct et_sight *et_sight_take(char *const *words, const char *directory);
/* Adds what changed between the two; files that words name and that did not change are read. */
void et_sight_compare(
	const struct et_sight *before, const struct et_sight *now, struct et_files *out);
void et_sight_free(struct et_sight *s); /* NULL is fine */
