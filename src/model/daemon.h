/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Background processes: what they used while samples were taken, and the cutoffs beyond which a
 * sample is spoilt. Times of daemons are milliseconds, as the EMP papers print them; a figure that
 * is not there is NaN.
 */
#ifndef ET_MODEL_DAEMON_H
#define ET_MODEL_DAEMON_H

#include "base/attr.h"
#include "model/sample.h"

/* One process of a daemon during one sample; several of one name stand apart. */
struct et_execution {
	uint32_t name; /* place in the record's table of names */
	double ms;
};

/* A sample and who else ran during it. */
struct et_daemon_sample {
	uint32_t number; /* from 1, ascending; successive numbers ran one behind the other */
	double at_s;     /* when it began, from the start of the run */
	double elapsed_ms, cpu_ms;
	size_t first, n; /* its executions */
};

/* What a daemon used at most, and how that varied, in the samples of the central cluster. */
struct et_central {
	uint32_t name;
	double max_ms, sd_ms;
};

/* Many samples of one program, one behind the other. */
struct et_daemon_run {
	uint32_t samples;
	double sample_seconds; /* from the start of one to the start of the next */
	/* Every sample is listed; otherwise the L-samples only, with the cluster's figures. */
	bool whole;
	struct et_daemon_sample *listed;
	size_t n_listed, cap_listed;
	struct et_execution *executions;
	size_t n_executions, cap_executions;
	struct et_central *central;
	size_t n_central;
};

struct et_daemon_record {
	char **names; /* each once; sorted by et_daemon_record_settle */
	size_t n_names, cap_names;
	uint32_t *buckets; /* where names are found while the record grows */
	size_t n_buckets;
	double resolution_ms; /* of daemons' times: 1 where all are whole milliseconds, else 0 */
	double step_ms;       /* of the samples' times, the same way */
	bool has_long;
	struct et_daemon_run short_run, long_run;
};

/* The place of a name, which is added if it is not there. */
uint32_t et_daemon_record_name(struct et_daemon_record *r, const char *name);
/* A new sample at the end of a run; valid until the next. */
struct et_daemon_sample *et_daemon_run_add(struct et_daemon_run *run, uint32_t number, double at_s);
/* An execution in the last sample. */
void et_daemon_run_execution(struct et_daemon_run *run, uint32_t name, double ms);
/* When all is in: sorts the names and finds with which resolution times were written. */
void et_daemon_record_settle(struct et_daemon_record *r);
void et_daemon_record_free(struct et_daemon_record *r); /* what it owns */

/*
 * The daemon that a process belongs to: its name, but the kernel's workers are one, whose names
 * (kworker/0:1, kworker/u4:2) come and go.
 */
const char *et_daemon_of(const struct et_culprit *x);

enum { ET_DAEMON_NAME = 64 };

/*
 * How long a daemon may run during a sample. Programs shorter than task_time_s are held to
 * final_ms[0], longer ones to final_ms[1]; where there is one figure, all of them are.
 */
struct et_cutoff {
	char daemon[ET_DAEMON_NAME];
	double short_ms, long_ms; /* what each run says */
	double period_s, task_time_s;
	double final_ms[2];
	int n_final; /* 1 or 2 */
};

/* What was found in one run. */
struct et_run_findings {
	bool *far; /* one a listed sample: an L-sample */
	size_t n_far;
	struct et_central *central; /* those in the cluster, by name */
	size_t n_central;
	bool *long_running; /* one an execution: in an L-sample, longer than the cluster allows */
	bool *frequent;     /* one a name; NULL where the samples' times are not known */
	bool *removed;      /* one a listed sample, by the final cutoffs */
};

struct et_daemon_findings {
	struct et_run_findings short_run, long_run; /* the latter empty without a long run */
	struct et_cutoff *cutoffs;                  /* by name */
	size_t n_cutoffs;
};

void et_daemon_findings_free(struct et_daemon_findings *f); /* what it owns */
/* The figures of a name in the cluster, or NULL. */
const struct et_central *et_findings_central(const struct et_run_findings *f, uint32_t name);

/* The cutoffs of a machine and where they come from. */
struct et_cutoffs {
	struct et_cutoff *list; /* by name */
	size_t n;
	uint64_t learned_wall_ns;
	char host[65], kernel[130], cpu[128];
	uint32_t short_runs, long_runs;
	double short_seconds, long_seconds; /* of one sample; long: NaN when there was none */
};

void et_cutoffs_free(struct et_cutoffs *c); /* what it owns */
/* The cutoff for a program that takes so long. */
double et_cutoff_for(const struct et_cutoff *c, double seconds);

#endif
