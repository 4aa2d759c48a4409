/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run: a program alone, with the reference loop, or two programs of a duet at the same time.
 * Everything is prepared, the children are started and waited for, and what was read becomes a
 * sample of each program.
 */
#pragma once

#include "measure/child/cgroup.h"
#include "measure/child/metronome.h"
#include "measure/child/run_setup.h"
#include "measure/child/sample_of_run.h"
#include "measure/child/scout.h"
#include "measure/child/wakeup_prio.h"
#include "measure/observe/observer.h"

/*
 * The changes that etalon makes to its own process while it measures, and restores afterwards. It
 * is a child subreaper (prctl(2)): descendants of a program whose parents have ended become its
 * children, so that their CPU time counts and they do not outlive the run. It is in a control group
 * of its own (cgroup.h), may have a real-time priority during runs (wakeup_prio.h), and keeps off
 * the CPU that two programs share by a metronome.
 */
struct et_own_process {
	bool changed;
	int was_subreaper;
	struct et_cgroup cgroup;
	struct et_wakeup_prio wakeup;
	bool metronome;         /* there is a CPU other than the one that programs share */
	cpu_set_t home, others; /* the CPUs that etalon may use, and those without that one */
};

/* A command in its turns of duets. */
struct et_turns_of {
	uint64_t usual_ns; /* how long it takes when it has the CPU; 0: not known */
	bool first;        /* it ended first in its last duet with the reference */
};

/* The state that all runs of an experiment share. */
struct et_run_context {
	struct et_run_setup setup;
	struct et_own_process own;
	struct et_observers observers;
	struct et_start *starts; /* ET_SLOTS of them, shared with the children */
	struct et_interrupt *interrupt;
	struct et_turns_of *turns; /* of each command */
};

struct et_run {
	/* The request; the caller sets these. */
	size_t n;   /* programs: 1, or 2 in a duet */
	bool paced; /* one program, and the reference loop */
	uint32_t commands[ET_SLOTS];
	const cpu_set_t *cpus;  /* NULL: those that etalon may use */
	struct et_scout *scout; /* looks at the files of the only program; NULL: nobody does */

	/* The children: the programs first, then the reference loop. */
	size_t n_children;
	bool metronome; /* two children on one CPU: they run in turn */
	struct et_metronome_turns turns;
	struct et_child_setup setups[ET_SLOTS];
	struct et_reap_request waits[ET_SLOTS];
	struct et_reap_result ends[ET_SLOTS];
	struct et_readings read[ET_SLOTS]; /* of the programs */

	/* Observers publish these for each other and for reap.c. */
	const struct et_snapshot *before; /* of `snapshots`; NULL: it failed */
	struct et_exits *exits;           /* of `exits`: records of tasks that ended meanwhile */
	bool copied; /* a single child is made by fork() as well, to hide less of its memory */
};

/* Runs it and fills n samples, whose culprits the caller frees. -EINTR after a signal. */
int et_run_perform(struct et_run_context *c, struct et_run *run, struct et_sample *out,
	struct et_error *err) ET_CHECK;
