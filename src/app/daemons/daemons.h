/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon daemons`. */
#pragma once

#include "app/daemons/view_tables.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "model/experiment/experiment.h"
#include "model/sample/daemon.h"
#include "protocol/learning.h"

#define ET_LEARN_LABEL "daemons" /* of the experiments, unless the user gives another */

struct et_learn_options {
	struct et_learning_plan plan;
	const char *label;
	bool resume;
	bool busy;                     /* learn on a busy machine, too, and keep the result */
	bool env;                      /* apply the environment for the duration */
	const char *only, *except;     /* of the factors, or NULL */
	bool tuned;                    /* the caller has applied it */
	char factors[ET_FACTORS_SIZE]; /* those that are applied, "": none, or not known */
	uint64_t begun_wall_ns; /* earlier experiments of the label belong to another learning */
};

/* This machine, as far as it decides whether a learning fits. */
struct et_here {
	struct et_host host;
	char machine[96]; /* as et_host_identity describes it */
	char services[17];
};

/* Starts systemctl, if there is one. */
void et_here_read(struct et_here *p);

/* The outputs: text or JSON, a page, and pictures. */
struct et_daemons_output {
	bool json;
	bool csv;                /* of tables */
	bool tables;             /* the papers' tables instead of the answer */
	unsigned wanted;         /* which of them, as et_daemon_tables_choose makes it */
	const char *page;        /* path, or NULL; "-" is stdout, which then has no text */
	const char *svg;         /* path, or NULL */
	struct et_output output; /* of the page */
	struct et_output pictures;
};

/* Opens the files early, so that a wrong path does not fail after hours. */
int et_daemons_output_open(struct et_daemons_output *o, struct et_error *err) ET_CHECK;
void et_daemons_output_close(struct et_daemons_output *o);
/* Returns true if stdout gets text or JSON, not the page. */
bool et_daemons_prints(const struct et_daemons_output *o);
/* Writes the findings about a record of that name to all outputs. */
int et_daemons_report(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, const char *name, struct et_daemons_output *o,
	struct et_error *err) ET_CHECK;
/* `daemons learn`. *status is the exit status, above 0 after a signal. */
int et_daemons_learn(struct et_cli *cli, const struct et_learn_options *o,
	struct et_daemons_output *out, int *status, struct et_error *err) ET_CHECK;
/*
 * Measures the short and the long run, finds the cutoffs, stores them, and reports them unless out
 * is NULL. It changes nothing of the environment. Returns -EINTR after a signal: every finished
 * sample is stored, and o->resume continues. Returns -EBUSY if the machine was busy, so that the
 * cutoffs were reported and not stored.
 */
int et_learn(struct et_cli *cli, const struct et_learn_options *o, struct et_daemons_output *out,
	struct et_error *err) ET_CHECK;
/* The label of the experiment "short" or "long". The caller frees it. */
char *et_learn_stage(const struct et_learn_options *o, const char *which)
	__attribute__((malloc, returns_nonnull));
/* Loads that experiment, which the caller frees. -ENOENT: this learning has none yet. */
int et_learn_fetch(const struct et_cli *cli, const struct et_learn_options *o, const char *which,
	struct et_experiment **out, struct et_error *err) ET_CHECK;
/* Keeps the plan in the store, so that an interrupted learning can be continued. */
int et_learn_keep_plan(
	const struct et_cli *cli, const struct et_learn_options *o, struct et_error *err) ET_CHECK;
/* For --resume: replaces the plan by the kept one, and wants the environment of that one. */
int et_learn_load_plan(
	const struct et_cli *cli, struct et_learn_options *o, struct et_error *err) ET_CHECK;
/*
 * Looks for an interrupted learning of that label that can be continued here: by this machine,
 * with the same kernel. Sets *there; if so, *out is its plan.
 */
int et_learn_find(const struct et_cli *cli, const char *label, const struct et_here *here,
	struct et_learn_options *out, bool *there, struct et_error *err) ET_CHECK;
/* Fills the factors that --env changes: those of EMP, or those that the user chose. */
int et_learn_choose_factors(struct et_learn_options *o, struct et_error *err) ET_CHECK;
/* A sentence about the load of this machine if it is high, else NULL. The caller frees it. */
char *et_learn_load_text(void);
/* Asks the user, or warns, if the load is high. -EBUSY: the user does not want to learn then. */
int et_learn_check_load(const struct et_learn_options *o, struct et_error *err) ET_CHECK;
/* Warns if others had the CPU for too large a part of a learning; long_run may be NULL. */
bool et_learn_was_busy(const struct et_learn_options *o, const struct et_experiment *short_run,
	const struct et_experiment *long_run);
/* Returns -EBUSY: the cutoffs of such a learning are not kept. */
int et_learn_refuse_busy(const struct et_learn_options *o, bool has_long, struct et_error *err);
/* `daemons forget`: removes the cutoffs that are stored for this machine. */
int et_daemons_forget(const struct et_cli *cli, bool yes, struct et_error *err) ET_CHECK;

/* Where cutoffs come from; an id is "" if they come from a file. */
struct et_learned_from {
	const struct et_here *here; /* NULL: this machine, with services that are not known */
	const char *short_id, *long_id;
	bool tuned;
	const char *factors; /* or NULL: not known */
	bool unseen;
};

/* The data of the papers' tables besides the findings. */
struct et_daemons_tables {
	struct et_checked *checked, *lengths; /* as in struct et_daemon_tables */
	size_t n_checked, n_lengths;
	struct et_cutoffs cutoffs; /* its list belongs to the findings */
};

void et_daemons_tables_make(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	struct et_daemons_tables *out);
/* Adds the commands of a stored experiment to Table XIX. */
int et_daemons_tables_add(const struct et_cli *cli, const char *operand,
	struct et_daemons_tables *out, struct et_error *err) ET_CHECK;
/* The same as the report wants it. */
struct et_daemon_tables et_daemons_tables_view(const struct et_daemons_tables *t,
	const struct et_daemon_record *r, const struct et_daemon_findings *f, unsigned wanted);
void et_daemons_tables_free(struct et_daemons_tables *t); /* what it owns */
/* Prints tables as text or CSV. */
void et_daemons_print_tables(const struct et_cli *cli, const struct et_daemon_tables *t,
	const struct et_daemons_output *o);

/* `daemons analyse`: operands as in et_daemons_source_open; `keep` stores the cutoffs. */
int et_daemons_analyse_operands(const struct et_cli *cli, char *const *names, size_t n,
	const char *command, bool keep, struct et_daemons_output *out,
	struct et_error *err) ET_CHECK;
/* `daemons show`; names are the experiments of Table XIX. */
int et_daemons_show(const struct et_cli *cli, char *const *names, size_t n, const char *command,
	struct et_daemons_output *out, struct et_error *err) ET_CHECK;

/* A record of daemons, and where it comes from. */
struct et_daemons_source {
	struct et_daemon_record record;
	char *name;                     /* for errors and titles */
	char short_id[40], long_id[40]; /* the experiments; "": it is none */
};

/*
 * Opens the runs that one or two operands name: a record of daemons in a file ("-" is standard
 * input), or experiments, first the one of short samples. An experiment is stored, or in a file
 * that `etalon export` wrote. `command` is the number or name of the command in experiments of
 * several, or NULL. On success et_daemons_source_free frees *out.
 */
int et_daemons_source_open(const struct et_cli *cli, char *const *names, size_t n,
	const char *command, struct et_daemons_source *out, struct et_error *err) ET_CHECK;
void et_daemons_source_free(struct et_daemons_source *s); /* what it owns */

/*
 * "learned on 2026-11-16 from 300 samples of 1 s and 40 of 8 s, 2 daemons with a cutoff". The
 * caller frees it.
 */
char *et_learned_describe(const struct et_cutoffs *c) __attribute__((malloc, returns_nonnull));
/*
 * Stores the cutoffs for this machine, learned now, or when the experiments were made if they are
 * those of a learning.
 */
int et_daemons_store(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, const struct et_learned_from *from,
	struct et_error *err) ET_CHECK;
