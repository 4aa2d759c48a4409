/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/profile_print.h"
#include "app/lab/view/profile.h"
#include "base/alloc.h"
#include "lab/triangle.h"

#include <math.h>
#include <string.h>

uint64_t et_lab_calls(double level)
{
	return (uint64_t)llround(pow(10, level) / 10) * 10;
}

/* --- the treatments of all parts --- */

struct treatments {
	struct et_profile_study study;
	struct et_profile_treatment *list;
	const struct et_experiment *experiments[ET_LAB_MOST_PARTS];
};

/* Fills the categories of a command, and returns the level of its factor. */
typedef double categories_fn(
	const struct et_lab_part *part, const struct et_command *c, struct et_category *out);

static size_t count_treatments(const struct et_profiling *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->parts[i].e ? p->parts[i].e->n_commands : 0;
	return n;
}

/* Means that are compared with each other: every one with every other, as in the note. */
static size_t statements_of(size_t means, bool together)
{
	return together && means ? means * means : 1;
}

static void judge_all(const struct et_profiling *p, size_t n_categories, size_t under_test,
	bool together, categories_fn *fill, struct treatments *out)
{
	size_t n = count_treatments(p), done = 0;
	struct et_treatment_options o = { .statements = statements_of(n * n_categories, together),
		.under_test = under_test,
		.replicates = (uint32_t)p->r->asked.replicates,
		.seed = p->r->asked.seed };

	*out = (struct treatments){ .list = et_calloc(n + 1, sizeof(*out->list)) };
	for (size_t i = 0; i < p->n; i++) {
		const struct et_lab_part *part = &p->parts[i];
		for (uint32_t c = 0; part->e && c < part->e->n_commands; c++) {
			struct et_category categories[ET_MOST_CATEGORIES];
			double x = fill(part, &part->e->commands[c], categories);
			struct et_profile_treatment *t = &out->list[done++];
			et_treatment_judge(part->e, c, categories, n_categories, &o, t);
			t->instrument = part->instrument;
			t->x = x;
		}
		if (part->e)
			out->experiments[out->study.n_experiments++] = part->e;
	}
	out->study.lab = p->lab->name;
	out->study.list = out->list;
	out->study.n = done;
	out->study.experiments = out->experiments;
	out->study.missing = (const char *const *)p->missing;
}

static void treatments_free(struct treatments *t)
{
	for (size_t i = 0; i < t->study.n; i++)
		et_treatment_free(&t->list[i]);
	free(t->list);
}

typedef void text_fn(const struct et_profile_study *s, const struct et_page *page);
typedef void svg_fn(const struct et_profile_study *s, FILE *out);

static void print(
	const struct et_profiling *p, struct treatments *t, text_fn *text, svg_fn *draw, FILE *svg)
{
	if (p->r->given & ET_LAB_JSON)
		et_profile_study_json(&t->study, p->r->page.out);
	else
		text(&t->study, &p->r->page);
	if (svg)
		draw(&t->study, svg);
	treatments_free(t);
}

/* --- fragment --- */

static void fragment_categories(uint64_t calls, struct et_category *out)
{
	out[0] = (struct et_category){ "fn1", { "fn1" }, (double)calls / 5 };
	out[1] = (struct et_category){ "fn2", { "fn2" }, (double)calls / 5 * 4 };
	out[2] = (struct et_category){ "other", { NULL }, NAN };
}

/* The name of the command begins with its level: "10^1.5", "10^6, load". */
static double by_calls(
	const struct et_lab_part *part, const struct et_command *c, struct et_category *out)
{
	double level = strncmp(c->name, "10^", 3) ? NAN : strtod(c->name + 3, NULL);
	uint64_t calls = level >= 1 && level <= 12 ? et_lab_calls(level) : 10;

	(void)part;
	fragment_categories(calls, out);
	return (double)calls;
}

static double by_period(
	const struct et_lab_part *part, const struct et_command *c, struct et_category *out)
{
	(void)c;
	fragment_categories(1000, out);
	return (double)part->e->profile->plan.period;
}

void et_lab_print_fragmentation(const struct et_profiling *p, FILE *svg)
{
	struct treatments t;

	judge_all(p, 3, 2, false, by_calls, &t);
	print(p, &t, et_fragmentation_text, et_fragmentation_svg, svg);
}

void et_lab_print_sampling_rate(const struct et_profiling *p, FILE *svg)
{
	struct treatments t;

	judge_all(p, 3, 2, false, by_period, &t);
	print(p, &t, et_sampling_rate_text, et_sampling_rate_svg, svg);
}

void et_lab_print_competing_load(const struct et_profiling *p, FILE *svg)
{
	struct treatments t;

	judge_all(p, 3, 2, false, by_calls, &t);
	print(p, &t, et_competing_load_text, et_competing_load_svg, svg);
}

/* --- triangle --- */

static double triangle_categories(
	const struct et_lab_part *part, const struct et_command *c, struct et_category *out)
{
	(void)part;
	(void)c;
	memcpy(out, et_triangle_categories, sizeof(et_triangle_categories));
	return NAN;
}

void et_lab_print_triangle(const struct et_profiling *p, FILE *svg)
{
	struct treatments t;

	judge_all(p, ET_TRIANGLE_CATEGORIES, ET_TRIANGLE_FUNCTIONS, true, triangle_categories, &t);
	print(p, &t, et_triangle_text, et_triangle_svg, svg);
}

/* --- sampling-bias --- */

static double all_together(
	const struct et_lab_part *part, const struct et_command *c, struct et_category *out)
{
	(void)part;
	(void)c;
	out[0] = (struct et_category){ "all", { NULL }, NAN };
	return NAN;
}

void et_lab_print_sampling_bias(const struct et_profiling *p, FILE *svg)
{
	/* The length of a nop where the experiment was made. */
	const struct et_experiment *e = NULL;
	size_t n = count_treatments(p), done = 0;
	ET_AUTO_FREE struct et_address_bias *bias = et_calloc(n + 1, sizeof(*bias));
	struct treatments t;

	judge_all(p, 1, 1, false, all_together, &t);
	for (size_t i = 0; i < p->n; i++) {
		e = p->parts[i].e;
		for (uint32_t c = 0; e && c < e->n_commands; c++)
			et_address_bias_judge(e, c, "nops",
				strcmp(e->host.architecture, "x86_64") ? 4 : 1, &bias[done++]);
	}
	if (p->r->given & ET_LAB_JSON)
		et_sampling_bias_json(&t.study, bias, p->r->page.out);
	else
		et_sampling_bias_text(&t.study, bias, &p->r->page);
	if (svg)
		et_sampling_bias_svg(&t.study, bias, svg);
	treatments_free(&t);
}
