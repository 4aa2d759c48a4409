/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A designed experiment as JSON. Scripts depend on the keys: add keys, but never rename one. */
#include "app/doe/view.h"
#include "report/pair.h"
#include "report/warning.h"

/* "effect_ns" of times, "effect" of other responses. */
static const char *unit_of(const struct et_doe_result *r)
{
	return r->unit == ET_UNIT_NS ? "ns" : NULL;
}

static const struct et_field design_fields[] = {
	ET_KEYS(et_design, name),
	ET_KEY_LIST(et_design, "factors", factors, n_factors,
		ET_TABLE(ET_KEYS(et_design_factor, name),
			ET_KEY_NAME(et_design_factor, "kind", kind, et_kind_names),
			ET_KEY_VALUES(et_design_factor, "levels", levels, n_levels),
			ET_KEY(et_design_factor, "generator", generator, .omitted = true)),
		.flat = true),
	ET_KEY_COLUMN(et_design, "programs", programs, n_programs, et_design_program, name),
	ET_KEY(et_design, "treatments", n_treatments),
	ET_KEYS(et_design, replications, discard),
	ET_KEY_NAME(et_design, "blocks", blocks, et_design_blocks_names),
	{ 0 },
};

static void design(struct et_json *w, const struct et_doe_view *v)
{
	const struct et_doe_result *r = v->result;

	et_json_object(w, "design");
	et_fields_write(w, design_fields, r->design);
	et_json_string(w, "response", et_metrics[r->metric].name);
	et_json_string(w, "unit", et_unit_names[r->unit]);
	et_json_flat_array(w, "experiments");
	for (size_t i = 0; i < v->n_experiments; i++)
		et_json_string(w, NULL, v->experiments[i]->id);
	et_json_end(w);
	et_json_double(w, "alpha", r->alpha);
	et_json_double(w, "level", r->level);
	et_json_bool(w, "blocked", r->blocked);
	et_json_end(w);
}

static void write_levels(struct et_json *w, const struct et_design *d, size_t treatment)
{
	const uint32_t *levels = d->treatments[treatment].levels;

	et_json_flat_object(w, "levels");
	for (size_t f = 0; f < d->n_factors; f++)
		et_json_string(w, d->factors[f].name, d->factors[f].levels[levels[f]]);
	et_json_end(w);
}

/* One run has a mean, but no spread. */
#define SPREAD ET_GIVEN(et_estimate, n), .least = 2

static const struct et_field cell_fields[] = {
	ET_KEYS(et_estimate, n),
	ET_KEYS_IN(ET_TABLE(ET_KEYS_IN_UNIT(et_estimate, mean)), ET_GIVEN(et_estimate, n)),
	ET_KEYS_IN(ET_TABLE(ET_KEYS_IN_UNIT(et_estimate, sd), ET_KEYS(et_estimate, relative_error)),
		SPREAD),
	ET_KEYS_IN(
		ET_TABLE(ET_KEYS_IN_UNIT(et_estimate, min, max, median)), ET_GIVEN(et_estimate, n)),
	ET_KEYS_IN(ET_TABLE(ET_KEYS_IN_UNIT(et_estimate, standard_uncertainty),
			   ET_KEYS(et_estimate, coverage_factor),
			   ET_KEYS_IN_UNIT(et_estimate, expanded_uncertainty),
			   ET_KEY_SPAN(et_estimate, "interval", lo, hi, .in_unit = true)),
		SPREAD),
	ET_KEYS(et_estimate, level, interval_method),
	ET_KEY_WARNINGS(et_estimate, warnings),
	{ 0 },
};

static void treatments(
	struct et_json *w, const struct et_doe_view *v, const struct et_doe_program *p)
{
	const struct et_design *d = v->result->design;

	for (size_t t = 0; t < p->n_cells; t++) {
		et_json_object(w, NULL);
		et_json_string(w, "name", d->treatments[t].name);
		et_json_string(w, "program", p->name);
		write_levels(w, d, t);
		et_fields_write_in(w, cell_fields, &p->cells[t], unit_of(v->result));
		et_json_end(w);
	}
}

/* --- machines --- */

static const struct et_field over_fields[] = {
	ET_KEYS(et_doe_over_machines, f, df, df2, p, p_holm, differs),
	ET_KEY(et_doe_over_machines, "here_percent", here.percent),
	ET_KEY_SPAN(et_doe_over_machines, "here_interval", here.lo, here.hi),
	ET_KEYS(et_doe_over_machines, here_p, here_p_holm, here_significant),
	{ 0 },
};

static const struct et_field on_machine_fields[] = {
	ET_KEYS(et_doe_on_machine, percent),
	ET_KEY_SPAN(et_doe_on_machine, "interval", lo, hi),
	{ 0 },
};

static void over_machines(struct et_json *w, const struct et_doe_view *v,
	const struct et_doe_program *p, const struct et_doe_over_machines *o)
{
	et_json_object(w, "between_machines");
	et_fields_write(w, over_fields, o);
	et_json_array(w, "machines");
	for (size_t i = 0; i < o->n_on; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "machine", et_doe_machine_name(v, p->fleet, i));
		et_fields_write(w, on_machine_fields, &o->on[i]);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}

static const struct et_field component_fields[] = {
	ET_KEY(et_doe_component, "sd_percent", sd, .scale = 100),
	ET_KEY_SPAN(et_doe_component, "interval", lo, hi, .scale = 100),
	ET_KEY(et_doe_component, "percent_of_variance", share, .scale = 100),
	ET_KEYS(et_doe_component, df),
	{ 0 },
};

static const struct et_field fleet_fields[] = {
	ET_KEY_WORD(et_doe_fleet, "scale", logs, "value over the mean", "logarithm"),
	ET_KEY_WORD(et_doe_fleet, "method", exact, "unweighted-means", "anova"),
	ET_KEY(et_doe_fleet, "machines", n_machines),
	ET_KEY(et_doe_fleet, "machines_left_out", n_left_out),
	ET_KEYS(et_doe_fleet, parts),
	ET_KEY_FLAT(et_doe_fleet, "between_machines", between, component_fields),
	ET_KEY_FLAT(et_doe_fleet, "between_parts", of_parts, component_fields),
	ET_KEY_FLAT(et_doe_fleet, "machine_by_treatment", interaction, component_fields),
	ET_KEY_FLAT(et_doe_fleet, "within_machines", within, component_fields),
	{ 0 },
};

static const struct et_field machine_fields[] = {
	ET_KEYS(et_doe_machine, n),
	ET_KEY(et_doe_machine, "parts", n_parts),
	ET_KEYS(et_doe_machine, ratio),
	ET_KEY_SPAN(et_doe_machine, "interval", lo, hi),
	ET_KEY(et_doe_machine, "noise_percent", noise, .scale = 100),
	ET_KEYS(et_doe_machine, p_holm, differs),
	{ 0 },
};

static void machines(struct et_json *w, const struct et_doe_view *v, const struct et_doe_program *p)
{
	for (size_t i = 0; p->fleet && i < p->fleet->n_machines; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "machine", et_doe_machine_name(v, p->fleet, i));
		et_json_string(w, "program", p->name);
		et_fields_write(w, machine_fields, &p->fleet->machines[i]);
		et_json_end(w);
	}
}

/* --- effects, programs and pairs --- */

static const struct et_field size_fields[] = {
	ET_KEYS_IN_UNIT(et_doe_effect, effect),
	ET_KEY_SPAN(et_doe_effect, "interval", lo, hi, .in_unit = true),
	ET_KEYS(et_doe_effect, percent),
	ET_KEY_SPAN(et_doe_effect, "percent_interval", percent_lo, percent_hi),
	{ 0 },
};

static const struct et_field change_fields[] = {
	ET_KEY(et_doe_change, "change_percent", percent),
	ET_KEY_SPAN(et_doe_change, "change_interval", lo, hi),
	{ 0 },
};

static const struct et_field test_fields[] = {
	ET_KEY(et_doe_effect, "percent_of_variation", share, .scale = 100),
	ET_KEYS(et_doe_effect, df, df2),
	ET_KEY(et_doe_effect, "sum_of_squares", sum_squares),
	ET_KEYS(et_doe_effect, mean_square, f, p, p_holm, significant),
	{ 0 },
};

static const struct et_field level_fields[] = {
	ET_KEY(et_doe_effect, "aliases", aliases, .omitted = true),
	ET_KEY_LIST(et_doe_effect, "means", means, n_means,
		ET_TABLE(ET_KEYS(et_doe_mean, levels, n), ET_KEYS_IN_UNIT(et_doe_mean, mean),
			ET_KEY_SPAN(et_doe_mean, "interval", lo, hi, .in_unit = true)),
		.flat = true),
	{ 0 },
};

static void effects(struct et_json *w, const struct et_doe_view *v, const struct et_doe_program *p)
{
	for (const struct et_doe_effect *e = NULL; (e = et_doe_next(v, p, e));) {
		struct et_doe_change c = et_doe_change_of(p, e);
		struct et_doe_effect sized = *e;
		if (!et_doe_has_interval(e))
			sized.lo = sized.hi = sized.percent_lo = sized.percent_hi = NAN;
		et_json_object(w, NULL);
		et_json_string(w, "term", e->term);
		et_json_string(w, "program", p->name);
		et_fields_write_in(w, size_fields, &sized, unit_of(v->result));
		et_fields_write(w, change_fields, &c);
		et_fields_write(w, test_fields, e);
		if (p->fleet)
			over_machines(w, v, p, &e->over);
		et_fields_write_in(w, level_fields, e, unit_of(v->result));
		et_json_end(w);
	}
}

static double blocks_percent(const void *program)
{
	const struct et_doe_program *p = program;

	return 100 * p->ss_blocks / p->ss_total;
}

static double false_positives(const void *program)
{
	const struct et_doe_program *p = program;

	return p->before ? (double)(p->before - p->after) / (double)p->before : NAN;
}

static void write_fleet(struct et_json *w, const char *key, const void *fleet)
{
	et_fields_object(w, key, fleet_fields, *(struct et_doe_fleet *const *)fleet);
}

static const struct et_field program_fields[] = {
	ET_KEYS(et_doe_program, n),
	ET_KEYS_IN_UNIT(et_doe_program, mean),
	ET_KEY_NAME(et_doe_program, "method", method, et_doe_method_names),
	ET_KEYS(et_doe_program, why, balanced),
	ET_KEY(et_doe_program, "failed_treatments", n_failed),
	ET_KEYS(et_doe_program, dropped_levels),
	ET_KEY(et_doe_program, "residual_sd", sd_residual, .in_unit = true),
	ET_KEY(et_doe_program, "residual_df", df_residual),
	ET_KEY(et_doe_program, "residual_sum_of_squares", ss_residual),
	ET_KEY(et_doe_program, "residual_percent_of_variation", share_residual, .scale = 100),
	ET_KEY(et_doe_program, "blocks_df", df_blocks),
	ET_KEY(et_doe_program, "blocks_sum_of_squares", ss_blocks),
	ET_KEY_OF("blocks_percent_of_variation", blocks_percent),
	ET_KEYS(et_doe_program, not_estimated),
	ET_KEY_BY(et_doe_program, "variance_components", fleet, write_fleet,
		ET_GIVEN_POINTER(et_doe_program, fleet), .omitted = true),
	ET_KEY_FLAT(et_doe_program, "residuals", residuals,
		ET_TABLE(ET_KEYS(et_doe_residuals, normal_p),
			ET_KEY(et_doe_residuals, "equal_spread_p", equal_p),
			ET_KEYS(et_doe_residuals, serial_p))),
	ET_KEY(et_doe_program, "pairs", n_pairs),
	ET_KEY(et_doe_program, "before_holm", before),
	ET_KEY(et_doe_program, "after_holm", after),
	ET_KEY_OF("false_positives", false_positives),
	ET_KEY_WARNINGS(et_doe_program, warnings),
	{ 0 },
};

static void program(struct et_json *w, const struct et_doe_view *v, const struct et_doe_program *p)
{
	ET_AUTO_FREE char *finding = et_doe_finding(v, p);

	et_json_object(w, NULL);
	et_json_string(w, "name", p->name);
	et_json_string(w, "finding", finding);
	et_fields_write_in(w, program_fields, p, unit_of(v->result));
	et_json_end(w);
}

static const struct et_field pair_fields[] = {
	ET_KEYS(et_doe_pair, programs),
	ET_KEY(et_doe_pair, "before_holm", before),
	ET_KEY(et_doe_pair, "after_holm", after),
	ET_KEYS(et_doe_pair, student, welch, wilcoxon, other),
	{ 0 },
};

static void pairs(struct et_json *w, const struct et_doe_view *v, const struct et_doe_program *p)
{
	const struct et_treatment *t = v->result->design->treatments;

	for (const struct et_contrast *c = p->pairs; c < p->pairs + p->n_pairs; c++) {
		et_json_object(w, NULL);
		et_json_string(w, "program", p->name);
		et_pair_json_members(w, t[c->a].name, t[c->b].name, c);
		et_json_end(w);
	}
}

/* An array of what `each` writes of all programs. */
static void of_programs(struct et_json *w, const char *key, const struct et_doe_view *v,
	void (*each)(
		struct et_json *w, const struct et_doe_view *v, const struct et_doe_program *p))
{
	et_json_array(w, key);
	for (size_t i = 0; i < v->result->n_programs; i++)
		each(w, v, &v->result->programs[i]);
	et_json_end(w);
}

void et_doe_json(const struct et_doe_view *v, struct et_json *w)
{
	const struct et_doe_result *r = v->result;
	const struct et_treatment *t = r->design->treatments;
	ET_AUTO_FREE char *summary = et_doe_summary(v);
	ET_AUTO_FREE char *missing = et_doe_missing(v);

	et_json_object(w, NULL);
	design(w, v);
	et_json_string(w, "summary", summary);
	et_json_string(w, "missing", *missing ? missing : NULL);
	if (r->n_machines > 1) {
		et_json_string(
			w, "effects_of", r->population ? "machines like these" : "these machines");
		of_programs(w, "machines", v, machines);
	}
	of_programs(w, "programs", v, program);
	of_programs(w, "treatments", v, treatments);
	of_programs(w, "effects", v, effects);
	of_programs(w, "pairs", v, pairs);
	et_json_array(w, "pairs_over_programs");
	for (size_t i = 0; i < r->n_pairs; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "a", t[r->pairs[i].a].name);
		et_json_string(w, "b", t[r->pairs[i].b].name);
		et_fields_write(w, pair_fields, &r->pairs[i]);
		et_json_end(w);
	}
	et_json_end(w);
	et_warnings_json(w, &r->warnings);
	et_json_end(w);
}

/* --- a plan --- */

static const struct et_field factor_fields[] = {
	ET_KEYS(et_design_factor, name),
	ET_KEY_NAME(et_design_factor, "kind", kind, et_kind_names),
	ET_KEYS(et_design_factor, variable),
	ET_KEY_VALUES(et_design_factor, "levels", levels, n_levels),
	ET_KEYS(et_design_factor, generator),
	{ 0 },
};

static void write_treatments(const struct et_design *d, struct et_json *j)
{
	et_json_array(j, "treatments");
	for (size_t t = 0; t < d->n_treatments; t++) {
		et_json_flat_object(j, NULL);
		et_json_int(j, "number", (int64_t)t + 1);
		et_json_string(j, "name", d->treatments[t].name);
		write_levels(j, d, t);
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
	ET_AUTO_FREE char *text = et_doe_signed_term(d, term, to, "-");

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
	struct et_doe_class *classes = et_doe_power_of(o, &n);

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

void et_doe_plan_json(const struct et_doe_outlook *o)
{
	const struct et_design *d = o->e->design;
	size_t n;
	ET_AUTO_FREE struct et_doe_executed *list = et_doe_executed(o->e, &n);
	struct et_json j;
	bool at_least;

	et_json_init(&j, o->page->out, 2);
	et_json_object(&j, NULL);
	et_json_string(&j, "name", d->name);
	et_json_flat_array(&j, "programs");
	for (size_t i = 0; i < d->n_programs; i++)
		et_json_string(&j, NULL, d->programs[i].name);
	et_json_end(&j);
	et_fields_list(&j, "executes", executed_fields, list, n, sizeof(*list));
	et_fields_flat(&j, "hooks", hook_fields, d);
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
