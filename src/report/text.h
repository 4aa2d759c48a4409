/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person reads after a run and in `show`. Names and warnings may hold any bytes. */
#ifndef ET_REPORT_TEXT_H
#define ET_REPORT_TEXT_H

#include "model/result.h"

struct et_text_options {
	int width; /* columns; less than 40 is taken as 40 */
	bool color;
	bool verbose;
};

/* Which experiment this is: id, label, when, how it ended, on which machine. */
void et_text_heading(const struct et_experiment *e, const struct et_text_options *o, FILE *out);
/* The result: every command, then how they compare, then what is doubtful about the machine. */
void et_text_result(const struct et_experiment *e, const struct et_judgement *j,
	const struct et_text_options *o, FILE *out);

#endif
