/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A designed experiment in a terminal: the means of levels as a forest plot, and the residuals. */
#include "app/doe/view.h"
#include "base/alloc.h"
#include "num/quantile.h"
#include "report/charts.h"

#include <math.h>

#define BOLD "1"

enum { MOST_MEANS = 24, INDENT = 2 };

/* The mean of each level over the mean of all runs, drawn as ratios with their intervals. */
static void level_means(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	struct et_series series[MOST_MEANS + 1] = { { .name = et_strdup("all") } };
	struct et_contrast pairs[MOST_MEANS] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < p->n_effects; i++) {
		const struct et_doe_effect *e = &p->effects[i];
		bool is_main = __builtin_popcount(e->factors) == 1;
		if (!et_doe_shows(v, e) || !(is_main || e->significant))
			continue;
		for (size_t k = 0; k < e->n_means && n < MOST_MEANS; k++) {
			const struct et_doe_mean *m = &e->means[k];
			pairs[n] = (struct et_contrast){ .a = 0,
				.b = (uint32_t)n + 1,
				.ratio = m->mean / p->mean,
				.lo = m->lo / p->mean,
				.hi = m->hi / p->mean,
				.significant = e->significant,
				.alone = ET_NO_RATIO };
			series[++n].name = et_asprintf("%s=%s", e->term, m->levels);
		}
	}
	const struct et_comparison c = { .pairs = pairs, .n_pairs = n, .n_samples = n + 1 };
	if (n)
		et_forest(series, &c, page);
	for (size_t i = 0; i <= n; i++)
		free(series[i].name);
}

/* The runs as if all treatments were alike: their residuals about the mean of all. */
static void residuals(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	size_t n = p->residuals.n;

	if (n < 2)
		return;
	ET_AUTO_FREE double *x = et_calloc(n, sizeof(*x));
	for (size_t i = 0; i < n; i++)
		x[i] = p->mean + p->residuals.values[i];
	et_sort(x, n);
	const struct et_estimate e = { .n = n,
		.mean = p->mean,
		.sd = p->sd_residual,
		.min = x[0],
		.max = x[n - 1],
		.median = x[n / 2],
		.q1 = x[n / 4],
		.q3 = x[3 * n / 4] };
	putc('\n', page->out);
	et_page_paragraph(page, INDENT, "", NULL,
		"  the runs without the effects: the mean of all plus the residuals", NULL);
	et_histogram(x, n, &e, v->result->unit, INDENT, page->width - 2 * INDENT, page->out);
}

void et_doe_plot(const struct et_doe_view *v, const struct et_page *page)
{
	for (size_t i = 0; i < v->result->n_programs; i++) {
		const struct et_doe_program *p = &v->result->programs[i];
		ET_AUTO_FREE char *title =
			et_asprintf("%s: means of levels over the mean of all runs", p->name);

		putc('\n', page->out);
		et_page_paragraph(page, 0, "", NULL, title, BOLD);
		level_means(v, p, page);
		residuals(v, p, page);
	}
}
