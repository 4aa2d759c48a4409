/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Designs and values for tests of designed experiments. */
#pragma once

#include "base/base.h"
#include "stats/doe/program.h"

#include <string.h>

/* A factor with levels "0", "1" … */
static inline struct et_design_factor *doe_factor(struct et_design *d, const char *name, size_t n)
{
	struct et_design_factor *f = et_design_add_factor(d, name);

	f->n_levels = n;
	f->levels = et_calloc(n + 1, sizeof(char *));
	for (size_t i = 0; i < n; i++)
		f->levels[i] = et_asprintf("%zu", i);
	return f;
}

/* The full factorial of factors a, b, c … with these numbers of levels; no program. */
static inline struct et_design *doe_design(const size_t *levels, size_t n_factors)
{
	struct et_design *d = et_design_new();
	uint32_t place[32] = { 0 };
	size_t n = 1;

	for (size_t f = 0; f < n_factors; f++) {
		doe_factor(d, (char[2]){ (char)('a' + (int)f), '\0' }, levels[f]);
		n *= levels[f];
	}
	for (size_t t = 0; t < n; t++) {
		size_t rest = t;
		for (size_t f = 0; f < n_factors; f++) {
			place[f] = (uint32_t)(rest % levels[f]);
			rest /= levels[f];
		}
		et_design_add_treatment(d, place);
	}
	return d;
}

/* Adds a value; runs are in the order in which they are added. */
static inline void doe_value(struct et_doe_data *to, uint32_t cell, uint32_t block, double y)
{
	et_doe_data_add(to,
		&(struct et_doe_value){
			.cell = cell, .machine = block, .block = block, .order = to->n, .y = y });
}

/* The effect of a term; bails out if there is none. */
static inline const struct et_doe_effect *doe_effect(
	const struct et_doe_program *p, const char *term)
{
	for (size_t i = 0; i < p->n_effects; i++) {
		if (!strcmp(p->effects[i].term, term))
			return &p->effects[i];
	}
	return NULL;
}

/* Frees a program that was judged by itself. */
static inline void doe_free_program(struct et_doe_program *p)
{
	struct et_doe_result r = { .programs = et_calloc(1, sizeof(*p)), .n_programs = 1 };

	r.programs[0] = *p;
	et_doe_result_free(&r);
}
