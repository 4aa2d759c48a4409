/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/display.h"
#include "source/gather.h"
#include "stats/compare/compare.h"
#include "stats/series/normality.h"

void et_gather_omit_short(struct et_series_set *set)
{
	ET_AUTO_FREE struct et_series *kept = et_calloc(set->n, sizeof(*kept));
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		if (set->list[i].n >= ET_SHAPIRO_LEAST)
			kept[n++] = set->list[i];
	if (!et_compare_functions(set->list, set->n) || !et_compare_functions(kept, n))
		return;
	for (size_t i = set->n; i-- > 0;) {
		const struct et_series *s = &set->list[i];
		if (s->n >= ET_SHAPIRO_LEAST)
			continue;
		et_say(stderr, "etalon: '%s' of %s is omitted: %zu of %d values\n", s->name,
			s->origin, s->n, ET_SHAPIRO_LEAST);
		et_series_remove(set, i);
	}
}
