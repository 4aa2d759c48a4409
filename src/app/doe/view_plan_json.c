/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of `doe plan`. */
#include "app/doe/view.h"
#include "base/alloc.h"
#include "base/json.h"
#include "model/design/terms.h"
#include "model/experiment/field_rows.h"

#include <math.h>

static const struct et_field factor_fields[] = {
	ET_KEYS(et_design_factor, name),
	ET_KEY_BY(et_design_factor, "kind", kind, et_doe_write_kind),
	ET_KEYS(et_design_factor, variable),
	ET_KEY_VALUES(et_design_factor, "levels", levels, n_levels),
	ET_KEYS(et_design_factor, generator),
	{ 0 },
};

static void write_treatments(const struct et_design *d, struct et_json *j)
{
	et_json_array(j, "treatments");
	for (size_t t = 0; t < d->n_treatments; t++) {
		const struct et_treatment *x = &d->treatments[t];
		et_json_flat_object(j, NULL);
		et_json_int(j, "number", (int64_t)t + 1);
		et_json_string(j, "name", x->name);
		et_json_flat_object(j, "levels");
		for (size_t i = 0; i < d->n_factors; i++)
			et_json_string(j, d->factors[i].name, d->factors[i].levels[x->levels[i]]);
		et_json_end(j);
		et_json_flat_array(j, "signs");
		for (size_t i = 0; i < d->n_factors; i++) {
			if (d->factors[i].n_levels == 2)
				et_json_int(j, NULL, et_design_sign(d, t, UINT32_C(1) << i));
			else
				et_json_null(j, NULL);
		}
		et_json_end(j);
		et_json_end(j);
	}
	et_json_end(j);
}

static void write_order(const struct et_doe_outlook *o, struct et_json *j)
{
	const struct et_design *d = o->e->design;

	et_json_string(j, "order", et_order_names[o->e->plan.order]);
	et_json_u64(j, "seed", o->e->plan.seed);
	et_json_array(j, "runs");
	for (size_t i = 0; i < o->n_runs; i++) {
		uint32_t c = o->runs[i].command;
		et_json_flat_object(j, NULL);
		et_json_int(j, "order", (int64_t)i + 1);
		et_json_int(j, "treatment", et_design_treatment_of(d, c) + 1);
		et_json_string(j, "program", d->programs[et_design_program_of(d, c)].name);
		et_json_int(j, "round", o->runs[i].round);
		et_json_bool(j, "discarded", !o->runs[i].round);
		et_json_end(j);
	}
	et_json_end(j);
	et_json_bool(j, "runs_complete", o->n_runs == o->all_runs);
}

static void write_term(
	struct et_json *j, const char *key, const struct et_design *d, uint32_t term, uint32_t to)
{
	ET_AUTO_FREE char *name = et_design_term_name(d, term);
	ET_AUTO_FREE char *text =
		et_asprintf("%s%s", et_design_sign(d, 0, term ^ to) < 0 ? "-" : "", name);

	et_json_string(j, key, text);
}

static void write_fraction(const struct et_design *d, struct et_json *j)
{
	size_t n, n_terms;
	ET_AUTO_FREE uint32_t *words = et_design_relation(d, &n),
			      *terms = et_design_terms(d, &n_terms);

	if (!et_design_generators(d)) {
		et_json_null(j, "fraction");
		return;
	}
	et_json_object(j, "fraction");
	et_json_u64(j, "generators", et_design_generators(d));
	et_json_u64(j, "resolution", et_design_resolution(d));
	et_json_flat_array(j, "defining_relation");
	for (size_t i = 0; i < n; i++)
		write_term(j, NULL, d, words[i], 0);
	et_json_end(j);
	et_json_array(j, "aliases");
	for (size_t i = 0; i < n_terms; i++) {
		ET_AUTO_FREE uint32_t *list = et_design_aliases(d, terms[i], &n);
		et_json_flat_object(j, NULL);
		write_term(j, "term", d, terms[i], terms[i]);
		et_json_flat_array(j, "aliases");
		for (size_t k = 0; k < n; k++)
			write_term(j, NULL, d, list[k], terms[i]);
		et_json_end(j);
		et_json_end(j);
	}
	et_json_end(j);
	et_json_end(j);
}

static const struct et_field pilot_fields[] = {
	ET_KEY(et_doe_pilot, "runs", n),
	ET_KEYS(et_doe_pilot, run_ns),
	ET_KEY(et_doe_pilot, "lower_bound", cut),
	ET_KEYS(et_doe_pilot, mean, sd),
	{ 0 },
};

static void write_pilots(const struct et_doe_outlook *o, struct et_json *j)
{
	const struct et_design *d = o->e->design;

	if (!o->pilots) {
		et_json_null(j, "pilot");
		return;
	}
	et_json_array(j, "pilot");
	for (size_t i = 0; i < d->n_programs; i++) {
		et_json_flat_object(j, NULL);
		et_json_string(j, "program", d->programs[i].name);
		et_fields_write(j, pilot_fields, &o->pilots[i]);
		et_json_end(j);
	}
	et_json_end(j);
}

static void write_power(const struct et_doe_outlook *o, struct et_json *j)
{
	const struct et_design *d = o->e->design;
	size_t n;
	struct et_doe_class *classes =
		et_doe_classes(d, o->terms, o->n_terms, o->e->plan.runs, o->alpha, &n);

	et_json_array(j, "power");
	for (size_t i = 0; i < n; i++) {
		for (int p = 0; p < ET_DOE_POWERS; p++) {
			et_json_flat_object(j, NULL);
			et_json_flat_array(j, "terms");
			for (size_t k = 0; k < classes[i].n_terms; k++)
				write_term(j, NULL, d, classes[i].terms[k], classes[i].terms[k]);
			et_json_end(j);
			et_json_bool(j, "pairs", !classes[i].terms);
			et_json_double(j, "probability", et_doe_powers[p]);
			et_json_double(j, "smallest_sd", classes[i].alone[p]);
			et_json_double(j, "smallest_sd_holm", classes[i].holm[p]);
			et_json_flat_array(j, "percent_holm");
			for (size_t k = 0; k < d->n_programs; k++)
				et_json_double(j, NULL,
					100 * classes[i].holm[p] * et_doe_relative_sd(o, k));
			et_json_end(j);
			et_json_end(j);
		}
	}
	et_json_end(j);
	et_doe_classes_free(classes, n);
}

static const struct et_field executed_fields[] = {
	ET_KEYS(et_doe_executed, what, text),
	{ 0 },
};

static const struct et_field hook_fields[] = {
	ET_KEYS(et_design, setup, between, reboot),
	{ 0 },
};

static void write_executed(const struct et_experiment *e, struct et_json *j)
{
	size_t n;
	struct et_doe_executed *list = et_doe_executed(e, &n);

	et_fields_list(j, "executes", executed_fields, list, n, sizeof(*list));
	et_fields_flat(j, "hooks", hook_fields, e->design);
	free(list);
}

void et_doe_plan_json(const struct et_doe_outlook *o, FILE *out)
{
	const struct et_design *d = o->e->design;
	struct et_json j;
	bool at_least;

	et_json_init(&j, out, 2);
	et_json_object(&j, NULL);
	et_json_string(&j, "name", d->name);
	et_json_flat_array(&j, "programs");
	for (size_t i = 0; i < d->n_programs; i++)
		et_json_string(&j, NULL, d->programs[i].name);
	et_json_end(&j);
	write_executed(o->e, &j);
	et_json_u64(&j, "replications", o->e->plan.warmup + o->e->plan.runs);
	et_json_u64(&j, "discard", o->e->plan.warmup);
	et_json_u64(&j, "runs_total", o->all_runs);
	et_json_double(&j, "expected_s", et_doe_plan_ns(o, &at_least) / 1e9);
	et_json_bool(&j, "expected_lower_bound", at_least);
	et_json_bool(&j, "asks_for_yes", o->large);
	et_json_string(&j, "response", d->response);
	et_json_double(&j, "alpha", o->alpha);
	et_fields_list(&j, "factors", factor_fields, d->factors, d->n_factors, sizeof(*d->factors));
	write_treatments(d, &j);
	write_order(o, &j);
	write_fraction(d, &j);
	write_pilots(o, &j);
	et_json_string(&j, "no_pilot", o->pilots ? NULL : o->no_pilot);
	write_power(o, &j);
	et_json_end(&j);
}
