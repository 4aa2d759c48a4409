/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/pair.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "report/names.h"
#include "report/units.h"
#include "report/warning.h"

#include <math.h>
#include <string.h>

#define SLOWER "31"
#define FASTER "32"

/* --- text --- */

static bool has_interval(const struct et_contrast *c)
{
	return isfinite(c->ratio) && c->ratio > 0 && isfinite(c->lo) && isfinite(c->hi);
}

const char *et_conclusion_word(const struct et_contrast *c)
{
	bool time = c->unit == ET_UNIT_S || c->unit == ET_UNIT_NS;

	switch (c->conclusion) {
	case ET_CONCLUDED_SLOWER:
		return time ? "slower" : "larger";
	case ET_CONCLUDED_FASTER:
		return time ? "faster" : "smaller";
	case ET_CONCLUDED_LARGER:
		return "larger";
	case ET_CONCLUDED_SMALLER:
		return "smaller";
	default:
		return NULL;
	}
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

/* "slower by 2.1 % (1.8 … 2.4)"; `short_form` omits the interval, which is printed before. */
static char *different(const struct et_contrast *c, bool short_form)
{
	struct et_ratio r = et_contrast_ratio(c);
	char change[ET_FIGURE];

	if (!isfinite(c->ratio) || c->ratio <= 0)
		return et_asprintf("%s (no ratio: values at or below 0)", et_conclusion_word(c));
	if (!has_interval(c))
		return et_asprintf("%s by %s (no interval: neither series varies)",
			et_conclusion_word(c), et_format_change(c->ratio, NAN, NAN, change));
	/* Many equal values: the median of the ratios is 1, and a change of 0 % has no direction.
	 */
	if (r.estimate == 1 && short_form)
		return et_asprintf("%s%s", et_conclusion_word(c), estimand(c));
	if (r.estimate == 1)
		return et_asprintf("%s: %s%s", et_conclusion_word(c),
			et_format_ratio(r.estimate, r.lo, r.hi, change), estimand(c));
	if (short_form)
		et_format_change(r.estimate, r.lo, r.hi, change);
	else
		et_format_change_span(r.estimate, r.lo, r.hi, change);
	return et_asprintf("%s by %s%s", et_conclusion_word(c), change, estimand(c));
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

/*
 * "no difference shown (between -0.3 % and +0.4 %)". The interval of a comparison that only the
 * correction for several comparisons makes doubtful excludes 0, and the words say so.
 */
static char *not_different(const struct et_contrast *c, bool short_form)
{
	struct et_ratio r = et_contrast_ratio(c);
	const char *corrected = is_corrected(c) ? CORRECTED : "";
	char bounds[ET_FIGURE];
	ET_AUTO_FREE char *words =
		c->conclusion == ET_CONCLUDED_SAME_BY_HOLM
			? et_asprintf("differs%s before the correction for %zu comparisons only",
				  corrected, c->family)
			: et_asprintf("no difference shown%s", corrected);

	if (!has_interval(c) || short_form)
		return et_strdup(words);
	et_format_change_bounds(r.estimate, r.lo, r.hi, "and", bounds);
	return et_asprintf("%s (between %s)", words, bounds);
}

static char *conclusion(const struct et_contrast *c, bool short_form)
{
	switch (c->conclusion) {
	case ET_CONCLUDED_NOTHING:
		return et_strdup("cannot be compared: too few values, or they do not vary");
	case ET_CONCLUDED_TOO_FEW_IN_FAMILY:
		return too_few(c);
	case ET_CONCLUDED_TOO_FEW:
		return et_asprintf(
			"too few pairs (%zu) for a verdict at %.4g %%", c->pairs, 100 * c->level);
	case ET_CONCLUDED_SAME:
	case ET_CONCLUDED_SAME_BY_HOLM:
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
	char ratio[ET_FIGURE], beside[ET_FIGURE];

	et_format_ratio(r.estimate, r.lo, r.hi, ratio);
	if (!(s.estimate > 0))
		return et_strdup(ratio);
	if (!(c->alone.estimate > 0))
		return et_asprintf("%s side by side", ratio);
	if (!verbose)
		return et_strdup(ratio);
	et_format_ratio(s.estimate, s.lo, s.hi, beside);
	return et_asprintf("%s side by side; alone %s", beside, ratio);
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

static const char *verdict_style(const struct et_contrast *c)
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
	ET_AUTO_FREE char *all = et_asprintf(
		"%s%s%s%s%s", what, p, c->method ? ", " : "", c->method ? c->method : "", sd);
	et_page_paragraph(page, 6, "", NULL, all, NULL);
}

void et_pair_text(const struct et_page *page, const char *b, const char *a,
	const struct et_contrast *c, bool verbose)
{
	char **names = et_page_names(page, (const char *const[]){ b, a }, 2, page->width / 3);
	ET_AUTO_FREE char *lead = et_asprintf("  %s vs %s:", names[0], names[1]);
	ET_AUTO_FREE char *text = verdict(c, verbose);

	et_page_paragraph(page, 6, lead, NULL, text, verdict_style(c));
	if (verbose)
		details(page, c);
	et_warnings_text(page, 4, &c->warnings);
	et_strv_free(names);
}

/* --- JSON --- */

static double positive(double x)
{
	return x > 0 ? x : NAN;
}

static void write_checks(struct et_json *w, const struct et_contrast *c)
{
	if (c->f.tested) {
		et_json_flat_object(w, "f_test");
		et_json_double(w, "f", c->f.statistic);
		et_json_double(w, "p", c->f.p);
		et_json_end(w);
	} else {
		et_json_null(w, "f_test");
	}
	if (c->ks.tested) {
		et_json_flat_object(w, "ks");
		et_json_double(w, "d", c->ks.statistic);
		et_json_double(w, "p", c->ks.p);
		et_json_bool(w, "same_shape", c->same_shape);
		et_json_end(w);
	} else {
		et_json_null(w, "ks");
	}
}

static void write_paired(struct et_json *w, const struct et_contrast *c)
{
	if (!c->arrangement) {
		et_json_null(w, "paired");
		et_json_double(w, "cliff_delta", c->delta);
		et_json_double(w, "variance_inflation", positive(c->inflation));
		return;
	}
	et_json_flat_object(w, "paired");
	et_json_u64(w, "pairs", c->pairs);
	et_json_string(w, "arrangement", c->arrangement);
	et_json_double(w, "log_ratio_sd", c->log_ratio_sd);
	et_json_double(w, "sign_p", c->p_sign);
	et_json_double(w, "variance_inflation", positive(c->inflation));
	et_json_end(w);
	et_json_null(w, "cliff_delta");
	et_json_double(w, "variance_inflation", positive(c->inflation));
}

static void write_ratio(struct et_json *w, const char *name, const struct et_ratio *r)
{
	if (!(r->estimate > 0)) {
		et_json_null(w, name);
		return;
	}
	et_json_flat_object(w, name);
	et_json_double(w, "estimate", r->estimate);
	et_json_double(w, "lo", r->lo);
	et_json_double(w, "hi", r->hi);
	et_json_string(w, "method", r->method);
	et_json_end(w);
}

static void write_kinds(struct et_json *w, enum et_kinds kinds)
{
	static const char *const names[] = { [ET_KINDS_UNKNOWN] = NULL,
		[ET_KINDS_SAME] = "same",
		[ET_KINDS_DIFFERENT] = "different" };

	if (names[kinds])
		et_json_string(w, "kinds", names[kinds]);
	else
		et_json_null(w, "kinds");
}

void et_pair_json_members(
	struct et_json *w, const char *a, const char *b, const struct et_contrast *c)
{
	struct et_ratio r = et_contrast_ratio(c);

	et_json_string(w, "a", a);
	et_json_string(w, "b", b);
	write_checks(w, c);
	et_json_string(w, "test", c->method);
	et_json_double(w, "statistic", c->arrangement ? c->statistic : c->published.statistic);
	et_json_double(w, "df", positive(c->arrangement ? c->df : c->published.df));
	et_json_double(w, "p", c->arrangement ? c->p : c->published.p);
	et_json_double(w, "p_used", c->p);
	et_json_double(w, "holm_alpha", positive(c->holm_alpha));
	et_json_double(w, "p_holm", c->p_holm);
	et_json_bool(w, "significant_unadjusted", c->significant_unadjusted);
	et_json_bool(w, "significant", c->significant);
	et_json_flat_object(w, "ratio");
	et_json_double(w, "estimate", r.estimate);
	et_json_double(w, "lo", r.lo);
	et_json_double(w, "hi", r.hi);
	et_json_string(w, "method", r.method);
	et_json_double(w, "level", c->level);
	et_json_end(w);
	write_ratio(w, "side_by_side", &c->side_by_side);
	write_ratio(w, "alone", &c->alone);
	write_kinds(w, c->kinds);
	et_json_double(w, "mean_ratio", c->mean_ratio);
	write_paired(w, c);
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
