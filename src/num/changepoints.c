/* SPDX-License-Identifier: MIT */
#include "num/changepoints.h"
#include "base/base.h"

#include <math.h>

enum { SPREADS = 7 };
static const double spreads[SPREADS] = { 0, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016 };
static const double spread_prior[SPREADS] = { 0.15, 0.15, 0.20, 0.25, 0.15, 0.07, 0.03 };
static const double prior_none = 0.05, prior_one = 0.75, prior_two = 0.2;
static const double level_sd = 0.05; /* of a level after a change */

/* Sums over the values before each: of 1/variance, y/variance, y²/variance. */
struct sums {
	double weight, y, squares;
};

struct model {
	const struct et_changepoints_value *v;
	size_t n;
	double positions;
	double variance;    /* of builds */
	double prior;       /* of this variance, and what all hypotheses share; a logarithm */
	struct sums *sums;  /* n + 1, with that variance */
	struct sums *level; /* the same for the sizes of changes, with a small one */
};

static void add_up(const struct model *m, double variance, struct sums *out)
{
	out[0] = (struct sums){ 0 };
	for (size_t i = 0; i < m->n; i++) {
		double w = 1 / (m->v[i].variance + variance), y = m->v[i].y;
		out[i + 1] = (struct sums){ out[i].weight + w, out[i].y + y * w,
			out[i].squares + y * y * w };
	}
}

/* The likelihood of values a … b - 1 with one level from a normal law of this variance. */
static double segment(const struct model *m, size_t a, size_t b, double variance)
{
	const struct sums *s = m->sums;
	double weight = s[b].weight - s[a].weight, y = s[b].y - s[a].y,
	       squares = s[b].squares - s[a].squares, share = 1 + variance * weight;

	return -0.5 * (squares - variance * y * y / share) - 0.5 * log(share);
}

static double level_of(const struct model *m, size_t a, size_t b)
{
	const struct sums *s = m->level;

	return b > a ? (s[b].y - s[a].y) / (s[b].weight - s[a].weight) : 0;
}

/* The posterior of changes in gaps j and k, not normalised; k = n: one change, j = n: none. */
static double log_weight(const struct model *m, size_t j, size_t k)
{
	const double after = level_sd * level_sd;
	double at = segment(m, 0, j, m->variance) + m->prior;

	if (j == m->n)
		return at + log(prior_none);
	if (k == m->n)
		return at + segment(m, j, m->n, after) +
		       log(prior_one * m->v[j].gap / m->positions);
	double ways = m->positions * fmax(m->positions - 1, 1) / 2;
	return at + segment(m, j, k, after) + segment(m, k, m->n, after) +
	       log(prior_two * m->v[j].gap * m->v[k].gap / ways);
}

/* Adds a hypothesis of this probability to what is known. */
static void count(const struct model *m, size_t j, size_t k, double p, struct et_changepoints *out)
{
	if (j == m->n) {
		out->none += p;
		return;
	}
	double first = level_of(m, j, k) - level_of(m, 0, j), second = -INFINITY;
	bool two = k < m->n;

	if (two)
		second = level_of(m, k, m->n) - level_of(m, j, k);
	bool is_first = first >= second;
	double largest = is_first ? first : second;
	out->rise += p * largest;
	if (largest > 0)
		out->gaps[is_first ? j : k].largest += p;
	if (!two)
		return;
	struct et_changepoints_gap *other = &out->gaps[is_first ? k : j];
	other->other += p;
	other->other_size += p * (is_first ? second : first);
	out->two += p;
}

/*
 * Goes through all hypotheses of one variance of builds: the largest weight if out is NULL, else
 * the sum of what they weigh relative to `best`.
 */
static double go_through(const struct model *m, double best, struct et_changepoints *out)
{
	double result = out ? 0 : -INFINITY;

	for (size_t j = 0; j <= m->n; j++) {
		for (size_t k = j < m->n ? j + 1 : j; k <= m->n; k++) {
			double w = log_weight(m, j, k);
			if (!out) {
				result = fmax(result, w);
				continue;
			}
			double p = exp(w - best);
			if (p > 0)
				count(m, j, k, p, out);
			result += p;
		}
	}
	return result;
}

static void set_spread(struct model *m, double spread, double prior)
{
	m->variance = spread * spread;
	m->prior = log(prior);
	for (size_t i = 0; i < m->n; i++)
		m->prior -= 0.5 * log(m->v[i].variance + m->variance);
	add_up(m, m->variance, m->sums);
}

void et_changepoints_find(const struct et_changepoints_value *v, size_t n, double positions,
	double spread, struct et_changepoints *out)
{
	bool known = !isnan(spread);
	size_t n_spreads = known ? 1 : SPREADS;
	ET_AUTO_FREE struct sums *sums = et_calloc(n + 1, sizeof(*sums));
	ET_AUTO_FREE struct sums *level = et_calloc(n + 1, sizeof(*level));
	struct model m = { v, n, positions, 0, 0, sums, level };
	double best = -INFINITY, total = 0;

	*out = (struct et_changepoints){ .gaps = et_calloc(n + 1, sizeof(*out->gaps)), .n = n };
	add_up(&m, 1e-6, level);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n_spreads; i++) {
			double this = known ? spread : spreads[i];
			set_spread(&m, this, known ? 1 : spread_prior[i]);
			double got = go_through(&m, best, pass ? out : NULL);
			best = pass ? best : fmax(best, got);
			total += pass ? got : 0;
			out->spread += pass ? got * this * this : 0;
		}
	}
	out->none /= total;
	out->two /= total;
	out->rise /= total;
	out->spread = sqrt(out->spread / total);
	for (size_t i = 0; i < n; i++) {
		struct et_changepoints_gap *g = &out->gaps[i];
		g->other_size /= g->other > 0 ? g->other : 1;
		g->other /= total;
		g->largest /= total;
	}
}

void et_changepoints_free(struct et_changepoints *c)
{
	free(c->gaps);
	*c = (struct et_changepoints){ 0 };
}

static double entropy(double p)
{
	return p <= 0 || p >= 1 ? 0 : -(p * log2(p) + (1 - p) * log2(1 - p));
}

double et_information(double p, double distance)
{
	const double step = 0.25, most = 6;
	double left = 0, density = step / sqrt(2 * M_PI);

	distance = fmin(fabs(distance), 8);
	/* The entropy after a value x, over all x. */
	for (double x = -most; x <= most + distance; x += step) {
		double yes = p * exp(-0.5 * (x - distance) * (x - distance)),
		       no = (1 - p) * exp(-0.5 * x * x);
		if (yes + no > 0)
			left += density * (yes + no) * entropy(yes / (yes + no));
	}
	return fmax(0, entropy(p) - left);
}
