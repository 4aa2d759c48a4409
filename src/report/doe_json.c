/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A designed experiment as JSON. Scripts depend on the keys: add keys, but never rename one. */
#include "base/alloc.h"
#include "report/doe.h"
#include "report/pair.h"
#include "report/warning.h"

#include <math.h>

/* "effect_ns" of times, "effect" of other responses. */
static const char *key(const struct et_doe_result *r, const char *name, char buf[64])
{
	snprintf(buf, 64, "%s%s", name, r->unit == ET_UNIT_NS ? "_ns" : "");
	return buf;
}

static void interval(struct et_json *w, const char *name, double lo, double hi)
{
	et_json_flat_array(w, name);
	et_json_double(w, NULL, lo);
	et_json_double(w, NULL, hi);
	et_json_end(w);
}

static void design(struct et_json *w, const struct et_doe_view *v)
{
	const struct et_doe_result *r = v->result;
	const struct et_design *d = r->design;

	et_json_object(w, "design");
	et_json_string(w, "name", d->name);
	et_json_array(w, "factors");
	for (size_t i = 0; i < d->n_factors; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "name", d->factors[i].name);
		et_json_string(w, "kind", et_factor_kinds[d->factors[i].kind].name);
		et_json_flat_array(w, "levels");
		for (size_t k = 0; k < d->factors[i].n_levels; k++)
			et_json_string(w, NULL, d->factors[i].levels[k]);
		et_json_end(w);
		if (d->factors[i].generator)
			et_json_string(w, "generator", d->factors[i].generator);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_flat_array(w, "programs");
	for (size_t i = 0; i < d->n_programs; i++)
		et_json_string(w, NULL, d->programs[i].name);
	et_json_end(w);
	et_json_u64(w, "treatments", d->n_treatments);
	et_json_u64(w, "replications", d->replications);
	et_json_u64(w, "discard", d->discard);
	et_json_string(w, "blocks", et_design_blocks_names[d->blocks]);
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

static void treatment(
	struct et_json *w, const struct et_doe_result *r, const struct et_doe_program *p, size_t t)
{
	const struct et_design *d = r->design;
	const struct et_estimate *c = &p->cells[t];
	char k[64];

	et_json_object(w, NULL);
	et_json_string(w, "name", d->treatments[t].name);
	et_json_string(w, "program", p->name);
	et_json_flat_object(w, "levels");
	for (size_t f = 0; f < d->n_factors; f++)
		et_json_string(
			w, d->factors[f].name, d->factors[f].levels[d->treatments[t].levels[f]]);
	et_json_end(w);
	et_json_u64(w, "n", c->n);
	et_json_double(w, key(r, "mean", k), c->n ? c->mean : NAN);
	et_json_double(w, key(r, "sd", k), c->n > 1 ? c->sd : NAN);
	et_json_double(w, "relative_error", c->n > 1 ? c->relative_error : NAN);
	et_json_double(w, key(r, "min", k), c->n ? c->min : NAN);
	et_json_double(w, key(r, "max", k), c->n ? c->max : NAN);
	et_json_double(w, key(r, "median", k), c->n ? c->median : NAN);
	et_json_double(
		w, key(r, "standard_uncertainty", k), c->n > 1 ? c->standard_uncertainty : NAN);
	et_json_double(w, "coverage_factor", c->n > 1 ? c->coverage_factor : NAN);
	et_json_double(
		w, key(r, "expanded_uncertainty", k), c->n > 1 ? c->expanded_uncertainty : NAN);
	interval(w, key(r, "interval", k), c->n > 1 ? c->lo : NAN, c->n > 1 ? c->hi : NAN);
	et_json_double(w, "level", c->level);
	et_json_string(w, "interval_method", c->interval_method);
	et_warnings_json(w, &c->warnings);
	et_json_end(w);
}

static void means(struct et_json *w, const struct et_doe_result *r, const struct et_doe_effect *e)
{
	char k[64];

	et_json_array(w, "means");
	for (size_t i = 0; i < e->n_means; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "levels", e->means[i].levels);
		et_json_u64(w, "n", e->means[i].n);
		et_json_double(w, key(r, "mean", k), e->means[i].mean);
		interval(w, key(r, "interval", k), e->means[i].lo, e->means[i].hi);
		et_json_end(w);
	}
	et_json_end(w);
}

/* --- machines --- */

static const char *machine_name(
	const struct et_doe_view *v, const struct et_doe_program *p, size_t i)
{
	return v->result->machines[p->fleet->machines[i].name];
}

static void over_machines(struct et_json *w, const struct et_doe_view *v,
	const struct et_doe_program *p, const struct et_doe_over_machines *o)
{
	et_json_object(w, "between_machines");
	et_json_double(w, "f", o->f);
	et_json_double(w, "df", o->df);
	et_json_double(w, "df2", o->df2);
	et_json_double(w, "p", o->p);
	et_json_double(w, "p_holm", o->p_holm);
	et_json_bool(w, "differs", o->differs);
	et_json_double(w, "here_percent", o->here.percent);
	interval(w, "here_interval", o->here.lo, o->here.hi);
	et_json_double(w, "here_p", o->here_p);
	et_json_double(w, "here_p_holm", o->here_p_holm);
	et_json_bool(w, "here_significant", o->here_significant);
	et_json_array(w, "machines");
	for (size_t i = 0; i < o->n_on; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "machine", machine_name(v, p, i));
		et_json_double(w, "percent", o->on[i].percent);
		interval(w, "interval", o->on[i].lo, o->on[i].hi);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}

static void component(struct et_json *w, const char *name, const struct et_doe_component *c)
{
	et_json_flat_object(w, name);
	et_json_double(w, "sd_percent", 100 * c->sd);
	interval(w, "interval", 100 * c->lo, 100 * c->hi);
	et_json_double(w, "percent_of_variance", 100 * c->share);
	et_json_double(w, "df", c->df);
	et_json_end(w);
}

static void components(struct et_json *w, const struct et_doe_fleet *f)
{
	et_json_object(w, "variance_components");
	et_json_string(w, "scale", f->logs ? "logarithm" : "value over the mean");
	et_json_string(w, "method", f->exact ? "anova" : "unweighted-means");
	et_json_u64(w, "machines", f->n_machines);
	et_json_u64(w, "machines_left_out", f->n_left_out);
	et_json_bool(w, "parts", f->parts);
	component(w, "between_machines", &f->between);
	component(w, "between_parts", &f->of_parts);
	component(w, "machine_by_treatment", &f->interaction);
	component(w, "within_machines", &f->within);
	et_json_end(w);
}

static void machines(struct et_json *w, const struct et_doe_view *v)
{
	const struct et_doe_result *r = v->result;

	et_json_array(w, "machines");
	for (size_t i = 0; i < r->n_programs; i++) {
		const struct et_doe_program *p = &r->programs[i];
		for (size_t k = 0; p->fleet && k < p->fleet->n_machines; k++) {
			const struct et_doe_machine *m = &p->fleet->machines[k];
			et_json_flat_object(w, NULL);
			et_json_string(w, "machine", machine_name(v, p, k));
			et_json_string(w, "program", p->name);
			et_json_u64(w, "n", m->n);
			et_json_u64(w, "parts", m->n_parts);
			et_json_double(w, "ratio", m->ratio);
			interval(w, "interval", m->lo, m->hi);
			et_json_double(w, "noise_percent", 100 * m->noise);
			et_json_double(w, "p_holm", m->p_holm);
			et_json_bool(w, "differs", m->differs);
			et_json_end(w);
		}
	}
	et_json_end(w);
}

/* --- effects, programs and pairs --- */

static void effect(struct et_json *w, const struct et_doe_view *v, const struct et_doe_program *p,
	const struct et_doe_effect *e)
{
	const struct et_doe_result *r = v->result;
	struct et_doe_change c = et_doe_change_of(p, e);
	bool has = et_doe_has_interval(e);
	char k[64];

	et_json_object(w, NULL);
	et_json_string(w, "term", e->term);
	et_json_string(w, "program", p->name);
	et_json_double(w, key(r, "effect", k), e->effect);
	interval(w, key(r, "interval", k), has ? e->lo : NAN, has ? e->hi : NAN);
	et_json_double(w, "percent", e->percent);
	interval(w, "percent_interval", has ? e->percent_lo : NAN, has ? e->percent_hi : NAN);
	et_json_double(w, "change_percent", c.percent);
	interval(w, "change_interval", c.lo, c.hi);
	et_json_double(w, "percent_of_variation", 100 * e->share);
	et_json_double(w, "df", e->df);
	et_json_double(w, "df2", e->df2);
	et_json_double(w, "sum_of_squares", e->sum_squares);
	et_json_double(w, "mean_square", e->mean_square);
	et_json_double(w, "f", e->f);
	et_json_double(w, "p", e->p);
	et_json_double(w, "p_holm", e->p_holm);
	et_json_bool(w, "significant", e->significant);
	if (p->fleet)
		over_machines(w, v, p, &e->over);
	if (e->aliases)
		et_json_string(w, "aliases", e->aliases);
	means(w, r, e);
	et_json_end(w);
}

static void program(struct et_json *w, const struct et_doe_view *v, const struct et_doe_program *p)
{
	const struct et_doe_result *r = v->result;
	ET_AUTO_FREE char *finding = et_doe_finding(v, p);
	char k[64];

	et_json_object(w, NULL);
	et_json_string(w, "name", p->name);
	et_json_string(w, "finding", finding);
	et_json_u64(w, "n", p->n);
	et_json_double(w, key(r, "mean", k), p->mean);
	et_json_string(w, "method", et_doe_method_names[p->method]);
	et_json_string(w, "why", p->why);
	et_json_bool(w, "balanced", p->balanced);
	et_json_u64(w, "failed_treatments", p->n_failed);
	et_json_string(w, "dropped_levels", p->dropped_levels);
	et_json_double(w, key(r, "residual_sd", k), p->sd_residual);
	et_json_double(w, "residual_df", p->df_residual);
	et_json_double(w, "residual_sum_of_squares", p->ss_residual);
	et_json_double(w, "residual_percent_of_variation", 100 * p->share_residual);
	et_json_double(w, "blocks_df", p->df_blocks);
	et_json_double(w, "blocks_sum_of_squares", p->ss_blocks);
	et_json_double(w, "blocks_percent_of_variation", 100 * p->ss_blocks / p->ss_total);
	et_json_string(w, "not_estimated", p->not_estimated);
	if (p->fleet)
		components(w, p->fleet);
	et_json_flat_object(w, "residuals");
	et_json_double(w, "normal_p", p->residuals.normal_p);
	et_json_double(w, "equal_spread_p", p->residuals.equal_p);
	et_json_double(w, "serial_p", p->residuals.serial_p);
	et_json_end(w);
	et_json_u64(w, "pairs", p->n_pairs);
	et_json_u64(w, "before_holm", p->before);
	et_json_u64(w, "after_holm", p->after);
	et_json_double(w, "false_positives",
		p->before ? (double)(p->before - p->after) / (double)p->before : NAN);
	et_warnings_json(w, &p->warnings);
	et_json_end(w);
}

static void pair(struct et_json *w, const struct et_doe_result *r, const struct et_doe_pair *p)
{
	et_json_flat_object(w, NULL);
	et_json_string(w, "a", r->design->treatments[p->a].name);
	et_json_string(w, "b", r->design->treatments[p->b].name);
	et_json_u64(w, "programs", p->programs);
	et_json_u64(w, "before_holm", p->before);
	et_json_u64(w, "after_holm", p->after);
	et_json_u64(w, "student", p->student);
	et_json_u64(w, "welch", p->welch);
	et_json_u64(w, "wilcoxon", p->wilcoxon);
	et_json_u64(w, "other", p->other);
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
