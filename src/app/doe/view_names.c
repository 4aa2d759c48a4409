/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short names of treatments: "RL3O2" of the factors RL and O, "64" of a single factor. */
#include "app/doe/view.h"
#include "base/alloc.h"
#include "base/memstream.h"
#include "base/parse.h"

#include <ctype.h>
#include <string.h>

enum { MOST = 9, MOST_FACTOR = 3 }; /* columns of a name, and of a factor in it */

/* Whether each level has a letter and no other factor has it: then the factor's name is not needed.
 */
static bool is_telling(const struct et_design *d, size_t factor)
{
	for (char **level = d->factors[factor].levels; *level; level++) {
		if (!isalpha((unsigned char)**level) &&
			!strpbrk(*level, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
			return false;
		for (size_t f = 0; f < d->n_factors; f++) {
			for (char **other = d->factors[f].levels; *other; other++) {
				if (f != factor && !strcmp(*other, *level))
					return false;
			}
		}
	}
	return true;
}

/* The first letters of the words of a factor's name, or all of a short name. */
static void abbreviate(const char *name, char out[8])
{
	size_t n = 0;

	if (strlen(name) <= MOST_FACTOR) {
		snprintf(out, 8, "%s", name);
		return;
	}
	for (const char *p = name; *p && n < MOST_FACTOR; p++) {
		bool begins = p == name || strchr("-_ .", p[-1]);
		if (begins && isalnum((unsigned char)*p))
			out[n++] = (char)toupper((unsigned char)*p);
	}
	out[n] = '\0';
}

static bool are_distinct(char **names, size_t n)
{
	enum { MOST_COMPARED = 200 }; /* more have no short names anyway */

	for (size_t i = 0; i < n && n <= MOST_COMPARED; i++) {
		for (size_t k = i + 1; k < n; k++) {
			if (!strcmp(names[i], names[k]))
				return false;
		}
	}
	return n <= MOST_COMPARED;
}

char **et_doe_short_names(const struct et_design *d, bool *numbers)
{
	char **names = et_calloc(d->n_treatments + 1, sizeof(*names));
	int widest = 0;

	for (size_t t = 0; t < d->n_treatments; t++) {
		struct et_memstream m;
		FILE *out = et_memstream_open(&m);
		for (size_t f = 0; f < d->n_factors; f++) {
			char lead[8] = "";
			if (d->n_factors > 1 && !is_telling(d, f))
				abbreviate(d->factors[f].name, lead);
			fprintf(out, "%s%s", lead,
				d->factors[f].levels[d->treatments[t].levels[f]]);
		}
		ET_AUTO_FREE char *text = et_memstream_close(&m);
		names[t] = et_clean(text, "");
		int columns = et_columns(names[t]);
		widest = columns > widest ? columns : widest;
	}
	*numbers = widest > MOST || !are_distinct(names, d->n_treatments);
	for (size_t t = 0; *numbers && t < d->n_treatments; t++) {
		free(names[t]);
		names[t] = et_asprintf("%zu", t + 1);
	}
	return names;
}
