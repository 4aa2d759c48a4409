/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/match.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A function or module that one command only has. */
struct lone {
	const char *name;
	uint32_t group;
	bool of_b;
};

static int by_name(const void *a, const void *b)
{
	const struct lone *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = x->of_b - y->of_b;
	return order ? order : (x->group > y->group) - (x->group < y->group);
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
			out[(*n)++] = (struct et_profile_match){ lone[i].group, lone[i + 1].group };
			continue;
		}
		for (size_t k = i; k < i + same; k++)
			out[(*n)++] = lone[k].of_b ? (struct et_profile_match){ ET_PROFILE_NONE,
				lone[k].group }
						   : (struct et_profile_match){ lone[k].group,
							     ET_PROFILE_NONE };
	}
}

/* NULL: an offset in a file is no name. */
static const char *name_of(const struct et_profile *p, enum et_profile_by by, uint32_t function)
{
	const struct et_profile_function *f = &p->functions[function];
	const char *slash = strrchr(f->module, '/');

	if (by == ET_BY_MODULE)
		return slash ? slash + 1 : f->module;
	return f->unnamed ? NULL : f->name;
}

struct et_profile_match *et_profile_match(const struct et_profile *p,
	const struct et_profile_pair *pair, const struct et_profile_counts *a,
	const struct et_profile_counts *b, size_t *n)
{
	struct et_profile_match *out = et_calloc(a->n_groups + 1, sizeof(*out));
	ET_AUTO_FREE struct lone *lone = et_calloc(a->n_groups + 1, sizeof(*lone));
	size_t n_lone = 0;

	*n = 0;
	for (uint32_t g = 0; g < a->n_groups; g++) {
		bool in_a = et_profile_counts_sum(a, g, pair->total) > 0;
		bool in_b = et_profile_counts_sum(b, g, pair->total) > 0;
		const char *name = name_of(p, pair->by, a->first[g]);
		if (in_a != in_b && name)
			lone[n_lone++] = (struct lone){ name, g, in_b };
		else if (in_a || in_b)
			out[(*n)++] = (struct et_profile_match){ in_a ? g : ET_PROFILE_NONE,
				in_b ? g : ET_PROFILE_NONE };
	}
	match_lone(lone, n_lone, out, n);
	return out;
}
