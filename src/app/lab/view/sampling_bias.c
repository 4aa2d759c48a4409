/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures 28 and 29 of NIST TN 1826: samples by address, and by address modulo 16. */
#include "app/lab/view/profile.h"
#include "app/lab/view/profile_parts.h"
#include "base/alloc.h"
#include "draw/svg_sheet.h"
#include "model/experiment/field_rows.h"

#include <inttypes.h>
#include <math.h>

enum { PER_LINE = 64, WIDTH = 720, HEIGHT = 260 };

/* --- text --- */

static void chi_text(const char *over, const struct et_chi_square *x, const struct et_page *page)
{
	if (isnan(x->p))
		return;
	ET_AUTO_FREE char *text =
		x->p < 1e-300 ? et_asprintf("χ² = %.6g with %.0f degrees of freedom, p < 1e-300",
					x->statistic, x->df)
			      : et_asprintf("χ² = %.6g with %.0f degrees of freedom, p = %.3g",
					x->statistic, x->df, x->p);
	ET_AUTO_FREE char *lead = et_asprintf("  %-10s", over);
	et_page_paragraph(page, 12, lead, NULL, text, NULL);
}

/* A bar per address on a logarithmic scale; an address without samples is a dot. */
static void draw_addresses(const struct et_address_bias *b, const struct et_page *page)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	uint64_t most = 1;

	for (size_t i = 0; i < ET_BIAS_ADDRESSES; i++)
		most = b->addresses[i] > most ? b->addresses[i] : most;
	for (size_t i = 0; i < ET_BIAS_ADDRESSES; i++) {
		double share = most > 1 && b->addresses[i]
				       ? log((double)b->addresses[i]) / log((double)most)
				       : 0;
		if (i % PER_LINE == 0)
			fprintf(page->out, "%s%5zu  ", i ? "\n" : "", i);
		fputs(b->addresses[i] ? bars[(int)(share * 7.999)] : "·", page->out);
	}
	putc('\n', page->out);
}

static void residues_text(const struct et_address_bias *b, const struct et_page *page)
{
	ET_AUTO_FREE char *text = NULL;

	for (size_t i = 0; i < ET_BIAS_RESIDUES; i++)
		et_append(&text, "  ", "%zu: %.1f %%", i,
			100 * (double)b->residues[i] / (double)b->inside);
	et_page_paragraph(page, 12, "  modulo 16 ", NULL, text, NULL);
}

static void treatment_text(const struct et_profile_treatment *t, const struct et_address_bias *b,
	const struct et_page *page)
{
	ET_AUTO_FREE char *title = et_asprintf("%s, random numbers: %s", t->instrument, t->name);
	uint64_t all = b->inside + b->elsewhere;

	et_page_paragraph(page, 0, "", NULL, title, ET_LAB_BOLD);
	if (!b->inside) {
		et_page_paragraph(page, 2, "", NULL, "no samples in the function", NULL);
		return;
	}
	ET_AUTO_FREE char *hit = et_asprintf("%zu of %d addresses; %" PRIu64
					     " samples in the function, %.1f %% of all, %.1f %% in "
					     "the kernel",
		b->hit, ET_BIAS_ADDRESSES, b->inside, 100 * (double)b->inside / (double)all,
		100 * (double)b->kernel / (double)all);
	et_page_paragraph(page, 12, "  hit       ", NULL, hit, NULL);
	chi_text("addresses", &b->by_address, page);
	chi_text("residues", &b->by_residue, page);
	residues_text(b, page);
	draw_addresses(b, page);
	putc('\n', page->out);
}

void et_sampling_bias_text(const struct et_profile_study *s, const struct et_address_bias *bias,
	const struct et_page *page)
{
	for (size_t i = 0; i < s->n; i++)
		treatment_text(&s->list[i], &bias[i], page);
	et_lab_invalid_text(s, page);
	et_lab_missing_text(s, page);
	et_page_paragraph(page, 0, "", NULL,
		"The function has 256 equal nops and a return; without bias each address has the "
		"same number of samples (χ²: Pearson's test of this). Bars are on a logarithmic "
		"scale, a dot is an address without samples. Where samples are attracted to some "
		"instructions, they can also move from one function to the next.",
		NULL);
}

/* --- JSON --- */

static const struct et_field chi_fields[] = {
	ET_KEY(et_chi_square, "chi_square", statistic),
	ET_KEYS(et_chi_square, df, p),
	{ 0 },
};

static const struct et_field bias_fields[] = {
	ET_KEYS(et_address_bias, runs, inside, elsewhere, kernel, hit),
	ET_KEY_FLAT(et_address_bias, "by_address", by_address, chi_fields),
	ET_KEY_FLAT(et_address_bias, "by_residue", by_residue, chi_fields),
	ET_KEY_ARRAY(et_address_bias, "addresses", addresses, NULL, .element = ET_FIELD_U64),
	ET_KEY_ARRAY(et_address_bias, "residues", residues, NULL, .element = ET_FIELD_U64),
	{ 0 },
};

void et_sampling_bias_json(
	const struct et_profile_study *s, const struct et_address_bias *bias, FILE *out)
{
	struct et_json w;

	et_lab_study_json_begin(&w, s, out);
	et_json_array(&w, "treatments");
	for (size_t i = 0; i < s->n; i++) {
		et_json_object(&w, NULL);
		et_json_string(&w, "instrument", s->list[i].instrument);
		et_json_string(&w, "name", s->list[i].name);
		et_fields_write(&w, bias_fields, &bias[i]);
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_end(&w);
}

/* --- SVG --- */

static void add_bars(struct et_svg_sheet *sheet, const char *title, const char *x_label,
	const uint64_t *counts, size_t n)
{
	ET_AUTO_FREE double *x = et_calloc(n, sizeof(*x));
	ET_AUTO_FREE double *end = et_calloc(n, sizeof(*end));
	ET_AUTO_FREE double *y = et_calloc(n, sizeof(*y));

	for (size_t i = 0; i < n; i++) {
		x[i] = (double)i;
		end[i] = (double)i + 0.9;
		y[i] = (double)counts[i];
	}
	const struct et_svg_series series = {
		.shape = ET_SVG_BARS, .color = ET_SVG_BLUE, .x = x, .x_end = end, .y = y, .n = n
	};
	struct et_chart c = { .title = title,
		.x = { .label = x_label },
		.y = { .label = "samples" },
		.series = &series,
		.n_series = 1,
		.width = WIDTH,
		.height = HEIGHT };
	et_svg_sheet_add(sheet, &c);
}

void et_sampling_bias_svg(
	const struct et_profile_study *s, const struct et_address_bias *bias, FILE *out)
{
	struct et_svg_sheet *sheet = et_svg_sheet_new(2 * WIDTH);

	for (size_t i = 0; i < s->n; i++) {
		ET_AUTO_FREE char *title =
			et_asprintf("%s, %s", s->list[i].instrument, s->list[i].name);
		add_bars(sheet, title, "instruction", bias[i].addresses, ET_BIAS_ADDRESSES);
		add_bars(sheet, title, "instruction modulo 16", bias[i].residues, ET_BIAS_RESIDUES);
	}
	et_svg_sheet_write(sheet, "Samples by address in a function of 256 nops", out);
}
