/* SPDX-License-Identifier: MIT */
#include "lib/slice/complexity.h"
#include "lib/bench/judge.h"
#include "num/student.h"

/* --- which rows belong together --- */

static bool wanted(const struct et_bench_row *row)
{
	return row->which && (row->which->bench->flags & ETALON_BENCH_COMPLEXITY) && !row->error &&
	       row->n_slices > 0;
}

/* Parameter 0 is the size, unless the function says otherwise. */
static bool together(const struct et_bench_row *a, const struct et_bench_row *b)
{
	const struct et_bench_case *x = a->which, *y = b->which;

	if (!wanted(b) || x->bench != y->bench || x->threads != y->threads ||
		x->n_params != y->n_params)
		return false;
	for (size_t i = 1; i < x->n_params; i++)
		if (x->params[i] != y->params[i])
			return false;
	return true;
}

static char *name_of(const struct et_bench_case *c)
{
	char *name = NULL;

	et_append(&name, "", "%s", c->bench->name);
	if (c->n_params > 1)
		et_append(&name, "/", "n");
	for (size_t i = 1; i < c->n_params; i++)
		et_append(&name, "/", "%" PRId64, c->params[i]);
	if (c->threads > 1)
		et_append(&name, "/", "threads:%u", c->threads);
	return name;
}

/* --- what is fitted --- */

/* Sizes and figures, one pair per case and process. */
struct points {
	double *size, *value;
	size_t n;
};

static void add_point(struct points *p, double size, double value)
{
	if (!(size > 0 && value > 0 && isfinite(size) && isfinite(value)))
		return;
	p->size[p->n] = size;
	p->value[p->n++] = value;
}

static double size_of(const struct et_bench_row *row)
{
	for (size_t i = 0; i < row->n_slices; i++)
		if (!row->slices[i].old && !isnan(row->slices[i].size))
			return row->slices[i].size;
	return row->which->n_params ? (double)row->which->params[0] : NAN;
}

/* The group of a row: it and the later rows that belong to it. */
struct group {
	const struct et_bench_row *rows;
	size_t n;
};

/* All sizes are judged by one statistic: a step from best to mean would look like growth. */
static struct et_bench_method method_of(const struct group *g)
{
	struct et_bench_method joint = { 0 };

	for (size_t i = 0; i < g->n; i++) {
		const struct et_bench_row *row = &g->rows[i];
		const struct et_slices s = { row->slices, row->n_slices, false };

		if (!together(g->rows, row))
			continue;
		struct et_bench_method m = et_bench_method_choose(&s, row->which->bench->flags);
		joint = i ? et_bench_method_join(&joint, &m) : m;
	}
	return joint;
}

static void gather_times(const struct group *g, struct points *out)
{
	struct et_bench_method m = method_of(g);

	for (size_t i = 0; i < g->n; i++) {
		const struct et_bench_row *row = &g->rows[i];
		const struct et_slices s = { row->slices, row->n_slices, false };
		struct et_bench_summary v;

		if (!together(g->rows, row))
			continue;
		et_bench_summarise(&s, &m, &v);
		for (size_t k = 0; k < v.n; k++)
			add_point(out, size_of(row), v.ns[k]);
		et_bench_summary_free(&v);
	}
}

static void gather_cycles(const struct group *g, struct points *out)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct et_bench_row *row = &g->rows[i];

		for (size_t k = 0; together(g->rows, row) && k < row->n_slices; k++) {
			const struct et_slice *s = &row->slices[k];

			if (!s->old && !s->error)
				add_point(out, size_of(row), s->events[ET_EVENT_CYCLES]);
		}
	}
}

/* --- coefficients --- */

static struct et_coefficient coefficient(const struct et_growth *g, enum et_growth_model m)
{
	const struct et_growth_fit *f = &g->fits[m];
	struct et_coefficient c = { NAN, NAN, NAN };

	if (f->excluded)
		return c;
	/* The standard error of b, or of a in the constant model. */
	size_t column = m == ET_GROWTH_CONSTANT || f->at_bound ? 0 : 1;
	double error = sqrt(f->scale * f->fitted.unscaled[column][column]) / f->unit;
	double half = et_qt((1 + g->level) / 2, f->df) * error;
	c.ns = m == ET_GROWTH_CONSTANT ? f->a : f->b;
	c.lo = fmax(c.ns - half, 0);
	c.hi = c.ns + half;
	return c;
}

/* The model that the benchmark names; false: the best one is wanted. */
static bool model_asked(const struct etalon_bench *b, enum et_growth_model *out)
{
	static const enum et_growth_model models[] = {
		[ETALON_GROWTH_CONSTANT] = ET_GROWTH_CONSTANT,
		[ETALON_GROWTH_LOG_N] = ET_GROWTH_LOG,
		[ETALON_GROWTH_N] = ET_GROWTH_N,
		[ETALON_GROWTH_N_LOG_N] = ET_GROWTH_N_LOG,
		[ETALON_GROWTH_N_SQUARED] = ET_GROWTH_N2,
		[ETALON_GROWTH_N_CUBED] = ET_GROWTH_N3,
	};

	if (b->growth <= ETALON_GROWTH_BEST || b->growth >= (int)ET_LENGTH(models))
		return false;
	*out = models[b->growth];
	return true;
}

/* It may be negative at 0, unlike growth: calls overlap, so that short loops cost less. */
static void fill_line(const struct et_growth *g, struct et_per_element *out)
{
	ET_AUTO_FREE double *room = et_calloc(4 * g->n, sizeof(*room));
	double *one = room, *size = room + g->n, *y = room + 2 * g->n, *sigma = room + 3 * g->n;
	const double *columns[] = { one, size };
	double df = (double)g->n - 2, scale, half;
	struct et_least_squares f;

	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];

		one[i] = 1;
		size[i] = p->size;
		y[i] = p->mean;
		sigma[i] = p->sigma / sqrt((double)p->n);
	}
	if (!et_least_squares_fit(columns, 2, y, sigma, g->n, &f))
		return;
	out->lack_p = g->pure_df > 0 ? et_pf_upper(f.rss / df / g->pure, df, g->pure_df) : NAN;
	scale = f.rss / df;
	if (out->lack_p >= 0.05) {
		df += g->pure_df;
		scale = (f.rss + g->pure * g->pure_df) / df;
	}
	half = et_qt((1 + g->level) / 2, df) * sqrt(scale * f.unscaled[1][1]);
	out->slope = f.coef[1];
	out->lo = f.coef[1] - half;
	out->hi = f.coef[1] + half;
	out->intercept = f.coef[0];
}

static void fit_group(const struct group *g, double level, struct et_complexity *out)
{
	static const struct et_per_element unknown = { NAN, NAN, NAN, NAN, NAN };
	struct et_growth of_cycles;
	size_t most = 0;

	for (size_t i = 0; i < g->n; i++)
		most += g->rows[i].n_slices;
	ET_AUTO_FREE double *room = et_calloc(4 * most, sizeof(*room));
	struct points times = { room, room + most, 0 };
	struct points cycles = { room + 2 * most, room + 3 * most, 0 };

	*out = (struct et_complexity){ .name = name_of(g->rows->which),
		.ns = unknown,
		.cycles = unknown,
		.best = { NAN, NAN, NAN },
		.of_model = { NAN, NAN, NAN } };
	gather_times(g, &times);
	out->problem = et_growth_fit(times.size, times.value, times.n, level, &out->growth);
	if (out->problem == ET_GROWTH_FINE) {
		out->model = out->growth.best;
		out->asked = model_asked(g->rows->which->bench, &out->model);
		out->best = coefficient(&out->growth, out->growth.best);
		out->of_model = coefficient(&out->growth, out->model);
		fill_line(&out->growth, &out->ns);
	}
	gather_cycles(g, &cycles);
	if (et_growth_fit(cycles.size, cycles.value, cycles.n, level, &of_cycles) ==
		ET_GROWTH_FINE) {
		fill_line(&of_cycles, &out->cycles);
		et_growth_free(&of_cycles);
	}
}

size_t et_complexity_fit(
	const struct et_bench_row *rows, size_t n, double level, struct et_complexity **out)
{
	size_t count = 0;

	*out = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct group g = { rows + i, n - i };
		bool first = wanted(&rows[i]);

		for (size_t k = 0; k < i && first; k++)
			first = !(wanted(&rows[k]) && together(&rows[k], &rows[i]));
		if (!first)
			continue;
		*out = et_realloc(*out, count + 1, sizeof(**out));
		fit_group(&g, level, &(*out)[count++]);
	}
	return count;
}

void et_complexity_free(struct et_complexity *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].name);
		et_growth_free(&list[i].growth);
	}
	free(list);
}
