/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text that `run`, `show` and `describe` print. Names and warnings may contain any bytes. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "draw/units.h"
#include "model/result/result.h"
#include "model/result/series.h"
#include "stats/series/describe.h"

/* The order of the commands in the table, as the values of --sort. */
enum et_sort {
	ET_SORT_AUTO, /* by time from four commands on that are no parameter scan; else as given */
	ET_SORT_COMMAND,
	ET_SORT_MEAN_TIME,
};

extern const char *const et_sort_names[]; /* NULL ends it */

struct et_text_options {
	int width; /* columns, at least 40 */
	bool color;
	bool verbose;
	bool quiet;      /* results only, no notes */
	bool full_names; /* the output is not a terminal: names and columns are not cut to fit */
	enum et_sort sort;
	enum et_time_unit unit;
};

/* Prints which experiment this is: id, label, time, state, machine. */
void et_text_heading(const struct et_experiment *e, const struct et_text_options *o, FILE *out);
/* Prints a table, the verdicts and notes; verbose: all. Returns the number of notes left out. */
size_t et_text_result(const struct et_experiment *e, const struct et_judgement *j,
	const struct et_text_options *o, FILE *out);

/* The answer: a line per command and comparison; from four commands on the table has ratios. */
void et_summary(const struct et_experiment *e, const struct et_judgement *j,
	const struct et_text_options *o, const struct et_page *page);
/* A command in a sentence: its name if all have a short one, else "[2]". The caller frees it. */
char *et_summary_name(const struct et_judgement *j, size_t command);
/*
 * The ratio of a command to the reference as a cell of a table, "1.06" and " (0.95 … 1.14) ?". The
 * mark ? says that no difference is shown, or that there are too few runs; ~ that there is one
 * before the correction for several comparisons only.
 */
void et_summary_ratio(
	const struct et_command_result *r, char left[ET_FIGURE], char right[ET_FIGURE]);

/*
 * Prints the notes below a short text, ranked, one per cause, that fit into this many lines, and
 * returns how many are left. A note that decides between commands is printed in any case.
 */
size_t et_notes(const struct et_judgement *j, const struct et_page *page, size_t lines);

/* The description of one series as text and as JSON. The JSON keys must never be renamed. */

/* Which interval of a mean it is, and why it is wider: "Student t widened for skewness". */
const char *et_interval_words(const struct et_estimate *e);
void et_describe_text(const struct et_series *s, const struct et_description *d,
	const struct et_page *page, bool verbose);
void et_describe_json(struct et_json *w, const struct et_series *s, const struct et_description *d);
