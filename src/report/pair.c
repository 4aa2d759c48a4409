/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/pair.h"
#include "base/parse.h"
#include "draw/terminal.h"
#include "num/mean_interval.h"
#include "report/warning.h"

#define SLOWER "31"
#define FASTER "32"

/* --- text --- */

static bool has_interval(double ratio, double lo, double hi)
{
	return isfinite(ratio) && ratio > 0 && isfinite(lo) && isfinite(hi);
}

static bool of_memory(const struct et_contrast *c)
{
	return c->unit == ET_UNIT_BYTES;
}

/* "slower" or "faster" of times, "larger" or "smaller" of other numbers; NULL: not different. */
static const char *word_of(const struct et_contrast *c)
{
	static const char *const words[ET_CONCLUDED_SMALLER + 1][3] = {
		[ET_CONCLUDED_SLOWER] = { "larger", "slower", "more memory" },
		[ET_CONCLUDED_FASTER] = { "smaller", "faster", "less memory" },
		[ET_CONCLUDED_LARGER] = { "larger", "larger", "more memory" },
		[ET_CONCLUDED_SMALLER] = { "smaller", "smaller", "less memory" },
	};
	bool time = c->unit == ET_UNIT_S || c->unit == ET_UNIT_NS;

	return words[c->conclusion][of_memory(c) ? 2 : time];
}

/* "slower by 2.1 % (1.8 … 2.4)", "uses 12 % more memory (11 … 13)". */
static char *changed_by(const struct et_contrast *c, const char *change, const char *rest)
{
	return of_memory(c) ? et_asprintf("uses %s %s%s", change, word_of(c), rest)
			    : et_asprintf("%s by %s%s", word_of(c), change, rest);
}

/* Equal in all runs. */
static bool is_constant(const struct et_contrast *c)
{
	return of_memory(c) && (c->arrangement ? c->log_ratio_sd == 0 : isnan(c->lo));
}

/* The ratio of the means is printed above it and may differ much. */
#define CORRECTED " after correction for the machine's speed"

static bool is_corrected(const struct et_contrast *c)
{
	return c->ratio_method && !strcmp(c->ratio_method, "probe-corrected");
}

/* Names what the ratio is the ratio of, where a reader would take it for that of the means. */
static const char *estimand(const struct et_contrast *c)
{
	if (c->arrangement && c->ratio_method && !strcmp(c->ratio_method, "median"))
		return " in the median pair";
	if (c->ratio_method && !strcmp(c->ratio_method, "bootstrap-bca"))
		return " on average";
	if (is_corrected(c))
		return CORRECTED;
	if (c->ks.tested && !c->same_shape)
		return " in the median of all pairs of values; the shapes differ, so no single "
		       "ratio fits all of them";
	return "";
}

/* " (1.8 … 2.4)": what follows the change in et_format_change_span. */
static const char *span_of(const struct et_ratio *r, char buf[ET_FIGURE])
{
	char change[ET_FIGURE];

	et_format_change(r->estimate, r->lo, r->hi, change);
	et_format_change_span(r->estimate, r->lo, r->hi, buf);
	return buf + strlen(change);
}

/* "slower by 2.1 % (1.8 … 2.4)"; `short_form` omits the interval, which is printed before. */
static char *different(const struct et_contrast *c, bool short_form)
{
	struct et_ratio r = et_contrast_ratio(c);
	char change[ET_FIGURE];

	if (!isfinite(c->ratio) || c->ratio <= 0)
		return et_asprintf("%s (no ratio: values at or below 0)", word_of(c));
	if (!has_interval(c->ratio, c->lo, c->hi))
		return changed_by(c, et_format_change(c->ratio, NAN, NAN, change),
			" (no interval: neither series varies)");
	/* Many equal values: the median ratio is 1, and a change of 0 % has no direction. */
	if (r.estimate == 1 && short_form)
		return et_asprintf("%s%s", word_of(c), estimand(c));
	if (r.estimate == 1)
		return et_asprintf("%s: %s%s", word_of(c),
			et_format_ratio(r.estimate, r.lo, r.hi, change), estimand(c));
	et_format_change(r.estimate, r.lo, r.hi, change);
	ET_AUTO_FREE char *rest =
		et_asprintf("%s%s", short_form ? "" : span_of(&r, ET_BUF), estimand(c));
	return changed_by(c, change, rest);
}

static char *too_few(const struct et_contrast *c)
{
	const char *s = c->family == 1 ? "" : "s";

	if (c->arrangement)
		return et_asprintf(
			"too few pairs (%zu) for a verdict over %zu comparison%s: take %zu",
			c->pairs, c->family, s, c->pairs_needed);
	return et_asprintf(
		"too few values (%zu and %zu) for a verdict over %zu comparison%s: take %zu of "
		"each",
		c->values_a, c->values_b, c->family, s, c->pairs_needed);
}

/* "no difference shown (between -0.3 % and +0.4 %)"; by Holm the words say why 0 is outside. */
static char *not_different(const struct et_contrast *c, bool short_form)
{
	struct et_ratio r = et_contrast_ratio(c);
	const char *corrected = is_corrected(c) ? CORRECTED : "";
	ET_AUTO_FREE char *words =
		c->conclusion == ET_CONCLUDED_SAME_BY_HOLM
			? et_asprintf("differs%s before the correction for %zu comparisons only",
				  corrected, c->family)
		: c->conclusion == ET_CONCLUDED_EQUAL && is_constant(c)
			? et_strdup("equal (neither varies)")
		: c->conclusion == ET_CONCLUDED_EQUAL
			? et_asprintf("equal within %.4g %%", 100 * c->margin)
		: et_contrast_asks(c) ? et_strdup("undecided")
				      : et_asprintf("no difference shown%s", corrected);

	if (!has_interval(c->ratio, c->lo, c->hi) || short_form || is_constant(c))
		return et_strdup(words);
	return et_asprintf("%s (between %s)", words,
		et_format_change_near(r.estimate, r.lo, r.hi, c->margin, "and", ET_BUF));
}

static char *without_interval(const struct et_contrast *c)
{
	const char *why = "too few pairs (%zu) for a verdict at %.4g %%";

	if (!(c->log_ratio_sd > 0))
		why = "%zu pairs do not vary, which gives no interval at %.4g %%";
	else if (c->margin > 0 && c->pairs >= ET_DEPENDENCE_TESTABLE)
		why = "%zu pairs resemble each other too much for an interval at %.4g %%";
	return et_asprintf(why, c->pairs, 100 * c->level);
}

static char *conclusion(const struct et_contrast *c, bool short_form)
{
	switch (c->conclusion) {
	case ET_CONCLUDED_NOTHING:
		return et_strdup("cannot be compared: too few values, or they do not vary");
	case ET_CONCLUDED_TOO_FEW_IN_FAMILY:
		return too_few(c);
	case ET_CONCLUDED_TOO_FEW:
		return without_interval(c);
	case ET_CONCLUDED_SAME:
	case ET_CONCLUDED_SAME_BY_HOLM:
	case ET_CONCLUDED_EQUAL:
		return not_different(c, short_form);
	default:
		return different(c, short_form);
	}
}

char *et_conclusion_text(const struct et_contrast *c)
{
	return conclusion(c, false);
}

/* "1.152 × (1.142 … 1.163)"; the ratio side by side only if no other is known, or with -v. */
static char *ratios(const struct et_contrast *c, bool verbose)
{
	struct et_ratio r = et_contrast_ratio(c), s = c->side_by_side;
	char ratio[ET_FIGURE];

	et_format_ratio_near(r.estimate, r.lo, r.hi, c->margin, ratio);
	if (!(s.estimate > 0))
		return et_strdup(ratio);
	if (!(c->alone.estimate > 0))
		return et_asprintf("%s side by side", ratio);
	if (!verbose)
		return et_strdup(ratio);
	return et_asprintf("%s side by side; alone %s",
		et_format_ratio(s.estimate, s.lo, s.hi, ET_BUF), ratio);
}

/* The ratio with its interval, then the conclusion without repeating the interval. */
static char *verdict(const struct et_contrast *c, bool verbose)
{
	ET_AUTO_FREE char *words = conclusion(c, true);

	if (!isfinite(c->ratio) || c->ratio <= 0)
		return et_strdup(words);
	ET_AUTO_FREE char *ratio = ratios(c, verbose);
	return et_asprintf("%s, %s", ratio, words);
}

const char *et_verdict_style(const struct et_contrast *c)
{
	if (!c->significant || !isfinite(c->ratio))
		return NULL;
	return c->ratio > 1 ? SLOWER : FASTER;
}

/* ", p = 0.012 (Holm)"; empty if p is not known. */
static const char *significance(double p, char buf[ET_FIGURE])
{
	buf[0] = '\0';
	if (p >= 0 && p < 1e-4)
		snprintf(buf, ET_FIGURE, ", p < 0.0001 (Holm)");
	else if (p >= 0 && p <= 1)
		snprintf(buf, ET_FIGURE, ", p = %.2g (Holm)", p);
	return buf;
}

static void details(const struct et_page *page, const struct et_contrast *c)
{
	char p[ET_FIGURE], sd[ET_FIGURE] = "";

	significance(c->p_holm, p);
	if (c->arrangement && isfinite(c->log_ratio_sd))
		snprintf(sd, sizeof(sd), ", sd of the log ratio %.2g", c->log_ratio_sd);
	ET_AUTO_FREE char *what = c->arrangement ? et_asprintf("%zu pair%s (%s)", c->pairs,
							   c->pairs == 1 ? "" : "s", c->arrangement)
						 : et_strdup("two independent series");
	et_page_say(page, 6, "", NULL, NULL, "%s%s%s%s%s", what, p, c->method ? ", " : "",
		c->method ? c->method : "", sd);
}

void et_pair_text(const struct et_page *page, const char *b, const char *a,
	const struct et_contrast *c, bool verbose)
{
	char **names = et_page_names(page, (const char *const[]){ b, a }, 2, page->width / 3);
	ET_AUTO_FREE char *lead = et_asprintf("  %s vs %s:", names[0], names[1]);
	ET_AUTO_FREE char *text = verdict(c, verbose);

	et_page_paragraph(page, 6, lead, NULL, text, et_verdict_style(c));
	if (verbose)
		details(page, c);
	et_warnings_text(page, 4, &c->warnings);
	et_strv_free(names);
}

/* --- in one line --- */

/* From here on a ratio is easier to read than a percentage. */
static const double twice = 2;

/* "[2] is slower than [1] by 44 % (40 … 48)". */
static char *difference(const struct et_contrast *c, const char *b, const char *a)
{
	struct et_ratio r = et_contrast_ratio(c);
	const char *word = word_of(c);
	bool slower = c->conclusion == ET_CONCLUDED_SLOWER;
	bool one_sided = r.lo <= r.estimate && r.estimate <= r.hi && (slower ? r.lo > 1 : r.hi < 1);

	/* The test and the interval may disagree at the border: then the ratio says it all. */
	if (!one_sided || r.estimate >= twice)
		return et_asprintf("%s %s %s than %s: %s", b, of_memory(c) ? "uses" : "is", word, a,
			et_format_ratio(r.estimate, r.lo, r.hi, ET_BUF));
	if (of_memory(c))
		return et_asprintf("%s uses %s %s than %s%s", b,
			et_format_change(r.estimate, r.lo, r.hi, ET_BUF), word, a,
			span_of(&r, ET_BUF));
	return et_asprintf("%s is %s than %s by %s", b, word, a,
		et_format_change_span(r.estimate, r.lo, r.hi, ET_BUF));
}

char *et_verdict_text(const struct et_contrast *c, const char *b, const char *a)
{
	struct et_ratio r = et_contrast_ratio(c);
	bool interval = has_interval(r.estimate, r.lo, r.hi);

	if (interval && c->conclusion == ET_CONCLUDED_SAME_BY_HOLM)
		return et_asprintf("%s differs from %s before the correction for %zu comparisons "
				   "only (p = %.2g)",
			b, a, c->family, c->p);
	if (c->conclusion == ET_CONCLUDED_EQUAL && is_constant(c))
		return et_asprintf("%s and %s are equal (neither varies)", a, b);
	if (interval && c->conclusion == ET_CONCLUDED_EQUAL)
		return et_asprintf("%s and %s are equal within %.4g %% (%s)", a, b, 100 * c->margin,
			et_format_change_near(r.estimate, r.lo, r.hi, c->margin, "…", ET_BUF));
	if (interval && c->conclusion == ET_CONCLUDED_SAME && et_contrast_asks(c))
		return et_asprintf("undecided between %s and %s (%s)", b, a,
			et_format_change_near(r.estimate, r.lo, r.hi, c->margin, "…", ET_BUF));
	if (interval && c->conclusion == ET_CONCLUDED_SAME)
		return et_asprintf("no difference shown between %s and %s (%s)", b, a,
			et_format_change_near(r.estimate, r.lo, r.hi, c->margin, "…", ET_BUF));
	if (interval &&
		(c->conclusion == ET_CONCLUDED_SLOWER || c->conclusion == ET_CONCLUDED_FASTER))
		return difference(c, b, a);
	ET_AUTO_FREE char *words = et_conclusion_text(c);
	return et_asprintf("%s against %s: %s", b, a, words);
}

char *et_metric_reason_text(const struct et_metric_choice *choice, const char *who)
{
	if (choice->reason == ET_METRIC_PARALLEL)
		return et_asprintf("%s keeps %.1f CPUs busy", who, choice->amount);
	if (choice->reason == ET_METRIC_WANTS_CPUS)
		return et_asprintf("%s runs %.1f tasks at once", who, choice->amount);
	if (choice->reason == ET_METRIC_WAITS)
		return et_asprintf("%s sleeps or waits for %s of it", who,
			et_format_percent(choice->amount, ET_BUF));
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

	return et_asprintf("%s%s%s%s, %s, %s", et_metrics[c->metric].label, reason ? " (" : "",
		reason ? reason : "", reason ? ")" : "", pairs,
		et_format_percent(c->level, ET_BUF));
}

/* --- JSON --- */

/* The test that decides, of pairs; of independent series the test as published. */
ET_FIELDS(ratio_fields, ET_KEYS(et_ratio, estimate, lo, hi, method));

#define INFLATION                                                                                  \
	ET_KEY(et_contrast, "variance_inflation", inflation, ET_GIVEN(et_contrast, inflation))

static const char *const kinds_names[] = {
	[ET_KINDS_UNKNOWN] = NULL, [ET_KINDS_SAME] = "same", [ET_KINDS_DIFFERENT] = "different"
};

static const char *const decision_names[] = { [ET_CONCLUDED_NOTHING] = "undecided",
	[ET_CONCLUDED_TOO_FEW_IN_FAMILY] = "undecided",
	[ET_CONCLUDED_TOO_FEW] = "undecided",
	[ET_CONCLUDED_SAME] = "undecided",
	[ET_CONCLUDED_SAME_BY_HOLM] = "undecided",
	[ET_CONCLUDED_EQUAL] = "equal",
	[ET_CONCLUDED_SLOWER] = "slower",
	[ET_CONCLUDED_FASTER] = "faster",
	[ET_CONCLUDED_LARGER] = "slower",
	[ET_CONCLUDED_SMALLER] = "faster" };

static void write_decision(struct et_json *w, const char *key, const void *contrast)
{
	const struct et_contrast *c = contrast;
	bool memory = of_memory(c) && c->conclusion >= ET_CONCLUDED_SLOWER;

	et_json_string(w, key,
		!memory              ? decision_names[c->conclusion]
		: *word_of(c) == 'm' ? "more"
				     : "less");
}

static void write_ratio(struct et_json *w, const char *key, const void *contrast)
{
	const struct et_contrast *c = contrast;
	struct et_ratio r = et_contrast_ratio(c);

	et_json_flat_object(w, key);
	et_fields_write(w, ratio_fields, &r);
	et_json_double(w, "level", c->level);
	et_json_end(w);
}

ET_FIELDS(contrast_fields,
	ET_KEY_GROUP("f_test",
		ET_TABLE(ET_KEY(et_contrast, "f", f.statistic), ET_KEY(et_contrast, "p", f.p)),
		.flat = true, ET_GIVEN(et_contrast, f.tested)),
	ET_KEY_GROUP("ks",
		ET_TABLE(ET_KEY(et_contrast, "d", ks.statistic), ET_KEY(et_contrast, "p", ks.p),
			ET_KEYS(et_contrast, same_shape)),
		.flat = true, ET_GIVEN(et_contrast, ks.tested)),
	ET_KEY(et_contrast, "test", method),
	ET_KEYS_IN(ET_TABLE(ET_KEYS(et_contrast, statistic), ET_KEYS_GIVEN(et_contrast, df),
			   ET_KEYS(et_contrast, p)),
		ET_GIVEN(et_contrast, arrangement), .omitted = true),
	ET_KEYS_IN(ET_TABLE(ET_KEY(et_contrast, "statistic", published.statistic),
			   ET_KEY(et_contrast, "df", published.df,
				   ET_GIVEN(et_contrast, published.df)),
			   ET_KEY(et_contrast, "p", published.p)),
		ET_GIVEN(et_contrast, arrangement), .unless = true, .omitted = true),
	ET_KEY(et_contrast, "p_used", p), ET_KEYS_GIVEN(et_contrast, holm_alpha),
	ET_KEYS(et_contrast, p_holm, significant_unadjusted, significant),
	ET_KEYS_IN(ET_TABLE(ET_KEY_MADE("decision", write_decision),
			   ET_KEY(et_contrast, "equal_within", margin)),
		ET_GIVEN(et_contrast, margin), .omitted = true),
	ET_KEY_MADE("ratio", write_ratio),
	ET_KEY_FLAT(et_contrast, "side_by_side", side_by_side, ratio_fields,
		ET_GIVEN(et_contrast, side_by_side.estimate)),
	ET_KEY_FLAT(
		et_contrast, "alone", alone, ratio_fields, ET_GIVEN(et_contrast, alone.estimate)),
	ET_KEY_NAME(et_contrast, "kinds", kinds, kinds_names), ET_KEYS(et_contrast, mean_ratio),
	ET_KEY_GROUP("paired",
		ET_TABLE(ET_KEYS(et_contrast, pairs, arrangement, log_ratio_sd),
			ET_KEY(et_contrast, "sign_p", p_sign), INFLATION),
		.flat = true, ET_GIVEN(et_contrast, arrangement)),
	ET_KEY(et_contrast, "cliff_delta", delta, ET_GIVEN(et_contrast, arrangement),
		.unless = true),
	INFLATION);

void et_pair_json_members(
	struct et_json *w, const char *a, const char *b, const struct et_contrast *c)
{
	et_json_string(w, "a", a);
	et_json_string(w, "b", b);
	et_fields_write(w, contrast_fields, c);
	ET_AUTO_FREE char *words = et_conclusion_text(c);
	ET_AUTO_FREE char *sentence =
		et_asprintf("%s%s%s", c->significant ? b : "", c->significant ? " " : "", words);
	et_json_string(w, "verdict", sentence);
	et_warnings_json(w, &c->warnings);
}

void et_pair_json(struct et_json *w, const char *a, const char *b, const struct et_contrast *c)
{
	et_json_object(w, NULL);
	et_pair_json_members(w, a, b, c);
	et_json_end(w);
}

/* --- --fail-on-regression --- */

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

	if (!isfinite(et_contrast_ratio(c).lo) || is_constant(c))
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
	double change = 100 * fabs(r.estimate - 1);
	bool more = r.estimate >= 1;
	/* It would be printed as 0 %. */
	if (change < 0.5 * pow(10, -d) && r.lo <= 1 && r.hi >= 1)
		return et_asprintf("%s %s %s%s, limit %.6g %%", b,
			of_memory(c) ? "uses as much memory as" : "is as fast as", a, bounds,
			100 * limit);
	const char *word = of_memory(c) ? more ? "more memory" : "less memory"
			   : more       ? "slower"
					: "faster";
	return et_asprintf("%s %s %.*f %% %s than %s%s, limit %.6g %%", b,
		of_memory(c) ? "uses" : "is", d, change, word, a, bounds, 100 * limit);
}

/* How many runs would decide it. */
static char *advice(const struct et_contrast *c, double limit)
{
	size_t runs = et_gate_runs(c, limit);

	if (!runs)
		return et_strdup("the ratio is too near to the limit for more runs to decide");
	if (c->margin > 0) /* either bound may have ended it */
		return et_asprintf("about %zu pairs would decide (--time-limit, --max-runs)", runs);
	return c->arrangement ? et_asprintf("about --runs %zu would decide", runs)
			      : et_asprintf("about %zu values of each would decide", runs);
}

static char *undecided(const struct et_contrast *c, double limit, const char *b, const char *a)
{
	struct et_ratio r = et_gate_ratio(c);

	if (of_memory(c) && !c->pairs && !(c->values_a && c->values_b))
		return et_asprintf("undecided: the peak memory of %s or %s is not known, limit "
				   "%.6g %%; run etalon as root to see it",
			b, a, 100 * limit);
	if (c->pairs_needed && c->pairs)
		return et_asprintf("undecided: %zu pairs are too few to compare %s with %s, limit "
				   "%.6g %%; use --runs %zu",
			c->pairs, b, a, 100 * limit, c->pairs_needed);
	if (c->pairs_needed)
		return et_asprintf(
			"undecided: too few values to compare %s with %s, limit %.6g %%; "
			"take at least %zu of each",
			b, a, 100 * limit, c->pairs_needed);
	/* A sequence has no interval yet. */
	if (c->margin > 0 && isfinite(c->p) && !isfinite(r.hi))
		return et_asprintf("undecided: %zu pairs are too few to compare %s with %s, limit "
				   "%.6g %%; raise --time-limit or --max-runs, or run 'etalon run "
				   "--resume ID --more'",
			c->pairs, b, a, 100 * limit);
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

void et_gate_say(
	const struct et_experiment *e, const struct et_gate *g, const char *before, FILE *out)
{
	ET_AUTO_FREE const char **names = et_experiment_names(e);

	if (g->contrasts)
		(void)et_gate_print(g, names, before, out);
}

static const char *const outcome_names[] = { [ET_GATE_PASSED] = "pass",
	[ET_GATE_UNDECIDED] = "undecided",
	[ET_GATE_REGRESSED] = "regression" };

static void comparison_json(struct et_json *w, const struct et_gate *g, const struct et_contrast *c,
	const char *const *names)
{
	struct et_ratio r = et_gate_ratio(c);
	ET_AUTO_FREE char *text = et_gate_text(c, g->limit, names[c->b], names[c->a]);

	et_json_object(w, NULL);
	et_json_string(w, "a", names[c->a]);
	et_json_string(w, "b", names[c->b]);
	et_json_string(w, "outcome", outcome_names[et_gate_judge(c, g->limit)]);
	et_json_flat_object(w, "ratio");
	et_json_double(w, "estimate", r.estimate);
	et_json_double(w, "lo", r.lo);
	et_json_double(w, "hi", r.hi);
	et_json_double(w, "level", c->level);
	et_json_end(w);
	et_json_u64(w, "pairs", c->pairs);
	et_json_double(w, "e_value", et_gate_evidence(c, g->limit));
	et_json_string(w, "verdict", text);
	et_json_end(w);
}

void et_gate_json(struct et_json *w, const struct et_experiment *e, const struct et_gate *g)
{
	ET_AUTO_FREE const char **names = et_experiment_names(e);
	size_t decisive;

	if (!g->contrasts) {
		et_json_null(w, "gate");
		return;
	}
	et_json_object(w, "gate");
	et_json_double(w, "limit", g->limit);
	et_json_string(w, "outcome", outcome_names[et_gate_decide(g, &decisive)]);
	et_json_int(w, "status", et_gate_status(g));
	et_json_array(w, "comparisons");
	for (size_t i = 0; i < g->n; i++) {
		if (et_gate_counts(g, &g->contrasts[i]))
			comparison_json(w, g, &g->contrasts[i], names);
	}
	et_json_end(w);
	et_json_end(w);
}
