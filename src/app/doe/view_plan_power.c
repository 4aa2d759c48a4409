/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which effects a designed experiment can find, by classes of terms that are found alike. */
#include "app/doe/view.h"
#include "base/alloc.h"
#include "model/design/terms.h"
#include "stats/doe/program.h"

#include <math.h>
#include <string.h>

const double et_doe_powers[ET_DOE_POWERS] = { 0.8, 0.95 };

/* Terms with equally many factors of each number of levels are found alike. */
static uint64_t signature(const struct et_design *d, uint32_t term)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->n_factors; i++) {
		if (!(term >> i & 1))
			continue;
		size_t kind = 0; /* the number of different numbers of levels before this one */
		for (size_t k = 0; d->factors[k].n_levels != d->factors[i].n_levels; k++) {
			size_t first = 0;
			while (d->factors[first].n_levels != d->factors[k].n_levels)
				first++;
			kind += first == k;
		}
		sum += UINT64_C(1) << 6 * (kind < 10 ? kind : 10);
	}
	return sum;
}

static void add_term(struct et_doe_class *c, uint32_t term)
{
	c->terms = et_realloc(c->terms, c->n_terms + 1, sizeof(*c->terms));
	c->terms[c->n_terms++] = term;
}

static struct et_doe_class class_of(const struct et_doe_outlook *o, uint32_t term, size_t family)
{
	struct et_doe_class c = { 0 };

	for (int p = 0; p < ET_DOE_POWERS; p++) {
		c.alone[p] = et_doe_smallest_effect(
			o->e->design, term, o->e->plan.runs, o->alpha, et_doe_powers[p]);
		c.holm[p] = et_doe_smallest_effect(o->e->design, term, o->e->plan.runs,
			o->alpha / (double)family, et_doe_powers[p]);
	}
	return c;
}

static struct et_doe_class class_of_pairs(const struct et_doe_outlook *o)
{
	struct et_doe_class c = { 0 };
	double n = (double)o->e->design->n_treatments, family = n * (n - 1) / 2;

	for (int p = 0; p < ET_DOE_POWERS; p++) {
		c.alone[p] =
			et_doe_smallest_difference(o->e->plan.runs, o->alpha, et_doe_powers[p]);
		c.holm[p] = et_doe_smallest_difference(
			o->e->plan.runs, o->alpha / family, et_doe_powers[p]);
	}
	return c;
}

static bool same_number(double a, double b)
{
	return a == b || fabs(a - b) < 1e-9 * fabs(a) || (isnan(a) && isnan(b));
}

/* Moves the terms of classes with the same figures into one. */
static size_t merge(struct et_doe_class *c, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < kept && !same_number(c[k].alone[0], c[i].alone[0]))
			k++;
		if (k == kept) {
			c[kept++] = c[i];
			continue;
		}
		for (size_t t = 0; t < c[i].n_terms; t++)
			add_term(&c[k], c[i].terms[t]);
		free(c[i].terms);
	}
	return kept;
}

struct et_doe_class *et_doe_classes(const struct et_doe_outlook *o, size_t *n)
{
	struct et_doe_class *classes = NULL;
	ET_AUTO_FREE uint64_t *signatures = NULL;
	size_t count = 0, family;

	free(et_design_terms(o->e->design, &family));
	for (size_t i = 0; i < o->n_terms; i++) {
		uint64_t s = signature(o->e->design, o->terms[i]);
		size_t k = 0;
		while (k < count && signatures[k] != s)
			k++;
		if (k == count) {
			classes = et_realloc(classes, count + 1, sizeof(*classes));
			signatures = et_realloc(signatures, count + 1, sizeof(*signatures));
			signatures[count] = s;
			classes[count++] = class_of(o, o->terms[i], family);
		}
		add_term(&classes[k], o->terms[i]);
	}
	count = merge(classes, count);
	if (o->e->design->n_treatments <= ET_DOE_MOST_PAIRED) {
		classes = et_realloc(classes, count + 1, sizeof(*classes));
		classes[count++] = class_of_pairs(o);
	}
	*n = count;
	return classes;
}

void et_doe_classes_free(struct et_doe_class *classes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(classes[i].terms);
	free(classes);
}

/* How many of the terms are main effects. */
static size_t count_main(const uint32_t *terms, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += __builtin_popcount(terms[i]) == 1;
	return count;
}

char *et_doe_class_label(const struct et_doe_outlook *o, const struct et_doe_class *c)
{
	size_t main = count_main(c->terms, c->n_terms), all = count_main(o->terms, o->n_terms);

	if (!c->terms)
		return et_strdup("pairs");
	if (c->n_terms > 1 && c->n_terms == o->n_terms)
		return et_strdup("effects");
	if (main > 1 && main == c->n_terms && main == all)
		return et_strdup("main effects");
	if (c->n_terms > 1 && main == 0 && c->n_terms == o->n_terms - all)
		return et_strdup("interactions");
	char *label = et_design_term_name(o->e->design, c->terms[0]);
	if (c->n_terms > 1)
		et_append(&label, " ", "and %zu more", c->n_terms - 1);
	return label;
}

double et_doe_main_effect(const struct et_doe_class *classes, size_t n, int power)
{
	double most = NAN, most_main = NAN;

	for (size_t i = 0; i < n; i++) {
		const struct et_doe_class *c = &classes[i];
		if (!c->terms)
			continue;
		most = fmax(most, c->holm[power]);
		if (count_main(c->terms, c->n_terms))
			most_main = fmax(most_main, c->holm[power]);
	}
	return isnan(most_main) ? most : most_main;
}

double et_doe_relative_sd(const struct et_doe_outlook *o, size_t program)
{
	if (!o->pilots || !(o->pilots[program].mean > 0))
		return NAN;
	return o->pilots[program].sd / o->pilots[program].mean;
}
