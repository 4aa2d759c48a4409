/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session runs one experiment from its plan to its last sample: it locks the experiment in the
 * store, opens the runner, runs the driver, makes every sample durable, and removes samples by the
 * rules of the protocol. Commands that measure (`run`, `lab`, `daemons learn`) plan an experiment
 * and call this. It prints nothing and knows neither options nor reports.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/warning.h"
#include "model/sample/executor.h"
#include "protocol/driver.h"
#include "session/trust.h"
#include "store/core/store.h"

struct et_session;
struct et_ledger_early;
struct et_learning_place;
struct et_observer;

/* The session copies this, but not the things that it points to: they must outlive the session. */
struct et_session_setup {
	struct et_store *store; /* open for writing */
	struct et_interrupt *interrupt;
	char *const *envp; /* environment of the programs */
	/* Fills the samples' profiles if the experiment has one; NULL: nobody does. */
	const struct et_observer *profiler;
	/* The same, if the plan's event is that of a profiler which writes a file; or NULL. */
	const struct et_observer *profile_reader;
	/* Its environment and services, to decide whether cutoffs fit; NULL: not known. */
	const struct et_learning_place *place;
	bool no_ledger;                /* do not record which processes have the program's CPU */
	struct et_ledger_early *early; /* for the ledger, see measure/ledger/ledger.h; NULL: none */
	uint32_t most_rounds;          /* of this session, see et_session_drive; 0: no limit */
	bool draw_seed;        /* replace plan.seed of a new experiment by a random number */
	struct et_hooks hooks; /* see protocol/driver.h; their ctx is that of the next one */
	/* Called before an experiment is resumed; may refuse it with an error. May be NULL. */
	int (*check)(void *ctx, const struct et_experiment *e, struct et_error *err);
	bool more; /* an experiment that is done may be resumed, too */
	/* Changes the plan of one that is resumed: returns 1 if it did, 0, or -errno. May be NULL.
	 */
	int (*replan)(void *ctx, struct et_experiment *e, struct et_error *err);
	void *replan_ctx;
	/* Which record may be resumed. */
	struct et_trust trust;
};

/*
 * Begins a new experiment: reads the host, draws an id, finds the programs and stores the plan, so
 * that the experiment can be resumed. The session owns e from now on; on failure e is freed.
 */
int et_session_begin(const struct et_session_setup *setup, struct et_experiment *e,
	struct et_session **out, struct et_error *err) ET_CHECK;
/*
 * Continues an experiment that is not done, with its plan, seed, commands and finished samples.
 * name is as in et_store_find; NULL stands for the newest unfinished experiment of this machine.
 * Returns -EALREADY if it is done (unless setup.more), -EBUSY if another process runs it, -EPERM if
 * the record is not the user's own and the setup does not trust it (session/trust.h): whoever wrote
 * a record chose the commands that it runs.
 */
int et_session_resume(const struct et_session_setup *setup, const char *name,
	struct et_session **out, struct et_error *err) ET_CHECK;
/*
 * Runs the plan, once per session, and records how it ended. Returns 0, -EINTR after a signal,
 * -EAGAIN after most_rounds if the plan has more, or another -errno. In any case every finished
 * sample that the store accepts is durable afterwards. If the store failed, the state is
 * ET_STATE_INTERRUPTED: the experiment can be resumed.
 */
int et_session_drive(struct et_session *s, struct et_error *err) ET_CHECK;
/*
 * Runs each command once more, after et_session_drive, with an observer that sets calls in the
 * profile, and stores them. The runs become no samples. As et_session_drive returns; -ETIME if a
 * command took longer than et_session_counting_limit: it was ended and has no calls.
 */
int et_session_count_calls(
	struct et_session *s, const struct et_observer *counter, struct et_error *err) ET_CHECK;
/*
 * After how many nanoseconds the run that counts the calls of a command is ended: 20 times the mean
 * of its runs, but not before 30 s; at the time limit of the plan in any case.
 */
uint64_t et_session_counting_limit(const struct et_experiment *e, uint32_t command);

/* Returns the experiment. The session owns it. */
struct et_experiment *et_session_experiment(struct et_session *s);
/* Returns the experiment, which the caller then owns. Call this after et_session_drive only. */
struct et_experiment *et_session_take_experiment(struct et_session *s) ET_CHECK;
/* Returns warnings about the machine and about the cutoffs that were applied. */
const struct et_warnings *et_session_warnings(const struct et_session *s);
/* Unlocks the experiment and frees the session. NULL is fine. */
void et_session_close(struct et_session *s);
