/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole experiment: how it was planned, on which machine, and all of its samples. */
#pragma once

#include "model/design/design.h"
#include "model/experiment/environment.h"
#include "model/experiment/files.h"
#include "model/sample/samples.h"

enum et_order {
	ET_ORDER_AUTO,
	ET_ORDER_RANDOM,
	ET_ORDER_ROUND_ROBIN,
	ET_ORDER_SEQUENTIAL,
	ET_ORDER_DUET,
};

enum et_protocol {
	ET_PROTOCOL_EMP,
	ET_PROTOCOL_KBEST,
	ET_PROTOCOL_RAW,
	ET_PROTOCOL_AUTO, /* cause or kbest, decided by the warm-up: see model/experiment/advice.h
			   */
	/* The default: removes samples for a recorded cause only, never because of their value. */
	ET_PROTOCOL_CAUSE,
};

enum et_state {
	ET_STATE_RUNNING,     /* begun and not finished: it still runs, or it was killed */
	ET_STATE_INTERRUPTED, /* ended by a signal or a failure; its samples are kept */
	ET_STATE_DONE,
	ET_STATE_FAILED, /* a program failed or could not be run; resumed only when named */
};

/* How the record came into the store, which alone knows: an exported file could claim anything. */
enum et_origin {
	ET_ORIGIN_UNKNOWN, /* stored by an etalon that did not record the origin */
	ET_ORIGIN_MEASURED,
	ET_ORIGIN_IMPORTED,
};

extern const char *const et_order_names[];
extern const char *const et_protocol_names[];
extern const char *const et_state_names[];
extern const char *const et_origin_names[];
extern const char *const et_first_check_names[]; /* of enum et_first_check_state */

struct et_parameter {
	char *name, *value;
};

struct et_command {
	char *name;    /* by which the user calls it */
	char *text;    /* as typed, with parameters filled in */
	char **argv;   /* as executed */
	char *prepare; /* the hooks; NULL if there is none */
	char *conclude;
	char *setup;
	char *cleanup;
	struct et_parameter *parameters;
	size_t n_parameters;
	/* Of a function: each value is this of a process, "best" say; NULL: not known. */
	const char *statistic;
	struct et_files files;     /* as its first warm-up run showed them */
	struct et_samples samples; /* in order of execution, with warm-up */
};

/* The largest number of runs or warm-up runs of a command that can be planned. */
enum { ET_MOST_RUNS = 100000000 };

/* --until makes at least this many runs, unless the user wants fewer: see protocol/until.h. */
enum { ET_UNTIL_LEAST = 30 };
/*
 * --equal makes at most this many runs, and may take this many times as long as fixed runs, unless
 * the user names a bound.
 */
enum { ET_EQUAL_MOST = 4000, ET_EQUAL_PATIENCE = 4 };
#define ET_EQUAL_USUAL 0.01 /* its margin where the user names none */

/* Of metronome_ns, before the experiment begins: decide by the CPUs that etalon may use. */
#define ET_METRONOME_AUTO UINT64_MAX

/* Decides the schedule and when to stop; it is stored so that a killed run can be resumed. */
struct et_plan {
	enum et_order order;
	uint64_t seed;
	uint32_t reference; /* the command that the others are compared with */
	uint32_t warmup;
	uint32_t runs;      /* number of rounds; 0: automatic, see protocol/until.h */
	double until_ratio; /* wanted half width of the interval over the mean; 0: use runs */
	/* Several commands: sample until they are shown to differ, or to be equal within this
	 * ratio, with intervals that may be looked at after every run; 0: the number of runs is
	 * fixed. */
	double equal_ratio;
	/* --fail-on-regression: whether a command may not be slower than the reference by more than
	 * this proportion, and the exit status if that is not decided. */
	bool gate;
	double regression_ratio;
	uint32_t undecided;
	/* Automatic: the runs take at least this long, per command; with equal_ratio as long as
	 * that, after min_runs, if nothing is decided before; 0: neither. */
	uint64_t min_time_ns;
	uint32_t min_runs, max_runs;
	uint64_t time_limit_ns; /* 0: none */
	uint64_t metronome_ns;  /* the beat that alternates the programs of a duet; 0: off */
	bool pace;
	bool probe;            /* time a fixed loop before and after each sample */
	uint32_t first_round;  /* a part of a campaign begins with this round; 0: with the first */
	bool scout;            /* look which files each command reads and writes: files.h */
	bool randomise_layout; /* each run has another size of the environment: request.pad_bytes */
	uint32_t k; /* K-best: this many of the fastest samples must agree within epsilon */
	double epsilon;
	bool keep_all;
	bool ignore_failure;
	double level; /* of the intervals: 0.95 */
};

/* How the child runs, as text that the user gave, so that a resumed run does the same. */
struct et_child_spec {
	char *cpus;         /* a list, or NULL */
	char *sched;        /* "other", "fifo:N" or NULL */
	char *user;         /* or NULL: the same user */
	char *pass_env;     /* names of variables that this user gets as well, "A,B", or NULL */
	char *shell;        /* its command line, or NULL: no shell */
	char *input;        /* file for stdin; NULL: /dev/null */
	char *output;       /* "null", "inherit" or a file */
	char *directory;    /* where it runs */
	char *ignore_codes; /* exit statuses that are no failure, "1,2", or NULL */
	int nice;
	bool no_new_privs; /* execve() grants no privileges, see prctl(2) */
};

/* Whether the first sanity check (daemons above their cutoffs) was done, and with what learning. */
enum et_first_check_state {
	ET_FIRST_CHECK_NONE,      /* the protocol has none, or the record does not tell */
	ET_FIRST_CHECK_UNLEARNED, /* nothing was learned on this machine */
	ET_FIRST_CHECK_UNSEEN,    /* the record has no processes, as those of other tools */
	ET_FIRST_CHECK_LENGTH,    /* the program takes much longer than what was learned with */
	ET_FIRST_CHECK_WITHDRAWN, /* it would have removed too many samples, so it removed none */
	ET_FIRST_CHECK_DONE,
	ET_FIRST_CHECK_MISFIT, /* what was learned does not fit, see protocol/learning.h */
};

struct et_first_check {
	enum et_first_check_state state;
	uint64_t learned_wall_ns; /* when the cutoffs were learned; 0: never */
	uint32_t cutoffs;         /* daemons with a cutoff */
	uint32_t would_remove;    /* samples that a withdrawn check would have removed */
};

/* An experiment can be a part of something larger. */
enum et_member_kind {
	ET_MEMBER_NONE,
	ET_MEMBER_CAMPAIGN, /* of many machines (model/experiment/campaign.h) */
	ET_MEMBER_STUDY,    /* of `etalon lab`, which measures its parts in turn */
};

/* All 0 if the experiment stands alone. The label is a name for users and decides nothing here. */
struct et_member {
	char campaign[40]; /* its id, or "" */
	uint32_t part, attempt;
	char node[64]; /* the machine, as the engine names it */
	char *study;   /* LABEL/TIME, or NULL */
	/* The experiment of `lab`, and which part it is. Old records may lack the former: NULL. */
	char *study_lab, *study_part;
};

struct et_experiment {
	char id[40];
	char *label; /* or NULL */
	uint64_t started_wall_ns;
	uint64_t finished_wall_ns; /* 0 while it runs */
	enum et_state state;
	enum et_origin origin;
	char machine[96]; /* where it was measured, as et_host_identity describes it, or "" */
	enum et_protocol protocol;
	enum et_metric metric; /* that is judged */
	bool metric_auto; /* the samples decide it: model/sample/metric_choice.h keeps it settled */
	struct et_plan plan;
	struct et_child_spec child;
	char *snapshot_source; /* how other processes were observed, such as "taskstats+bpf" */
	struct et_host host;
	struct et_factor *environment;
	size_t n_environment;
	struct et_first_check first_check;
	struct et_member member;
	struct et_profile *profile; /* owned; NULL: the experiment does not profile */
	struct et_design *design;   /* owned; NULL: it was not designed by a plan of `doe` */
	struct et_command *commands;
	size_t n_commands;
	struct et_figure *figures; /* model/experiment/figure.h */
	size_t n_figures, figures_room;
};

extern const struct et_plan et_default_plan;
void et_child_spec_free(struct et_child_spec *s); /* the strings it owns */
enum et_member_kind et_member_kind(const struct et_member *m);

/* A new experiment with the default plan and no commands. */
struct et_experiment *et_experiment_new(void);
/* The names of its commands, "" where one has none. The caller frees the array. */
const char **et_experiment_names(const struct et_experiment *e);
void et_experiment_free(struct et_experiment *e); /* itself, too; e may be NULL */
/*
 * Appends a command; valid until the next. Takes name and argv, a vector that et_strv_free frees.
 */
struct et_command *et_experiment_add_command(struct et_experiment *e, char *name, char **argv);
/*
 * Appends a copy of the sample to its command and gives it its index, and a copy of its profile to
 * the experiment's. The result is valid until the next one is added, and has no profile.
 */
struct et_sample *et_experiment_add(struct et_experiment *e, const struct et_sample *s);
/*
 * Appends the first command of another experiment, with its samples and the runs of its profile;
 * both experiments have one. The other one keeps the rest and lacks this command.
 */
void et_experiment_take_profile(struct et_experiment *e, struct et_experiment *other);
/*
 * The words after `etalon run` that measure these commands again, "--shell sh 'a | b' c". A command
 * that the record does not have is COMMAND. The caller frees it.
 */
char *et_command_words(const struct et_command *const *list, size_t n);
/* The value of a parameter; NULL: the command has none of that name. */
const char *et_command_parameter(const struct et_command *c, const char *name);
/* Records that a factor of the environment changed at that time; the texts are copied. */
const struct et_factor *et_experiment_add_change(
	struct et_experiment *e, const char *factor, const char *what, uint64_t wall_ns);
/* Formats a time since 1970 as "2026-11-15T08:55:06Z". */
const char *et_format_rfc3339(uint64_t wall_ns, char buf[32]);
/* Sets an id that sorts by time and is practically unique: 20261115-085506-1f3a9c. */
void et_experiment_name(struct et_experiment *e, uint64_t wall_ns, uint64_t random);

/*
 * Whether text is an id: 1 to 39 ASCII letters, digits, dashes, dots and underscores, of which the
 * first is a letter or digit. People paste ids into shells, so nothing else is one.
 */
bool et_experiment_is_id(const char *text);

/*
 * Returns the values of a metric over the samples that count: not warm-up, not removed, of the
 * given arrangement, and with a known value (imported records may lack it). They are a new array of
 * *n, in order of execution and in the metric's unit.
 */
double *et_command_values(
	const struct et_command *c, enum et_metric m, enum et_arrangement a, size_t *n);

/*
 * The same for solo runs, minus the interrupts that each run met where the kernel's records tell
 * them and the metric contains them: all in the elapsed time of a program that uses one CPU, those
 * that the kernel charged in CPU time. *less is a new array of these times, NaN where not known.
 */
double *et_command_values_less_interrupts(
	const struct et_command *c, enum et_metric m, double **less, size_t *n);

/*
 * Rejecting values beyond 2 sd removes mostly genuine tails, so an interval computed from the rest
 * is too narrow (a nominal 95 % interval covers 90 % for normal data). We therefore compute the
 * uncertainty from the spread before the rejection and multiply it by sqrt(1.212): after one pass
 * of 2-sd rejection the variance of the mean of normal data is 1.212 times that of the plain mean
 * (influence function z [|z| < 2] / 0.9545 + 0.2263 z; Hampel et al. 1986, ch. 2).
 */
#define ET_REJECTION 1.1009
/* Solo runs as in et_command_values, with those that this rule removed; NULL if it removed none. */
double *et_command_values_uncut(const struct et_command *c, enum et_metric m, size_t *n);

/* Samples that EMP's two checks removed; the papers write "16 (=15+1)". */
struct et_check_counts {
	size_t first, second;
};

struct et_check_counts et_command_check_counts(const struct et_command *c);

/* The level of the test whether runs took longer while the machine was slow (protocol/sanity.h). */
#define ET_SPEED_ALPHA 0.01

/* Absolute times come from solo runs; if there are none, from paced ones, else from duets. */
enum et_arrangement et_command_arrangement(const struct et_command *c);
/* Are its commands functions that a benchmark program timed? */
bool et_experiment_of_functions(const struct et_experiment *e);

/* A stored experiment without its samples: one line of `etalon list`. */
struct et_summary {
	char id[40];
	const char *label; /* or NULL */
	uint64_t started_wall_ns;
	enum et_state state;
	enum et_origin origin;
	uint32_t n_commands;
	uint64_t n_samples; /* warm-up not counted */
	const char *first_command;
	bool profile;   /* it has a profile */
	bool design;    /* `doe` designed it */
	double mean_ns; /* of the judged time of the first command; 0: not known */
	/* Of a part of a study, as in struct et_member; or NULL. */
	const char *study, *study_lab, *study_part;
};

/* The other processes that ran while a command was measured, summed over its samples. */

/* All processes of one name, over all samples but warm-up. */
struct et_culprit_total {
	char name[16];
	uint64_t cpu_ns;
	/* Of kept solo samples: the part on the program's CPU; 0 unless all have a ledger. */
	uint64_t taken_ns;
	size_t samples; /* the number of samples in which it was seen */
};

/* Returns a new array of *n, by descending time. The caller frees it. */
struct et_culprit_total *et_command_culprits(const struct et_command *c, size_t *n);
