/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "num/mean_interval.h"
#include "stats/doe/program.h"

#include <math.h>

enum {
	FEW_RUNS = 3,     /* with fewer per treatment the residuals cannot be checked */
	FEW_MACHINES = 5, /* 4 degrees of freedom */
	MOST_NAMES = 3,
};

static const double alarm_p = 0.01;

/* The smallest and largest number of runs of treatments that have some. */
static void counts(const struct et_doe_program *p, size_t *least, size_t *most)
{
	*least = SIZE_MAX;
	*most = 0;
	for (size_t t = 0; t < p->n_cells; t++) {
		size_t n = p->cells[t].n;
		*least = n && n < *least ? n : *least;
		*most = n > *most ? n : *most;
	}
}

static bool any_missing(const struct et_doe_data *d)
{
	for (size_t c = 0; c < d->n_cells; c++) {
		if (!et_doe_count(d, c))
			return true;
	}
	return false;
}

/* f is without the levels that have no run; they are named instead of their treatments. */
static void warn_failed(
	const struct et_design *planned, const struct et_doe_fit *f, struct et_doe_program *out)
{
	ET_AUTO_FREE char *names = NULL;
	size_t named = 0;

	if (out->dropped_levels)
		et_warn(&out->warnings, ET_WARN_DOE_LEVELS_FAILED, et_arg_text(out->dropped_levels),
			et_arg_flag(out->not_estimated != NULL));
	if (out->dropped_levels && !any_missing(f->data))
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
	size_t least, most;

	counts(out, &least, &most);
	if (least != most)
		et_warn(&out->warnings, ET_WARN_DOE_UNBALANCED, et_arg_count(least),
			et_arg_count(most));
	if (!(f->df_residual > 0))
		et_warn(&out->warnings, ET_WARN_DOE_NO_REPLICATION);
	else if (least < FEW_RUNS)
		et_warn(&out->warnings, ET_WARN_DOE_FEW_RUNS, et_arg_count(least));
}

void et_doe_warn(const struct et_doe_grid *planned, const struct et_doe_fit *f,
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
