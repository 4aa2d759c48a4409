/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of a scouted run, as its system calls show them. One thread notes and settles; it
 * looks at files of the program, and such a look can last for ever: so nothing is locked meanwhile,
 * and another thread can always harvest what there is.
 */
#pragma once

#include "base/error.h"
#include "measure/child/scout_calls.h"
#include "model/experiment/files.h"

#include <sys/types.h>

struct et_scout_list;

struct et_scout_list *et_scout_list_new(void);
void et_scout_list_free(struct et_scout_list *l);
/*
 * Notes a call that a process waits in, with six arguments. Returns false if it does something else
 * because the run is scouted.
 */
bool et_scout_note(struct et_scout_list *l, enum et_scout_call call, pid_t pid,
	const uint64_t *arguments, bool no_new_privs);
/* When the run has ended: finds out which of the files that were opened for writing it wrote. */
void et_scout_list_settle(struct et_scout_list *l);
/* Fills *out, which the caller frees. ET_SCOUTED_NOT: no argument could be read. */
void et_scout_list_harvest(struct et_scout_list *l, struct et_files *out);
