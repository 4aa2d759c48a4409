/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/gate.h"
#include "base/alloc.h"
#include "report/terminal.h"
#include "report/units.h"

/* Decimals of percentages, of which half the interval's width supports one or two digits. */
static int decimals(const struct et_ratio *r)
{
	double half = 100 * (r->hi - r->lo) / 2;
	int d = 0;

	for (; d < 4 && half < 3; d++)
		half *= 10;
	return d;
}

/* "new is 44 % slower than old (40 … 48 %), limit 5 %" */
static char *comparison(const struct et_contrast *c, double limit, const char *b, const char *a)
{
	struct et_ratio r = et_contrast_ratio(c);
	bool slower = r.estimate >= 1;
	double from = 100 * (r.lo - 1), to = 100 * (r.hi - 1);
	int d = decimals(&r);

	/* As the limit: slower is positive. */
	return et_asprintf(from < 0 ? "%s is %.*f %% %s than %s (%+.*f … %+.*f %%), limit %.6g %%"
				    : "%s is %.*f %% %s than %s (%.*f … %.*f %%), limit %.6g %%",
		b, d, 100 * fabs(r.estimate - 1), slower ? "slower" : "faster", a, d, from, d, to,
		100 * limit);
}

static char *undecided(const struct et_contrast *c, double limit, const char *b, const char *a)
{
	struct et_ratio r = et_contrast_ratio(c);

	if (c->pairs_needed && c->pairs)
		return et_asprintf("undecided: %zu pairs are too few to compare %s with %s, limit "
				   "%.6g %%; use --runs %zu",
			c->pairs, b, a, 100 * limit, c->pairs_needed);
	if (c->pairs_needed)
		return et_asprintf(
			"undecided: too few values to compare %s with %s, limit %.6g %%; "
			"take at least %zu of each",
			b, a, 100 * limit, c->pairs_needed);
	if (!isfinite(c->p) || !isfinite(r.lo) || !isfinite(r.hi))
		return et_asprintf("undecided: %s cannot be compared with %s, limit %.6g %%; take "
				   "10 runs or more",
			b, a, 100 * limit);
	ET_AUTO_FREE char *what = comparison(c, limit, b, a);
	if (r.lo > 1 + limit)
		return et_asprintf(
			"undecided: %s; not significant among %zu comparisons", what, c->family);
	return et_asprintf("undecided: %s; more runs make the interval narrower", what);
}

char *et_gate_text(const struct et_contrast *c, double limit, const char *b, const char *a)
{
	enum et_gate_verdict verdict = et_gate_judge(c, limit);

	if (verdict == ET_GATE_UNDECIDED)
		return undecided(c, limit, b, a);
	ET_AUTO_FREE char *what = comparison(c, limit, b, a);
	return et_asprintf(
		"%s: %s", verdict == ET_GATE_REGRESSED ? "REGRESSION" : "no regression", what);
}

static void print_line(const struct et_gate *g, const struct et_contrast *c,
	const char *const *names, const char *before, const char *after, FILE *out)
{
	ET_AUTO_FREE char *b = et_clean(names[c->b], "");
	ET_AUTO_FREE char *a = et_clean(names[c->a], "");
	ET_AUTO_FREE char *text = et_gate_text(c, g->limit, b, a);

	fprintf(out, "%s%s%s\n", before, text, after);
}

/* The judged time decides, but a regression of the other one must not go unnoticed. */
static void print_other(
	const struct et_gate *g, const char *const *names, const char *before, FILE *out)
{
	for (size_t i = 0; g->second && i < g->n; i++) {
		const struct et_contrast *judged = &g->contrasts[i], *other = &g->second[i];
		if (et_gate_judge(judged, g->limit) == ET_GATE_REGRESSED ||
			et_gate_judge(other, g->limit) != ET_GATE_REGRESSED)
			continue;
		ET_AUTO_FREE char *b = et_clean(names[other->b], "");
		ET_AUTO_FREE char *a = et_clean(names[other->a], "");
		ET_AUTO_FREE char *text = comparison(other, g->limit, b, a);
		fprintf(out, "%sby %s, which does not decide, %s (--metric %s)\n", before,
			et_metrics[other->metric].label, text, et_metric_words[other->metric]);
	}
}

enum et_gate_verdict et_gate_print(
	const struct et_gate *g, const char *const *names, const char *before, FILE *out)
{
	size_t decisive, compared = 0;
	enum et_gate_verdict verdict = et_gate_decide(g, &decisive);
	char among[64] = "";

	for (size_t i = 0; i < g->n; i++) {
		compared += et_gate_counts(g, &g->contrasts[i]);
		if (et_gate_counts(g, &g->contrasts[i]) &&
			et_gate_judge(&g->contrasts[i], g->limit) == ET_GATE_REGRESSED)
			print_line(g, &g->contrasts[i], names, before, "", out);
	}
	if (compared > 1)
		snprintf(among, sizeof(among), " (the largest of %zu comparisons)", compared);
	if (verdict != ET_GATE_REGRESSED && decisive < g->n)
		print_line(g, &g->contrasts[decisive], names, before, among, out);
	print_other(g, names, before, out);
	return verdict;
}
