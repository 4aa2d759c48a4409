/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile_match.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A function that one command only has. */
struct lone {
	const char *name;
	uint32_t function;
	bool of_b;
};

static int by_name(const void *a, const void *b)
{
	const struct lone *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = x->of_b - y->of_b;
	return order ? order : (x->function > y->function) - (x->function < y->function);
}

static bool is_pair(const struct lone *first, size_t same)
{
	return same == 2 && !first[0].of_b && first[1].of_b;
}

/* Appends the lone functions, sorted by name, as pairs where a name is in both commands once. */
static void match_lone(struct lone *lone, size_t n_lone, struct et_profile_match *out, size_t *n)
{
	size_t same;

	if (n_lone)
		qsort(lone, n_lone, sizeof(*lone), by_name);
	for (size_t i = 0; i < n_lone; i += same) {
		for (same = 1; i + same < n_lone && !strcmp(lone[i].name, lone[i + same].name);)
			same++;
		if (is_pair(&lone[i], same)) {
			out[(*n)++] =
				(struct et_profile_match){ lone[i].function, lone[i + 1].function };
			continue;
		}
		for (size_t k = i; k < i + same; k++)
			out[(*n)++] = lone[k].of_b ? (struct et_profile_match){ ET_PROFILE_NONE,
				lone[k].function }
						   : (struct et_profile_match){ lone[k].function,
							     ET_PROFILE_NONE };
	}
}

static bool has(const struct et_profile_counts *c, size_t function)
{
	double at_entry;

	return et_profile_counts_pooled(c, function, &at_entry) > 0;
}

struct et_profile_match *et_profile_match(const struct et_profile *p,
	const struct et_profile_counts *a, const struct et_profile_counts *b, size_t *n)
{
	struct et_profile_match *out = et_calloc(p->n_functions + 1, sizeof(*out));
	ET_AUTO_FREE struct lone *lone = et_calloc(p->n_functions + 1, sizeof(*lone));
	size_t n_lone = 0;

	*n = 0;
	for (uint32_t f = 0; f < p->n_functions; f++) {
		bool in_a = has(a, f), in_b = has(b, f);
		/* An offset in a file is no name. */
		bool by_itself = in_a != in_b && !p->functions[f].unnamed;
		if (by_itself)
			lone[n_lone++] = (struct lone){ p->functions[f].name, f, in_b };
		else if (in_a || in_b)
			out[(*n)++] = (struct et_profile_match){ in_a ? f : ET_PROFILE_NONE,
				in_b ? f : ET_PROFILE_NONE };
	}
	match_lone(lone, n_lone, out, n);
	return out;
}
