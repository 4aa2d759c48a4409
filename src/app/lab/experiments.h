/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of experiments of `etalon lab`. */
#pragma once

#include "base/parse.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/program.h"
#include "draw/chart.h"
#include "draw/progress.h"
#include "draw/table.h"
#include "lab/coverage.h"
#include "lab/false_alarms.h"
#include "lab/grid.h"
#include "lab/problems.h"
#include "model/experiment/field_rows.h"
#include "model/result/precision.h"
#include "model/sample/executor.h"
#include "source/stored.h"

/* Bits of the options that the user gave. */
enum et_lab_option {
	ET_LAB_JSON = 1 << 0,
	ET_LAB_REPETITIONS = 1 << 1,
	ET_LAB_PACE = 1 << 2,
	ET_LAB_PRESET = 1 << 3,
	ET_LAB_RESUME = 1 << 4,
	ET_LAB_BEST = 1 << 5,
	ET_LAB_EPSILON = 1 << 6,
	ET_LAB_MAX_RUNS = 1 << 7,
	ET_LAB_FIGURE = 1 << 8,
	ET_LAB_PROBLEM = 1 << 9, /* all numbers of lab problems */
};

/* An option that is a list: numbers, which ascend, or choices, by their place in their table. */
struct et_lab_list {
	uint64_t numbers[ET_MAX_LENGTHS];
	size_t n;         /* 0: none was given */
	unsigned choices; /* bits; 0: likewise */
};

/* Options of experiments that measure; what is not given is the experiment's own. */
struct et_lab_measure {
	struct et_lab_list lengths_ns, loads, programs, pairs;
	struct et_lab_list sizes; /* numbers are those of our own workloads */
	uint64_t runs;
	const char *from, *label, *svg; /* or NULL */
	const char *filter;             /* of the functions; NULL: all */
	int preset;                     /* of et_lab_presets, if the option was given */
	/* Of kbest-accuracy, if the options were given. */
	uint32_t best, max_runs;
	double epsilon;
	int figure; /* enum et_kbest_figure */
};

/* The context of the actions. Each prints its results, after a signal those until then. */
struct et_lab_request {
	struct et_cli *cli;
	unsigned given;
	struct et_simulation simulation; /* as requested by the user */
	struct et_coverage_options coverage;
	struct et_false_alarms_options alarms;
	struct et_lab_measure measure;
	struct et_problem_values problem;
	const char *name, *operand; /* of the experiment; what follows it, or NULL */
	uint64_t started_ns;
	struct et_progress progress;
	struct et_interrupt *interrupt;
	struct et_page page;
	struct et_output svg; /* of --svg, if that is given */
};

/*
 * An experiment: its file has these functions, its row is in experiment_rows.h, and et_lab_perform
 * performs it. All that is printed follows from the result, which may be cut short by a signal.
 */
struct et_lab {
	int (*perform)(struct et_lab_request *r, struct et_error *err); /* instead of the others */
	size_t size; /* of the result, which is all zeros at first */
	/* Fills the result without an experiment; -EINTR if some of its samples are missing. */
	int (*simulate)(struct et_lab_request *r, void *result, struct et_error *err);
	/* Or it measures programs, and stores what it measures (et_lab_measure) … */
	int (*measure)(struct et_lab_request *r, void *result, struct et_experiment **out,
		struct et_error *err);
	/* … or times functions, whose figures are stored when all are there … */
	int (*time)(struct et_lab_request *r, struct et_experiment *e, struct et_error *err);
	/* … and fills the result from that experiment; read_as: if options change the result. */
	et_lab_read *read;
	int (*read_as)(const struct et_lab_request *r, const struct et_experiment *e, void *result,
		struct et_error *err);
	const struct et_field *fields; /* of the result, in JSON */
	void (*text)(const void *result, const struct et_page *page);
	/* Draws its only chart, or, if there is a sheet, all that are on it; NULL: it has none. */
	void (*draw)(const void *result, const struct et_chart_to *to);
	const char *sheet; /* its title, and its width in pixels */
	int sheet_width;
	et_lab_free *free; /* what the result owns; or NULL */
};

/* Measures or simulates, or loads the one of --from, and prints it. */
int et_lab_perform(
	struct et_lab_request *r, const struct et_lab *lab, struct et_error *err) ET_CHECK;
/* Prints a result as the user wants it, and draws it. JSON describes e, if it is not NULL. */
int et_lab_show(struct et_lab_request *r, const struct et_lab *lab, const struct et_experiment *e,
	const void *result, struct et_error *err) ET_CHECK;
void et_lab_draw(const struct et_lab *lab, const void *result, FILE *out); /* as SVG */
void et_lab_json(const struct et_lab *lab, const char *name, const struct et_experiment *e,
	const void *result, FILE *out);
/* Writes the stored experiments of a study. */
void et_lab_json_experiments(struct et_json *w, const struct et_experiment *const *list, size_t n);
/* For struct et_lab_progress: draws the progress of a request. Returns false after a signal. */
bool et_lab_draw_progress(void *request, uint64_t done, uint64_t total) ET_CHECK;
/* Prints where the experiment or study `name` (NULL: none) is stored, and returns rc. */
int et_lab_conclude(const struct et_lab_request *r, const char *name, bool study, int rc) ET_CHECK;
/* Returns the loads and lengths that the user gave, else the usual ones of the experiment. */
struct et_lab_grid et_lab_grid(const struct et_lab_request *r, const struct et_lab_grid *usual);

/* Print a paragraph: in bold, plain, and indented after a lead. */
#define et_lab_heading(page, ...) et_page_say(page, 0, "", NULL, "1", __VA_ARGS__)
#define et_lab_text(page, ...) et_page_say(page, 0, "", NULL, NULL, __VA_ARGS__)
#define et_lab_item(page, indent, lead, ...)                                                       \
	et_page_say(page, indent, lead, NULL, NULL, __VA_ARGS__)
/* Print a table, or a chart, and an empty line. */
void et_lab_table(struct et_table *t, const struct et_page *page);
/* Print the caption as a plain paragraph, and the table without its number. */
void et_lab_print_cases(struct et_table *t, const struct et_page *page);
void et_lab_chart(struct et_chart *c, const struct et_page *page);

/* "+0.02": an error in percent; a larger one has fewer decimals; NaN is "–". */
const char *et_format_error(double error, char buf[ET_FIGURE]);
/* A time with three digits. */
const char *et_format_three(double ns, char buf[ET_FIGURE]);
/* k / n, or NaN. */
double et_lab_share(uint64_t k, uint64_t n);
/* "95.3": a share in percent; NaN is nothing. */
const char *et_lab_format_share(double share, char buf[ET_FIGURE]);

/* --- experiments that measure programs: stored like those of `run`, as "lab NAME" --- */

/* Runs the commands of e, which it takes, in random order; -EINTR: *out is a part, or NULL. */
int et_lab_measure(struct et_lab_request *r, struct et_experiment *e, uint64_t usual_runs,
	struct et_experiment **out, struct et_error *err) ET_CHECK;
/* Prints how many things run how often, and how long that takes. */
void et_lab_announce(
	const struct et_lab_request *r, size_t n, const char *what, uint32_t runs, double seconds);
/* Returns the path of a program, or NULL. The caller frees it. */
char *et_lab_find(const char *program) ET_CHECK;
/* The name of a task of that length, such as INC8. Caller frees. */
char *et_lab_task(uint64_t length_ns) ET_CHECK;
/* Creates a folder below TMPDIR, whose name the caller gives to et_lab_folder_remove. */
int et_lab_folder_make(char **out, struct et_error *err) ET_CHECK;
void et_lab_folder_remove(char *folder); /* with its files; NULL is fine */
/* The results of clock-methods and real-programs: an entry per command of the experiment. */
struct et_clock_table {
	const struct et_experiment *e;
	struct et_clock_methods *list;
};

enum { ET_MOST_SUBJECTS = 32 };

struct et_program_table {
	const struct et_experiment *e;
	struct et_program_precision *list;
	struct et_program_averages averages;
	bool measured; /* by this process: it knows which programs are not installed */
	struct et_missing_program missing[ET_MOST_SUBJECTS]; /* ends with a NULL name */
};

/* The choices of --pairs; NULL after the last. */
const char *et_lab_pair_name(size_t i);
extern const char *const et_lab_presets[]; /* of --preset; NULL ends it */
/* Of rows of either kind, and the list of them. */
et_action_run et_lab_run, et_profile_lab_run, et_lab_list;

#define ROW(kind, bit, name, variable, ...) extern const struct kind variable;
#include "app/lab/experiment_rows.h"
#undef ROW

extern const struct et_option et_lab_options[];
/* With list, which has no summary. A NULL name ends them. */
extern const struct et_action et_lab_experiments[];
