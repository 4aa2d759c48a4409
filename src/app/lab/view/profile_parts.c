/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/profile_parts.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

size_t et_lab_same_instrument(const struct et_profile_study *s, size_t i)
{
	size_t end = i;

	while (end < s->n && !strcmp(s->list[end].instrument, s->list[i].instrument))
		end++;
	return end;
}

const char *et_format_short(double x, char buf[ET_FIGURE])
{
	if (isnan(x))
		return ET_DASH;
	double size = fabs(x) < 1e-9 ? 0 : fabs(x); /* of equal values, rounding leaves a rest */
	int decimals = size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4;
	snprintf(buf, ET_FIGURE, "%.*f", decimals, size > 0 ? x : 0);
	return buf;
}

const char *et_format_r1(double r, char buf[ET_FIGURE])
{
	if (isnan(r))
		return ET_DASH;
	snprintf(buf, ET_FIGURE, "%.2f", r);
	return buf;
}

const char *et_format_count(double mean, double uncertainty, char buf[ET_FIGURE])
{
	/* Two significant digits of the uncertainty, as everywhere. */
	double digits = uncertainty > 0 ? 1 - floor(log10(uncertainty)) : 1;
	int decimals = digits < 0 ? 0 : digits > 4 ? 4 : (int)digits;

	if (isnan(mean))
		return ET_DASH;
	if (isnan(uncertainty))
		snprintf(buf, ET_FIGURE, "%.1f ± %s", mean, ET_DASH);
	else
		snprintf(buf, ET_FIGURE, "%.*f ± %.*f", decimals, mean, decimals, uncertainty);
	return buf;
}

const char *et_format_spread(double sd, const struct et_span *interval, char buf[ET_FIGURE])
{
	char number[ET_FIGURE], lo[ET_FIGURE], hi[ET_FIGURE];

	if (isnan(interval->lo) || isnan(interval->hi))
		return et_format_short(sd, buf);
	snprintf(buf, ET_FIGURE, "%.24s (%.24s … %.24s)", et_format_short(sd, number),
		et_format_short(interval->lo, lo), et_format_short(interval->hi, hi));
	return buf;
}

void et_lab_invalid_text(const struct et_profile_study *s, const struct et_page *page)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct et_profile_treatment *t = &s->list[i];
		if (!t->invalid)
			continue;
		ET_AUTO_FREE char *text =
			et_asprintf("%s, %s: %zu runs do not count: throttled %" PRIu64
				    " times, %" PRIu64 " samples lost",
				t->instrument, t->name, t->invalid, t->throttled, t->lost);
		et_page_paragraph(page, 2, "", NULL, text, NULL);
	}
}

void et_lab_missing_text(const struct et_profile_study *s, const struct et_page *page)
{
	for (const char *const *m = s->missing; m && *m; m++)
		et_page_paragraph(page, 2, "not measured: ", NULL, *m, NULL);
}

void et_lab_without_share_text(const struct et_profile_study *s, const struct et_page *page)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct et_profile_treatment *t = &s->list[i];
		if (!t->without_share)
			continue;
		ET_AUTO_FREE char *text = et_asprintf(
			"%s, %s: %zu of %zu runs have no sample in the functions under test and "
			"do not count for shares",
			t->instrument, t->name, t->without_share, t->runs);
		et_page_paragraph(page, 2, "", NULL, text, NULL);
	}
}

void et_lab_few_text(const struct et_profile_study *s, const struct et_page *page)
{
	size_t fewest = SIZE_MAX;

	for (size_t i = 0; i < s->n; i++)
		fewest = s->list[i].runs < fewest ? s->list[i].runs : fewest;
	if (fewest >= ET_TREATMENT_ENOUGH)
		return;
	ET_AUTO_FREE char *text = et_asprintf("%zu %s too few for standard deviations and "
					      "autocorrelations: use --runs %d or more",
		fewest, fewest == 1 ? "run is" : "runs are", ET_TREATMENT_ENOUGH);
	et_page_paragraph(page, 0, "(!)", NULL, text, NULL);
}

void et_lab_study_json_begin(struct et_json *w, const struct et_profile_study *s, FILE *out)
{
	et_json_init(w, out, 2);
	et_json_object(w, NULL);
	et_json_string(w, "experiment", s->lab);
	et_json_array(w, "experiments");
	for (size_t i = 0; i < s->n_experiments; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "id", s->experiments[i]->id);
		et_json_string(w, "label", s->experiments[i]->label);
		et_json_string(w, "state", et_state_names[s->experiments[i]->state]);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_array(w, "missing");
	for (const char *const *m = s->missing; m && *m; m++)
		et_json_string(w, NULL, *m);
	et_json_end(w);
}

double *et_lab_values(const struct et_profile_study *s, size_t first, size_t n, size_t c,
	double (*of)(const struct et_treatment_cell *cell))
{
	double *out = et_calloc(n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = of(&s->list[first + i].cells[c]);
	return out;
}
