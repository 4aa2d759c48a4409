/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/triangle.h"
#include "report/lab_profile.h"
#include "report/lab_profile_parts.h"

#include <string.h>

static void write_span(struct et_json *w, const char *key, const struct et_span *s)
{
	et_json_flat_array(w, key);
	et_json_double(w, NULL, s->lo);
	et_json_double(w, NULL, s->hi);
	et_json_end(w);
}

static void write_cell(struct et_json *w, const struct et_profile_treatment *t, size_t i)
{
	const struct et_treatment_cell *c = &t->cells[i];

	et_json_object(w, NULL);
	et_json_string(w, "name", c->name);
	et_json_double(w, "mean", c->mean);
	et_json_double(w, "expanded_uncertainty", c->expanded);
	et_json_double(w, "uncertainty_95", c->interval);
	et_json_double(w, "sd", c->sd);
	write_span(w, "sd_interval", &c->sd_interval);
	et_json_double(w, "robust_sd", c->robust_sd);
	et_json_double(w, "share", c->share);
	write_span(w, "share_interval", &c->share_interval);
	et_json_flat_object(w, "predicted_sd");
	et_json_double(w, "gprof", c->predicted.gprof);
	et_json_double(w, "multinomial", c->predicted.multinomial);
	et_json_double(w, "quantization", c->predicted.quantisation);
	et_json_double(w, "multinomial_with_total", c->predicted.with_total);
	et_json_end(w);
	et_json_double(w, "autocorrelation", c->r1);
	et_json_flat_array(w, "counts");
	for (size_t r = 0; r < t->runs; r++)
		et_json_double(w, NULL, t->counts[i * t->runs + r]);
	et_json_end(w);
	et_json_end(w);
}

static void write_verdict(
	struct et_json *w, const struct et_profile_treatment *t, size_t configurations)
{
	struct et_triangle_verdict v;

	et_triangle_judge(t, configurations, &v);
	et_json_flat_object(w, "function1");
	et_json_double(w, "observed", v.observed);
	et_json_double(w, "projected", v.projected);
	et_json_double(w, "prediction_half_width", v.half_width);
	et_json_double(w, "joint_half_width", v.joint_half_width);
	et_json_double(w, "observed_half_width", t->cells[0].interval);
	et_json_double(w, "residual_sd", v.line.residual_sd);
	et_json_bool(w, "anomalous", v.anomalous);
	et_json_end(w);
	if (v.shares_known)
		et_json_bool(w, "shares_hold", v.all_shares_hold);
	else
		et_json_null(w, "shares_hold");
}

/* With the verdict, if it is one of `triangles` configurations of that lab. */
static void write_treatment(
	struct et_json *w, const struct et_profile_treatment *t, size_t triangles)
{
	et_json_object(w, NULL);
	et_json_string(w, "instrument", t->instrument);
	et_json_string(w, "name", t->name);
	et_json_double(w, "level_of_factor", t->x);
	et_json_u64(w, "runs", t->runs);
	et_json_u64(w, "invalid", t->invalid);
	et_json_u64(w, "without_share", t->without_share);
	et_json_u64(w, "lost", t->lost);
	et_json_u64(w, "overruns", t->overruns);
	et_json_u64(w, "throttled", t->throttled);
	et_json_u64(w, "statements", t->statements);
	et_json_double(w, "level", t->level);
	et_json_double(w, "coverage_factor", t->k);
	et_json_double(w, "samples_mean", t->total_mean);
	et_json_double(w, "samples_sd", t->total_sd);
	et_json_array(w, "functions");
	for (size_t i = 0; i < t->n_cells; i++)
		write_cell(w, t, i);
	et_json_end(w);
	if (triangles)
		write_verdict(w, t, triangles);
	et_json_end(w);
}

void et_profile_study_json(const struct et_profile_study *s, FILE *out)
{
	struct et_json w;

	et_lab_study_json_begin(&w, s, out);
	et_json_array(&w, "treatments");
	for (size_t i = 0; i < s->n; i++)
		write_treatment(&w, &s->list[i], strcmp(s->lab, "triangle") ? 0 : s->n);
	et_json_end(&w);
	et_json_end(&w);
}
