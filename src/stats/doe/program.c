/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/doe/program.h"
#include "stats/compare/groups.h"

/* --- levels that have runs --- */

/* The part of a design whose levels have runs, with its data. */
struct part {
	struct et_design *design;
	struct et_doe_grid grid;
	struct et_doe_data data;
};

/* Of a level that is left out. */
static const uint32_t no_level = UINT32_MAX;

/* The new place of each level, factor after factor, or no_level. NULL: all levels have runs. */
static uint32_t *places_of_levels(const struct et_doe_grid *g, const struct et_doe_data *data)
{
	const struct et_design *d = g->design;
	size_t room = 0, at = 0, left_out = 0;

	for (size_t f = 0; f < d->n_factors; f++)
		room += d->factors[f].n_levels;
	ET_AUTO_FREE bool *seen = et_calloc(room + 1, sizeof(*seen));
	for (size_t c = 0; c < g->n_cells; c++) {
		at = 0;
		for (size_t f = 0; f < d->n_factors && et_doe_count(data, c); f++) {
			seen[at + et_doe_level(g, c, f)] = true;
			at += d->factors[f].n_levels;
		}
	}
	uint32_t *place = et_calloc(room + 1, sizeof(*place));
	at = 0;
	for (size_t f = 0; f < d->n_factors; f++) {
		uint32_t next = 0;
		for (size_t l = 0; l < d->factors[f].n_levels; l++, at++) {
			place[at] = seen[at] ? next++ : no_level;
			left_out += !seen[at];
		}
	}
	if (left_out)
		return place;
	free(place);
	return NULL;
}

/* Fills to with the new places of levels; returns false if one of them is left out. */
static bool renumber(
	const struct et_design *d, const uint32_t *place, const uint32_t *levels, uint32_t *to)
{
	size_t at = 0;

	for (size_t f = 0; f < d->n_factors; f++) {
		to[f] = place[at + levels[f]];
		if (to[f] == no_level)
			return false;
		at += d->factors[f].n_levels;
	}
	return true;
}

static void copy_factor(const struct et_design_factor *from, const uint32_t *place,
	struct et_design *to, char **left_out, size_t *n_left_out)
{
	enum { MOST_NAMES = 3 };
	struct et_design_factor *f = et_design_add_factor(to, from->name);

	f->levels = et_calloc(from->n_levels + 1, sizeof(char *));
	for (size_t l = 0; l < from->n_levels; l++) {
		if (place[l] != no_level)
			f->levels[f->n_levels++] = et_strdup(from->levels[l]);
		else if (++*n_left_out <= MOST_NAMES)
			et_append(left_out, ", ", "%s=%s", from->name, from->levels[l]);
		else if (*n_left_out == MOST_NAMES + 1)
			et_append(left_out, ", ", "…");
	}
}

static struct et_design *design_of(
	const struct et_design *d, const uint32_t *place, char **left_out)
{
	struct et_design *to = et_design_new();
	ET_AUTO_FREE uint32_t *levels = et_calloc(d->n_factors + 1, sizeof(*levels));
	size_t at = 0, n_left_out = 0;

	for (size_t f = 0; f < d->n_factors; f++) {
		copy_factor(&d->factors[f], place + at, to, left_out, &n_left_out);
		at += d->factors[f].n_levels;
	}
	for (size_t t = 0; t < d->n_treatments; t++) {
		if (renumber(d, place, d->treatments[t].levels, levels))
			et_design_add_treatment(to, levels);
	}
	return to;
}

/* The treatments that are left are in the same order as before. */
static void copy_runs(const struct et_doe_grid *g, const uint32_t *place,
	const struct et_doe_data *data, struct part *out)
{
	const struct et_design *d = g->design;
	ET_AUTO_FREE uint32_t *levels = et_calloc(d->n_factors + 1, sizeof(*levels));
	ET_AUTO_FREE uint32_t *cell = et_calloc(g->n_cells + 1, sizeof(*cell));
	size_t left = 0;

	for (size_t t = 0; t < d->n_treatments; t++) {
		if (renumber(d, place, d->treatments[t].levels, levels))
			cell[g->cell_of[t]] = out->grid.cell_of[left++];
	}
	out->data = (struct et_doe_data){ .machines = data->machines,
		.divided = data->divided,
		.sequential = data->sequential,
		.unit = data->unit };
	for (size_t i = 0; i < data->n; i++) {
		struct et_doe_value v = data->runs[i];
		v.cell = cell[v.cell];
		et_doe_data_add(&out->data, &v);
	}
	et_doe_data_arrange(&out->data, out->grid.n_cells);
}

/*
 * Leaves out levels without any run, so that the other levels of their factors can be compared.
 * Returns false, with nothing to be freed, if all levels have runs, or if the design is a fraction,
 * whose other treatments are none without them. Appends "work=30" of each level to left_out.
 */
static bool part_make(const struct et_doe_grid *g, const struct et_doe_data *data, struct part *out,
	char **left_out)
{
	for (size_t f = 0; f < g->design->n_factors; f++) {
		if (g->design->factors[f].generator)
			return false;
	}
	ET_AUTO_FREE uint32_t *place = places_of_levels(g, data);
	if (!place)
		return false;
	out->design = design_of(g->design, place, left_out);
	if (!et_doe_grid_make(out->design, &out->grid)) {
		et_design_free(out->design);
		return false;
	}
	copy_runs(g, place, data, out);
	return true;
}

/* --- residuals --- */

/*
 * Anderson & Darling (1954) with mean and sd estimated, p by D'Agostino & Stephens (1986), table
 * 4.9: for more values than Shapiro and Wilk's test takes.
 */
static double anderson_darling_p(const double *x, size_t n)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	double mean = et_mean(x, n), sd = et_sd(x, n), sum = 0, size = (double)n, a;

	for (size_t i = 0; i < n; i++) {
		double lower = et_pnorm((sorted[i] - mean) / sd);
		double upper = et_pnorm_upper((sorted[n - 1 - i] - mean) / sd);
		/* 1e-300: of values too far away for a double */
		sum += (2 * (double)i + 1) * (log(fmax(lower, 1e-300)) + log(fmax(upper, 1e-300)));
	}
	a = (-size - sum / size) * (1 + 0.75 / size + 2.25 / (size * size));
	if (a >= 0.6)
		return a > 10 ? 0 : exp(1.2937 - 5.709 * a + 0.0186 * a * a);
	if (a >= 0.34)
		return exp(0.9177 - 4.279 * a - 1.38 * a * a);
	if (a >= 0.2)
		return 1 - exp(-8.318 + 42.796 * a - 59.938 * a * a);
	return 1 - exp(-13.436 + 101.14 * a - 223.73 * a * a);
}

/*
 * Each cell is tested by itself, because cells of unequal spread together look as if they had a
 * heavy tail. Their p-values are combined by Stouffer's method (1949), weighted by sqrt(n). Cells
 * with fewer than 5 values tell hardly anything: then all residuals are tested together.
 */
static double normal_p(const struct et_doe_data *d, const double *x, const double *residuals)
{
	enum { FEW = 5 };
	double sum = 0, weights = 0;

	for (size_t c = 0; c < d->n_cells; c++) {
		size_t n = et_doe_count(d, c);
		if (n < FEW)
			continue;
		double p = n > ET_SHAPIRO_MOST ? anderson_darling_p(x + d->begin[c], n)
					       : et_shapiro_wilk(x + d->begin[c], n).p;
		if (isnan(p))
			continue; /* all are equal */
		sum += sqrt((double)n) * et_qnorm(fmin(fmax(p, 1e-300), 1 - 1e-16));
		weights += (double)n;
	}
	if (weights > 0)
		return et_pnorm(sum / sqrt(weights));
	return et_shapiro_wilk(residuals, d->n).p;
}

/* The residuals cell after cell, in the order of the data's values. */
static double *by_cell(const struct et_doe_fit *f, const double *residuals)
{
	const struct et_doe_data *d = f->data;
	double *out = et_calloc(d->n + 1, sizeof(*out));
	ET_AUTO_FREE size_t *at = et_calloc(d->n_cells, sizeof(*at));

	for (size_t i = 0; i < d->n; i++) {
		size_t cell = d->runs[i].cell;
		out[d->begin[cell] + at[cell]++] = residuals[i];
	}
	return out;
}

/*
 * Brown & Forsythe (1974): the analysis of variance of the distances from the cells' medians. Of an
 * odd number of values one distance is 0 by construction; with few values this hides differences,
 * so it is left out (Hines & O'Hara Hines 2000).
 */
static double equal_p(const struct et_doe_data *d, double *x)
{
	ET_AUTO_FREE struct et_group *groups = et_calloc(d->n_cells, sizeof(*groups));
	size_t k = 0;

	for (size_t c = 0; c < d->n_cells; c++) {
		double *of = x + d->begin[c];
		size_t n = et_doe_count(d, c);
		if (n < 3)
			continue;
		et_sort(of, n);
		double median = et_median_sorted(of, n);
		if (n % 2) {
			of[n / 2] = of[n - 1];
			n--;
		}
		for (size_t i = 0; i < n; i++)
			of[i] = fabs(of[i] - median);
		groups[k++] = (struct et_group){ of, n };
	}
	return k > 1 ? et_anova(groups, k).p : NAN;
}

/*
 * Whether successive residuals resemble each other: the autocorrelation at lag 1, one-sided,
 * because removing the cells' means makes it slightly negative. Blocks make it negative, too, and
 * remove what changes slowly; so blocked residuals are not tested.
 */
static double serial_p(const struct et_doe_fit *f, const double *residuals)
{
	size_t n = f->data->n;
	double r = et_autocorrelation(residuals, n, 1), size = (double)n;

	if (f->blocked || n < ET_DEPENDENCE_TESTABLE)
		return NAN;
	return et_pnorm_upper((r + (1 + 4 * r) / size) * sqrt(size));
}

/* Of two runs both residuals are the same but for the sign, so they tell nothing of a shape. */
static bool can_be_checked(const struct et_doe_fit *f)
{
	enum { LEAST = 3 };

	for (size_t c = 0; c < f->data->n_cells; c++) {
		size_t n = et_doe_count(f->data, c);
		if (n && n < LEAST)
			return false;
	}
	return true;
}

/* Fills the residuals, and their checks. */
static void make_residuals(const struct et_doe_fit *f, struct et_doe_residuals *out)
{
	const struct et_doe_data *d = f->data;

	out->n = d->n;
	out->values = et_calloc(d->n + 1, sizeof(*out->values));
	out->fitted = et_calloc(d->n + 1, sizeof(*out->fitted));
	for (size_t i = 0; i < d->n; i++) {
		out->fitted[i] = f->fitted[i];
		out->values[i] = d->runs[i].y - f->fitted[i];
	}
	out->normal_p = out->equal_p = out->serial_p = NAN;
	if (!(f->df_residual > 0) || !(f->ss_residual > 0))
		return;
	ET_AUTO_FREE double *x = by_cell(f, out->values);
	if (can_be_checked(f)) {
		out->normal_p = normal_p(d, x, out->values);
		out->equal_p = equal_p(d, x); /* changes x */
	}
	out->serial_p = serial_p(f, out->values);
}

/* --- aligned ranks --- */

/*
 * The aligned rank transform (Higgins & Tashtoush 1994; Wobbrock et al. 2011): each term is tested
 * on the ranks of residuals to which the estimate of this term alone was added, so that the other
 * terms do not move it.
 *
 * Aligning by means that come from the same values makes ranks vary more than the test supposes,
 * most where the density has narrow peaks: in simulations of two modes, 6.6 % of the families had a
 * false alarm instead of 5. So F is multiplied by 1 - 0.35 sqrt(cells / values), which was found by
 * simulation (tests/slow/doe.c).
 */

/* Fills y with the aligned values, in order of execution. */
static void align(const struct et_doe_fit *f, uint32_t factors, double *y)
{
	size_t size = et_doe_combinations(f->grid->design, factors);
	ET_AUTO_FREE double *table = et_calloc(size, sizeof(*table));

	et_doe_effect_table(f->grid, factors, f->mu, table);
	for (size_t i = 0; i < f->data->n; i++) {
		size_t cell = f->data->runs[i].cell;
		y[i] = f->data->runs[i].y - f->fitted[i] +
		       table[et_doe_combination_of(f->grid, factors, cell)];
	}
}

static void test(
	const struct et_doe_fit *f, const struct et_doe_term *term, struct et_doe_effect *out)
{
	const struct et_doe_data *d = f->data;
	ET_AUTO_FREE double *y = et_calloc(d->n, sizeof(*y));
	ET_AUTO_FREE double *rank = et_calloc(d->n, sizeof(*rank));
	ET_AUTO_FREE double *mean = et_calloc(d->n_cells, sizeof(*mean));
	double within = 0;

	align(f, term->factors, y);
	et_rank(y, d->n, rank);
	for (size_t i = 0; i < d->n; i++)
		mean[d->runs[i].cell] += rank[i] / (double)et_doe_count(d, d->runs[i].cell);
	for (size_t i = 0; i < d->n; i++) {
		double from = rank[i] - mean[d->runs[i].cell];
		within += from * from;
	}
	out->df = (double)term->df;
	out->df2 = f->df_residual;
	out->f = et_doe_squares(f, term, mean) / out->df / (within / out->df2);
	out->f *= 1 - 0.35 * sqrt((double)d->n_cells / (double)d->n);
	out->p = et_pf_upper(out->f, out->df, out->df2);
}

/* --- warnings --- */

enum {
	FEW_RUNS = 3,     /* with fewer per treatment the residuals cannot be checked */
	FEW_MACHINES = 5, /* 4 degrees of freedom */
	MOST_NAMES = 3,
};

static const double alarm_p = 0.01;

/* f is without the levels that have no run; they are named instead of their treatments. */
static void warn_failed(
	const struct et_design *planned, const struct et_doe_fit *f, struct et_doe_program *out)
{
	ET_AUTO_FREE char *names = NULL;
	size_t named = 0;

	if (out->dropped_levels)
		et_warn(&out->warnings, ET_WARN_DOE_LEVELS_FAILED, et_arg_text(out->dropped_levels),
			et_arg_flag(out->not_estimated != NULL));
	if (out->dropped_levels && et_doe_least_count(f->data))
		return;

	for (size_t t = 0; t < out->n_cells; t++) {
		if (out->cells[t].n)
			continue;
		if (named < MOST_NAMES)
			et_append(&names, "; ", "%s", planned->treatments[t].name);
		else if (named == MOST_NAMES)
			et_append(&names, "; ", "…");
		named++;
	}
	if (named)
		et_warn(&out->warnings, ET_WARN_DOE_TREATMENTS_FAILED, et_arg_count(named),
			et_arg_count(out->n_cells), et_arg_text(names),
			et_arg_count(out->n_not_estimated));
	if (f->data->n_blocks > 1 && !f->blocked)
		et_warn(&out->warnings, ET_WARN_DOE_BLOCKS_IGNORED,
			et_arg_count(f->data->n_blocks));
}

static void warn_runs(const struct et_doe_fit *f, struct et_doe_program *out)
{
	size_t least = SIZE_MAX, most = 0; /* of treatments that have runs */

	for (size_t t = 0; t < out->n_cells; t++) {
		size_t n = out->cells[t].n;
		least = n && n < least ? n : least;
		most = n > most ? n : most;
	}
	if (least != most)
		et_warn(&out->warnings, ET_WARN_DOE_UNBALANCED, et_arg_count(least),
			et_arg_count(most));
	if (!(f->df_residual > 0))
		et_warn(&out->warnings, ET_WARN_DOE_NO_REPLICATION);
	else if (least < FEW_RUNS)
		et_warn(&out->warnings, ET_WARN_DOE_FEW_RUNS, et_arg_count(least));
}

/* Adds the warnings about a program of the planned grid that was judged. */
static void warn(const struct et_doe_grid *planned, const struct et_doe_fit *f,
	const struct et_doe_errors *e, struct et_doe_program *out)
{
	warn_failed(planned->design, f, out);
	if (!(f->ss_total > 0)) {
		et_warn(&out->warnings, ET_WARN_DOE_CONSTANT,
			et_arg_value(out->mean, f->data->unit));
		return;
	}
	warn_runs(f, out);
	if (f->df_residual > 0 && !(f->ss_residual > 0))
		et_warn(&out->warnings, ET_WARN_DOE_PERFECT_FIT);
	if (e->table && f->data->machines && e->n_blocks < FEW_MACHINES)
		et_warn(&out->warnings, ET_WARN_DOE_FEW_MACHINES, et_arg_count(e->n_blocks));
	if (out->residuals.serial_p < alarm_p)
		et_warn(&out->warnings,
			f->data->sequential ? ET_WARN_DOE_DEPENDENT : ET_WARN_DOE_WIDE_INTERVALS,
			et_arg_number(et_autocorrelation(out->residuals.values, out->n, 1)));
}

/* --- the program --- */

static void fill_cells(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_options *o, struct et_doe_program *out)
{
	out->n_cells = grid->design->n_treatments;
	out->cells = et_calloc(out->n_cells + 1, sizeof(*out->cells));
	for (size_t t = 0; t < out->n_cells; t++) {
		size_t c = grid->cell_of[t], n = et_doe_count(data, c);
		et_summarise(data->values + data->begin[c], n, o->level, &out->cells[t]);
		out->n_failed += n == 0;
	}
}

/* Ranks of all values are made once per term; with more work than this they are not. */
static const double most_ranked = 3e6;

/* Variances of cells would include the differences between machines, and blocks are too few. */
static bool can_be_apart(const struct et_doe_data *d)
{
	if (d->divided && d->n_blocks > 1)
		return false;
	for (size_t c = 0; c < d->n_cells; c++) {
		if (et_doe_count(d, c) == 1)
			return false;
	}
	return true;
}

/* Levels of the check of equal spread, of residuals that look normal and of others: see below. */
static const double few_missed = 0.2, few_false = 0.01;

/* Why a method that was asked for cannot be used; NULL: it can. */
static const char *refusal(const struct et_doe_data *d, int method, bool apart, bool ranked)
{
	if (method == ET_DOE_RANKS && !ranked)
		return "ranks need runs of each treatment, and not too many";
	if (method != ET_DOE_WELCH || apart)
		return NULL;
	return d->divided && d->n_blocks > 1
		       ? "Welch's test does not remove differences between machines or experiments"
		       : "Welch's test needs two runs of each treatment";
}

/*
 * Unequal spread is looked at first, because aligned ranks need equal shapes: with cells of unequal
 * spread they reject true hypotheses too often, and Welch's tests do not.
 */
static void choose_method(
	const struct et_doe_fit *f, const struct et_doe_options *o, struct et_doe_program *out)
{
	const struct et_doe_residuals *r = &out->residuals;
	bool apart = can_be_apart(f->data),
	     ranked = et_doe_least_count(f->data) &&
		      (double)f->data->n * (double)f->grid->n_terms <= most_ranked;

	out->method = ET_DOE_ANOVA;
	if (o->method >= 0) {
		const char *refused = refusal(f->data, o->method, apart, ranked);
		out->method = refused ? ET_DOE_ANOVA : (enum et_doe_method)o->method;
		out->why = refused ? refused : "as asked";
	} else if (r->equal_p < (r->normal_p < ET_CHECK_ALPHA ? few_false : few_missed) && apart) {
		out->method = ET_DOE_WELCH;
		out->why = "the spread differs between treatments";
	} else if (r->normal_p < ET_CHECK_ALPHA && ranked) {
		out->method = ET_DOE_RANKS;
		out->why = "the residuals are not normal";
	} else if (r->normal_p < ET_CHECK_ALPHA) {
		out->why = "the residuals are not normal, but the runs are many";
	} else if (isnan(r->normal_p)) {
		out->why = "the residuals cannot be checked";
	} else {
		out->why = "the residuals look normal and equally spread";
	}
}

/*
 * Several machines stand for many: each term is tested against its variation from machine to
 * machine, as aov() with Error(machine / term) does. So are terms whose rounds are blocks of
 * unequal spread, because the differences within a round may have any spread.
 */
static void use_blocks(struct et_doe_fit *fit, struct et_doe_errors *e, struct et_doe_program *out)
{
	size_t n = fit->grid->n_cells;

	if (!fit->blocked || (!fit->data->machines && out->method != ET_DOE_WELCH) ||
		!et_doe_errors_by_block(e))
		return;
	for (size_t c = 0; c < n; c++) {
		fit->mu[c] = 0;
		for (size_t b = 0; b < e->n_blocks; b++)
			fit->mu[c] += e->table[b * n + c] / (double)e->n_blocks;
	}
	if (fit->data->machines) {
		out->method = ET_DOE_ANOVA;
		out->why = "each term is tested against its variation from machine to machine";
	}
}

/* The sum of squares that blocks explain after the treatments. */
static void note_blocks(const struct et_doe_fit *fit, struct et_doe_program *out)
{
	const struct et_doe_data *d = fit->data;
	double without = 0;

	if (!fit->blocked)
		return;
	for (size_t i = 0; i < d->n; i++) {
		double apart = d->runs[i].y - d->mean[d->runs[i].cell];
		without += apart * apart;
	}
	out->df_blocks = (double)d->n_blocks - 1;
	out->ss_blocks = fmax(0, without - fit->ss_residual);
}

/* Names the terms of the planned design that have no effect. */
static void note_dropped(const struct et_doe_grid *planned, struct et_doe_program *out)
{
	enum { MOST_NAMED = 5 };
	size_t at = 0, n = 0;

	for (size_t i = 0; i < planned->n_terms; i++) {
		uint32_t factors = planned->terms[i].factors;
		if (at < out->n_effects && out->effects[at].factors == factors) {
			at++; /* effects are in the order of the terms */
			continue;
		}
		if (n++ >= MOST_NAMED)
			continue;
		ET_AUTO_FREE char *name = et_design_term_name(planned->design, factors);
		et_append(&out->not_estimated, ", ", "%s", name);
	}
	if (n > MOST_NAMED)
		et_append(&out->not_estimated, ", ", "%zu more", n - MOST_NAMED);
	out->n_not_estimated = n;
}

static void judge(const struct et_doe_grid *planned, const struct et_doe_grid *grid,
	const struct et_doe_data *data, const struct et_doe_options *o, struct et_doe_program *out)
{
	struct et_doe_fit fit;
	struct et_doe_errors errors;

	et_doe_fit_make(grid, data, &fit);
	out->mean = et_mean(data->values, data->n);
	out->ss_total = fit.ss_total;
	out->ss_residual = fit.ss_residual;
	out->df_residual = fit.df_residual;
	out->sd_residual = sqrt(fit.ss_residual / fit.df_residual);
	out->share_residual = fit.ss_residual / fit.ss_total;
	note_blocks(&fit, out);
	make_residuals(&fit, &out->residuals);
	choose_method(&fit, o, out);
	et_doe_errors_make(&fit, out->method == ET_DOE_WELCH, o->level, &errors);
	use_blocks(&fit, &errors, out);
	et_doe_effects(&errors, o->alpha, out);
	note_dropped(planned, out);
	if (out->method == ET_DOE_RANKS) {
		/* All cells have values, so each term has an effect. */
		for (size_t i = 0; i < out->n_effects; i++)
			test(&fit, &grid->terms[i], &out->effects[i]);
		ET_DOE_HOLM(out, p, p_holm, significant, o->alpha);
	}
	et_doe_fleet_judge(grid, data, o, out);
	warn(planned, &fit, &errors, out);
	et_doe_errors_free(&errors);
	et_doe_fit_free(&fit);
}

void et_doe_program_judge(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_options *o, struct et_doe_program *out)
{
	struct part part;

	fill_cells(grid, data, o, out);
	out->n = data->n;
	out->balanced = data->balanced;
	if (!data->n)
		return;
	if (part_make(grid, data, &part, &out->dropped_levels)) {
		judge(grid, &part.grid, &part.data, o, out);
		et_doe_data_free(&part.data);
		et_doe_grid_free(&part.grid);
		et_design_free(part.design);
	} else {
		judge(grid, grid, data, o, out);
	}
}
