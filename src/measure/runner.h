/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One execution → one sample (or a pair): the executor that runs real programs. */
#ifndef ET_MEASURE_RUNNER_H
#define ET_MEASURE_RUNNER_H

#include "measure/sched_stream.h"
#include "model/executor.h"
#include "model/experiment.h"

struct et_runner;

/*
 * Makes everything ready: finds the programs, opens files, enters the control group, listens for
 * exit records. envp is the environment of the programs. The experiment must outlive the runner.
 */
int et_runner_open(const struct et_experiment *e, char *const *envp, struct et_interrupt *interrupt,
	struct et_runner **out, struct et_error *err);
void et_runner_close(struct et_runner *r);
struct et_executor et_runner_executor(struct et_runner *r);
/*
 * From now on samples tell who took the program's CPU (ledger.h). When the machine does not allow
 * it, err says what is missing and runs go on without.
 */
int et_runner_open_ledger(struct et_runner *r, enum et_sched_way way, struct et_error *err);
/*
 * How other processes are watched: "taskstats", or "proc" without exit records; "+bpf" or "+perf"
 * behind it when the program's CPU is watched, too. The caller frees it.
 */
char *et_runner_snapshot_source(const struct et_runner *r);

#endif
