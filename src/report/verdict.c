/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/verdict.h"
#include "base/alloc.h"
#include "draw/units.h"
#include "report/pair.h"

#include <math.h>
#include <string.h>

#define SLOWER "31"
#define FASTER "32"

/* From here on a ratio is easier to read than a percentage. */
static const double twice = 2;

static bool has_interval(struct et_ratio r)
{
	return r.estimate > 0 && isfinite(r.estimate) && isfinite(r.lo) && isfinite(r.hi);
}

/* "[2] is slower than [1] by 44 % (40 … 48)". */
static char *difference(const struct et_contrast *c, const char *b, const char *a)
{
	struct et_ratio r = et_contrast_ratio(c);
	const char *word = et_conclusion_word(c);
	bool slower = c->conclusion == ET_CONCLUDED_SLOWER;
	bool one_sided = r.lo <= r.estimate && r.estimate <= r.hi && (slower ? r.lo > 1 : r.hi < 1);
	char figure[ET_FIGURE];

	/* The test and the interval may disagree at the border: then the ratio says it all. */
	if (!one_sided || r.estimate >= twice)
		return et_asprintf("%s is %s than %s: %s", b, word, a,
			et_format_ratio(r.estimate, r.lo, r.hi, figure));
	return et_asprintf("%s is %s than %s by %s", b, word, a,
		et_format_change_span(r.estimate, r.lo, r.hi, figure));
}

char *et_verdict_text(const struct et_contrast *c, const char *b, const char *a)
{
	struct et_ratio r = et_contrast_ratio(c);
	bool interval = has_interval(r);
	char figure[ET_FIGURE];

	if (interval && c->conclusion == ET_CONCLUDED_SAME_BY_HOLM)
		return et_asprintf("%s differs from %s before the correction for %zu comparisons "
				   "only (p = %.2g)",
			b, a, c->family, c->p);
	if (interval && c->conclusion == ET_CONCLUDED_SAME)
		return et_asprintf("no difference shown between %s and %s (%s)", b, a,
			et_format_change_bounds(r.estimate, r.lo, r.hi, "…", figure));
	if (interval &&
		(c->conclusion == ET_CONCLUDED_SLOWER || c->conclusion == ET_CONCLUDED_FASTER))
		return difference(c, b, a);
	ET_AUTO_FREE char *words = et_conclusion_text(c);
	return et_asprintf("%s against %s: %s", b, a, words);
}

char *et_metric_reason_text(const struct et_metric_choice *choice, const char *who)
{
	char share[ET_FIGURE];

	if (choice->reason == ET_METRIC_PARALLEL)
		return et_asprintf("%s keeps %.1f CPUs busy", who, choice->amount);
	if (choice->reason == ET_METRIC_WANTS_CPUS)
		return et_asprintf("%s runs %.1f tasks at once", who, choice->amount);
	if (choice->reason == ET_METRIC_WAITS)
		return et_asprintf("%s sleeps or waits for %s of it", who,
			et_format_percent(choice->amount, share));
	return NULL;
}

char *et_verdict_basis(
	const struct et_metric_choice *choice, const struct et_contrast *c, const char *decisive)
{
	ET_AUTO_FREE char *reason =
		c->metric == choice->metric ? et_metric_reason_text(choice, decisive) : NULL;
	/* In a round each command runs once, alone. */
	bool rounds = c->arrangement && !strcmp(c->arrangement, "block");
	ET_AUTO_FREE char *pairs =
		c->arrangement ? et_asprintf("%zu %s%s", c->pairs, rounds ? "round" : "pair",
					 c->pairs == 1 ? "" : "s")
			       : et_strdup("not paired");
	char level[ET_FIGURE];

	return et_asprintf("%s%s%s%s, %s, %s", et_metrics[c->metric].label, reason ? " (" : "",
		reason ? reason : "", reason ? ")" : "", pairs, et_format_percent(c->level, level));
}

const char *et_verdict_style(const struct et_contrast *c)
{
	if (!c->significant || !isfinite(c->ratio))
		return NULL;
	return c->ratio > 1 ? SLOWER : FASTER;
}
