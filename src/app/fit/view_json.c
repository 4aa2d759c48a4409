/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/fit/view.h"
#include "report/warning.h"

#include <math.h>

static const char *const exclusion_keys[] = { NULL, "negative-factor", "size-below-1",
	"too-steep" };
static const char *const rejection_keys[] = { NULL, "lack-of-fit", "runs" };

static const struct et_field fit_fields[] = {
	ET_KEYS(et_growth_fit, aicc, weight, r2, off),
	ET_KEY_NAME(et_growth_fit, "rejected_by", rejected, rejection_keys),
	ET_KEY(et_growth_fit, "lack_of_fit_f", f),
	ET_KEY(et_growth_fit, "lack_of_fit_p", p),
	ET_KEYS(et_growth_fit, runs_p),
	{ 0 },
};

static void write_model(const struct et_growth *g, enum et_growth_model m, struct et_json *w)
{
	const struct et_growth_fit *f = &g->fits[m];

	et_json_object(w, NULL);
	et_json_string(w, "name", et_growth_keys[m]);
	et_json_string(w, "formula", et_growth_formulas[m]);
	et_json_string(w, "excluded", exclusion_keys[f->excluded]);
	if (!f->excluded) {
		et_json_flat_array(w, "coefficients");
		et_json_double(w, NULL, f->a);
		if (m != ET_GROWTH_CONSTANT)
			et_json_double(w, NULL, f->b);
		if (m == ET_GROWTH_POWER)
			et_json_double(w, NULL, f->c);
		et_json_end(w);
		if (m == ET_GROWTH_POWER)
			et_json_double(w, "exponent_error", f->c_error);
		et_fields_write(w, fit_fields, f);
	}
	et_json_end(w);
}

static double point_sd(const void *point)
{
	return sqrt(((const struct et_growth_point *)point)->variance);
}

static const struct et_field value_fields[] = {
	ET_KEY(et_growth_value, "time_ns", value),
	ET_KEYS_NS(et_growth_value, lo, hi, run_lo, run_hi),
	{ 0 },
};

static void write_predictions(const struct et_fit_view *v, struct et_json *w)
{
	et_json_array(w, "prediction");
	for (size_t i = 0; i < v->n_predict; i++) {
		struct et_growth_value at;

		et_growth_at(&v->growth, v->predict[i], &at);
		et_json_flat_object(w, NULL);
		et_json_double(w, "size", v->predict[i]);
		et_fields_write(w, value_fields, &at);
		et_json_end(w);
	}
	et_json_end(w);
}

static const struct et_field growth_fields[] = {
	ET_KEY_LIST(et_growth, "sizes", points, n,
		ET_TABLE(ET_KEYS(et_growth_point, size), ET_KEY(et_growth_point, "runs", n),
			ET_KEYS_NS(et_growth_point, mean), ET_KEY_OF("sd_ns", point_sd)),
		.flat = true),
	{ 0 },
};

static const struct et_field anomaly_fields[] = {
	ET_KEY_LIST(et_growth, "anomalies", anomalies, n_anomalies,
		ET_TABLE(ET_KEYS(et_growth_anomaly, size),
			ET_KEYS_NS(et_growth_anomaly, mean, expected, lo, hi)),
		.flat = true),
	{ 0 },
};

static const struct et_field answer_fields[] = {
	ET_KEYS(et_fit_answer, from, to),
	ET_KEY(et_fit_answer, "ratio", ratio.value),
	ET_KEY(et_fit_answer, "lo", ratio.lo),
	ET_KEY(et_fit_answer, "hi", ratio.hi),
	{ 0 },
};

void et_fit_json(const struct et_fit_view *v, struct et_json *w)
{
	const struct et_growth *g = &v->growth;
	struct et_fit_answer a = et_fit_answer(v);
	struct et_warnings warnings = { 0 };

	et_json_object(w, NULL);
	et_json_string(w, "name", v->points->name);
	et_json_string(w, "metric", v->points->metric ? v->points->metric->name : NULL);
	et_json_string(w, "best", et_growth_keys[g->best]);
	et_fields_flat(w, "growth", answer_fields, &a);
	et_json_double(w, "level", g->level);
	et_json_double(w, "scatter", g->all_rejected ? g->excess : 0);
	et_json_array(w, "models");
	for (int m = 0; m < ET_GROWTH_MODELS; m++)
		write_model(g, (enum et_growth_model)m, w);
	et_json_end(w);
	et_fields_write(w, growth_fields, g);
	write_predictions(v, w);
	et_fields_write(w, anomaly_fields, g);
	et_growth_warn(g, &warnings);
	et_warnings_json(w, &warnings);
	et_warnings_free(&warnings);
	et_json_end(w);
}
