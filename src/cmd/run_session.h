/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One call of `run`: everything it holds, and how an experiment begins or goes on. */
#ifndef ET_CMD_RUN_SESSION_H
#define ET_CMD_RUN_SESSION_H

#include "cmd/cli.h"
#include "cmd/environment.h"
#include "cmd/recorder.h"
#include "cmd/run_options.h"
#include "measure/runner.h"
#include "model/estimate.h"
#include "report/progress.h"

struct et_session {
	struct et_cli *cli;
	struct et_run_options options;
	struct et_experiment *e;
	struct et_store *store;
	struct et_runner *runner;
	struct et_interrupt *interrupt;
	struct et_recorder recorder;
	struct et_progress progress;
	FILE *talk;
	struct et_tuning tuning;
	struct et_warnings notes; /* about the machine, from what was kept before */
};

/* Options checked, outputs and store open, the experiment claimed and kept, programs found. */
int et_session_prepare(struct et_session *s, const struct et_operands *ops, struct et_error *err);
/*
 * Runs the plan, makes every sample durable, checks them, and keeps how it ended. -EINTR after a
 * signal.
 */
int et_session_drive(struct et_session *s, struct et_error *err);
void et_session_close(struct et_session *s); /* all that it holds, the experiment too */

/*
 * Does what `etalon run` would do with these words (the first is "run"; NULL ends them), without
 * printing a result: experiments that other commands plan. The experiment's id comes back, also
 * after a signal (-EINTR) and a failure; it is empty when nothing was begun.
 */
int et_session_run(struct et_cli *cli, struct et_interrupt *interrupt, const char *const *words,
	char id[40], struct et_error *err);

#endif
