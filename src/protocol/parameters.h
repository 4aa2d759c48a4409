/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters of commands: all combinations of their values replace {VAR}. Pure functions. */
#pragma once

#include "base/error.h"
#include "model/experiment/experiment.h"

struct et_range { /* one parameter with all its values */
	char *name;
	char **values;
	size_t n_values;
};

struct et_ranges {
	struct et_range *list;
	size_t n, cap;
	bool first_fastest; /* as hyperfine: the first parameter changes fastest, not the last */
};

/* Whether a text can be the name of a parameter: letters, digits, _ and -, a letter or _ first. */
bool et_parameter_is_name(const char *s);
/* Adds "-L name a,b,c". */
int et_ranges_add_list(
	struct et_ranges *r, const char *name, const char *values, struct et_error *err) ET_CHECK;
/* Adds "-P name min max" with a step. Values have as many decimals as min, max and step. */
int et_ranges_add_scan(struct et_ranges *r, const char *name, const char *min, const char *max,
	const char *step, struct et_error *err) ET_CHECK;
void et_ranges_free(struct et_ranges *r);
/* The number of combinations (1 without parameters). */
size_t et_ranges_product(const struct et_ranges *r);
/* Combination k; the last parameter changes fastest, or the first. The caller frees *out. */
void et_ranges_pick(const struct et_ranges *r, size_t k, struct et_parameter **out);
/*
 * Replaces each {name} in text. With parameters in use an unknown {word} is an error; without any,
 * braces have no meaning. The caller frees *out.
 */
int et_parameters_fill(const char *text, const struct et_parameter *p, size_t n, char **out,
	struct et_error *err) ET_CHECK;
