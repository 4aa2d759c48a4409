/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab sampling-bias`: Figures 28 and 29 of NIST TN 1826. */
#include "app/lab/profile.h"
#include "put/put.h"

enum { PER_LINE = 64, WIDTH = 720, HEIGHT = 260 };

static void plan(struct et_profiling *p)
{
	/* The note's period is a prime; ours is ten times shorter than usual. */
	struct et_profile_plan plan = et_default_profile_plan;

	plan.addresses = true;
	plan.rate_hz = 0;
	plan.period = 100003;
	et_profiling_add(p, "random", ET_LAB_RANDOM, &plan);
	plan.fixed = true;
	et_profiling_add(p, "fixed", ET_LAB_FIXED, &plan);
}

static void add_commands(
	const struct et_profiling *p, const struct et_lab_part *part, struct et_experiment *e)
{
	ET_AUTO_FREE char *seconds = et_asprintf("%" PRIu64 "ns", p->work_ns);

	(void)part;
	for (const char *const *name = et_put_random_names; *name; name++)
		et_experiment_add_command(e, et_strdup(*name),
			et_strv_of(p->study.exe, "put", "nops", "--seconds", seconds, "--random",
				*name, NULL));
}

static double all_together(
	const struct et_lab_part *part, const struct et_command *c, struct et_category *out)
{
	(void)part;
	(void)c;
	out[0] = (struct et_category){ "all", { NULL }, NAN };
	return NAN;
}

/* The addresses of treatment i. The length of a nop is that where the experiment was made. */
static struct et_address_bias bias_of(const struct et_profile_study *s, size_t i)
{
	const struct et_experiment *const *e = s->experiments;
	struct et_address_bias b;

	for (; i >= (*e)->n_commands; e++)
		i -= (*e)->n_commands;
	et_address_bias_judge(
		*e, (uint32_t)i, "nops", strcmp((*e)->host.architecture, "x86_64") ? 4 : 1, &b);
	return b;
}

/* --- text --- */

static void chi_text(const char *over, const struct et_chi_square *x, const struct et_page *page)
{
	ET_AUTO_FREE char *lead = et_asprintf("  %-10s", over);
	ET_AUTO_FREE char *p = x->p < 1e-300 ? et_strdup("< 1e-300") : et_asprintf("= %.3g", x->p);

	if (!isnan(x->p))
		et_lab_item(page, 12, lead, "χ² = %.6g with %.0f degrees of freedom, p %s",
			x->statistic, x->df, p);
}

/* A bar per address on a logarithmic scale; an address without samples is a dot. */
static void draw_addresses(const struct et_address_bias *b, const struct et_page *page)
{
	uint64_t most = 1;

	for (size_t i = 0; i < ET_BIAS_ADDRESSES; i++)
		most = b->addresses[i] > most ? b->addresses[i] : most;
	for (size_t i = 0; i < ET_BIAS_ADDRESSES; i++) {
		double share = most > 1 && b->addresses[i]
				       ? log((double)b->addresses[i]) / log((double)most)
				       : 0;
		if (i % PER_LINE == 0)
			fprintf(page->out, "%s%5zu  ", i ? "\n" : "", i);
		fputs(b->addresses[i] ? et_eighths[1 + (int)(share * 7.999)] : "·", page->out);
	}
	putc('\n', page->out);
}

static void treatment_text(const struct et_profile_treatment *t, const struct et_address_bias *b,
	const struct et_page *page)
{
	uint64_t all = b->inside + b->elsewhere;
	ET_AUTO_FREE char *residues = NULL;

	et_lab_heading(page, "%s, random numbers: %s", t->instrument, t->name);
	if (!b->inside) {
		et_lab_item(page, 2, "", "no samples in the function");
		return;
	}
	et_lab_item(page, 12, "  hit       ",
		"%zu of %d addresses; %" PRIu64
		" samples in the function, %.1f %% of all, %.1f %% in the kernel",
		b->hit, ET_BIAS_ADDRESSES, b->inside, 100 * (double)b->inside / (double)all,
		100 * (double)b->kernel / (double)all);
	chi_text("addresses", &b->by_address, page);
	chi_text("residues", &b->by_residue, page);
	for (size_t i = 0; i < ET_BIAS_RESIDUES; i++)
		et_append(&residues, "  ", "%zu: %.1f %%", i,
			100 * (double)b->residues[i] / (double)b->inside);
	et_lab_item(page, 12, "  modulo 16 ", "%s", residues);
	draw_addresses(b, page);
	putc('\n', page->out);
}

static void print_text(
	const struct et_profile_study *s, size_t first, size_t end, const struct et_page *page)
{
	for (size_t i = first; i < end; i++) {
		struct et_address_bias b = bias_of(s, i);
		treatment_text(&s->list[i], &b, page);
	}
}

static const char explanation[] =
	"The function has 256 equal nops and a return; without bias each address has the "
	"same number of samples (χ²: Pearson's test of this). Bars are on a logarithmic "
	"scale, a dot is an address without samples. Where samples are attracted to some "
	"instructions, they can also move from one function to the next.";

/* --- JSON --- */

ET_FIELDS(
	chi_fields, ET_KEY(et_chi_square, "chi_square", statistic), ET_KEYS(et_chi_square, df, p));

ET_FIELDS(bias_fields, ET_KEYS(et_address_bias, runs, inside, elsewhere, kernel, hit),
	ET_KEY_FLAT(et_address_bias, "by_address", by_address, chi_fields),
	ET_KEY_FLAT(et_address_bias, "by_residue", by_residue, chi_fields),
	ET_KEY_ARRAY(et_address_bias, "addresses", addresses, NULL, .element = ET_FIELD_U64),
	ET_KEY_ARRAY(et_address_bias, "residues", residues, NULL, .element = ET_FIELD_U64));

static void write_treatment(struct et_json *w, const struct et_profile_study *s, size_t i)
{
	struct et_address_bias b = bias_of(s, i);

	et_json_string(w, "instrument", s->list[i].instrument);
	et_json_string(w, "name", s->list[i].name);
	et_fields_write(w, bias_fields, &b);
}

/* --- SVG --- */

static void add_bars(const struct et_chart_to *to, const struct et_profile_treatment *t,
	const char *x_label, const uint64_t *counts, size_t n)
{
	struct et_chart p = { .x = { .label = x_label },
		.y = { .label = "samples" },
		.width = WIDTH,
		.height = HEIGHT };

	p.title = et_chart_format(&p, "%s, %s", t->instrument, t->name);
	struct et_curve *bars = et_chart_curve(&p, ET_SVG_BARS, ET_SVG_BLUE, NULL);

	for (size_t i = 0; i < n; i++)
		et_curve_add_dot(bars,
			(struct et_dot){
				.x = (double)i, .end = (double)i + 0.9, .y = (double)counts[i] });
	et_chart_put(&p, to);
}

static void draw(const struct et_profile_study *s, const struct et_chart_to *to)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct et_profile_treatment *t = &s->list[i];
		struct et_address_bias b = bias_of(s, i);
		add_bars(to, t, "instruction", b.addresses, ET_BIAS_ADDRESSES);
		add_bars(to, t, "instruction modulo 16", b.residues, ET_BIAS_RESIDUES);
	}
}

const struct et_profile_lab et_lab_sampling_bias = { 5, 10, 2000 * ET_LAB_MS, 60000 * ET_LAB_MS,
	plan, add_commands, all_together, 1, 1, .text = print_text, .explanation = explanation,
	.draw = draw, .sheet = "Samples by address in a function of 256 nops",
	.sheet_width = 2 * WIDTH, .write_treatment = write_treatment };
