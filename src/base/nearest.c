/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 31 };

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

struct et_nearest et_nearest_to(const char *typed)
{
	size_t n = strlen(typed);

	return (struct et_nearest){ .typed = typed, .least = n < 3 ? 0 : n < 6 ? 1 : 2 };
}

void et_nearest_offer(struct et_nearest *n, const char *name)
{
	size_t letters = edits(n->typed, name), length = strlen(name);

	/* Two letters are too few to be near others, unless they are only swapped. */
	if (length == 2 && strlen(n->typed) == 2 && name[0] == n->typed[1] &&
		name[1] == n->typed[0])
		letters = 0;
	if (letters > n->least || (n->best && letters == n->least))
		return;
	n->least = letters;
	n->best = name;
}
