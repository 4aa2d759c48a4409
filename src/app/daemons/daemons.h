/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon daemons`. */
#pragma once

#include "base/json.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "draw/table.h"
#include "draw/units.h"
#include "model/experiment/experiment.h"
#include "model/result/precision.h"
#include "model/sample/daemon.h"
#include "protocol/learning.h"
#include "report/dual.h"

/* --- results --- */

/* The findings about a record, and the data of the papers' tables. */
struct et_daemon_result {
	const struct et_daemon_record *record; /* NULL: the runs are not stored any more */
	const struct et_daemon_findings *findings;
	unsigned wanted; /* bits of tables, as et_daemon_tables_choose makes them; 0: none */
	/* Each run by elapsed and by CPU time; none for a run whose samples are not all listed. */
	struct et_checked *checked;
	size_t n_checked;
	struct et_checked *lengths; /* Table XIX: runs by CPU time */
	size_t n_lengths;
	struct et_cutoffs cutoffs; /* its list belongs to the findings */
};

/* One of the two runs. */
struct et_daemon_side {
	const struct et_daemon_result *all;
	const struct et_daemon_record *record;
	const struct et_daemon_run *run;
	const struct et_run_findings *found;
	bool is_long;
	const char *name; /* "short run" */
};

struct et_daemon_side et_daemon_side(const struct et_daemon_result *r, bool is_long);
/* "800 samples, one every 2.14 min, 28.5 h in all", then how many are L-samples or removed. */
char *et_daemon_side_text(struct et_daemon_side s, const char *between)
	__attribute__((malloc, returns_nonnull));
/* The frequent daemons of a run; NULL if there are none. The caller frees it. */
char *et_daemon_side_frequent(struct et_daemon_side s, const char *between);

/* Table VIII or XII: the daemons in the central cluster of a run. */
struct et_table et_daemon_central(struct et_daemon_side s);

/* Prints the answer; verbose adds scatter plots, samples and figures of the central cluster. */
void et_daemons_text(const struct et_daemon_result *r, const struct et_page *page, bool verbose);
/*
 * The answer in sentences, of which the first is the heading: cutoffs, frequent daemons that spoil
 * samples, samples without an explanation, or none of these. et_strv_free frees the list.
 */
char **et_daemons_answer(const struct et_daemon_result *r) __attribute__((malloc, returns_nonnull));
/* Everything that was found, with the wanted tables. */
void et_daemons_json(const struct et_daemon_result *r, struct et_json *w);
/* The same as an HTML page, and its charts in one SVG file. */
void et_daemons_page(const struct et_daemon_result *r, const char *name, FILE *out);
void et_daemons_svg(const struct et_daemon_result *r, const char *name, FILE *out);
/* The pairs of a run, (1, 2), (3, 4) …; the cause of an L-sample is its longest daemon. */
void et_daemon_pairs(struct et_daemon_side s, struct et_dual *out);
/* Whether the central cluster is symmetric, and why not; NULL if that is not known. Free it. */
char *et_cluster_shape_text(const struct et_cluster_shape *s);

/*
 * The tables in which the EMP papers report how daemons were found: Tables VII to XIX of EMP, of
 * which Table XVI is Table 1 of SEDONA. Our long run is their INC16384, our short run their INC128.
 */
#define ET_DAEMON_TABLES_ALL (~0U)

/* Sets the bits of a list of numbers, "XVI,XVIII". */
int et_daemon_tables_choose(const char *list, unsigned *out, struct et_error *err) ET_CHECK;
/* Fills the data of the tables: the runs after the sanity checks. */
void et_daemon_tables_make(struct et_daemon_result *r);
/* Adds the commands of a stored experiment to Table XIX. */
int et_daemon_tables_add(struct et_daemon_result *r, const struct et_cli *cli, const char *operand,
	struct et_error *err) ET_CHECK;
void et_daemon_tables_free(struct et_daemon_result *r); /* what these two made */
/* Writes the wanted tables to one of these; as text or CSV with an empty line between them. */
struct et_daemon_tables_to {
	const struct et_page *text;
	FILE *csv, *html;     /* html: a part of a page */
	struct et_json *json; /* an object with a key for each */
};
void et_daemon_tables_write(const struct et_daemon_result *r, struct et_daemon_tables_to to);

/* Prints the stored cutoffs, their origin, the warnings about them, and the runs they come from. */
void et_cutoffs_show(const struct et_cutoffs *c, uint64_t wall_ns,
	const struct et_warnings *warnings, const struct et_daemon_result *runs, bool json,
	const struct et_page *page);
void et_cutoffs_page(const struct et_cutoffs *c, uint64_t wall_ns,
	const struct et_warnings *warnings, FILE *out);
double et_cutoffs_age_s(const struct et_cutoffs *c, uint64_t wall_ns);
/* "3 days ago", "less than a minute ago" */
const char *et_format_ago(double seconds, char buf[ET_FIGURE]);
/* "20 h (?)": the mark of a period that only two visits speak for, and whether a cutoff has it. */
const char *et_format_period(double seconds, uint32_t sightings, char buf[ET_FIGURE]);
const char *et_format_count(double n, char buf[ET_FIGURE]); /* "12" */
bool et_cutoff_is_guess(const struct et_cutoff *c);

/* --- outputs --- */

/* The outputs: text or JSON, a page, and pictures. */
struct et_daemons_output {
	bool json;
	bool csv;                /* of tables */
	unsigned wanted;         /* the papers' tables instead of the answer; 0: none */
	const char *page;        /* path, or NULL; "-" is stdout, which then has no text */
	const char *svg;         /* path, or NULL */
	struct et_output output; /* of the page */
	struct et_output pictures;
};

/* Writes the findings about a record of that name to all outputs. */
int et_daemons_report(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, const char *name, struct et_daemons_output *o,
	struct et_error *err) ET_CHECK;

/* --- where runs come from --- */

/* A record of daemons, and where it comes from. */
struct et_daemons_source {
	struct et_daemon_record record;
	char *name;                     /* for errors and titles */
	char short_id[40], long_id[40]; /* the experiments; "": it is none */
};

/*
 * Opens the runs that one or two operands name: a record of daemons in a file ("-" is standard
 * input), or experiments, stored or in files, first the one of short samples. `command` chooses one
 * of several commands, or is NULL. On success et_daemons_source_free frees *out.
 */
int et_daemons_source_open(const struct et_cli *cli, char *const *names, size_t n,
	const char *command, struct et_daemons_source *out, struct et_error *err) ET_CHECK;
void et_daemons_source_free(struct et_daemons_source *s); /* what it owns */

/* --- learning --- */

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
/* The same without services, which starts nothing. */
void et_here_read_host(struct et_here *p);

/* `daemons learn`. *status is the exit status, above 0 after a signal. */
int et_daemons_learn(struct et_cli *cli, const struct et_learn_options *o,
	struct et_daemons_output *out, int *status, struct et_error *err) ET_CHECK;
/*
 * Measures both runs, finds, stores and (unless out is NULL) reports the cutoffs, and changes
 * nothing of the environment. -EINTR after a signal: o->resume continues. -EBUSY: the machine was
 * busy, so the cutoffs were reported and not stored.
 */
int et_learn(struct et_cli *cli, const struct et_learn_options *o, struct et_daemons_output *out,
	struct et_error *err) ET_CHECK;
/* Keeps the plan in the store, so that an interrupted learning can be continued. */
int et_learn_keep_plan(
	const struct et_cli *cli, const struct et_learn_options *o, struct et_error *err) ET_CHECK;
/* For --resume: replaces the plan by the kept one, and wants the environment of that one. */
int et_learn_load_plan(
	const struct et_cli *cli, struct et_learn_options *o, struct et_error *err) ET_CHECK;
/* Looks for an interrupted learning of that label, machine and kernel; if *there, fills *out. */
int et_learn_find(const struct et_cli *cli, const char *label, const struct et_here *here,
	struct et_learn_options *out, bool *there, struct et_error *err) ET_CHECK;
/* A sentence about the load of this machine if it is high, else NULL. The caller frees it. */
char *et_learn_load_text(void);

/* --- what was learned, in the store --- */

/* Where cutoffs come from; an id is "" if they come from a file. */
struct et_learned_from {
	const struct et_here *here; /* NULL: this machine, with services that are not known */
	const char *short_id, *long_id;
	bool tuned;
	const char *factors; /* or NULL: not known */
	bool unseen;
};

/* "learned on 2026-11-16 from 300 samples of 1 s, 2 daemons with a cutoff". Free it. */
char *et_learned_describe(const struct et_cutoffs *c) __attribute__((malloc, returns_nonnull));
/* Stores the cutoffs: learned now, or when the experiments were made if a learning made them. */
int et_learned_store(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, const struct et_learned_from *from,
	struct et_error *err) ET_CHECK;
/* Loads the cutoffs of this machine. Sets *there; -ENOENT: there is no store. */
int et_learned_load(const struct et_cli *cli, const struct et_here *here, struct et_cutoffs *out,
	bool *there, struct et_error *err) ET_CHECK;
/* `daemons forget`: removes the cutoffs that are stored for this machine. */
int et_daemons_forget(const struct et_cli *cli, bool yes, struct et_error *err) ET_CHECK;
