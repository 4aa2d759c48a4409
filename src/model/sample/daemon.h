/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Daemons: how much CPU time they used during samples, and the cutoffs above which a sample is
 * removed. Times of daemons are in milliseconds, as in the EMP papers; an unknown figure is NaN.
 */
#pragma once

#include "base/hash.h"
#include "model/sample/sample.h"

/* One process of a daemon in one sample; those of a name below the floor are one (daemons.h). */
struct et_execution {
	uint32_t name; /* index into the record's names */
	double ms;     /* that it is judged by: ours_ms if the record is judged by the ledger */
	double cpu_ms;
	double ours_ms; /* it had the program's CPU; NaN without a ledger */
};

/* A sample and the daemons that ran during it. */
struct et_daemon_sample {
	uint32_t number; /* from 1, ascending; successive numbers were successive runs */
	double at_s;     /* when it began, after the start of the run */
	double elapsed_ms, cpu_ms;
	size_t first, n; /* its executions */
};

/* The largest CPU time of a daemon in the samples of the central cluster, and its sd there. */
struct et_central {
	uint32_t name;
	double max_ms, sd_ms;
};

/* Many samples of one program, taken one after the other. */
struct et_daemon_run {
	uint32_t samples;
	double sample_seconds; /* from the start of one to the start of the next */
	/* Every sample is listed; otherwise only the L-samples, with the figures of the cluster. */
	bool whole;
	struct et_daemon_sample *listed;
	size_t n_listed, cap_listed;
	struct et_execution *executions;
	size_t n_executions, cap_executions;
	struct et_central *central;
	size_t n_central;
};

struct et_daemon_record {
	char **names; /* each occurs once; et_daemon_record_settle sorts them */
	size_t n_names, cap_names;
	struct et_hash by_name; /* places of the names, while the record grows */
	double resolution_ms;   /* of daemons' times: 1 if all are whole milliseconds, else 0 */
	double step_ms;         /* the same of the samples' times */
	/* Daemons are judged by the time that they had the program's CPU, not by CPU time. */
	bool by_ledger;
	/* How long the two snapshots of processes around a sample take; 0: it was not measured. */
	double snapshots_ms;
	bool has_long;
	struct et_daemon_run short_run, long_run;
};

/* Returns the index of a name, which is added if it is new. */
uint32_t et_daemon_record_name(struct et_daemon_record *r, const char *name);
/* Appends a sample to a run. The pointer is valid until the next call. */
struct et_daemon_sample *et_daemon_run_add(struct et_daemon_run *run, uint32_t number, double at_s);
/* Appends an execution to the last sample. Its time on the program's CPU is not known yet. */
struct et_execution *et_daemon_run_execution(struct et_daemon_run *run, uint32_t name, double ms);
/* True if listed[i] and listed[i + 1] exist, and one was run right after the other. */
bool et_daemon_successive(const struct et_daemon_run *run, size_t i);
/*
 * True if listed[i] and listed[i + 1] are a pair of the dual-execution scatter plot. The pairs are
 * those of the papers: samples 1 and 2, 3 and 4 and so on, if they were run one after the other.
 */
bool et_daemon_pair(const struct et_daemon_run *run, size_t i);
/* For a complete record: sorts names, decides what daemons are judged by, finds the resolution. */
void et_daemon_record_settle(struct et_daemon_record *r);
/*
 * Makes one execution of those of a name that are below the floor each, in every sample. Needs a
 * settled record, of which the runs without all samples stay as they are.
 */
void et_daemon_add_small(struct et_daemon_record *r, double floor_ms);
void et_daemon_record_free(struct et_daemon_record *r); /* what it owns */

/*
 * Returns the daemon that a process belongs to: its name, but "kworker" for all of the kernel's
 * workers, as their names (kworker/0:1, kworker/u4:2) come and go.
 */
const char *et_daemon_of(const struct et_culprit *x);
/* Whether a name is that of no daemon: "?", a process that ended before its name was read. */
bool et_daemon_nameless(const char *name);

enum { ET_DAEMON_NAME = 64, ET_FACTORS_SIZE = 320 };

/*
 * How long a daemon may run during a sample: final_ms[0] for programs shorter than task_time_s,
 * final_ms[1] for longer ones. If n_final is 1, final_ms[0] is for all programs.
 */
struct et_cutoff {
	char daemon[ET_DAEMON_NAME];
	double short_ms, long_ms; /* the cutoffs by the short run and by the long run */
	double period_s, task_time_s;
	uint32_t sightings; /* visits that were seen, which the period is from; 0: not known */
	double final_ms[2];
	int n_final; /* 1 or 2 */
};

#define ET_CLUSTER_LEVEL (0.01 / 2) /* of each test of symmetry: of both together 1 % */

/*
 * Whether the central cluster of the dual-execution plot of elapsed times is symmetric (SEDONA,
 * step 4): about its centre, and about the diagonal. An arm of an L that was not found makes it
 * skewed; a disturbance over several samples makes the two times of a pair alike.
 */
struct et_cluster_shape {
	size_t pairs;      /* with both samples in the cluster */
	double skewness_z; /* above 0: the tail is to the right */
	double skewness_p; /* of the test of symmetry about the centre, NaN: too few samples */
	double correlation, correlation_p; /* of the two times of a pair, NaN: too few pairs */
	bool tested;                       /* at least one of them */
	bool symmetric;                    /* tested, and neither is significant, both at 1 % */
};

/*
 * A daemon that was infrequent and long-running in a run (EMP, Tables XI and XV). Several
 * successive samples with long-running executions of it are one visit.
 */
struct et_collected {
	uint32_t name;
	double central_ms; /* its longest execution in the cluster, NaN: it is not there */
	double least_ms;   /* its shortest long-running execution in an L-sample */
	double period_s; /* NaN: not periodic; in the long run, the period of the short run holds */
	uint32_t visits; /* that were seen, which the period is from */
};

/* The process that most of the unexplained samples have in common. */
struct et_in_common {
	size_t unexplained; /* of these samples, it ran in this many; 0: there is none */
	size_t others;      /* the other samples in which it ran */
	uint32_t name;
};

/* The findings in one run. */
struct et_run_findings {
	bool *far; /* one per listed sample: it is an L-sample */
	size_t n_far;
	bool *explained; /* likewise: it is one, and daemons are to blame; otherwise nobody knows */
	struct et_central *central; /* daemons in the central cluster, by name */
	size_t n_central;
	bool *long_running; /* one per execution: in an L-sample, longer than in the cluster */
	bool *frequent;     /* one per name; NULL if the samples' times are not known */
	struct et_collected *collected; /* by name */
	size_t n_collected;
	bool *removed; /* one per listed sample, by the final cutoffs */
	struct et_cluster_shape shape;
	bool by_pairs; /* the baseline drifts: differences within pairs were looked at as well */
	double spread; /* of elapsed times in the cluster: sd over median, NaN: not known */
	/* One per name: the samples that a frequent daemon spoils; NULL like frequent. */
	uint32_t *spoils;
	size_t unexplained; /* samples that are longer, and no daemon explains it */
	struct et_in_common common;
};

struct et_daemon_findings {
	struct et_run_findings short_run, long_run; /* the latter empty without a long run */
	struct et_cutoff *cutoffs;                  /* by name */
	size_t n_cutoffs;
	double floor_ms; /* the instrument cannot resolve shorter executions; no cutoff is lower */
};

void et_daemon_findings_free(struct et_daemon_findings *f); /* what it owns */
/* Returns the figures of a name in the central cluster, or NULL. */
const struct et_central *et_findings_central(const struct et_run_findings *f, uint32_t name);
/* Returns the row of a name among the collected daemons, or NULL. */
const struct et_collected *et_findings_collected(const struct et_run_findings *f, uint32_t name);

/* The cutoffs of a machine, and how they were learned. */
struct et_cutoffs {
	struct et_cutoff *list; /* by name */
	size_t n;
	uint64_t learned_wall_ns;
	char host[65], kernel[130], cpu[128];
	char machine[96];              /* as et_host_identity describes it, or "" */
	char services[17];             /* a digest of the services that could run then, or "" */
	bool tuned;                    /* the environment was applied while it learned */
	char factors[ET_FACTORS_SIZE]; /* the selected ones, ","-separated, or "": not known */
	bool unseen;     /* processes that began and ended within a sample were not seen */
	bool by_ledger;  /* the cutoffs are times on the program's CPU, not CPU times */
	double floor_ms; /* what the instrument can resolve: no cutoff is lower; or NaN */
	char short_id[40], long_id[40]; /* the experiments it was learned from, or "" */
	uint32_t short_runs, long_runs;
	double short_seconds, long_seconds; /* of one sample; long: NaN without a long run */
};

void et_cutoffs_free(struct et_cutoffs *c); /* what it owns */
/* Returns the cutoff for a program that takes this many seconds. */
double et_cutoff_for(const struct et_cutoff *c, double seconds);
