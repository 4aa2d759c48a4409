/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/pair.h"
#include "base/alloc.h"
#include "report/units.h"

#include <math.h>

#define SLOWER "31"
#define FASTER "32"
#define WARNING "33"

/* --- text --- */

static char *verdict(const struct et_contrast *c)
{
	char ratio[ET_FIGURE], change[ET_FIGURE];
	const char *order = c->ks.tested && !c->same_shape ? " (of stochastic order, not of "
							     "medians: the shapes differ)"
							   : "";

	if (!isfinite(c->ratio) || c->ratio <= 0)
		return et_strdup(c->verdict[0] ? c->verdict : "cannot be compared");
	et_format_ratio(c->ratio, c->lo, c->hi, ratio);
	bool poor = !isfinite(c->lo) || !isfinite(c->hi) || c->pairs_needed;
	if (poor && c->verdict[0])
		return et_asprintf("%s, %s", ratio, c->verdict);
	if (!c->significant && c->significant_unadjusted)
		return et_asprintf("%s, no difference shown over all comparisons (alone it would "
				   "be)%s",
			ratio, order);
	if (!c->significant)
		return et_asprintf("%s, no difference shown%s", ratio, order);
	et_format_change(c->ratio, c->lo, c->hi, change);
	return et_asprintf(
		"%s, %s by %s%s", ratio, c->ratio > 1 ? "slower" : "faster", change, order);
}

static const char *verdict_style(const struct et_contrast *c)
{
	if (!c->significant || !isfinite(c->ratio))
		return NULL;
	return c->ratio > 1 ? SLOWER : FASTER;
}

/* ", p = 0.012 (Holm)"; empty when there is none. */
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
	for (size_t i = 0; i < c->warnings.n; i++)
		et_page_paragraph(page, 6, "    warning:", WARNING, c->warnings.text[i], NULL);
}

/* --- JSON --- */

void et_warnings_json(struct et_json *w, const struct et_warnings *warnings)
{
	et_json_array(w, "warnings");
	for (size_t i = 0; i < warnings->n; i++)
		et_json_string(w, NULL, warnings->text[i]);
	et_json_end(w);
}

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
	write_paired(w, c);
	ET_AUTO_FREE char *words = et_asprintf(
		"%s%s%s", c->significant ? b : "", c->significant ? " " : "", c->verdict);
	et_json_string(w, "verdict", words);
	et_warnings_json(w, &c->warnings);
	et_json_end(w);
}
