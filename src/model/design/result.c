/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/design/result.h"
#include "base/parse.h"

const char *const et_doe_method_names[] = { "anova", "welch", "ranks", NULL };

static void free_effect(struct et_doe_effect *e)
{
	for (size_t i = 0; i < e->n_means; i++)
		free(e->means[i].levels);
	free(e->means);
	free(e->term);
	free(e->aliases);
	free(e->over.on);
}

static void free_program(struct et_doe_program *p)
{
	for (size_t i = 0; i < p->n_effects; i++)
		free_effect(&p->effects[i]);
	free(p->effects);
	if (p->fleet)
		free(p->fleet->machines);
	free(p->fleet);
	free(p->dropped_levels);
	for (size_t i = 0; i < p->n_cells; i++)
		et_warnings_free(&p->cells[i].warnings);
	free(p->cells);
	free(p->not_estimated);
	for (size_t i = 0; i < p->n_pairs; i++)
		et_warnings_free(&p->pairs[i].warnings);
	free(p->pairs);
	free(p->residuals.values);
	free(p->residuals.fitted);
	et_warnings_free(&p->warnings);
}

void et_doe_result_free(struct et_doe_result *r)
{
	for (size_t i = 0; i < r->n_programs; i++)
		free_program(&r->programs[i]);
	free(r->programs);
	free(r->pairs);
	et_strv_free(r->machines);
	et_warnings_free(&r->warnings);
}
