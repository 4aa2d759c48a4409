/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/profile.h"
#include "app/lab/view/profile_parts.h"
#include "lab/triangle.h"
#include "model/experiment/field_rows.h"

#include <string.h>

static const struct et_field cell_fields[] = {
	ET_KEYS(et_treatment_cell, name, mean),
	ET_KEY(et_treatment_cell, "expanded_uncertainty", expanded),
	ET_KEY(et_treatment_cell, "uncertainty_95", interval),
	ET_KEYS(et_treatment_cell, sd),
	ET_KEY_SPAN(et_treatment_cell, "sd_interval", sd_interval.lo, sd_interval.hi),
	ET_KEYS(et_treatment_cell, robust_sd, share),
	ET_KEY_SPAN(et_treatment_cell, "share_interval", share_interval.lo, share_interval.hi),
	ET_KEY_FLAT(et_treatment_cell, "predicted_sd", predicted,
		ET_TABLE(ET_KEYS(et_profile_models, gprof, multinomial),
			ET_KEY(et_profile_models, "quantization", quantisation),
			ET_KEY(et_profile_models, "multinomial_with_total", with_total))),
	ET_KEY(et_treatment_cell, "autocorrelation", r1),
	{ 0 },
};

static void write_cell(struct et_json *w, const struct et_profile_treatment *t, size_t i)
{
	et_json_object(w, NULL);
	et_fields_write(w, cell_fields, &t->cells[i]);
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
static const struct et_field treatment_fields[] = {
	ET_KEYS(et_profile_treatment, instrument, name),
	ET_KEY(et_profile_treatment, "level_of_factor", x),
	ET_KEYS(et_profile_treatment, runs, invalid, without_share, lost, overruns, throttled),
	ET_KEYS(et_profile_treatment, statements, level),
	ET_KEY(et_profile_treatment, "coverage_factor", k),
	ET_KEY(et_profile_treatment, "samples_mean", total_mean),
	ET_KEY(et_profile_treatment, "samples_sd", total_sd),
	{ 0 },
};

static void write_treatment(
	struct et_json *w, const struct et_profile_treatment *t, size_t triangles)
{
	et_json_object(w, NULL);
	et_fields_write(w, treatment_fields, t);
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
