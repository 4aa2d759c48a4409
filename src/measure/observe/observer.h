/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Observers watch the machine around each run and enter what they found into its samples. Each has
 * a row in the table of observers.c, which sets their order.
 *
 * Nothing here may slow a run down: no call allocates memory per run once its buffers have grown,
 * and nothing is called between the start of a program and its end.
 */
#pragma once

#include "base/error.h"
#include "measure/trace/sched_stream.h"
#include "model/experiment/experiment.h"

#include <sched.h>

struct et_run; /* run.h */
struct et_ledger_early;

struct et_observer_setup {
	const char *root; /* of /proc and /sys, see base/sysroot.h */
	const struct et_experiment *e;
	const cpu_set_t *cpus;         /* that programs may use; NULL: not known */
	enum et_sched_way sched_way;   /* for the ledger */
	struct et_ledger_early *early; /* likewise, see ledger.h; NULL: none */
};

struct et_observer {
	const char *name;
	bool on_request; /* it is opened by et_observers_request() only */
	/*
	 * A single program is held at its start line until attach() has returned, as the programs
	 * of a duet always are. This costs a fork() where a vfork() would do (see child.h), so it
	 * is for an observer that must attach to the process before execve().
	 */
	bool holds_child;
	/* If *self stays NULL the observer is not needed, and no other call is made. */
	int (*open)(
		const struct et_observer_setup *setup, void **self, struct et_error *err) ET_CHECK;
	/* The calls below may be NULL, except close. */

	/*
	 * Before the children are made. It may add to what the run reads (run->waits[i].want, and
	 * places where t0 and t1 are copied to). A run that fails afterwards has no after().
	 */
	void (*before)(void *self, struct et_run *run);
	/*
	 * The children exist: run->waits[i].pid. With holds_child they wait at their start lines,
	 * otherwise a program may already run, or have ended. 0 or -errno with err filled: then
	 * the run fails and its children are killed.
	 */
	int (*attach)(void *self, struct et_run *run, struct et_error *err) ET_CHECK;
	/* The children have ended. It may fill run->read[i], from which the sample is computed. */
	void (*after)(void *self, struct et_run *run);
	/* Enters figures into the samples of the run's programs, n of them, computed by now. */
	void (*fill)(void *self, struct et_run *run, struct et_sample *samples);
	/* Names the mechanism that it uses ("bpf"), for the record of the experiment. */
	const char *(*source)(const void *self);
	void (*close)(void *self);
};

extern const struct et_observer et_observe_probe, et_observe_steal, et_observe_exits,
	et_observe_snapshots, et_observe_ledger;

/* The observers of an experiment. */
struct et_observers {
	struct et_observer_setup setup;
	struct et_observing {
		const struct et_observer *ops;
		void *self; /* NULL: not open */
	} list[8];
	size_t n;
};

/* Opens all rows of the table that need no request. 0 or -errno with err filled. */
int et_observers_open(struct et_observers *o, const struct et_observer_setup *setup,
	struct et_error *err) ET_CHECK;
/* Opens one more: a row of the table that is on request, or an observer of the caller's. */
int et_observers_request(
	struct et_observers *o, const struct et_observer *ops, struct et_error *err) ET_CHECK;
void et_observers_close(struct et_observers *o); /* all zero is fine */

/* Whether one of them holds a single child. */
bool et_observers_hold(const struct et_observers *o);
/* The names of their sources, joined by '+'. The caller frees it. */
char *et_observers_sources(const struct et_observers *o);
void et_observers_before(const struct et_observers *o, struct et_run *run);
int et_observers_attach(
	const struct et_observers *o, struct et_run *run, struct et_error *err) ET_CHECK;
void et_observers_after(const struct et_observers *o, struct et_run *run);
void et_observers_fill(const struct et_observers *o, struct et_run *run, struct et_sample *samples);
