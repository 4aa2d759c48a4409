/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Designs as pure functions: treatments in standard order, signs, generators, aliases. */
#ifndef ET_PROTOCOL_DESIGN_H
#define ET_PROTOCOL_DESIGN_H

#include "base/error.h"
#include "model/design.h"

enum { ET_MOST_FACTORS = 20, ET_MOST_TREATMENTS = 100000 };

/*
 * Makes the treatments of all factors that have levels: the full factorial in standard order, or
 * the fraction that the factors with a generator leave. Fails on generators that contradict.
 */
int et_design_make_treatments(struct et_design *d, struct et_error *err) ET_CHECK;
/* -1 or +1: the sign of a factor with two levels under a treatment; of a term the product. */
int et_design_sign(const struct et_design *d, size_t treatment, uint32_t factors);
/* The number of generators is p of 2^(k-p); 0: a full factorial. */
size_t et_design_generators(const struct et_design *d);
/* The shortest word of the defining relation; 0: nothing is aliased. */
size_t et_design_resolution(const struct et_design *d);
/* Returns the terms aliased with one (bits of factors) as an array of *n; the caller frees it. */
uint32_t *et_design_aliases(const struct et_design *d, uint32_t factors, size_t *n);
/* "work:pad" to bits of factors and back; the caller frees the text. */
int et_design_term_parse(const struct et_design *d, const char *term, uint32_t *factors,
	struct et_error *err) ET_CHECK;
char *et_design_term_name(const struct et_design *d, uint32_t factors)
	__attribute__((malloc, returns_nonnull));

#endif
