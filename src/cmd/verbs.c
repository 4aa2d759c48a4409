/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of commands, in the order of `etalon --help`. */
#include "cmd/cli.h"

#include <string.h>

extern const struct et_verb et_verb_clock;
extern const struct et_verb et_verb_compare;
extern const struct et_verb et_verb_completion;
extern const struct et_verb et_verb_daemons;
extern const struct et_verb et_verb_describe;
extern const struct et_verb et_verb_emp;
extern const struct et_verb et_verb_env;
extern const struct et_verb et_verb_export;
extern const struct et_verb et_verb_fit;
extern const struct et_verb et_verb_hyperfine;
extern const struct et_verb et_verb_import;
extern const struct et_verb et_verb_lab;
extern const struct et_verb et_verb_list;
extern const struct et_verb et_verb_profile;
extern const struct et_verb et_verb_put;
extern const struct et_verb et_verb_report;
extern const struct et_verb et_verb_rm;
extern const struct et_verb et_verb_run;
extern const struct et_verb et_verb_samplesize;
extern const struct et_verb et_verb_show;
extern const struct et_verb et_verb_trace;

const struct et_verb *const et_verbs[] = {
	&et_verb_run,
	&et_verb_show,
	&et_verb_list,
	&et_verb_compare,
	&et_verb_report,
	&et_verb_describe,
	&et_verb_samplesize,
	&et_verb_fit,
	&et_verb_export,
	&et_verb_import,
	&et_verb_rm,
	&et_verb_env,
	&et_verb_daemons,
	&et_verb_emp,
	&et_verb_profile,
	&et_verb_trace,
	&et_verb_clock,
	&et_verb_lab,
	&et_verb_put,
	&et_verb_hyperfine,
	&et_verb_completion,
	NULL,
};

const struct et_verb *et_verb_find(const char *name)
{
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		if (!strcmp((*v)->name, name))
			return *v;
	}
	return NULL;
}

enum { LONGEST = 15 };

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The least number of letters that are added, removed, changed or swapped with their neighbour. */
static size_t edits(const char *a, const char *b)
{
	size_t d[LONGEST + 1][LONGEST + 1], n = strlen(a), m = strlen(b);

	if (n > LONGEST || m > LONGEST)
		return LONGEST;
	for (size_t i = 0; i <= n; i++) {
		for (size_t k = 0; k <= m; k++) {
			if (!i || !k) {
				d[i][k] = i + k;
				continue;
			}
			size_t best = d[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
			best = smaller(best, d[i - 1][k] + 1);
			best = smaller(best, d[i][k - 1] + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				best = smaller(best, d[i - 2][k - 2] + 1);
			d[i][k] = best;
		}
	}
	return d[n][m];
}

const struct et_verb *et_verb_nearest(const char *typed)
{
	const struct et_verb *best = NULL;
	size_t least = strlen(typed) < 3 ? 0 : strlen(typed) < 6 ? 1 : 2;

	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		size_t n = edits(typed, (*v)->name);
		if (n <= least && (!best || n < least)) {
			least = n;
			best = *v;
		}
	}
	return best;
}
