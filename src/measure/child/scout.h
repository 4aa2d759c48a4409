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
 * processes that cannot be killed are served for as long as etalon lives.
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
 * When the run has ended: fills *out, which the caller frees, and frees s. ET_SCOUTED_NOT: there
 * was no filter. ET_SCOUTED_UNFIT: the program was killed, because it would have executed a file
 * with privileges that no_new_privs withholds, or wanted to be a listener itself.
 */
void et_scout_finish(struct et_scout *s, struct et_files *out);

/*
 * The files that are named in the words of a command, and those directly in a folder, as they are
 * now: a comparison of two moments shows which of them a run has changed.
 */
struct et_sight;
struct et_sight *et_sight_take(char *const *words, const char *directory);
/* Adds the changes since then; files that words name and that did not change count as read. */
void et_sight_compare(const struct et_sight *before, char *const *words, const char *directory,
	struct et_files *out);
void et_sight_free(struct et_sight *s); /* NULL is fine */
