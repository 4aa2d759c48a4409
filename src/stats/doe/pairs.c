/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pairs of treatments: Holm's correction within each program, then counts over all programs. It
 * needs the pairs alone, so that published p-values can be counted, too.
 */
#include "base/alloc.h"
#include "stats/compare/contrast.h"
#include "stats/doe/doe.h"

#include <math.h>
#include <string.h>

void et_doe_conclude_pairs(struct et_doe_program *p, double alpha)
{
	et_contrasts_conclude(p->pairs, p->n_pairs, alpha);
	p->before = p->after = 0;
	for (size_t i = 0; i < p->n_pairs; i++) {
		p->before += p->pairs[i].significant_unadjusted;
		p->after += p->pairs[i].significant;
	}
}

static struct et_doe_pair *add(struct et_doe_result *r, const struct et_contrast *c)
{
	r->pairs = et_realloc(r->pairs, r->n_pairs + 1, sizeof(*r->pairs));
	r->pairs[r->n_pairs] = (struct et_doe_pair){ .a = c->a, .b = c->b };
	return &r->pairs[r->n_pairs++];
}

/* Finds pair i of a program. Most programs have the same pairs in the same order. */
static struct et_doe_pair *find(struct et_doe_result *r, size_t i, const struct et_contrast *c)
{
	if (i < r->n_pairs && r->pairs[i].a == c->a && r->pairs[i].b == c->b)
		return &r->pairs[i];
	for (size_t k = 0; k < r->n_pairs; k++) {
		if (r->pairs[k].a == c->a && r->pairs[k].b == c->b)
			return &r->pairs[k];
	}
	return add(r, c);
}

static void count(struct et_doe_pair *pair, const struct et_contrast *c)
{
	const char *method = c->method ? c->method : "";

	if (isnan(c->p))
		return;
	pair->programs++;
	pair->before += c->significant_unadjusted;
	pair->after += c->significant;
	if (!strcmp(method, "student"))
		pair->student++;
	else if (!strcmp(method, "welch"))
		pair->welch++;
	else if (!strcmp(method, "wilcoxon"))
		pair->wilcoxon++;
	else
		pair->other++;
}

void et_doe_count_pairs(struct et_doe_result *r)
{
	for (size_t p = 0; p < r->n_programs; p++) {
		for (size_t i = 0; i < r->programs[p].n_pairs; i++) {
			const struct et_contrast *c = &r->programs[p].pairs[i];

			count(p ? find(r, i, c) : add(r, c), c);
		}
	}
}
