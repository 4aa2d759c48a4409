/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the programs of an experiment are started: which files, CPUs, scheduling policy, identity and
 * environment. All of it is decided once, before the first run, and only read afterwards.
 */
#pragma once

#include "measure/child/child.h"
#include "measure/child/environ.h"
#include "measure/child/streams.h"
#include "measure/treat/treatment.h"
#include "model/experiment/experiment.h"

#include <sched.h>
#include <signal.h>

struct et_run_setup {
	const struct et_experiment *e;
	struct et_identity identity;
	bool changes_user;               /* the programs run with this identity, not with ours */
	char **envp[ET_SLOTS];           /* of the program in each slot */
	char **own_envp;                 /* of hooks, which run as the user who called etalon */
	struct et_treatments treatments; /* of a designed experiment: one per command */
	char **paths;                    /* executable of each command */
	int *inputs; /* standard input of each command of a design, or -1; NULL: of none */
	const char *directory; /* programs change to it; NULL: it is the current one */
	cpu_set_t allowed;     /* CPUs that a program may use */
	cpu_set_t shared;      /* one of them: for a duet, or a program and the reference loop */
	bool pinnable;         /* these two sets are known */
	bool pinned;           /* the user chose the CPUs */
	int policy, priority;
	struct et_streams streams;
	sigset_t signals; /* mask that the programs begin with */
	struct et_dispositions dispositions;
};

/*
 * envp is our environment, and `ignored` holds the signals that our caller ignores. 0, or -errno
 * with err filled; then nothing is left open. The experiment must outlive the setup.
 */
int et_run_setup_open(struct et_run_setup *s, const char *root, const struct et_experiment *e,
	char *const *envp, const sigset_t *ignored, struct et_error *err) ET_CHECK;
void et_run_setup_close(struct et_run_setup *s);
/*
 * Fails as et_run_setup_open would, but does not open the files of the programs. Unless `programs`,
 * checks the options alone (CPUs, scheduling, user): the programs need not be built yet.
 */
int et_run_setup_check(const struct et_experiment *e, char *const *envp, bool programs,
	struct et_error *err) ET_CHECK;

/* Returns the treatment of a command; NULL: the experiment has no design. */
static inline const struct et_child_treatment *et_run_setup_treatment(
	const struct et_run_setup *s, uint32_t command)
{
	return s->treatments.list ? &s->treatments.list[command] : NULL;
}
