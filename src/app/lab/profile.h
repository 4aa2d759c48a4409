/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments about profilers (NIST TN 1826). A part has one instrument or setting. */
#pragma once

#include "app/lab/study.h"
#include "lab/profile_treatment.h"

enum { ET_LAB_MOST_MISSING = 3 };

struct et_profiling;
struct et_profile_lab;

/* The experiment: its treatments, by instrument and then by level. */
struct et_profile_study {
	const struct et_profile_lab *lab;
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
	uint32_t runs, paper_runs;
	uint64_t work_ns, paper_work_ns;
	/* Fills the parts; parts whose instrument is not installed are named by p->missing. */
	void (*plan)(struct et_profiling *p);
	void (*add_commands)(const struct et_profiling *p, const struct et_lab_part *part,
		struct et_experiment *e);
	/* Fills the categories of a command, and returns the level of its factor. */
	double (*categorise)(const struct et_lab_part *part, const struct et_command *c,
		struct et_category *out);
	size_t n_categories, under_test; /* the first of them are the functions under test */
	bool together;                   /* means are compared with each other */
	bool has_shares, has_spreads;    /* its tables have shares, and standard deviations */
	/* Of the treatments of one instrument, which are successive. */
	void (*text)(const struct et_profile_study *s, size_t first, size_t end,
		const struct et_page *page);
	void (*notes)(const struct et_profile_study *s, const struct et_page *page); /* or NULL */
	const char *explanation;                                                     /* or NULL */
	void (*draw)(const struct et_profile_study *s, const struct et_chart_to *to);
	const char *sheet; /* as of a struct et_lab */
	int sheet_width;
	/* Writes the keys of treatment i; NULL: et_lab_write_treatment. */
	void (*write_treatment)(struct et_json *w, const struct et_profile_study *s, size_t i);
};

struct et_profiling {
	struct et_lab_study study;
	const struct et_profile_lab *lab;
	char *folder; /* of programs and their files */
	uint32_t runs;
	uint64_t work_ns; /* of each run */
	int cpu;          /* where the program and the load run; -1: any */
	const char *missing[ET_LAB_MOST_MISSING + 1];
	size_t n_missing;
};

struct et_lab_part *et_profiling_add(struct et_profiling *p, const char *name,
	const char *instrument, const struct et_profile_plan *plan);
/* For gprof, if there are a compiler and gprof; otherwise notes that it is missing. */
struct et_lab_part *et_profiling_add_gprof(
	struct et_profiling *p, const char *name, const char *alone);
/* The same for perf record. */
struct et_lab_part *et_profiling_add_perf(struct et_profiling *p, const char *name);

/* Judges and prints the parts that are loaded. */
int et_profiling_show(struct et_lab_study *study, struct et_error *err) ET_CHECK;

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
/* Three digits; NaN is "–". */
const char *et_format_short(double x, char buf[ET_FIGURE]);
/* An autocorrelation with two decimals. */
const char *et_format_r1(double r, char buf[ET_FIGURE]);
/* Adds a treatment, in that many columns, with a function; its mean and its sd with intervals. */
void et_lab_cell(
	struct et_table *t, int width, const char *treatment, const struct et_treatment_cell *c);
void et_lab_write_treatment(struct et_json *w, const struct et_profile_study *s, size_t i);

#define ET_CELL(member) offsetof(struct et_treatment_cell, member)

/* A figure of the cells that is drawn. */
struct et_cell_line {
	const char *name; /* or NULL */
	size_t at;        /* the offset of the figure: ET_CELL(sd) */
	enum et_svg_shape shape;
	unsigned color;
	char mark;
	size_t category;
	bool period; /* the level is a period in ns, and drawn as a rate */
};

/* Draws them over treatments first to end, of the categories that many places further. */
void et_lab_cell_lines(struct et_chart *p, const struct et_profile_study *s, size_t first,
	size_t end, const struct et_cell_line *lines, size_t n, size_t further);
