/* SPDX-License-Identifier: MIT */
#include "num/kbest.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void et_kbest_set_init(struct et_kbest_set *s, size_t k)
{
	assert(k >= 1 && k <= ET_KBEST_MOST);
	memset(s, 0, sizeof(*s));
	s->k = k;
}

static size_t room(const struct et_kbest_set *s)
{
	return s->k > ET_KBEST_EVIDENCE ? s->k : ET_KBEST_EVIDENCE;
}

void et_kbest_set_add(struct et_kbest_set *s, double value, double mark)
{
	size_t at = s->kept;

	s->n++;
	if (at == room(s)) {
		if (value >= s->value[at - 1])
			return;
		at--;
	} else {
		s->kept++;
	}
	while (at > 0 && s->value[at - 1] > value) {
		s->value[at] = s->value[at - 1];
		s->mark[at] = s->mark[at - 1];
		at--;
	}
	s->value[at] = value;
	s->mark[at] = mark;
}

static double above_best(const struct et_kbest_set *s, size_t m)
{
	double distance = s->value[m - 1] - s->value[0];

	if (distance <= 0)
		return 0;
	return s->value[0] > 0 ? distance / s->value[0] : INFINITY;
}

double et_kbest_spread(const struct et_kbest_set *s)
{
	return s->n < s->k ? INFINITY : above_best(s, s->k);
}

bool et_kbest_converged(const struct et_kbest_set *s, double epsilon)
{
	return et_kbest_spread(s) <= epsilon;
}

double et_kbest_reach(const struct et_kbest_set *s)
{
	return s->kept < room(s) ? INFINITY : s->value[s->kept - 1] - s->value[0];
}

double et_kbest_error(const struct et_kbest_set *s, double confidence)
{
	size_t m = s->kept;

	if (m < 2)
		return INFINITY;
	double u = 1 - pow(1 - confidence, 1 / (double)(m - 1));
	return above_best(s, m) * u / (1 - u);
}
