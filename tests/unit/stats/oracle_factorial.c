/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factorial designs, compared with R's aov(). */
#include "doe_of.h"
#include "num/student.h"
#include "oracle_answers.h"

#include <math.h>

/* Effects in standard order: a, b, ab, c …; the mean is the first. */
static void answer_signs(const struct et_doe_program *p, size_t terms, struct answers *to)
{
	ET_AUTO_FREE double *v = et_calloc(4 * (terms + 1), sizeof(*v));
	double *effects = v, *ss = v + terms + 1, *f = ss + terms, *pv = f + terms;

	effects[0] = p->mean;
	for (size_t i = 0; i < p->n_effects; i++) {
		const struct et_doe_effect *e = &p->effects[i];
		effects[e->factors] = e->effect;
		ss[e->factors - 1] = e->sum_squares;
		f[e->factors - 1] = e->f;
		pv[e->factors - 1] = e->p;
	}
	put_array(to, effects, terms + 1, "effects");
	put_array(to, ss, terms, "ss");
	put_array(to, f, terms, "F");
	put_array(to, pv, terms, "p");
	put(to, p->ss_residual, "ss_resid");
	put(to, p->df_residual, "df_resid");
	put(to, (p->effects[0].hi - p->effects[0].lo) / 2 / et_qt(0.975, p->df_residual),
		"se_effect");
}

/* The table of aov(), with the residuals as the last row. */
static void answer_table(const struct et_doe_program *p, struct answers *to)
{
	size_t n = p->n_effects + 1;
	ET_AUTO_FREE double *v = et_calloc(5 * n, sizeof(*v));

	for (size_t i = 0; i < p->n_effects; i++) {
		const struct et_doe_effect *e = &p->effects[i];
		v[i] = e->df;
		v[n + i] = e->sum_squares;
		v[2 * n + i] = e->mean_square;
		v[3 * n + i] = e->f;
		v[4 * n + i] = e->p;
	}
	v[n - 1] = p->df_residual;
	v[2 * n - 1] = p->ss_residual;
	v[3 * n - 1] = p->sd_residual * p->sd_residual;
	v[4 * n - 1] = v[5 * n - 1] = NAN;
	put_array(to, v, n, "df");
	put_array(to, v + n, n, "ss");
	put_array(to, v + 2 * n, n, "ms");
	put_array(to, v + 3 * n, n, "F");
	put_array(to, v + 4 * n, n, "p");
}

void answer_factorial(const json_t *input, const json_t *expect, struct answers *to)
{
	size_t k = (size_t)json_integer_value(json_object_get(input, "k"));
	size_t runs = (size_t)json_integer_value(json_object_get(input, "replicates")), n;
	bool signs = json_object_get(expect, "effects") != NULL;
	ET_AUTO_FREE double *y = numbers(json_object_get(input, "y"), &n);
	struct et_doe_options o = { .alpha = 0.05, .level = 0.95, .method = ET_DOE_ANOVA };
	struct et_doe_program p = { 0 };
	struct et_doe_data data = { 0 };
	struct et_doe_grid grid;
	size_t levels[8];

	for (size_t f = 0; f < k; f++)
		levels[f] = signs ? 2 : 3;
	struct et_design *d = doe_design(levels, k);
	if (!et_doe_grid_make(d, &grid))
		return;
	for (size_t i = 0; i < n; i++)
		doe_value(&data, (uint32_t)(i / runs), 0, y[i]);
	et_doe_data_arrange(&data, grid.n_cells);
	et_doe_program_judge(&grid, &data, &o, &p);
	if (signs)
		answer_signs(&p, grid.n_terms, to);
	else
		answer_table(&p, to);
	doe_free_program(&p);
	et_doe_data_free(&data);
	et_doe_grid_free(&grid);
	et_design_free(d);
}
