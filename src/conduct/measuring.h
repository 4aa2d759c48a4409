/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by commands that measure: they open the store, change and restore the environment and show
 * progress around one session (session/session.h).
 */
#pragma once

#include "cli/cli.h"
#include "conduct/tuning.h"
#include "draw/progress.h"
#include "host/watch.h"
#include "session/session.h"
#include "stats/compare/judge.h"

struct et_measuring {
	struct et_cli *cli;
	struct et_interrupt *interrupt;
	struct et_env_wish env; /* what to change for the duration */
	/* The machine during the runs, if somebody else changes it; NULL: as env says. */
	const struct et_learning_place *place;
	bool no_ledger; /* --no-ledger */
	bool draw_seed; /* the user gave no seed */
	bool trust;     /* --trust-record */
	/* Of et_session_setup, for an experiment that is resumed. */
	bool more;
	int (*replan)(void *ctx, struct et_experiment *e, struct et_error *err);
	void *replan_ctx;
	char planned[ET_SHA256_TEXT]; /* of what the user asks for now (session/trust.h), or "" */
	uint32_t most_rounds;         /* then et_measuring_drive returns -EAGAIN; 0: no limit */
	size_t statements; /* of a profile's --until: that hold together; 0: as many as functions */
	/* before_command and failed may be set; the others are filled. Their ctx is the measuring.
	 */
	struct et_hooks hooks;
	void (*noted)(void *ctx, const struct et_progress_note *n); /* beside hooks.note; or NULL */
	size_t failures;         /* that hooks.failed was called for */
	void *owner;             /* for these three */
	const char *resume_verb; /* the command whose --resume continues it, or NULL */
	const char *resumption;  /* another command line that continues it, or NULL */
	FILE *text;              /* stream for text: --env -v prints its changes there */
	struct et_store *store;  /* closed at the end; NULL: that of the command line is opened */
	/* filled by the functions below */
	struct et_ledger_early *early;
	struct et_session *session;
	struct et_tuning tuning;
	struct et_watch watch;
	struct et_deciding deciding; /* --equal */
	uint64_t elapsed_ns;         /* of this session */
	uint64_t next_look_ns;       /* of the watch, since the runs began */
	struct et_progress progress;
};

/* Opens the store, records or changes the environment, begins the experiment. Takes e. */
int et_measuring_begin(
	struct et_measuring *m, struct et_experiment *e, struct et_error *err) ET_CHECK;
/* The same for an interrupted experiment; name may be NULL as in et_session_resume. */
int et_measuring_resume(struct et_measuring *m, const char *name, struct et_error *err) ET_CHECK;
/* Refuses to continue e by another command than the one that began it; ctx is the measuring. */
int et_measuring_check(void *ctx, const struct et_experiment *e, struct et_error *err) ET_CHECK;
/* Runs the plan with progress on the terminal, then restores the environment. */
int et_measuring_drive(struct et_measuring *m, struct et_error *err) ET_CHECK;
/* Returns the command line that continues the experiment, or NULL. The caller frees it. */
char *et_measuring_resumption(const struct et_measuring *m);
void et_measuring_close(struct et_measuring *m);

/*
 * Begins, drives and closes the experiment e, which it takes; if e is NULL, it continues the one of
 * that name. `resumption` is the command line that continues it later, or NULL. The caller frees
 * *out, which has the finished samples also after -EINTR, and is NULL if nothing was begun.
 */
int et_measure(struct et_cli *cli, struct et_interrupt *interrupt, struct et_experiment *e,
	const char *name, const char *resumption, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
