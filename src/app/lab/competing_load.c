/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab competing-load`: Figures 21 and 22 of NIST TN 1826. */
#include "app/lab/profile.h"

#include <sched.h>

enum { CLOUD = 24, WIDTH = 480, HEIGHT = 300, FUNCTIONS = 2 };

/* The last CPU that we may use: interrupts often come to the first. */
static int last_cpu(void)
{
	cpu_set_t set;
	int last = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (int i = 0; i < CPU_SETSIZE; i++)
		last = CPU_ISSET(i, &set) ? i : last;
	return last;
}

static void plan(struct et_profiling *p)
{
	p->cpu = last_cpu();
	for (int load = 0; load < 2; load++)
		et_profiling_add(p, load ? "random, load" : "random, no load", ET_LAB_RANDOM,
			&et_default_profile_plan)
			->load = load;
	for (int load = 0; load < 2; load++) {
		struct et_lab_part *part = et_profiling_add_gprof(
			p, load ? "gprof, load" : "gprof, no load", "fragment");
		if (part)
			part->load = load;
	}
}

static void add_commands(
	const struct et_profiling *p, const struct et_lab_part *part, struct et_experiment *e)
{
	const char *load = part->load ? "load" : "no load";

	et_lab_add_fragment(p, part, e, et_asprintf("10^1, %s", load), 10);
	et_lab_add_fragment(p, part, e, et_asprintf("10^6, %s", load), 1000000);
}

/* --- text --- */

/* The cloud of counts as a strip: how many runs have a count in each of its columns. */
static void cloud_cell(const double *counts, size_t n, double lo, double hi, struct et_table *t)
{
	ET_AUTO_FREE char *cloud = NULL;
	size_t in[CLOUD] = { 0 }, most = 1;

	for (size_t r = 0; r < n; r++) {
		double at = hi > lo ? (counts[r] - lo) / (hi - lo) : 0;
		size_t column = (size_t)(at * (CLOUD - 0.001));
		if (++in[column] > most)
			most = in[column];
	}
	for (size_t i = 0; i < CLOUD; i++)
		et_append(&cloud, "", "%s", et_eighths[(in[i] * 8 + most - 1) / most]);
	et_table_add(t, "%s", cloud);
}

/* The range of a function's counts over the treatments of one instrument. */
static void range(const struct et_profile_study *s, size_t first, size_t end, size_t c, double *lo,
	double *hi)
{
	*lo = INFINITY;
	*hi = -INFINITY;
	for (size_t i = first; i < end; i++) {
		const struct et_profile_treatment *t = &s->list[i];
		for (size_t r = 0; r < t->runs; r++) {
			*lo = fmin(*lo, t->counts[c * t->runs + r]);
			*hi = fmax(*hi, t->counts[c * t->runs + r]);
		}
	}
}

static void instrument_table(
	const struct et_profile_study *s, size_t first, size_t end, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "calls, load"),
		ET_COLUMN(NUMBER, "samples"), ET_COLUMN(NUMBER, "sd (95 %)"),
		ET_COLUMN(TEXT, "counts") };
	struct et_table table = { ET_COLUMNS(columns), .split = true };

	et_lab_heading(
		page, "%s: %zu runs of each", s->list[first].instrument, s->list[first].runs);
	for (size_t c = 0; c < FUNCTIONS; c++) {
		double lo, hi;
		range(s, first, end, c, &lo, &hi);
		for (size_t i = first; i < end; i++) {
			const struct et_profile_treatment *t = &s->list[i];
			et_lab_cell(&table, 19, t->name, &t->cells[c]);
			cloud_cell(t->counts + c * t->runs, t->runs, lo, hi, &table);
		}
	}
	et_lab_table(&table, page);
}

static const char explanation[] =
	"The program and the load (dd if=/dev/urandom of=/dev/null) have the same CPU. The "
	"note also started the kernel with nosmp, which a running machine cannot do: one "
	"CPU for both stands in for it. samples: mean per run ± its 95 % interval; sd: "
	"standard deviation with its bootstrap percentile interval; counts: of all runs, "
	"from the smallest to the largest of the function.";

/* --- SVG --- */

static void add_chart(const struct et_chart_to *to, const struct et_profile_study *s, size_t first,
	size_t end, size_t c)
{
	struct et_chart p = { .x = { .label = "run" },
		.y = { .label = "samples" },
		.width = WIDTH,
		.height = HEIGHT };

	p.title = et_chart_format(
		&p, "%s: samples in %s", s->list[first].instrument, s->list[first].cells[c].name);
	for (size_t i = first; i < end; i++) {
		const struct et_profile_treatment *t = &s->list[i];
		et_curve_add_all(et_chart_curve(&p, ET_SVG_POINTS, (unsigned)(i - first), t->name),
			1, 1, t->counts + c * t->runs, t->runs);
	}
	et_chart_put(&p, to);
}

static void draw(const struct et_profile_study *s, const struct et_chart_to *to)
{
	for (size_t i = 0, end; i < s->n; i = end) {
		size_t runs = 0;
		end = et_lab_same_instrument(s, i);
		for (size_t k = i; k < end; k++)
			runs += s->list[k].runs;
		for (size_t c = 0; runs && c < FUNCTIONS; c++)
			add_chart(to, s, i, end, c);
	}
}

const struct et_profile_lab et_lab_competing_load = { 15, 100, 500 * ET_LAB_MS, 1600 * ET_LAB_MS,
	plan, add_commands, et_lab_by_calls, 3, 2, .has_spreads = true, .text = instrument_table,
	.explanation = explanation, .draw = draw,
	.sheet = "Samples with and without a competing load", .sheet_width = 2 * WIDTH };
