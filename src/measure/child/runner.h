/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The executor that runs real programs: one run gives one sample, or two of a duet. */
#pragma once

#include "measure/trace/sched_stream.h"
#include "model/experiment/experiment.h"
#include "model/sample/executor.h"

struct et_observer;
struct et_runner;
struct et_ledger_early;

/*
 * Finds the programs, opens their files, changes our own process as run.h says until
 * et_runner_close(), and opens the observers of observer.h. envp is our environment; the programs
 * get it without our own variables. The experiment must outlive the runner. 0 or -errno with err
 * filled.
 */
int et_runner_open(const struct et_experiment *e, char *const *envp, struct et_interrupt *interrupt,
	struct et_runner **out, struct et_error *err) ET_CHECK;
void et_runner_close(struct et_runner *r); /* NULL is fine */
/* Runs no hook from now on, neither of commands nor of a design. */
void et_runner_omit_hooks(struct et_runner *r);
struct et_executor et_runner_executor(struct et_runner *r);
/*
 * From now on samples show which processes took the program's CPU (ledger.h). If the machine does
 * not allow it, err says what is missing, and runs are measured without it. For `early`, which may
 * be NULL, see ledger.h.
 */
int et_runner_open_ledger(struct et_runner *r, enum et_sched_way way, struct et_ledger_early *early,
	struct et_error *err) ET_CHECK;
/* Adds an observer, innermost of all (see observers.c). 0 or -errno with err filled. */
int et_runner_observe(
	struct et_runner *r, const struct et_observer *o, struct et_error *err) ET_CHECK;
/*
 * Sets the function that is called before each run of a command, to bring the machine into the
 * state that its treatment wants; NULL: none. If it fails, the run fails.
 */
void et_runner_treat(struct et_runner *r,
	int (*treat)(void *ctx, uint32_t command, struct et_error *err), void *ctx);
/*
 * How other processes are watched: "taskstats", or "proc" without exit records; followed by "+bpf"
 * or "+perf" if the ledger is open. The caller frees it.
 */
char *et_runner_snapshot_source(const struct et_runner *r);
