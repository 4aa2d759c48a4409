/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the writers of profiles only (app/profile/view.h). */
#pragma once

#include "app/profile/view.h"
#include "draw/terminal.h"

/* The half width of an interval about x, of its longer side; NaN if it is not known. */
double et_span_half(struct et_span s, double x);
/* A C++ name above 40 columns without template arguments and parameters; the caller frees it. */
char *et_profile_short_name(const char *name);
/* The same of several names; what tells equal ones apart is kept. et_strv_free frees the list. */
char **et_profile_short_names(const char *const *names, size_t n);
/* A name in a sentence: clean, and shortened, as templates need it. The caller frees it. */
char *et_profile_name_in_text(const char *name) __attribute__((malloc, returns_nonnull));
/* "CPU time", "user time", "cycles", "samples" …: the thing that the shares are shares of. */
const char *et_profile_whole(const struct et_profile *p);
/* "samples", or "instructions": the unit of the counts. */
const char *et_profile_unit(const struct et_profile *p);
/* Three digits, or whole numbers if there are more before the point. Returns buf. */
const char *et_profile_number(double x, char buf[ET_FIGURE]);
/* The file's name without its folder. */
const char *et_profile_module_name(const char *module);
/* The number of rows that are printed. */
size_t et_profile_shown(const struct et_profile_options *v, const struct et_profile_result *r);
/* The number of rows with samples in the view: of their own, or with --total on their stacks. */
size_t et_profile_seen(const struct et_profiled *p, const struct et_profile_result *r);
/* The module of a row by module, else the name of its function. */
const char *et_profile_row_name(const struct et_profile_row *r);
struct et_span et_percent(struct et_span s);
/* "79.8 ± 0.6 %" of a share with its interval, or "98 % (30 … 100)": see et_split_figure. */
const char *et_format_share(double share, struct et_span interval, char buf[ET_FIGURE]);

/* "k is larger for 3 functions whose counts are skewed …", or NULL; the caller frees it. */
char *et_profile_larger_k(const struct et_profile_result *r);
/* How a row's interval of the mean was made: "t", "t, skewed", "resolution" … */
const char *et_profile_method(const struct et_profile_row *r);

extern const char *const et_profile_model_names[ET_PROFILE_MODELS];
/* The interval of the standard deviation: BCa if it is known, else percentile or chi-square. */
struct et_span et_profile_sd_interval(const struct et_profile_row *r, const char **method);

/* The answer of a comparison in one sentence; the caller frees it. */
char *et_profile_changes_answer(const struct et_profiled *p);
/* "[2] samples" of command 1, the title of a column. Returns buf. */
const char *et_profile_samples_of(size_t command, char buf[ET_FIGURE]);
/* The text of a comparison: the answer, and the functions that changed. */
void et_profile_changes(const struct et_profiled *p, const struct et_page *page);
/* The notes about all commands that fit into this many lines; returns how many are left. */
size_t et_profile_notes(const struct et_profiled *p, const struct et_page *page, size_t lines);

/* The calling contexts of a profile with their means over the runs that count. */

/* A node with the contexts below it. */
struct et_profile_box {
	double self;  /* mean samples per run of the context itself */
	double total; /* with the contexts that it called */
	double share; /* mean over the runs of total / all samples */
	double half;  /* expanded uncertainty of the share, of this box by itself; NaN: one run */
};

/* Returns a box per node of the profile, by its number; the root has the sum. Caller frees. */
struct et_profile_box *et_profile_tree(
	const struct et_experiment *e, uint32_t command, double level);

/*
 * A flame graph: a box per calling context, above its caller, as wide as its mean share of the
 * samples; its faded end and the whisker are as long as the uncertainty. It needs no script.
 */

/* Writes an element of a page. */
void et_profile_flame_embed(const struct et_profiled *p, size_t command, FILE *out);
