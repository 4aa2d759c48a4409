/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/groups.h"

/* Squares about the group's own mean; 0 for a single value. */
static double squares_of(const struct et_group *g)
{
	return g->n > 1 ? ((double)g->n - 1) * et_variance(g->x, g->n) : 0;
}

/* All values one group after the other; the caller frees. */
static double *pool(const struct et_group *groups, size_t k, size_t *n)
{
	size_t at = 0;

	*n = 0;
	for (size_t i = 0; i < k; i++)
		*n += groups[i].n;
	double *all = et_alloc(*n * sizeof(*all));
	for (size_t i = 0; i < k; i++) {
		memcpy(all + at, groups[i].x, groups[i].n * sizeof(*all));
		at += groups[i].n;
	}
	return all;
}

struct et_anova et_anova(const struct et_group *groups, size_t k)
{
	size_t n;
	ET_AUTO_FREE double *all = pool(groups, k, &n);
	double mean = et_mean(all, n);
	struct et_anova out = { .df1 = (double)k - 1, .df2 = (double)n - (double)k };

	for (size_t i = 0; i < k; i++) {
		double d = et_mean(groups[i].x, groups[i].n) - mean;

		out.ss_between += (double)groups[i].n * d * d;
		out.ss_within += squares_of(&groups[i]);
	}
	out.f = out.ss_between / out.df1 / (out.ss_within / out.df2);
	out.p = et_pf_upper(out.f, out.df1, out.df2);
	return out;
}

struct et_anova et_anova_welch(const struct et_group *groups, size_t k)
{
	double weights = 0, weighted = 0, between = 0, spread = 0, groups_n = (double)k, mean;
	struct et_anova out = { .df1 = groups_n - 1, .ss_between = NAN, .ss_within = NAN };

	for (size_t i = 0; i < k; i++) {
		double w = (double)groups[i].n / et_variance(groups[i].x, groups[i].n);

		weights += w;
		weighted += w * et_mean(groups[i].x, groups[i].n);
	}
	mean = weighted / weights;
	for (size_t i = 0; i < k; i++) {
		double n = (double)groups[i].n, w = n / et_variance(groups[i].x, groups[i].n);
		double d = et_mean(groups[i].x, groups[i].n) - mean;

		between += w * d * d;
		spread += (1 - w / weights) * (1 - w / weights) / (n - 1);
	}
	spread /= groups_n * groups_n - 1;
	out.df2 = 1 / (3 * spread);
	out.f = between / out.df1 / (1 + 2 * (groups_n - 2) * spread);
	out.p = et_pf_upper(out.f, out.df1, out.df2);
	return out;
}

struct et_test et_kruskal_wallis(const struct et_group *groups, size_t k)
{
	size_t n, at = 0;
	ET_AUTO_FREE double *all = pool(groups, k, &n);
	ET_AUTO_FREE double *rank = et_alloc(n * sizeof(*rank));
	double ties = et_rank(all, n, rank), size = (double)n, sum = 0;
	struct et_test out = { .df = (double)k - 1 };

	for (size_t i = 0; i < k; at += groups[i++].n) {
		double ranks = et_sum(rank + at, groups[i].n);

		sum += ranks * ranks / (double)groups[i].n;
	}
	out.statistic = (12 * sum / (size * (size + 1)) - 3 * (size + 1)) /
			(1 - ties / (size * (size * size - 1)));
	out.p = et_pchisq_upper(out.statistic, out.df);
	return out;
}

struct et_test et_bartlett(const struct et_group *groups, size_t k)
{
	double freedom = 0, squares = 0, logs = 0, inverse = 0;
	struct et_test out = { .df = (double)k - 1 };

	for (size_t i = 0; i < k; i++) {
		double df = (double)groups[i].n - 1;

		freedom += df;
		squares += squares_of(&groups[i]);
		logs += df * log(et_variance(groups[i].x, groups[i].n));
		inverse += 1 / df;
	}
	out.statistic = (freedom * log(squares / freedom) - logs) /
			(1 + (inverse - 1 / freedom) / (3 * out.df));
	out.p = et_pchisq_upper(out.statistic, out.df);
	return out;
}
