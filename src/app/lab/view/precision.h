/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of precision as in the EMP papers: by clock, by program. */
#pragma once

#include "draw/terminal.h"
#include "model/experiment/experiment.h"
#include "model/result/precision.h"

/* In all of these, list has one entry per command of the experiment. */
/* missing: the programs that are not installed, ends with a NULL name; NULL if this is not known.
 */
void et_programs_text(const struct et_experiment *e, const struct et_program_precision *list,
	const struct et_program_averages *averages, const struct et_missing_program *missing,
	const struct et_page *page);
void et_programs_json(const struct et_experiment *e, const struct et_program_precision *list,
	const struct et_program_averages *averages, const struct et_missing_program *missing,
	FILE *out);

/* Curves of sd and relative error over the size, of each program with at least two sizes. */
void et_programs_svg(const struct et_program_precision *list, size_t n, FILE *out);
