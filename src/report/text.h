/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text that `run` and `show` print. Names and warnings may contain any bytes. */
#pragma once

#include "draw/units.h"
#include "model/result/result.h"

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
/*
 * Prints the result: a table, the verdicts, the notes that matter. Verbose text has all figures of
 * each command and all warnings as well. Returns the number of notes that were left out to keep it
 * short.
 */
size_t et_text_result(const struct et_experiment *e, const struct et_judgement *j,
	const struct et_text_options *o, FILE *out);
