/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text that `run` and `show` print. Names and warnings may contain any bytes. */
#ifndef ET_REPORT_TEXT_H
#define ET_REPORT_TEXT_H

#include "model/result.h"

struct et_text_options {
	int width; /* columns, at least 40 */
	bool color;
	bool verbose;
};

/* Prints which experiment this is: id, label, time, state, machine. */
void et_text_heading(const struct et_experiment *e, const struct et_text_options *o, FILE *out);
/* Prints the result: every command, the comparisons, then the warnings about the machine. */
void et_text_result(const struct et_experiment *e, const struct et_judgement *j,
	const struct et_text_options *o, FILE *out);

#endif
