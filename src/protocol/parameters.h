/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters in commands: every combination of their values, {VAR} filled in. Pure. */
#ifndef ET_PROTOCOL_PARAMETERS_H
#define ET_PROTOCOL_PARAMETERS_H

#include "base/error.h"
#include "model/experiment.h"

struct et_range { /* one parameter with all its values */
	char *name;
	char **values;
	size_t n_values;
};

struct et_ranges {
	struct et_range *list;
	size_t n, cap;
};

/* "-L name a,b,c" */
int et_ranges_add_list(
	struct et_ranges *r, const char *name, const char *values, struct et_error *err);
/* "-P name min max" with a step; values are written with as many decimals as these have. */
int et_ranges_add_scan(struct et_ranges *r, const char *name, const char *min, const char *max,
	const char *step, struct et_error *err);
void et_ranges_free(struct et_ranges *r);
/* How many combinations there are (1 without parameters). */
size_t et_ranges_product(const struct et_ranges *r);
/* Combination number k, the last parameter changing fastest; *out is new memory. */
void et_ranges_pick(const struct et_ranges *r, size_t k, struct et_parameter **out);
/*
 * text with each {name} replaced. With parameters in use an unknown {word} is an error; without,
 * braces mean nothing.
 */
int et_parameters_fill(
	const char *text, const struct et_parameter *p, size_t n, char **out, struct et_error *err);

#endif
