/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments of `etalon lab` about profilers (NIST TN 1826). Each consists of parts: the runs of
 * all treatments with one instrument or setting, which are one experiment of the store, a part of
 * the study LABEL/TIME. The parts are measured in turn, in blocks of rounds, so that a drift of the
 * machine affects all of them. The tables are computed from the stored profiles.
 */
#pragma once

#include "app/lab/measured.h"
#include "app/lab/picture.h"
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

/* The experiment: its treatments, by instrument and then by level. */
struct et_profile_study {
	struct et_profile_treatment *list;
	size_t n;
	const struct et_experiment *const *experiments; /* that it was measured by */
	size_t n_experiments;
	/* Instruments that this machine does not have: "gprof: gcc is not installed". NULL ends. */
	const char *const *missing;
};

#define ET_LAB_RANDOM "etalon, random periods"
#define ET_LAB_FIXED "etalon, fixed period"
#define ET_LAB_MS UINT64_C(1000000)

/* One of the experiments: what it runs, and how it is judged and printed. */
struct et_profile_lab {
	const char *name;
	uint32_t runs, paper_runs;
	uint64_t work_ns, paper_work_ns;
	/* Fills the parts; parts whose instrument is not installed are named by p->missing. */
	void (*plan)(struct et_profiling *p);
	/* Adds the treatments of a part as commands. */
	void (*add_commands)(const struct et_profiling *p, const struct et_lab_part *part,
		struct et_experiment *e);
	/* Fills the categories of a command, and returns the level of its factor. */
	double (*categorise)(const struct et_lab_part *part, const struct et_command *c,
		struct et_category *out);
	size_t n_categories, under_test; /* the first of them are the functions under test */
	bool together;                   /* means are compared with each other */
	bool has_shares, has_spreads;    /* its tables have shares, and standard deviations */
	void (*text)(const struct et_profile_study *s, const struct et_page *page);
	void (*explain)(const struct et_profile_study *s, const struct et_page *page);
	void (*svg)(const struct et_profile_study *s, FILE *out);
	/* Writes the keys of treatment i. */
	void (*write_treatment)(struct et_json *w, const struct et_profile_study *s, size_t i);
};

extern const struct et_profile_lab et_lab_fragmentation, et_lab_sampling_rate,
	et_lab_competing_load, et_lab_triangle, et_lab_sampling_bias;

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

/* Judges and prints the parts that are loaded. */
void et_profiling_print(const struct et_profiling *p, FILE *svg);

/* --- pieces of several experiments --- */

/* The number of calls at 10^level: a multiple of 10. */
uint64_t et_lab_calls(double level);
/* Iterations of a run, and a number as an argument of a command, which the caller frees. */
uint64_t et_lab_iterations(const struct et_profiling *p);
char *et_lab_number(uint64_t n) ET_CHECK;
/* Adds `put fragment` with the iterations of a run, or its build for gprof. Takes name. */
void et_lab_add_fragment(const struct et_profiling *p, const struct et_lab_part *part,
	struct et_experiment *e, char *name, uint64_t calls);
/* The categories of `put fragment`; the level of the second is in the name of the command. */
void et_lab_fragment_categories(uint64_t calls, struct et_category *out);
double et_lab_by_calls(
	const struct et_lab_part *part, const struct et_command *c, struct et_category *out);

/* Treatments of one instrument are successive. Returns the first after those of treatment i. */
size_t et_lab_same_instrument(const struct et_profile_study *s, size_t i);
/* "412.3 ± 1.2": with the digits that the uncertainty supports. */
const char *et_format_count(double mean, double uncertainty, char buf[ET_FIGURE]);
/* "12.3 (9.8 … 14.2)"; without an interval the number alone. */
const char *et_format_spread(double sd, const struct et_span *interval, char buf[ET_FIGURE]);
/* Three digits; NaN is "–". */
const char *et_format_short(double x, char buf[ET_FIGURE]);
/* An autocorrelation with two decimals. */
const char *et_format_r1(double r, char buf[ET_FIGURE]);
void et_lab_write_treatment(struct et_json *w, const struct et_profile_study *s, size_t i);

/* The figures of a cell that are drawn. */
enum et_cell_figure {
	ET_CELL_MEAN,
	ET_CELL_MEAN_LO,
	ET_CELL_MEAN_HI,
	ET_CELL_SD,
	ET_CELL_SD_LO,
	ET_CELL_SD_HI,
	ET_CELL_RELATIVE, /* sd / mean */
	ET_CELL_GPROF,
	ET_CELL_MULTINOMIAL,
	ET_CELL_QUANTISATION,
	ET_CELL_WITH_TOTAL,
};

struct et_cell_line {
	const char *name; /* or NULL */
	enum et_cell_figure of;
	enum et_svg_shape shape;
	unsigned color;
	char mark;
	bool period; /* the level is a period in ns, and drawn as a rate */
};

/* Draws a figure of a category over the levels of the treatments from first to end. */
void et_lab_cell_line(struct et_picture *p, const struct et_profile_study *s, size_t first,
	size_t end, const struct et_cell_line *l, size_t category);
