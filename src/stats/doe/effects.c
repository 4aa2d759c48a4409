/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/least_squares.h"
#include "stats/doe/program.h"

enum {
	MOST_DF = 256,       /* of a term whose contrasts are made one by one */
	MOST_WORK = 4000000, /* to look at all differences of a term's means */
};

/* --- variances --- */

void et_doe_errors_make(
	const struct et_doe_fit *fit, bool apart, double level, struct et_doe_errors *out)
{
	size_t n = fit->grid->n_cells;
	double sigma2 = fit->ss_residual / fit->df_residual;

	*out = (struct et_doe_errors){ .fit = fit, .apart = apart, .level = level };
	out->df = fit->df_residual > 0 ? fit->df_residual : NAN;
	out->v = et_calloc(n, sizeof(*out->v));
	for (size_t c = 0; c < n; c++) {
		double count = (double)et_doe_count(fit->data, c);
		if (apart)
			out->v[c] = count > 1 ? fit->data->variance[c] / count : 0;
		else
			out->v[c] = fit->df_residual > 0 ? sigma2 * fit->unit[c] : NAN;
	}
}

void et_doe_errors_free(struct et_doe_errors *e)
{
	free(e->v);
	free(e->table);
}

bool et_doe_errors_by_block(struct et_doe_errors *e)
{
	const struct et_doe_data *d = e->fit->data;
	size_t n = d->n_cells, used = 0;
	double *table = et_calloc(d->n_blocks * n, sizeof(*table));
	ET_AUTO_FREE uint32_t *count = et_calloc(d->n_blocks * n, sizeof(*count));

	for (size_t i = 0; i < d->n; i++) {
		size_t at = d->runs[i].block * n + d->runs[i].cell;
		table[at] += (d->runs[i].y - table[at]) / ++count[at];
	}
	for (size_t b = 0; b < d->n_blocks; b++) {
		bool all = true;
		for (size_t c = 0; c < n; c++)
			all = all && count[b * n + c];
		if (all)
			memmove(table + n * used++, table + n * b, n * sizeof(*table));
	}
	if (used < 2) {
		free(table);
		return false;
	}
	e->table = table;
	e->n_blocks = used;
	return true;
}

/* The values of a combination of cells in each block. */
static double *of_blocks(const struct et_doe_errors *e, const double *c)
{
	size_t n = e->fit->grid->n_cells;
	double *out = et_calloc(e->n_blocks, sizeof(*out));

	for (size_t b = 0; b < e->n_blocks; b++) {
		for (size_t i = 0; i < n; i++)
			out[b] += c[i] * e->table[b * n + i];
	}
	return out;
}

/* A combination of mu with its standard error and its degrees of freedom. */
struct combined {
	double x, error, df;
};

static struct combined combine(const struct et_doe_errors *e, const double *c)
{
	ET_AUTO_FREE double *w = et_calloc(e->fit->grid->n_cells, sizeof(*w));
	struct combined out = { .x = et_doe_combine(e->fit, c, w) };
	double sum = 0, squares = 0;

	if (e->table) {
		ET_AUTO_FREE double *z = of_blocks(e, c);
		out.df = (double)e->n_blocks - 1;
		out.error = sqrt(et_variance(z, e->n_blocks) / (double)e->n_blocks);
		return out;
	}
	for (size_t i = 0; i < e->fit->grid->n_cells; i++) {
		double part = w[i] * w[i] * e->v[i];
		size_t n = et_doe_count(e->fit->data, i);
		sum += part;
		if (n > 1)
			squares += part * part / ((double)n - 1);
	}
	out.df = e->apart ? sum * sum / squares : e->df;
	out.error = sqrt(sum);
	return out;
}

/* Fills the combination c of mu, and its interval. */
static void estimate(
	const struct et_doe_errors *e, const double *c, double *x, double *lo, double *hi)
{
	struct combined all = combine(e, c);
	double half = all.error * et_qt(0.5 + e->level / 2, all.df);

	*x = all.x;
	*lo = all.x - half;
	*hi = all.x + half;
}

/* --- sums of squares --- */

void et_doe_effect_table(
	const struct et_doe_grid *g, uint32_t factors, const double *mu, double *table)
{
	size_t size = et_doe_combinations(g->design, factors), stride = 1;

	memset(table, 0, size * sizeof(*table));
	for (size_t c = 0; c < g->n_cells; c++)
		table[et_doe_combination_of(g, factors, c)] += mu[c] - mu[0];
	for (size_t i = 0; i < size; i++)
		table[i] *= (double)size / (double)g->n_cells;
	for (size_t f = 0; f < g->design->n_factors; f++) {
		size_t levels = g->design->factors[f].n_levels;
		if (!(factors >> f & 1))
			continue;
		for (size_t i = 0; i < size; i++) {
			double mean = 0;
			if (i / stride % levels)
				continue; /* not the first of its line along this factor */
			for (size_t l = 0; l < levels; l++)
				mean += table[i + l * stride] / (double)levels;
			for (size_t l = 0; l < levels; l++)
				table[i + l * stride] -= mean;
		}
		stride *= levels;
	}
}

static double balanced_squares(
	const struct et_doe_fit *f, const struct et_doe_term *term, const double *mu)
{
	size_t size = et_doe_combinations(f->grid->design, term->factors);
	ET_AUTO_FREE double *table = et_calloc(size, sizeof(*table));
	double sum = 0, values = 0;

	et_doe_effect_table(f->grid, term->factors, mu, table);
	for (size_t i = 0; i < size; i++)
		sum += table[i] * table[i];
	/* Without equal numbers of values: their harmonic mean (unweighted means; Yates 1934). */
	for (size_t c = 0; c < f->grid->n_cells; c++)
		values += f->unit[c];
	return sum * (double)f->grid->n_cells / (double)size * (double)f->grid->n_cells / values;
}

/* Contrasts of a term: z their values, w their weights (df rows). */
struct contrasts {
	size_t df;
	double *z, *w;
};

static void contrasts_make(const struct et_doe_fit *f, const struct et_doe_term *term,
	const double *mu, struct contrasts *out)
{
	size_t n = f->grid->n_cells;
	ET_AUTO_FREE double *row = et_calloc(n, sizeof(*row));

	out->df = term->df;
	out->z = et_calloc(term->df, sizeof(*out->z));
	out->w = et_calloc(term->df * n, sizeof(*out->w));
	for (size_t i = 0; i < term->df; i++) {
		et_doe_term_row(f->grid, term->factors, i, row);
		et_doe_combine(f, row, out->w + i * n);
		for (size_t c = 0; c < n; c++)
			out->z[i] += row[c] * (mu[c] - mu[0]);
	}
}

static void contrasts_free(struct contrasts *k)
{
	free(k->z);
	free(k->w);
}

/* The covariance of the contrasts, if the coordinates of w have these variances. */
static double *covariance(const struct contrasts *k, const double *v, size_t n)
{
	double *out = et_calloc(k->df * k->df, sizeof(*out));

	for (size_t i = 0; i < k->df; i++) {
		for (size_t j = 0; j <= i; j++) {
			double sum = 0;
			for (size_t c = 0; c < n; c++)
				sum += k->w[i * n + c] * k->w[j * n + c] * v[c];
			out[i * k->df + j] = out[j * k->df + i] = sum;
		}
	}
	return out;
}

double et_doe_squares(const struct et_doe_fit *f, const struct et_doe_term *term, const double *mu)
{
	struct contrasts k;
	double sum = 0;

	if (term->df > MOST_DF || (f->data->complete && !f->map))
		return balanced_squares(f, term, mu);
	contrasts_make(f, term, mu, &k);
	ET_AUTO_FREE double *v = covariance(&k, f->unit, f->grid->n_cells);
	if (et_cholesky(v, k.df)) {
		et_cholesky_forward(v, k.df, k.z);
		for (size_t i = 0; i < k.df; i++)
			sum += k.z[i] * k.z[i];
	} else {
		sum = NAN;
	}
	contrasts_free(&k);
	return sum;
}

/* --- tests --- */

/* Box's approximation: a sum of squares over the trace of its covariance, and of the square. */
static void test_box(
	double squares, double trace, double of_squares, double df2, struct et_doe_effect *out)
{
	out->f = trace > 0 ? squares / trace : NAN;
	out->df = trace * trace / of_squares;
	out->df2 = df2;
	out->p = et_pf_upper(out->f, out->df, out->df2);
}

static void test_apart(
	const struct et_doe_errors *e, const struct et_doe_term *term, struct et_doe_effect *out)
{
	const struct et_doe_fit *f = e->fit;
	size_t n = f->grid->n_cells;
	double squares = 0, trace = 0, of_squares = 0, freedom = 0;
	struct contrasts k;

	contrasts_make(f, term, f->mu, &k);
	ET_AUTO_FREE double *v = covariance(&k, e->v, n);
	for (size_t i = 0; i < k.df; i++) {
		squares += k.z[i] * k.z[i];
		trace += v[i * k.df + i];
		for (size_t j = 0; j < k.df; j++)
			of_squares += v[i * k.df + j] * v[i * k.df + j];
	}
	for (size_t c = 0; c < n; c++) {
		double weight = 0;
		for (size_t i = 0; i < k.df; i++)
			weight += k.w[i * n + c] * k.w[i * n + c];
		if (et_doe_count(f->data, c) > 1)
			freedom += weight * e->v[c] * weight * e->v[c] /
				   ((double)et_doe_count(f->data, c) - 1);
	}
	contrasts_free(&k);
	test_box(squares, trace, of_squares, trace * trace / freedom, out);
}

/* The covariance of a term's contrasts from block to block. */
static void test_by_block(
	const struct et_doe_errors *e, const struct et_doe_term *term, struct et_doe_effect *out)
{
	size_t n = e->fit->grid->n_cells, blocks = e->n_blocks;
	ET_AUTO_FREE double *row = et_calloc(n, sizeof(*row));
	ET_AUTO_FREE double *z = et_calloc(term->df * blocks, sizeof(*z));
	double squares = 0, trace = 0, of_squares = 0;

	for (size_t i = 0; i < term->df; i++) {
		et_doe_term_row(e->fit->grid, term->factors, i, row);
		ET_AUTO_FREE double *values = of_blocks(e, row);
		double mean = et_mean(values, blocks);
		squares += mean * mean;
		for (size_t b = 0; b < blocks; b++)
			z[i * blocks + b] = values[b] - mean;
	}
	for (size_t i = 0; i < term->df; i++) {
		for (size_t j = 0; j < term->df; j++) {
			double sum = 0;
			for (size_t b = 0; b < blocks; b++)
				sum += z[i * blocks + b] * z[j * blocks + b];
			sum /= (double)blocks * ((double)blocks - 1);
			trace += i == j ? sum : 0;
			of_squares += sum * sum;
		}
	}
	double df2 = trace * trace / of_squares * ((double)blocks - 1);
	test_box(squares, trace, of_squares, df2, out);
}

/* --- intervals --- */

static void interval_of_signs(
	const struct et_doe_errors *e, const struct et_doe_term *term, struct et_doe_effect *out)
{
	size_t n = e->fit->grid->n_cells;
	ET_AUTO_FREE double *c = et_calloc(n, sizeof(*c));

	et_doe_term_row(e->fit->grid, term->factors, 0, c);
	for (size_t i = 0; i < n; i++)
		c[i] *= 2 / sqrt((double)n);
	estimate(e, c, &out->effect, &out->lo, &out->hi);
}

/*
 * Fills c with the cells' weights in a term's own effect at a combination of levels: the product
 * over its factors of (1 at that level, else 0) - 1 / levels.
 */
static void effect_weights(
	const struct et_doe_grid *g, uint32_t factors, size_t combination, double sign, double *c)
{
	const struct et_design *d = g->design;
	double scale = sign * (double)et_doe_combinations(d, factors) / (double)g->n_cells;

	for (size_t i = 0; i < g->n_cells; i++) {
		double product = scale;
		size_t rest = combination;
		for (size_t f = 0; f < d->n_factors; f++) {
			size_t levels = d->factors[f].n_levels;
			if (!(factors >> f & 1))
				continue;
			product *= (et_doe_level(g, i, f) == rest % levels) - 1 / (double)levels;
			rest /= levels;
		}
		c[i] += product;
	}
}

/* The quantile that all differences of a term's means are within together. */
static double simultaneous(const struct et_doe_errors *e, const struct et_doe_term *term, double df)
{
	double r = (double)term->df;

	if (!(term->factors & (term->factors - 1)))
		return et_qtukey(e->level, r + 1, df) / sqrt(2);
	return sqrt(r * et_qf(e->level, r, df));
}

/* A difference of two means of a term. */
static struct combined difference_of(
	const struct et_doe_errors *e, const struct et_doe_term *term, size_t a, size_t b)
{
	ET_AUTO_FREE double *c = et_calloc(e->fit->grid->n_cells, sizeof(*c));

	effect_weights(e->fit->grid, term->factors, a, -1, c);
	effect_weights(e->fit->grid, term->factors, b, 1, c);
	return combine(e, c);
}

/* Tukey's quantile is slow, so it is interpolated: nearly linear in the inverse of the freedom. */
static void widen_range(const struct et_doe_errors *e, const struct et_doe_term *term,
	const struct combined *all, size_t n, struct et_doe_effect *out)
{
	double least = INFINITY, most = 0, q_least, q_most;

	out->lo = out->hi = NAN;
	for (size_t i = 0; i < n; i++) {
		if (isnan(all[i].df) || isnan(all[i].error))
			return; /* nothing tells effects from noise */
		least = fmin(least, all[i].df);
		most = fmax(most, all[i].df);
	}
	q_least = simultaneous(e, term, least);
	q_most = most > least ? simultaneous(e, term, most) : q_least;
	out->lo = out->hi = isnan(q_least) ? NAN : 0;
	for (size_t i = 0; i < n && !isnan(q_least); i++) {
		double at = most > least ? (1 / all[i].df - 1 / most) / (1 / least - 1 / most) : 0;
		double half = all[i].error * (q_most + at * (q_least - q_most));
		out->lo = fmax(out->lo, fabs(all[i].x) - half);
		out->hi = fmax(out->hi, fabs(all[i].x) + half);
	}
}

static void interval_of_range(
	const struct et_doe_errors *e, const struct et_doe_term *term, struct et_doe_effect *out)
{
	const struct et_doe_grid *g = e->fit->grid;
	size_t size = et_doe_combinations(g->design, term->factors), least = 0, most = 0, n = 1;
	ET_AUTO_FREE double *table = et_calloc(size, sizeof(*table));
	ET_AUTO_FREE struct combined *all = et_calloc(size * size / 2 + 1, sizeof(*all));

	et_doe_effect_table(g, term->factors, e->fit->mu, table);
	for (size_t i = 0; i < size; i++) {
		least = table[i] < table[least] ? i : least;
		most = table[i] > table[most] ? i : most;
	}
	out->effect = table[most] - table[least];
	all[0] = difference_of(e, term, least, most);
	if (size * size * g->n_cells <= MOST_WORK) {
		n = 0;
		for (size_t a = 0; a < size; a++) {
			for (size_t b = a + 1; b < size; b++)
				all[n++] = difference_of(e, term, a, b);
		}
	}
	widen_range(e, term, all, n, out);
}

/* --- means of levels --- */

static char *levels_text(const struct et_design *d, uint32_t factors, size_t combination)
{
	char *out = NULL;

	for (size_t f = 0; f < d->n_factors; f++) {
		size_t levels = d->factors[f].n_levels;
		if (!(factors >> f & 1))
			continue;
		et_append(&out, ", ", "%s", d->factors[f].levels[combination % levels]);
		combination /= levels;
	}
	return out;
}

static void mean_of(const struct et_doe_errors *e, uint32_t factors, size_t combination,
	struct et_doe_mean *out)
{
	const struct et_doe_grid *g = e->fit->grid;
	ET_AUTO_FREE double *c = et_calloc(g->n_cells, sizeof(*c));
	double each = (double)et_doe_combinations(g->design, factors) / (double)g->n_cells;

	for (size_t i = 0; i < g->n_cells; i++) {
		if (et_doe_combination_of(g, factors, i) != combination)
			continue;
		c[i] = each;
		out->n += et_doe_count(e->fit->data, i);
	}
	out->levels = levels_text(g->design, factors, combination);
	estimate(e, c, &out->mean, &out->lo, &out->hi);
}

/* Means of interactions of three and more factors are the treatments' means: see the cells. */
static void add_means(const struct et_doe_errors *e, struct et_doe_effect *out)
{
	size_t size = et_doe_combinations(e->fit->grid->design, out->factors);

	if (__builtin_popcount(out->factors) > 2 || size * e->fit->grid->n_cells > MOST_WORK)
		return;
	out->means = et_calloc(size, sizeof(*out->means));
	out->n_means = size;
	for (size_t i = 0; i < size; i++)
		mean_of(e, out->factors, i, &out->means[i]);
}

/* --- all terms --- */

static void judge_term(const struct et_doe_errors *e, const struct et_doe_term *term,
	const struct et_doe_program *p, struct et_doe_effect *out)
{
	const struct et_design *d = e->fit->grid->design;

	*out = (struct et_doe_effect){ .factors = term->factors,
		.term = et_design_term_name(d, term->factors),
		.aliases = term->aliases ? et_strdup(term->aliases) : NULL,
		.df = (double)term->df };
	out->sum_squares = et_doe_squares(e->fit, term, e->fit->mu);
	out->mean_square = out->sum_squares / out->df;
	out->share = out->sum_squares / e->fit->ss_total;
	if (et_doe_two_levels(d, term->factors))
		interval_of_signs(e, term, out);
	else
		interval_of_range(e, term, out);
	if (e->table && term->df <= MOST_DF)
		test_by_block(e, term, out);
	else if (e->apart && term->df <= MOST_DF)
		test_apart(e, term, out);
	else {
		double sigma2 = e->fit->ss_residual / e->fit->df_residual;
		out->df2 = e->df;
		out->f = e->df > 0 && sigma2 > 0 ? out->mean_square / sigma2 : NAN;
		out->p = et_pf_upper(out->f, out->df, out->df2);
	}
	out->percent = 100 * out->effect / p->mean;
	out->percent_lo = 100 * out->lo / p->mean;
	out->percent_hi = 100 * out->hi / p->mean;
	add_means(e, out);
}

void et_doe_holm(struct et_doe_program *p, size_t from, size_t to, size_t flag, double alpha)
{
	ET_AUTO_FREE double *values = et_calloc(p->n_effects + 1, sizeof(*values));

	for (size_t i = 0; i < p->n_effects; i++)
		memcpy(&values[i], (const char *)&p->effects[i] + from, sizeof(*values));
	et_holm(values, p->n_effects, values);
	for (size_t i = 0; i < p->n_effects; i++) {
		bool differs = values[i] <= alpha;
		memcpy((char *)&p->effects[i] + to, &values[i], sizeof(*values));
		memcpy((char *)&p->effects[i] + flag, &differs, sizeof(differs));
	}
}

void et_doe_effects(const struct et_doe_errors *errors, double alpha, struct et_doe_program *out)
{
	const struct et_doe_fit *f = errors->fit;

	out->effects = et_calloc(f->grid->n_terms + 1, sizeof(*out->effects));
	for (size_t i = 0; i < f->grid->n_terms; i++) {
		if (f->estimable[i])
			judge_term(
				errors, &f->grid->terms[i], out, &out->effects[out->n_effects++]);
	}
	ET_DOE_HOLM(out, p, p_holm, significant, alpha);
}
