/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/doe_program.h"
#include "base/alloc.h"
#include "num/moments.h"
#include "stats/summary.h"

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

static void fill_residuals(const struct et_doe_fit *f, struct et_doe_residuals *out)
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
}

void et_doe_program_judge(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_options *o, struct et_doe_program *out)
{
	struct et_doe_fit fit;
	struct et_doe_errors errors;

	fill_cells(grid, data, o, out);
	out->n = data->n;
	out->balanced = data->balanced;
	if (!data->n)
		return;
	et_doe_fit_make(grid, data, &fit);
	out->mean = et_mean(data->values, data->n);
	out->ss_total = fit.ss_total;
	out->ss_residual = fit.ss_residual;
	out->df_residual = fit.df_residual;
	out->sd_residual = sqrt(fit.ss_residual / fit.df_residual);
	out->share_residual = fit.ss_residual / fit.ss_total;
	fill_residuals(&fit, &out->residuals);
	out->method = ET_DOE_ANOVA;
	out->why = "as asked";
	et_doe_errors_make(&fit, out->method == ET_DOE_WELCH, o->level, &errors);
	et_doe_effects(&errors, o->alpha, out);
	et_doe_errors_free(&errors);
	et_doe_fit_free(&fit);
}
