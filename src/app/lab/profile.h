/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments of `etalon lab` about profilers (NIST TN 1826). Each consists of parts: the runs of
 * all treatments with one instrument or setting, which are one experiment of the store, a part of
 * the study LABEL/TIME. The parts are measured in turn, in blocks of rounds, so that a drift of the
 * machine affects all of them. The tables are computed from the stored profiles.
 */
#pragma once

#include "app/lab/experiments.h"
#include "lab/profile_treatment.h"

enum { ET_LAB_MOST_PARTS = 16, ET_LAB_MOST_MISSING = 3 };

struct et_profiling;

struct et_lab_part {
	char name[40];          /* at the end of its label */
	const char *instrument; /* as the tables name it */
	struct et_profile_plan plan;
	bool load;               /* a competing process shares the CPU */
	const char *alone;       /* run this program of put/alone.h, instrumented for gprof */
	struct et_experiment *e; /* as stored; NULL: not measured */
	char id[40];             /* "": not begun */
	bool own;                /* this process began it */
};

/* One of the experiments. */
struct et_profile_lab {
	const char *name;
	uint32_t runs, paper_runs;
	uint64_t work_ns, paper_work_ns;
	/* Fills the parts; parts whose instrument is not installed are named by p->missing. */
	void (*plan)(struct et_profiling *p);
	/* Adds the treatments of a part as commands. */
	void (*add_commands)(const struct et_profiling *p, const struct et_lab_part *part,
		struct et_experiment *e);
	/* Prints the tables, JSON or the picture of the parts that are loaded. */
	void (*print)(const struct et_profiling *p, FILE *svg);
};

struct et_profiling {
	struct et_lab_request *r;
	const struct et_profile_lab *lab;
	char exe[PATH_MAX];
	char *prefix; /* LABEL/TIME; NULL: not known yet */
	char *folder; /* of programs and their files */
	uint32_t runs;
	uint64_t work_ns; /* of each run */
	int cpu;          /* where the program and the load run; -1: any */
	struct et_lab_part parts[ET_LAB_MOST_PARTS];
	size_t n;
	char *missing[ET_LAB_MOST_MISSING + 1];
	size_t n_missing;
};

/* Adds a part. */
struct et_lab_part *et_profiling_add(struct et_profiling *p, const char *name,
	const char *instrument, const struct et_profile_plan *plan);
/* The same for gprof, if there are a compiler and gprof; otherwise notes that it is missing. */
struct et_lab_part *et_profiling_add_gprof(
	struct et_profiling *p, const char *name, const char *alone);
/* The same for perf record. */
struct et_lab_part *et_profiling_add_perf(struct et_profiling *p, const char *name);
/* Compiles the programs that the parts need, in the folder of the study. */
int et_profiling_compile(struct et_profiling *p, struct et_error *err) ET_CHECK;

/* Measures all parts, or the rest of them. Sets p->prefix when there may be experiments. */
int et_profiling_measure(struct et_profiling *p, struct et_error *err) ET_CHECK;
/*
 * Finds the study that the name means: the newest one of a label, one by its prefix, or by the id
 * of one of its experiments. Sets p->prefix and the ids of the parts, and loads them.
 */
int et_profiling_find(struct et_profiling *p, const char *name, struct et_error *err) ET_CHECK;
/* Plans the experiment of a part. */
struct et_experiment *et_profiling_plan(
	const struct et_profiling *p, const struct et_lab_part *part) ET_CHECK;
/* Loads the experiments of the parts. */
int et_profiling_load(struct et_profiling *p, struct et_error *err) ET_CHECK;

/* Measures or loads a study and prints it. */
int et_profiling_run(
	struct et_lab_request *r, const struct et_profile_lab *lab, struct et_error *err) ET_CHECK;
