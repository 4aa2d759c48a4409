/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The algebra of a design. A term is a main effect or an interaction, written as the bits of its
 * factors: bit 0 is the first factor. In a fractional design 2^(k-p) a generator such as "d = a b
 * c" says that the sign of d is the product of three others, so abcd is always +: it is a word of
 * the defining relation. Terms whose product is such a word are aliases: no run tells them apart.
 */
#pragma once

#include "base/error.h"
#include "model/design/design.h"

/* Of a factor with a generator: the factors of the product, and its sign, -1 or +1. */
struct et_generator {
	uint32_t factors;
	int sign;
};
/* Parses the generator of a factor: "a b c", also "-a b". A name that is no factor is an error. */
int et_design_generator_parse(const struct et_design *d, size_t factor, struct et_generator *out,
	struct et_error *err) ET_CHECK;

/* -1 or +1: a term's sign under a treatment; the first level is -. More than two levels: +. */
int et_design_sign(const struct et_design *d, size_t treatment, uint32_t factors);
/* The number of generators is p of 2^(k-p); 0: a full factorial. */
size_t et_design_generators(const struct et_design *d);
/*
 * Returns the words of the defining relation as an array of *n, the shortest first; the caller
 * frees it. The sign of a word is that of any treatment: et_design_sign(d, 0, word).
 */
uint32_t *et_design_relation(const struct et_design *d, size_t *n);
/* The length of the shortest word of the defining relation; 0: nothing is aliased. */
size_t et_design_resolution(const struct et_design *d);
/*
 * Returns the aliases of a term as an array of *n, those with the fewest factors first; the caller
 * frees it. The term equals its alias times the sign of the word between them:
 * et_design_sign(d, 0, term ^ alias).
 */
uint32_t *et_design_aliases(const struct et_design *d, uint32_t factors, size_t *n);
/*
 * Returns the terms that the design can estimate as an array of *n: main effects first, then
 * interactions of two factors, and so on; of aliases only the first. The caller frees it.
 */
uint32_t *et_design_terms(const struct et_design *d, size_t *n);

/* "work:pad" to bits of factors and back; the caller frees the text. */
int et_design_term_parse(const struct et_design *d, const char *term, uint32_t *factors,
	struct et_error *err) ET_CHECK;
char *et_design_term_name(const struct et_design *d, uint32_t factors)
	__attribute__((malloc, returns_nonnull));
/*
 * Parses terms that a user wants, "a,b,a:b", as an array of *n, which the caller frees. Refuses a
 * term that no run tells apart from another one of the list, or from a term with as few factors:
 * effects of more factors are rarer, so the term with the fewest is taken for the cause.
 */
int et_design_terms_parse(const struct et_design *d, const char *text, uint32_t **out, size_t *n,
	struct et_error *err) ET_CHECK;
