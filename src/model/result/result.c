/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/result/result.h"
#include "model/result/profile_result.h"

enum et_metric et_result_metric(const struct et_command_result *r)
{
	const struct et_estimate *chosen = &r->estimate[r->metric];

	return chosen->n && isfinite(chosen->mean) ? r->metric : ET_METRIC_ELAPSED;
}

const struct et_estimate *et_result_estimate(const struct et_command_result *r)
{
	return &r->estimate[et_result_metric(r)];
}

const struct et_kbest_result *et_result_kbest(const struct et_command_result *r)
{
	return r->kbest.n && et_result_metric(r) == r->metric ? &r->kbest : NULL;
}

static void free_contrasts(struct et_contrast *list, size_t n)
{
	for (size_t i = 0; list && i < n; i++)
		et_warnings_free(&list[i].warnings);
	free(list);
}

void et_judgement_free(struct et_judgement *j)
{
	for (size_t i = 0; i < j->n_commands; i++) {
		struct et_command_result *r = &j->commands[i];
		for (int m = 0; m < ET_METRICS; m++) {
			et_warnings_free(&r->estimate[m].warnings);
			et_warnings_free(&r->before[m].warnings);
		}
		et_warnings_free(&r->warnings);
	}
	free_contrasts(j->contrasts, j->n_contrasts);
	free_contrasts(j->second, j->n_contrasts);
	free_contrasts(j->gate.contrasts, j->gate.n);
	free_contrasts(j->gate.second, j->gate.n);
	et_warnings_free(&j->warnings);
	free(j->commands);
	memset(j, 0, sizeof(*j));
}

/* --- profiles --- */

double et_profile_widest(const struct et_profile_result *r, double least_share)
{
	double widest = NAN;

	for (size_t i = 0; i < r->n_rows && r->rows[i].share >= least_share; i++) {
		const struct et_span *s = &r->rows[i].share_interval;
		if (isnan(s->hi - s->lo))
			return NAN;
		widest = fmax(widest, (s->hi - s->lo) / 2);
	}
	return widest;
}

void et_profile_result_free(struct et_profile_result *r)
{
	for (size_t i = 0; i < r->n_rows; i++)
		et_warnings_free(&r->rows[i].warnings);
	free(r->rows);
	et_warnings_free(&r->total.warnings);
	et_warnings_free(&r->warnings);
	memset(r, 0, sizeof(*r));
}

void et_profile_comparison_free(struct et_profile_comparison *c)
{
	for (size_t i = 0; i < c->n_rows; i++)
		et_warnings_free(&c->rows[i].contrast.warnings);
	free(c->rows);
	et_warnings_free(&c->total.contrast.warnings);
	et_warnings_free(&c->warnings);
	memset(c, 0, sizeof(*c));
}
