/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/groups.h"
#include "stats/doe/program.h"

/* --- the parts of a machine --- */

/*
 * Sessions at different times, each with runs of the treatments. The load of a machine changes from
 * part to part, so parts and not runs are the units of statements about machines.
 */

/* Values of one machine, which has some of every cell. */
struct observed {
	const double *y;
	const uint32_t *cell, *part; /* parts have any numbers */
	size_t n, n_cells;
};

/* Their fit by least squares: value = cell + part + noise. */
struct parts {
	size_t n_parts;
	double *cell;       /* n_cells: at the mean of the parts, which weigh the same */
	double *level;      /* n_parts: at the mean of the cells */
	double squares, df; /* of the noise */
	double each;        /* the mean of 1 / values over the parts */
	size_t runs;        /* of every cell in every part; 0: they are unequal */
};

/* Numbers the parts from 0 in the order of their first value, and returns how many they are. */
static size_t number_parts(const struct observed *o, uint32_t *number)
{
	ET_AUTO_FREE uint32_t *seen = et_calloc(o->n + 1, sizeof(*seen));
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++) {
		uint32_t k = 0;
		while (k < n && seen[k] != o->part[i])
			k++;
		if (k == n)
			seen[n++] = o->part[i];
		number[i] = k;
	}
	return n;
}

static void count(const struct observed *o, const uint32_t *part, struct parts *s)
{
	ET_AUTO_FREE size_t *runs = et_calloc(s->n_parts * o->n_cells, sizeof(*runs));

	for (size_t i = 0; i < o->n; i++)
		runs[part[i] * o->n_cells + o->cell[i]]++;
	s->runs = runs[0];
	for (size_t k = 0; k < s->n_parts; k++) {
		size_t of_part = 0;
		for (size_t c = 0; c < o->n_cells; c++) {
			of_part += runs[k * o->n_cells + c];
			s->runs = runs[k * o->n_cells + c] == runs[0] ? s->runs : 0;
		}
		s->each += 1 / (double)of_part / (double)s->n_parts;
	}
}

/* The means of y - other over the values of each of n groups; returns the largest change. */
static double means(const struct observed *o, const uint32_t *group, size_t n, const double *other,
	double *mean)
{
	ET_AUTO_FREE double *sum = et_calloc(n, sizeof(*sum)), *weight = et_calloc(n, sizeof(*sum));
	double most = 0;

	for (size_t i = 0; i < o->n; i++) {
		sum[group[i]] += o->y[i] - other[i];
		weight[group[i]]++;
	}
	for (size_t g = 0; g < n; g++) {
		most = fmax(most, fabs(sum[g] / weight[g] - mean[g]));
		mean[g] = sum[g] / weight[g];
	}
	return most;
}

static void spread(const uint32_t *group, size_t n, const double *mean, double *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = mean[group[i]];
}

/* By turns the cells and the parts: of complete parts the second turn changes nothing. */
static void fit(const struct observed *o, const uint32_t *part, struct parts *s)
{
	enum { MOST_TURNS = 200 };
	ET_AUTO_FREE double *of_cell = et_calloc(o->n, sizeof(*of_cell));
	ET_AUTO_FREE double *of_part = et_calloc(o->n, sizeof(*of_part));
	double change = INFINITY;

	for (int turn = 0; turn < MOST_TURNS && change > 1e-13; turn++) {
		change = means(o, o->cell, o->n_cells, of_part, s->cell);
		spread(o->cell, o->n, s->cell, of_cell);
		if (s->n_parts == 1)
			break;
		change += means(o, part, s->n_parts, of_cell, s->level);
		spread(part, o->n, s->level, of_part);
	}
	for (size_t i = 0; i < o->n; i++) {
		double rest = o->y[i] - of_cell[i] - of_part[i];
		s->squares += rest * rest;
	}
}

static void split_make(const struct observed *o, struct parts *out)
{
	ET_AUTO_FREE uint32_t *part = et_calloc(o->n + 1, sizeof(*part));

	*out = (struct parts){ .n_parts = number_parts(o, part) };
	out->cell = et_calloc(o->n_cells, sizeof(*out->cell));
	out->level = et_calloc(out->n_parts, sizeof(*out->level));
	count(o, part, out);
	fit(o, part, out);
	out->df = (double)o->n - (double)o->n_cells - (double)out->n_parts + 1;
	double mean = et_mean(out->level, out->n_parts);
	for (size_t c = 0; c < o->n_cells; c++)
		out->cell[c] += mean;
	double level = et_mean(out->cell, o->n_cells);
	for (size_t k = 0; k < out->n_parts; k++)
		out->level[k] += level - mean;
}

/* --- the table --- */

/* A machine that has all cells. */
struct machine {
	uint32_t number;     /* of the analysis */
	double variance, df; /* within its cells, with that between its parts */
	double each;         /* the mean of 1 / n over its cells */
	struct parts split;  /* into cells and parts */
};

/* The values of these machines, machine after machine and cell after cell. */
struct table {
	const struct et_doe_grid *grid;
	size_t n, n_cells, left_out;
	bool logs;
	struct machine *of;
	double *values;
	uint32_t *part;         /* of each value */
	struct et_group *cells; /* of values */
	double *mean;           /* of each cell, of logarithms or over the mean of all */
};

static void table_free(struct table *t)
{
	for (size_t m = 0; m < t->n; m++) {
		free(t->of[m].split.cell);
		free(t->of[m].split.level);
	}
	free(t->of);
	free(t->values);
	free(t->part);
	free(t->cells);
	free(t->mean);
}

/* Chooses the machines with values of all cells, and makes room for their values. */
static void choose_machines(const struct et_doe_data *d, struct table *t)
{
	size_t n = et_doe_count_machines(d), at = 0;
	ET_AUTO_FREE size_t *count = et_calloc(n * t->n_cells, sizeof(*count));

	for (size_t i = 0; i < d->n; i++)
		count[d->runs[i].machine * t->n_cells + d->runs[i].cell]++;
	t->of = et_calloc(n, sizeof(*t->of));
	t->cells = et_calloc(n * t->n_cells, sizeof(*t->cells));
	t->values = et_calloc(d->n + 1, sizeof(*t->values));
	t->part = et_calloc(d->n + 1, sizeof(*t->part));
	for (uint32_t m = 0; m < n; m++) {
		size_t filled = 0;
		for (size_t c = 0; c < t->n_cells; c++)
			filled += count[m * t->n_cells + c] > 0;
		t->left_out += filled && filled < t->n_cells;
		if (filled < t->n_cells)
			continue;
		for (size_t c = 0; c < t->n_cells; c++) {
			t->cells[t->n * t->n_cells + c].x = t->values + at;
			at += count[m * t->n_cells + c];
		}
		t->of[t->n++].number = m;
	}
}

/* Values become logarithms if all are above 0, else they are divided by their mean. */
static void fill_values(const struct et_doe_data *d, double mean, struct table *t)
{
	ET_AUTO_FREE size_t *place = et_calloc(et_doe_count_machines(d), sizeof(*place));

	for (size_t m = 0; m < t->n; m++)
		place[t->of[m].number] = m + 1;
	size_t used = 0;

	t->logs = true;
	for (size_t i = 0; i < d->n; i++) {
		const struct et_doe_value *v = &d->runs[i];
		if (!place[v->machine])
			continue;
		struct et_group *g = &t->cells[(place[v->machine] - 1) * t->n_cells + v->cell];
		size_t at = (size_t)(g->x - t->values) + g->n++;
		t->values[at] = v->y;
		t->part[at] = v->part;
		t->logs = t->logs && v->y > 0;
		used++;
	}
	for (size_t i = 0; i < used; i++)
		t->values[i] = t->logs ? log(t->values[i]) : t->values[i] / mean;
}

/* The values of a machine follow one another. */
static void split(struct table *t, size_t machine)
{
	const struct et_group *cells = &t->cells[machine * t->n_cells];
	struct observed o = {
		.y = cells->x, .part = t->part + (cells->x - t->values), .n_cells = t->n_cells
	};
	size_t at = 0;

	for (size_t c = 0; c < t->n_cells; c++)
		o.n += cells[c].n;
	ET_AUTO_FREE uint32_t *cell = et_calloc(o.n, sizeof(*cell));
	for (uint32_t c = 0; c < t->n_cells; c++) {
		for (size_t i = 0; i < cells[c].n; i++)
			cell[at++] = c;
	}
	o.cell = cell;
	split_make(&o, &t->of[machine].split);
}

static void summarise(struct table *t)
{
	t->mean = et_calloc(t->n * t->n_cells, sizeof(*t->mean));
	for (size_t m = 0; m < t->n; m++) {
		split(t, m);
		for (size_t c = 0; c < t->n_cells; c++) {
			size_t at = m * t->n_cells + c, n = t->cells[at].n;
			const double *x = t->cells[at].x;
			t->mean[at] = et_mean(x, n);
			t->of[m].each += 1 / (double)n / (double)t->n_cells;
			if (n < 2)
				continue;
			t->of[m].variance += et_variance(x, n) * ((double)n - 1);
			t->of[m].df += (double)n - 1;
		}
		t->of[m].variance /= t->of[m].df; /* NaN without replication */
	}
}

/* --- components of variance --- */

static double at_least_0(double x)
{
	return x > 0 ? x : isnan(x) ? NAN : 0;
}

/* The component (a - b) / k of mean squares a and b with these df; its interval is at least 0. */
static struct et_doe_component component_of(
	double a, double df_a, double b, double df_b, double k, double level)
{
	double half = (1 - level) / 2, upper = 1 - half;
	double fu = et_qf(upper, df_a, df_b), fl = et_qf(half, df_a, df_b);
	double g1 = 1 - df_a / et_qchisq(upper, df_a), h1 = df_a / et_qchisq(half, df_a) - 1;
	double g2 = 1 - df_b / et_qchisq(upper, df_b), h2 = df_b / et_qchisq(half, df_b) - 1;
	double g12 = ((fu - 1) * (fu - 1) - g1 * g1 * fu * fu - h2 * h2) / fu;
	double h12 = ((1 - fl) * (1 - fl) - h1 * h1 * fl * fl - g2 * g2) / fl;
	double down = g1 * g1 * a * a + h2 * h2 * b * b + g12 * a * b;
	double up = h1 * h1 * a * a + g2 * g2 * b * b + h12 * a * b;

	return (struct et_doe_component){ .sd = sqrt(at_least_0((a - b) / k)),
		.lo = sqrt(at_least_0((a - b - sqrt(at_least_0(down))) / k)),
		.hi = sqrt(at_least_0((a - b + sqrt(at_least_0(up))) / k)),
		.df = df_a };
}

static struct et_doe_component within_of(double square, double df, double level)
{
	double half = (1 - level) / 2;

	return (struct et_doe_component){ .sd = sqrt(square),
		.lo = sqrt(square * df / et_qchisq(1 - half, df)),
		.hi = sqrt(square * df / et_qchisq(half, df)),
		.df = df };
}

/* The sums of squares of the means of machines, and of what is left of the cells' means. */
static void mean_squares(const struct table *t, double *between, double *interaction)
{
	size_t n = t->n, cells = t->n_cells;
	ET_AUTO_FREE double *column = et_calloc(cells, sizeof(*column));
	ET_AUTO_FREE double *row = et_calloc(n, sizeof(*row));
	double rest = 0;

	for (size_t m = 0; m < n; m++) {
		row[m] = et_mean(t->of[m].split.cell, cells);
		for (size_t c = 0; c < cells; c++)
			column[c] += (t->of[m].split.cell[c] - row[m]) / (double)n;
	}
	for (size_t m = 0; m < n; m++) {
		for (size_t c = 0; c < cells; c++) {
			double apart = t->of[m].split.cell[c] - row[m] - column[c];
			rest += apart * apart;
		}
	}
	*between = et_variance(row, n) * (double)cells;
	*interaction = rest / (((double)n - 1) * ((double)cells - 1));
}

/* The variation of the levels of parts within machines, each over the mean of its machine. */
struct of_parts {
	double variance, df;
	double inverse; /* the mean of 1 / parts over the machines */
	double each;    /* the mean of 1 / values over the parts */
};

static struct of_parts parts_of(const struct table *t)
{
	struct of_parts p = { 0 };

	for (size_t m = 0; m < t->n; m++) {
		const struct parts *s = &t->of[m].split;
		p.inverse += 1 / (double)s->n_parts / (double)t->n;
		p.each += s->each / (double)t->n;
		if (s->n_parts < 2)
			continue;
		p.variance += et_variance(s->level, s->n_parts) * ((double)s->n_parts - 1);
		p.df += (double)s->n_parts - 1;
	}
	p.variance /= p.df; /* NaN without parts */
	return p;
}

static void share(struct et_doe_fleet *f)
{
	struct et_doe_component *all[] = { &f->between, &f->of_parts, &f->interaction, &f->within };
	double sum = 0;

	for (size_t i = 0; i < ET_LENGTH(all); i++)
		sum += isnan(all[i]->sd) ? 0 : all[i]->sd * all[i]->sd;
	for (size_t i = 0; i < ET_LENGTH(all); i++)
		all[i]->share = all[i]->sd * all[i]->sd / sum;
}

/* A mean square with its degrees of freedom. */
struct square {
	double x, df;
};

/*
 * The machines' levels vary by the machines themselves, by their parts, and by machine × treatment.
 * The latter two are subtracted, with Satterthwaite's degrees of freedom of their sum; `noise` is
 * that of a cell's mean.
 */
static struct et_doe_component between_of(const struct table *t, struct square between,
	const struct of_parts *p, struct square interaction, struct square noise, double level)
{
	double cells = (double)t->n_cells, of_parts = p->variance * p->inverse;
	double both = at_least_0(interaction.x - noise.x) / cells, b = of_parts + both;
	double i = interaction.x / cells, n = noise.x / cells;
	double squares = of_parts * of_parts / p->df;

	if (both > 0)
		squares += i * i / interaction.df + n * n / noise.df;
	return component_of(between.x / cells, between.df, b, b * b / squares, 1, level);
}

static bool is_exact(const struct table *t)
{
	for (size_t m = 0; m < t->n; m++) {
		if (!t->of[m].split.runs || t->of[m].split.runs != t->of[0].split.runs ||
			t->of[m].split.n_parts != t->of[0].split.n_parts)
			return false;
	}
	return true;
}

static void components(const struct table *t, double level, struct et_doe_fleet *f)
{
	static const struct et_doe_component none = { NAN, NAN, NAN, NAN, NAN };
	struct of_parts p = parts_of(t);
	double df = 0, within = 0, each = 0, df_between = (double)t->n - 1;
	struct square between = { .df = df_between },
		      both = { .df = df_between * ((double)t->n_cells - 1) };

	for (size_t m = 0; m < t->n; m++) {
		df += t->of[m].split.df;
		within += t->of[m].split.squares;
		each += t->of[m].each / (double)t->n;
	}
	f->exact = is_exact(t);
	f->parts = p.df > 0;
	f->replicated = df > 0;
	within /= df; /* NaN without replication */
	mean_squares(t, &between.x, &both.x);
	if (f->parts)
		f->between = between_of(
			t, between, &p, both, (struct square){ within * each, df }, level);
	else
		f->between = component_of(
			between.x, between.df, both.x, both.df, (double)t->n_cells, level);
	f->of_parts =
		f->parts ? component_of(p.variance, p.df, within * p.each, df, 1, level) : none;
	/* Mean squares of means; that of the noise is its own over the number of values. */
	f->interaction =
		f->replicated ? component_of(both.x, both.df, within * each, df, 1, level) : none;
	f->within =
		f->replicated ? within_of(within, df, level) : within_of(both.x, both.df, level);
	share(f);
}

/* --- machines --- */

/* The level of a machine, the variance of that level, and its degrees of freedom. */
struct level {
	double x, variance, df;
};

/*
 * By the levels of its parts; a machine with one part has the variance of the others' parts.
 * Without parts by the noise of its runs.
 */
static struct level level_of(const struct table *t, size_t machine, const struct of_parts *p)
{
	const struct parts *s = &t->of[machine].split;
	double n = (double)s->n_parts, x = et_mean(s->cell, t->n_cells);

	if (!(p->df > 0))
		return (struct level){ x,
			t->of[machine].variance * t->of[machine].each / (double)t->n_cells,
			t->of[machine].df };
	if (s->n_parts < 2)
		return (struct level){ x, p->variance, p->df };
	return (struct level){ x, et_variance(s->level, s->n_parts) / n, n - 1 };
}

/* Compares a level with the mean of all, by Student's t with Satterthwaite's degrees of freedom. */
static void compare(
	const struct level *all, size_t n, size_t machine, double level, struct et_doe_machine *out)
{
	double apart = 0, variance = 0, squares = 0;

	for (size_t m = 0; m < n; m++) {
		double w = (m == machine) - 1 / (double)n, v = w * w * all[m].variance;
		apart += w * (all[m].x - all[0].x);
		variance += v;
		squares += v * v / all[m].df;
	}
	double df = variance * variance / squares, error = sqrt(variance);
	double half = error * et_qt(0.5 + level / 2, df);
	out->ratio = exp(apart);
	out->lo = exp(apart - half);
	out->hi = exp(apart + half);
	out->p_holm = error > 0 ? et_pt_two_sided(apart / error, df) : NAN;
}

static void judge_levels(
	const struct table *t, const struct et_doe_options *o, struct et_doe_fleet *f)
{
	ET_AUTO_FREE struct level *levels = et_calloc(t->n, sizeof(*levels));
	ET_AUTO_FREE double *p = et_calloc(t->n, sizeof(*p));
	struct of_parts parts = parts_of(t);

	for (size_t m = 0; m < t->n; m++)
		levels[m] = level_of(t, m, &parts);
	for (size_t m = 0; m < t->n; m++) {
		compare(levels, t->n, m, o->level, &f->machines[m]);
		p[m] = f->machines[m].p_holm;
	}
	if (t->n > 2) /* of two machines the one is as fast as the mean if the other is */
		et_holm(p, t->n, p);
	for (size_t m = 0; m < t->n; m++) {
		f->machines[m].p_holm = p[m];
		f->machines[m].differs = p[m] <= o->alpha;
	}
}

static void machines(const struct table *t, const struct et_doe_options *o, struct et_doe_fleet *f)
{
	double all = et_mean(t->mean, t->n * t->n_cells);

	f->machines = et_calloc(t->n, sizeof(*f->machines));
	f->n_machines = t->n;
	f->n_left_out = t->left_out;
	f->logs = t->logs;
	for (size_t m = 0; m < t->n; m++) {
		struct et_doe_machine *to = &f->machines[m];
		*to = (struct et_doe_machine){ .name = t->of[m].number,
			.n_parts = t->of[m].split.n_parts,
			.ratio = et_mean(t->mean + m * t->n_cells, t->n_cells) / all,
			.lo = NAN,
			.hi = NAN,
			.noise = sqrt(t->of[m].split.squares / t->of[m].split.df),
			.p_holm = NAN };
		for (size_t c = 0; c < t->n_cells; c++)
			to->n += t->cells[m * t->n_cells + c].n;
	}
	if (t->logs)
		judge_levels(t, o, f);
}

/* --- effects --- */

/* Fills c with the contrast whose value is the effect; false: it is no single contrast. */
static bool contrast_of(const struct et_doe_grid *g, const struct et_doe_effect *e, double *c)
{
	size_t n = g->n_cells, from = 0, to = 0;

	if (et_doe_two_levels(g->design, e->factors)) {
		et_doe_term_row(g, e->factors, 0, c);
		for (size_t i = 0; i < n; i++)
			c[i] *= 2 / sqrt((double)n);
		return true;
	}
	if (e->factors & (e->factors - 1) || !e->n_means)
		return false;
	for (size_t i = 0; i < e->n_means; i++) {
		from = e->means[i].mean < e->means[from].mean ? i : from;
		to = e->means[i].mean > e->means[to].mean ? i : to;
	}
	for (size_t i = 0; i < n; i++) {
		size_t at = et_doe_combination_of(g, e->factors, i);
		c[i] = ((at == to) - (double)(at == from)) * (double)e->n_means / (double)n;
	}
	return true;
}

static double value_of(const struct table *t, size_t machine, const double *c)
{
	double sum = 0;

	for (size_t i = 0; i < t->n_cells; i++)
		sum += c[i] * (t->mean[machine * t->n_cells + i] - t->mean[machine * t->n_cells]);
	return sum;
}

static double percent(const struct table *t, double x)
{
	return 100 * (t->logs ? expm1(x) : x);
}

static struct et_doe_on_machine interval(
	const struct table *t, double x, double variance, double df, double level)
{
	double half = sqrt(variance) * et_qt(0.5 + level / 2, df);

	return (struct et_doe_on_machine){ percent(t, x), percent(t, x - half),
		percent(t, x + half) };
}

/* The effect on each machine, and their mean, with intervals by the noise. */
static void on_machines(const struct table *t, double level, struct et_doe_effect *e)
{
	struct et_doe_over_machines *out = &e->over;
	ET_AUTO_FREE double *c = et_calloc(t->n_cells, sizeof(*c));
	double mean = 0, sum = 0, squares = 0, n = (double)t->n;

	out->here = (struct et_doe_on_machine){ NAN, NAN, NAN };
	if (!contrast_of(t->grid, e, c))
		return;
	out->on = et_calloc(t->n, sizeof(*out->on));
	out->n_on = t->n;
	for (size_t m = 0; m < t->n; m++) {
		double x = value_of(t, m, c), v = 0;
		for (size_t i = 0; i < t->n_cells; i++)
			v += c[i] * c[i] * t->of[m].variance /
			     (double)t->cells[m * t->n_cells + i].n;
		out->on[m] = interval(t, x, v, t->of[m].df, level);
		mean += x / n;
		sum += v / (n * n);
		squares += v * v / (n * n * n * n) / t->of[m].df;
	}
	/* Two levels only: of more, those that differ most were chosen afterwards. */
	bool chosen = !et_doe_two_levels(t->grid->design, e->factors);
	out->here = interval(t, mean, chosen ? NAN : sum, sum * sum / squares, level);
}

/*
 * Tests the contrasts z of a term (df of each machine): their differences between machines, and
 * their means, over the noise v of the contrasts of each machine.
 */
static void test(
	const struct table *t, size_t df, const double *z, struct et_doe_over_machines *out)
{
	double n = (double)t->n, r = (double)df, differences = 0, means = 0;
	double sum = 0, squares = 0, freedom = 0;

	for (size_t i = 0; i < df; i++) {
		const double *row = z + i * t->n;
		double mean = et_mean(row, t->n);
		means += mean * mean;
		differences += et_variance(row, t->n) * (n - 1);
	}
	for (size_t m = 0; m < t->n; m++) {
		double v = t->of[m].variance * t->of[m].each;
		sum += v;
		squares += v * v;
		freedom += v * v / t->of[m].df;
	}
	/* The trace of T V and of its square, where T = I - 1/n centres the machines. */
	double trace = sum * (1 - 1 / n), of_square = squares * (1 - 2 / n) + sum * sum / (n * n);
	out->df = r * trace * trace / of_square;
	out->df2 = sum * sum / freedom;
	out->f = sum > 0 ? differences / (r * trace) : NAN;
	out->p = et_pf_upper(out->f, out->df, out->df2);
	out->here_p = sum > 0 ? et_pf_upper(means / (r * sum / (n * n)), r, out->df2) : NAN;
}

static void judge_effect(const struct table *t, const struct et_doe_term *term,
	const struct et_doe_options *o, struct et_doe_effect *e)
{
	enum { MOST_DF = 256 };
	ET_AUTO_FREE double *row = et_calloc(t->n_cells, sizeof(*row));
	ET_AUTO_FREE double *z = et_calloc(term->df * t->n, sizeof(*z));

	e->over.p = e->over.here_p = e->over.f = NAN;
	on_machines(t, o->level, e);
	if (term->df > MOST_DF)
		return;
	for (size_t i = 0; i < term->df; i++) {
		et_doe_term_row(t->grid, term->factors, i, row);
		for (size_t m = 0; m < t->n; m++)
			z[i * t->n + m] = value_of(t, m, row);
	}
	test(t, term->df, z, &e->over);
}

void et_doe_fleet_judge(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_options *o, struct et_doe_program *out)
{
	struct table t = { .grid = grid, .n_cells = grid->n_cells };
	size_t at = 0;

	if (grid->n_cells < 2)
		return;
	choose_machines(data, &t);
	if (t.n > 1) {
		fill_values(data, out->mean, &t);
		summarise(&t);
		out->fleet = et_calloc(1, sizeof(*out->fleet));
		components(&t, o->level, out->fleet);
		machines(&t, o, out->fleet);
		for (size_t i = 0; i < grid->n_terms && at < out->n_effects; i++) {
			/* effects are in the order of the terms */
			if (out->effects[at].factors == grid->terms[i].factors)
				judge_effect(&t, &grid->terms[i], o, &out->effects[at++]);
		}
		ET_DOE_HOLM(out, over.p, over.p_holm, over.differs, o->alpha);
		ET_DOE_HOLM(out, over.here_p, over.here_p_holm, over.here_significant, o->alpha);
	}
	table_free(&t);
}
