/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs an experiment from its plan to its last sample: claims it in the store, opens the runner,
 * runs the driver, makes every sample durable, removes samples by the rules of the protocol.
 * Commands that measure (`run`, `lab`, `daemons learn`) plan an experiment and call this; it prints
 * nothing and knows neither options nor reports.
 */
#ifndef ET_SESSION_SESSION_H
#define ET_SESSION_SESSION_H

#include "model/executor.h"
#include "model/experiment.h"
#include "model/warning.h"
#include "protocol/driver.h"
#include "store/store.h"

struct et_session;

/* Provided by the caller; everything must outlive the session. */
struct et_session_setup {
	struct et_store *store; /* open for writing */
	struct et_interrupt *interrupt;
	char *const *envp; /* environment of the programs */
	bool no_ledger;    /* do not record which processes have the program's CPU */
	bool draw_seed;    /* a new experiment gets a random seed */
	/* Called after each run; or NULL. */
	void (*progress)(void *ctx, const struct et_progress_note *note);
	void *ctx;
};

/*
 * Begins a new experiment: reads the host, draws an id, finds the programs and records the plan,
 * so that it can be resumed. Takes e, also on failure.
 */
int et_session_begin(const struct et_session_setup *setup, struct et_experiment *e,
	struct et_session **out, struct et_error *err) ET_CHECK;
/*
 * Continues an interrupted experiment with its plan, seed, commands and finished samples. name is
 * an id or a label; NULL is the newest unfinished experiment.
 */
int et_session_resume(const struct et_session_setup *setup, const char *name,
	struct et_session **out, struct et_error *err) ET_CHECK;
/*
 * Runs the plan and records how it ended. Afterwards every finished sample that the store takes is
 * durable, also on failure. -EINTR after a signal.
 */
int et_session_drive(struct et_session *s, struct et_error *err) ET_CHECK;

/* The experiment, owned by the session. */
struct et_experiment *et_session_experiment(struct et_session *s);
/* Hands the experiment over to the caller, who frees it. */
struct et_experiment *et_session_take_experiment(struct et_session *s) ET_CHECK;
/* Warnings about the machine and about the cutoffs that were applied. */
const struct et_warnings *et_session_warnings(const struct et_session *s);
void et_session_close(struct et_session *s); /* NULL is fine */

#endif
