/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/doe/program.h"
#include "base/alloc.h"
#include "num/moments.h"
#include "stats/doe/machines.h"
#include "stats/series/normality.h"
#include "stats/series/summary.h"

#include <math.h>

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

static bool can_be_ranked(const struct et_doe_fit *f)
{
	for (size_t c = 0; c < f->data->n_cells; c++) {
		if (!et_doe_count(f->data, c))
			return false;
	}
	return (double)f->data->n * (double)f->grid->n_terms <= most_ranked;
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
	bool apart = can_be_apart(f->data), ranked = can_be_ranked(f);

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
		ET_AUTO_FREE char *name = et_doe_term_name(planned->design, factors);
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
	et_doe_residuals_make(&fit, &out->residuals);
	choose_method(&fit, o, out);
	et_doe_errors_make(&fit, out->method == ET_DOE_WELCH, o->level, &errors);
	use_blocks(&fit, &errors, out);
	et_doe_effects(&errors, o->alpha, out);
	note_dropped(planned, out);
	if (out->method == ET_DOE_RANKS)
		et_doe_ranks(&fit, o->alpha, out);
	et_doe_fleet_judge(grid, data, o, out);
	et_doe_warn(planned, &fit, &errors, out);
	et_doe_errors_free(&errors);
	et_doe_fit_free(&fit);
}

void et_doe_program_judge(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_options *o, struct et_doe_program *out)
{
	struct et_doe_part part;

	fill_cells(grid, data, o, out);
	out->n = data->n;
	out->balanced = data->balanced;
	if (!data->n)
		return;
	if (et_doe_part_make(grid, data, &part, &out->dropped_levels)) {
		judge(grid, &part.grid, &part.data, o, out);
		et_doe_part_free(&part);
	} else {
		judge(grid, grid, data, o, out);
	}
}
