/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab kbest-accuracy` */
#include "app/lab/experiments.h"
#include "app/lab/view/clocks.h"
#include "app/lab/view/kbest_figures.h"

#include <errno.h>

static int measure(struct et_lab_request *r, struct et_experiment **out, struct et_error *err)
{
	static const struct et_lab_grid usual = { .loads = { 1, 2, 4, 11 },
		.n_loads = 4,
		.lengths_ns = { 300000, 1000000, 2000000, 4000000, 8000000, 16000000, 36000000,
			50000000 },
		.n_lengths = 8,
		.runs = 30 };
	const struct et_lab_measure *m = &r->measure;
	struct et_kbest_accuracy_options o = { .grid = et_lab_grid(r, &usual),
		.epsilon = r->given & ET_LAB_EPSILON ? m->epsilon : 0.001,
		.k = r->given & ET_LAB_BEST ? m->best : 3,
		.progress = { et_lab_draw_progress, r, &r->interrupt->signal } };

	if (r->given & ET_LAB_MAX_RUNS)
		o.grid.runs = m->max_runs;
	return et_kbest_accuracy_run(&o, out, err);
}

/* K, epsilon and M judge the calls, so they also apply to a stored experiment. */
static void judge_otherwise(const struct et_lab_request *r, struct et_kbest_accuracy *a)
{
	const struct et_lab_measure *m = &r->measure;

	if (r->given & ET_LAB_EPSILON)
		a->epsilon = m->epsilon;
	if (r->given & ET_LAB_BEST)
		a->k = m->best;
	for (size_t i = 0; r->given & ET_LAB_MAX_RUNS && i < a->n_cells; i++) {
		if (a->cells[i].n_calls > m->max_runs)
			a->cells[i].n_calls = m->max_runs;
	}
}

static int print(const struct et_lab_request *r, const struct et_experiment *e, FILE *svg,
	struct et_error *err)
{
	bool chosen = r->given & ET_LAB_FIGURE;
	enum et_kbest_figure figure =
		chosen ? (enum et_kbest_figure)r->measure.figure : ET_KBEST_BY_LOAD;
	struct et_kbest_accuracy a;
	int rc = et_kbest_accuracy_read(e, &a, err);

	if (rc)
		return rc;
	judge_otherwise(r, &a);
	if (r->given & ET_LAB_JSON)
		et_kbest_accuracy_json(e, &a, r->page.out);
	else if (chosen)
		et_kbest_figure_text(&a, figure, &r->page);
	else
		et_kbest_accuracy_text(&a, r->cli->verbosity > 0, &r->page);
	if (svg)
		et_kbest_figure_svg(&a, figure, svg);
	et_kbest_accuracy_free(&a);
	return 0;
}

int et_lab_kbest_accuracy(struct et_call *call, struct et_error *err)
{
	static const struct et_lab_timed lab = { measure, print };

	return et_lab_timed_perform(call->ctx, &lab, err);
}
