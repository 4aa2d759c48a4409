/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/gate.h"
#include "base/alloc.h"
#include "draw/terminal.h"
#include "draw/units.h"

#include <math.h>

/* Decimals of percentages, of which half the interval's width supports one or two digits. */
static int decimals(const struct et_ratio *r)
{
	double half = 100 * (r->hi - r->lo) / 2;
	int d = 0;

	if (half == 0) /* values that do not vary, or hardly */
		half = fmax(5 * fabs(r->estimate - 1), 0.03);
	for (; d < 4 && half < 3; d++)
		half *= 10;
	return d;
}

/* " (40 … 48 %)"; over several comparisons " (40 … 48 % over 9 comparisons)". */
static char *interval(const struct et_contrast *c, const struct et_ratio *r, int d)
{
	double from = 100 * (r->lo - 1), to = 100 * (r->hi - 1);
	char family[64] = "";

	if (!isfinite(et_contrast_ratio(c).lo))
		return et_strdup(" (no interval: neither varies)");
	if (c->family > 1)
		snprintf(family, sizeof(family), " over %zu comparisons", c->family);
	/* As the limit: slower is positive. */
	return et_asprintf(
		from < 0 ? " (%+.*f … %+.*f %%%s)" : " (%.*f … %.*f %%%s)", d, from, d, to, family);
}

/* "new is 44 % slower than old (40 … 48 %), limit 5 %" */
static char *comparison(const struct et_contrast *c, double limit, const char *b, const char *a)
{
	struct et_ratio r = et_gate_ratio(c);
	int d = decimals(&r);
	ET_AUTO_FREE char *bounds = interval(c, &r, d);

	if (r.estimate == 1 && r.lo == 1 && r.hi == 1)
		return et_asprintf(
			"%s is equal to %s (neither varies), limit %.6g %%", b, a, 100 * limit);
	return et_asprintf("%s is %.*f %% %s than %s%s, limit %.6g %%", b, d,
		100 * fabs(r.estimate - 1), r.estimate >= 1 ? "slower" : "faster", a, bounds,
		100 * limit);
}

/* How many runs would decide it. */
static char *advice(const struct et_contrast *c, double limit)
{
	size_t runs = et_gate_runs(c, limit);

	if (!runs)
		return et_strdup("the ratio is too near to the limit for more runs to decide");
	return c->arrangement ? et_asprintf("about --runs %zu would decide", runs)
			      : et_asprintf("about %zu values of each would decide", runs);
}

static char *undecided(const struct et_contrast *c, double limit, const char *b, const char *a)
{
	struct et_ratio r = et_gate_ratio(c);

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
	ET_AUTO_FREE char *how = advice(c, limit);
	return et_asprintf("undecided: %s; %s", what, how);
}

char *et_gate_text(const struct et_contrast *c, double limit, const char *b, const char *a)
{
	enum et_gate_verdict verdict = et_gate_judge(c, limit);
	bool proved = et_gate_ratio(c).hi <= 1 + limit;

	if (verdict == ET_GATE_UNDECIDED)
		return undecided(c, limit, b, a);
	ET_AUTO_FREE char *what = comparison(c, limit, b, a);
	return et_asprintf("%s: %s",
		verdict == ET_GATE_REGRESSED ? "REGRESSION"
		: proved                     ? "no regression"
					     : "no regression shown",
		what);
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
