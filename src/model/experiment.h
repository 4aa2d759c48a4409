/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole experiment: how it was planned, on which machine, and all of its samples. */
#ifndef ET_MODEL_EXPERIMENT_H
#define ET_MODEL_EXPERIMENT_H

#include "model/host.h"
#include "model/sample.h"

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
	ET_PROTOCOL_AUTO, /* emp or kbest, as the warm-up tells: see model/advice.h */
};

enum et_state {
	ET_STATE_RUNNING,     /* begun and not finished: still running, or killed */
	ET_STATE_INTERRUPTED, /* ended by a signal or a failure, with what was done by then */
	ET_STATE_DONE,
	ET_STATE_FAILED, /* a program failed or could not be run; resumed only when named */
};

extern const char *const et_order_names[];
extern const char *const et_protocol_names[];
extern const char *const et_state_names[];

struct et_parameter {
	char *name, *value;
};

struct et_command {
	char *name;    /* what the user calls it */
	char *text;    /* as typed, parameters filled in */
	char **argv;   /* as executed */
	char *prepare; /* commands around each run, NULL where there is none */
	char *conclude;
	char *setup;
	char *cleanup;
	struct et_parameter *parameters;
	size_t n_parameters;
	struct et_sample *samples; /* in execution order, warm-up too */
	size_t n_samples, cap_samples;
};

/* What decides the schedule and the stop; kept so that a killed run can go on. */
struct et_plan {
	enum et_order order;
	uint64_t seed;
	uint32_t reference; /* command the others are compared with */
	uint32_t warmup;
	uint32_t runs;      /* fixed number of rounds, used when until is 0 */
	double until_ratio; /* 0: fixed number */
	uint32_t min_runs, max_runs;
	uint64_t time_limit_ns; /* 0: none */
	uint64_t metronome_ns;  /* 0: off */
	bool pace;
	bool probe; /* time a fixed loop before and after each sample */
	uint32_t k; /* K-best: so many fastest samples within epsilon of each other */
	double epsilon;
	bool keep_all;
	bool ignore_failure;
	double level; /* of the intervals: 0.95 */
};

/* How the child is to run; text as the user gave it, so that resume does the same. */
struct et_child_spec {
	char *cpus;      /* list, or NULL */
	char *sched;     /* "other", "fifo:N" or NULL */
	char *user;      /* or NULL */
	char *shell;     /* or NULL: no shell */
	char *input;     /* file for stdin, NULL is /dev/null */
	char *output;    /* "null", "inherit" or a file */
	char *directory; /* where it runs */
	int nice;
};

struct et_experiment {
	char id[40];
	char *label; /* or NULL */
	uint64_t started_wall_ns;
	uint64_t finished_wall_ns; /* 0 while it runs */
	enum et_state state;
	enum et_protocol protocol;
	enum et_metric metric;
	struct et_plan plan;
	struct et_child_spec child;
	char *snapshot_source; /* how other processes were watched: "taskstats+bpf" */
	struct et_host host;
	struct et_factor *environment;
	size_t n_environment;
	struct et_command *commands;
	size_t n_commands;
};

extern const struct et_plan et_default_plan;
void et_child_spec_free(struct et_child_spec *s); /* the strings it owns */

/* A new experiment with the default plan and no commands. */
struct et_experiment *et_experiment_new(void);
void et_experiment_free(struct et_experiment *e); /* itself too; NULL is fine */
/*
 * Appends a command; valid until the next. Takes name and argv, a vector that et_strv_free frees.
 */
struct et_command *et_experiment_add_command(struct et_experiment *e, char *name, char **argv);
/* Appends a copy of the sample to its command and gives it its index. */
struct et_sample *et_experiment_add(struct et_experiment *e, const struct et_sample *s);
/* "2026-11-15T08:55:06Z" of a time since 1970. */
const char *et_format_rfc3339(uint64_t wall_ns, char buf[32]);
/* An id that sorts by time and is unlikely ever to be met twice: 20261115-085506-1f3a9c. */
void et_experiment_name(struct et_experiment *e, uint64_t wall_ns, uint64_t random);

/*
 * The values of a metric over the samples that count: not warm-up, not removed, of the given
 * arrangement; where the metric is not known (imported records) there is no value. Returns a new
 * array of *n doubles (nanoseconds); order of execution.
 */
double *et_command_values(
	const struct et_command *c, enum et_metric m, enum et_arrangement a, size_t *n);

/*
 * What the two-sigma rule took away are mostly the tails of the program's own spread: the interval
 * would be too narrow (90 % for 95 % of normal data). So the uncertainty is that of the spread with
 * them, times the square root of 1.212: by its influence function z [|z| < 2] / 0.9545 + 0.2263 z
 * (Hampel et al. 1986, ch. 2), that much is the variance of a mean after one such rejection above
 * the variance of the plain mean of normal data.
 */
#define ET_REJECTION 1.1009
/* The values of runs alone with those that this rule removed; NULL when it removed none. */
double *et_command_values_uncut(const struct et_command *c, enum et_metric m, size_t *n);

/* Absolute times come from runs alone; where there were none, from paced ones, else from duets. */
enum et_arrangement et_command_arrangement(const struct et_command *c);

#endif
