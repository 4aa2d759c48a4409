/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A designed experiment as JSON. Scripts depend on the keys: add keys, but never rename one. */
#include "app/doe/view.h"
#include "base/alloc.h"
#include "report/pair.h"
#include "report/warning.h"

#include <math.h>

/* "effect_ns" of times, "effect" of other responses. */
static const char *unit_of(const struct et_doe_result *r)
{
	return r->unit == ET_UNIT_NS ? "ns" : NULL;
}

void et_doe_write_kind(struct et_json *w, const char *key, const void *kind)
{
	et_json_string(w, key, et_factor_kinds[*(const enum et_kind *)kind].name);
}

static const struct et_field design_fields[] = {
	ET_KEYS(et_design, name),
	ET_KEY_LIST(et_design, "factors", factors, n_factors,
		ET_TABLE(ET_KEYS(et_design_factor, name),
			ET_KEY_BY(et_design_factor, "kind", kind, et_doe_write_kind),
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

static void treatment(
	struct et_json *w, const struct et_doe_result *r, const struct et_doe_program *p, size_t t)
{
	const struct et_design *d = r->design;

	et_json_object(w, NULL);
	et_json_string(w, "name", d->treatments[t].name);
	et_json_string(w, "program", p->name);
	et_json_flat_object(w, "levels");
	for (size_t f = 0; f < d->n_factors; f++)
		et_json_string(
			w, d->factors[f].name, d->factors[f].levels[d->treatments[t].levels[f]]);
	et_json_end(w);
	et_fields_write_in(w, cell_fields, &p->cells[t], unit_of(r));
	et_json_end(w);
}

/* --- machines --- */

static const char *machine_name(
	const struct et_doe_view *v, const struct et_doe_program *p, size_t i)
{
	return v->result->machines[p->fleet->machines[i].name];
}

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
		et_json_string(w, "machine", machine_name(v, p, i));
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

static void machines(struct et_json *w, const struct et_doe_view *v)
{
	const struct et_doe_result *r = v->result;

	et_json_array(w, "machines");
	for (size_t i = 0; i < r->n_programs; i++) {
		const struct et_doe_program *p = &r->programs[i];
		for (size_t k = 0; p->fleet && k < p->fleet->n_machines; k++) {
			et_json_flat_object(w, NULL);
			et_json_string(w, "machine", machine_name(v, p, k));
			et_json_string(w, "program", p->name);
			et_fields_write(w, machine_fields, &p->fleet->machines[k]);
			et_json_end(w);
		}
	}
	et_json_end(w);
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

static void effect(struct et_json *w, const struct et_doe_view *v, const struct et_doe_program *p,
	const struct et_doe_effect *e)
{
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

static void pair(struct et_json *w, const struct et_doe_result *r, const struct et_doe_pair *p)
{
	et_json_flat_object(w, NULL);
	et_json_string(w, "a", r->design->treatments[p->a].name);
	et_json_string(w, "b", r->design->treatments[p->b].name);
	et_fields_write(w, pair_fields, p);
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
		machines(w, v);
	}
	et_json_array(w, "programs");
	for (size_t i = 0; i < r->n_programs; i++)
		program(w, v, &r->programs[i]);
	et_json_end(w);
	et_json_array(w, "treatments");
	for (size_t i = 0; i < r->n_programs; i++) {
		for (size_t k = 0; k < r->programs[i].n_cells; k++)
			treatment(w, r, &r->programs[i], k);
	}
	et_json_end(w);
	et_json_array(w, "effects");
	for (size_t i = 0; i < r->n_programs; i++) {
		const struct et_doe_program *p = &r->programs[i];
		for (size_t k = 0; k < p->n_effects; k++) {
			if (et_doe_shows(v, &p->effects[k]))
				effect(w, v, p, &p->effects[k]);
		}
	}
	et_json_end(w);
	et_json_array(w, "pairs");
	for (size_t i = 0; i < r->n_programs; i++) {
		const struct et_doe_program *p = &r->programs[i];
		for (size_t k = 0; k < p->n_pairs; k++) {
			et_json_object(w, NULL);
			et_json_string(w, "program", p->name);
			et_pair_json_members(
				w, t[p->pairs[k].a].name, t[p->pairs[k].b].name, &p->pairs[k]);
			et_json_end(w);
		}
	}
	et_json_end(w);
	et_json_array(w, "pairs_over_programs");
	for (size_t i = 0; i < r->n_pairs; i++)
		pair(w, r, &r->pairs[i]);
	et_json_end(w);
	et_warnings_json(w, &r->warnings);
	et_json_end(w);
}
