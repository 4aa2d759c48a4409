/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/pair.h"
#include "base/alloc.h"
#include "base/whole.h"
#include "report/units.h"
#include "report/warning.h"

#include <math.h>

#define SLOWER "31"
#define FASTER "32"

/* --- text --- */

/* If the shapes of the series differ, a rank test does not compare their medians. */
static bool by_order(const struct et_contrast *c)
{
	return c->ks.tested && !c->same_shape;
}

/* Decimals of a percentage that half the width of its interval supports. */
static int decimals(double lo, double hi)
{
	double half = (hi - lo) / 2;

	if (!(half > 0))
		return 2;
	int d = 1 - et_int(floor(log10(half)));
	return d < 0 ? 0 : d > 6 ? 6 : d;
}

static bool has_interval(const struct et_contrast *c)
{
	return isfinite(c->ratio) && c->ratio > 0 && isfinite(c->lo) && isfinite(c->hi);
}

/* "no difference shown (between -0.3 % and +0.4 %)" and the like, with an interval. */
static char *with_interval(const struct et_contrast *c)
{
	struct et_ratio r = et_contrast_ratio(c);
	double lo = 100 * (r.lo - 1), hi = 100 * (r.hi - 1), at = 100 * (r.estimate - 1);
	const char *order = by_order(c) ? "; the shapes differ, so this compares stochastic order, "
					  "not medians"
					: "";
	int d = decimals(lo, hi);

	switch (c->conclusion) {
	case ET_CONCLUDED_SAME_BY_HOLM:
		return et_asprintf("no difference shown after Holm's correction for %zu "
				   "comparisons (without it: %+.*f %% … %+.*f %%)%s",
			c->family, d, lo, d, hi, order);
	case ET_CONCLUDED_SLOWER:
		return et_asprintf("slower by %.*f %% (%.*f … %.*f)%s", d, at, d, lo, d, hi, order);
	case ET_CONCLUDED_FASTER:
		return et_asprintf(
			"faster by %.*f %% (%.*f … %.*f)%s", d, -at, d, -hi, d, -lo, order);
	default:
		return et_asprintf("no difference shown (between %+.*f %% and %+.*f %%)%s", d, lo,
			d, hi, order);
	}
}

char *et_conclusion_text(const struct et_contrast *c)
{
	switch (c->conclusion) {
	case ET_CONCLUDED_NOTHING:
		return et_strdup("cannot be compared: too few values, or all are equal");
	case ET_CONCLUDED_TOO_FEW_IN_FAMILY:
		return et_asprintf(
			"too few pairs (%zu) for a verdict over %zu comparison%s: take %zu",
			c->pairs, c->family, c->family == 1 ? "" : "s", c->pairs_needed);
	case ET_CONCLUDED_TOO_FEW:
		return et_asprintf(
			"too few pairs (%zu) for a verdict at %.4g %%", c->pairs, 100 * c->level);
	case ET_CONCLUDED_LARGER:
		return et_strdup("larger (no ratio: values at or below 0)");
	case ET_CONCLUDED_SMALLER:
		return et_strdup("smaller (no ratio: values at or below 0)");
	default:
		return has_interval(c) ? with_interval(c) : et_strdup("no difference shown");
	}
}

/* "1.147 × (1.140 … 1.153) side by side; alone 1.152 × (1.142 … 1.163)", or the one that is known.
 */
static char *ratios(const struct et_contrast *c)
{
	struct et_ratio r = et_contrast_ratio(c), s = c->side_by_side;
	char ratio[ET_FIGURE], beside[ET_FIGURE];

	et_format_ratio(r.estimate, r.lo, r.hi, ratio);
	if (!(s.estimate > 0))
		return et_strdup(ratio);
	et_format_ratio(s.estimate, s.lo, s.hi, beside);
	if (!(c->alone.estimate > 0))
		return et_asprintf("%s side by side", beside);
	return et_asprintf("%s side by side; alone %s", beside, ratio);
}

/* The ratio with its interval, then the conclusion without repeating the interval. */
static char *verdict(const struct et_contrast *c)
{
	char change[ET_FIGURE];
	const char *order =
		by_order(c) ? " (of stochastic order, not of medians, because the shapes differ)"
			    : "";
	ET_AUTO_FREE char *words = et_conclusion_text(c);

	if (!isfinite(c->ratio) || c->ratio <= 0)
		return et_strdup(words);
	ET_AUTO_FREE char *ratio = ratios(c);
	if (!has_interval(c) || c->pairs_needed)
		return et_asprintf("%s, %s", ratio, words);
	if (c->conclusion == ET_CONCLUDED_SAME_BY_HOLM)
		return et_asprintf("%s, no difference shown after Holm's correction (without it "
				   "there is one)%s",
			ratio, order);
	if (c->conclusion == ET_CONCLUDED_SAME)
		return et_asprintf("%s, no difference shown%s", ratio, order);
	struct et_ratio r = et_contrast_ratio(c);
	et_format_change(r.estimate, r.lo, r.hi, change);
	return et_asprintf("%s, %s by %s%s", ratio,
		c->conclusion == ET_CONCLUDED_SLOWER ? "slower" : "faster", change, order);
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
	ET_AUTO_FREE char *what = c->arrangement
					  ? et_asprintf("%zu pairs (%s)", c->pairs, c->arrangement)
					  : et_strdup("two independent series");
	ET_AUTO_FREE char *all = et_asprintf(
		"%s%s%s%s%s", what, p, c->method ? ", " : "", c->method ? c->method : "", sd);
	et_page_paragraph(page, 6, "", NULL, all, NULL);
}

static char *short_name(const char *name, int width)
{
	ET_AUTO_FREE char *clean = et_clean(name, "");

	return et_shorten(clean, width);
}

void et_pair_text(const struct et_page *page, const char *b, const char *a,
	const struct et_contrast *c, bool verbose)
{
	ET_AUTO_FREE char *name = short_name(b, page->width / 3);
	ET_AUTO_FREE char *reference = short_name(a, page->width / 3);
	ET_AUTO_FREE char *lead = et_asprintf("  %s vs %s:", name, reference);
	ET_AUTO_FREE char *text = verdict(c);

	et_page_paragraph(page, 6, lead, NULL, text, verdict_style(c));
	if (verbose)
		details(page, c);
	et_warnings_text(page, 4, &c->warnings);
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

void et_pair_json(struct et_json *w, const char *a, const char *b, const struct et_contrast *c)
{
	et_json_object(w, NULL);
	et_json_string(w, "a", a);
	et_json_string(w, "b", b);
	write_checks(w, c);
	et_json_string(w, "test", c->method);
	et_json_double(w, "statistic", c->statistic);
	et_json_double(w, "df", positive(c->df));
	et_json_double(w, "p", c->p);
	et_json_double(w, "holm_alpha", positive(c->holm_alpha));
	et_json_double(w, "p_holm", c->p_holm);
	et_json_bool(w, "significant_unadjusted", c->significant_unadjusted);
	et_json_bool(w, "significant", c->significant);
	et_json_flat_object(w, "ratio");
	et_json_double(w, "estimate", c->ratio);
	et_json_double(w, "lo", c->lo);
	et_json_double(w, "hi", c->hi);
	et_json_string(w, "method", c->ratio_method);
	et_json_double(w, "level", c->level);
	et_json_end(w);
	write_ratio(w, "side_by_side", &c->side_by_side);
	write_ratio(w, "alone", &c->alone);
	write_kinds(w, c->kinds);
	write_paired(w, c);
	ET_AUTO_FREE char *words = et_conclusion_text(c);
	ET_AUTO_FREE char *sentence =
		et_asprintf("%s%s%s", c->significant ? b : "", c->significant ? " " : "", words);
	et_json_string(w, "verdict", sentence);
	et_warnings_json(w, &c->warnings);
	et_json_end(w);
}
