/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The design of an experiment as JSON: in the store, in records, and in what `doe` prints. The
 * fields that are plain values are tables, which store/design.c reads by, too. And the difference
 * between the plan of a stored experiment and a plan file as it is now.
 */
#pragma once

#include "model/experiment/field.h"

/* All but the lists, and the kind of a factor. */
extern const struct et_field et_design_fields[];
extern const struct et_field et_design_factor_fields[];
extern const struct et_field et_design_program_fields[];

/* The largest design: more commands than this cannot be exported and read back. */
enum {
	ET_DESIGN_MOST_FACTORS = 64,
	ET_DESIGN_MOST_LEVELS = 4096,
	ET_DESIGN_MOST_COMMANDS = 100000
};

/* Writes the design, or null, as a member of the open object. */
void et_design_write(struct et_json *j, const char *key, const struct et_design *d);
/* The design as a text of one line, without the text of its plan file if !source. */
char *et_design_text(const struct et_design *d, bool source);

/*
 * Compares designs by their meaning: comments and the form of the plan file do not count. Returns a
 * text with a line per difference, such as "replications: 31, now 21", or NULL if there is none.
 * The caller frees it.
 */
char *et_design_changes(const struct et_design *before, const struct et_design *now);
/* The same, and of the options that the plan sets; the seed only if has_seed. */
char *et_plan_changes(
	const struct et_experiment *before, const struct et_experiment *now, bool has_seed);
/* Whether both can be analysed together: treatments, programs and response are equal. */
bool et_design_same(const struct et_design *a, const struct et_design *b);
