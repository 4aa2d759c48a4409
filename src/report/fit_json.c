/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit.h"
#include "report/warning.h"

#include <math.h>

static const char *const exclusion_keys[] = { NULL, "negative-factor", "size-below-1",
	"too-steep" };
static const char *const rejection_keys[] = { NULL, "lack-of-fit", "runs" };

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
		et_json_double(w, "aicc", f->aicc);
		et_json_double(w, "weight", f->weight);
		et_json_double(w, "r2", f->r2);
		et_json_double(w, "off", f->off);
		et_json_string(w, "rejected_by", rejection_keys[f->rejected]);
		et_json_double(w, "lack_of_fit_f", f->f);
		et_json_double(w, "lack_of_fit_p", f->p);
		et_json_double(w, "runs_p", f->runs_p);
	}
	et_json_end(w);
}

static void write_sizes(const struct et_growth *g, struct et_json *w)
{
	et_json_array(w, "sizes");
	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];

		et_json_flat_object(w, NULL);
		et_json_double(w, "size", p->size);
		et_json_u64(w, "runs", p->n);
		et_json_double(w, "mean_ns", p->mean);
		et_json_double(w, "sd_ns", sqrt(p->variance));
		et_json_end(w);
	}
	et_json_end(w);
}

static void write_predictions(const struct et_fit_view *v, struct et_json *w)
{
	et_json_array(w, "prediction");
	for (size_t i = 0; i < v->n_predict; i++) {
		struct et_growth_value at;

		et_growth_at(&v->growth, v->predict[i], &at);
		et_json_flat_object(w, NULL);
		et_json_double(w, "size", v->predict[i]);
		et_json_double(w, "time_ns", at.value);
		et_json_double(w, "lo_ns", at.lo);
		et_json_double(w, "hi_ns", at.hi);
		et_json_double(w, "run_lo_ns", at.run_lo);
		et_json_double(w, "run_hi_ns", at.run_hi);
		et_json_end(w);
	}
	et_json_end(w);
}

static void write_anomalies(const struct et_growth *g, struct et_json *w)
{
	et_json_array(w, "anomalies");
	for (size_t i = 0; i < g->n_anomalies; i++) {
		const struct et_growth_anomaly *a = &g->anomalies[i];

		et_json_flat_object(w, NULL);
		et_json_double(w, "size", a->size);
		et_json_double(w, "mean_ns", a->mean);
		et_json_double(w, "expected_ns", a->expected);
		et_json_double(w, "lo_ns", a->lo);
		et_json_double(w, "hi_ns", a->hi);
		et_json_end(w);
	}
	et_json_end(w);
}

void et_fit_json(const struct et_fit_view *v, struct et_json *w)
{
	const struct et_growth *g = &v->growth;
	struct et_fit_answer a = et_fit_answer(v);
	struct et_warnings warnings = { 0 };

	et_json_object(w, NULL);
	et_json_string(w, "name", v->points->name);
	et_json_string(w, "metric", v->points->metric ? v->points->metric->name : NULL);
	et_json_string(w, "best", et_growth_keys[g->best]);
	et_json_flat_object(w, "growth");
	et_json_double(w, "from", a.from);
	et_json_double(w, "to", a.to);
	et_json_double(w, "ratio", a.ratio.value);
	et_json_double(w, "lo", a.ratio.lo);
	et_json_double(w, "hi", a.ratio.hi);
	et_json_end(w);
	et_json_double(w, "level", g->level);
	et_json_double(w, "scatter", g->all_rejected ? g->excess : 0);
	et_json_array(w, "models");
	for (int m = 0; m < ET_GROWTH_MODELS; m++)
		write_model(g, (enum et_growth_model)m, w);
	et_json_end(w);
	write_sizes(g, w);
	write_predictions(v, w);
	write_anomalies(g, w);
	et_growth_warn(g, &warnings);
	et_warnings_json(w, &warnings);
	et_warnings_free(&warnings);
	et_json_end(w);
}
