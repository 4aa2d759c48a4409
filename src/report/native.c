/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/native.h"
#include "base/json.h"
#include "model/advice.h"
#include "model/field.h"
#include "report/pair.h"

#include <math.h>

enum { RECORD_VERSION = 1 };

static void write_time(struct et_json *w, const char *key, uint64_t wall_ns)
{
	char buf[32];

	et_json_string(w, key, wall_ns ? et_format_rfc3339(wall_ns, buf) : NULL);
}

static void write_plan(struct et_json *w, const struct et_plan *p)
{
	et_json_object(w, "plan");
	et_json_string(w, "order", et_order_names[p->order]);
	et_json_u64(w, "seed", p->seed);
	et_fields_write(w, et_plan_fields, p);
	et_json_end(w);
}

static void write_object(
	struct et_json *w, const char *key, const struct et_field *fields, const void *base)
{
	et_json_object(w, key);
	et_fields_write(w, fields, base);
	et_json_end(w);
}

static void write_environment(struct et_json *w, const struct et_experiment *e)
{
	et_json_array(w, "environment");
	for (size_t i = 0; i < e->n_environment; i++) {
		et_json_flat_object(w, NULL);
		et_fields_write(w, et_factor_fields, &e->environment[i]);
		et_json_end(w);
	}
	et_json_end(w);
}

static void write_culprits(struct et_json *w, const struct et_sample *s)
{
	et_json_array(w, "interference");
	for (size_t i = 0; i < s->measured.n_culprits; i++)
		write_object(w, NULL, et_culprit_fields, &s->measured.culprits[i]);
	et_json_end(w);
}

static void write_removal(struct et_json *w, const struct et_removal *r)
{
	if (r->by == ET_KEPT) {
		et_json_null(w, "removed");
		return;
	}
	et_json_object(w, "removed");
	et_json_string(w, "by", et_removed_by_names[r->by]);
	if (r->by == ET_REMOVED_DAEMON_CUTOFF) {
		et_json_string(w, "daemon", r->daemon);
		et_json_u64(w, "pt_ns", r->cpu_ns);
		et_json_u64(w, "cutoff_ns", r->cutoff_ns);
	} else if (r->by == ET_REMOVED_MACHINE_SLOW) {
		et_json_u64(w, r->probe_ns ? "probe_ns" : "steal_ns",
			r->probe_ns ? r->probe_ns : r->steal_ns);
		et_json_u64(w, "limit_ns", r->limit_ns);
	}
	et_json_end(w);
}

static void write_sample(struct et_json *w, const struct et_sample *s)
{
	et_json_flat_object(w, NULL);
	et_json_u64(w, "index", s->place.index);
	et_fields_write(w, et_sample_fields, s);
	write_culprits(w, s);
	write_removal(w, &s->ruling.removal);
	et_json_end(w);
}

/* An estimate of nothing has no figures at all: what a caller left in them is not told. */
static double of(const struct et_estimate *e, double value)
{
	return e->n ? value : NAN;
}

static void write_estimate(struct et_json *w, const char *key, const struct et_estimate *e)
{
	et_json_object(w, key);
	et_json_u64(w, "n", e->n);
	et_json_double(w, "mean_ns", of(e, e->mean));
	et_json_double(w, "sd_ns", of(e, e->sd));
	et_json_double(w, "relative_error", of(e, e->relative_error));
	et_json_double(w, "min_ns", of(e, e->min));
	et_json_double(w, "max_ns", of(e, e->max));
	et_json_double(w, "median_ns", of(e, e->median));
	et_json_double(w, "q1_ns", of(e, e->q1));
	et_json_double(w, "q3_ns", of(e, e->q3));
	et_json_double(w, "standard_uncertainty_ns", of(e, e->standard_uncertainty));
	et_json_double(w, "coverage_factor", of(e, e->coverage_factor));
	et_json_double(w, "expanded_uncertainty_ns", of(e, e->expanded_uncertainty));
	et_json_flat_array(w, "interval_ns");
	et_json_double(w, NULL, of(e, e->lo));
	et_json_double(w, NULL, of(e, e->hi));
	et_json_end(w);
	et_json_double(w, "level", of(e, e->level));
	et_json_string(w, "interval_method", e->n ? e->interval_method : NULL);
	et_warnings_json(w, &e->warnings);
	et_json_end(w);
}

/* Process time corrected by the reference loop, or why it could not be. */
static void write_paced(struct et_json *w, const struct et_paced *p)
{
	if (!p->n && !p->why) {
		et_json_null(w, "paced");
		return;
	}
	et_json_object(w, "paced");
	et_json_u64(w, "n", p->n);
	et_json_string(w, "why_not", p->why);
	et_json_double(w, "mean_ns", p->mean);
	et_json_double(w, "relative_error", p->relative_error);
	et_json_double(w, "standard_uncertainty_ns", p->standard_uncertainty);
	et_json_double(w, "coverage_factor", p->coverage_factor);
	et_json_double(w, "expanded_uncertainty_ns", p->expanded_uncertainty);
	et_json_flat_array(w, "interval_ns");
	et_json_double(w, NULL, p->lo);
	et_json_double(w, NULL, p->hi);
	et_json_end(w);
	et_json_double(w, "level", p->level);
	et_json_double(w, "df", p->df);
	et_json_double(w, "inflation", p->inflation);
	et_json_double(w, "coefficient", p->coefficient);
	et_json_double(w, "coefficient_standard_uncertainty", p->coefficient_uncertainty);
	et_json_double(w, "coefficient_p", p->p);
	et_json_double(w, "lap_ns", p->lap);
	et_json_double(w, "lap_mean_ns", p->lap_mean);
	et_json_end(w);
}

/* What the result would have been with all that rules removed. */
static void write_before(struct et_json *w, const struct et_judgement *j, size_t i)
{
	const struct et_estimate *et = &j->commands[i].elapsed_before,
				 *pt = &j->commands[i].cpu_before;

	if (!et->n && !pt->n) {
		et_json_null(w, "before_removal");
		return;
	}
	et_json_object(w, "before_removal");
	write_estimate(w, "et", et);
	write_estimate(w, "pt", pt);
	et_json_end(w);
}

static void write_kbest(struct et_json *w, const struct et_kbest_result *r)
{
	if (!r->k) {
		et_json_null(w, "kbest");
		return;
	}
	et_json_flat_object(w, "kbest");
	et_json_u64(w, "k", r->k);
	et_json_double(w, "epsilon", r->epsilon);
	et_json_u64(w, "n", r->n);
	et_json_double(w, "best_ns", r->best);
	et_json_double(w, "spread", r->spread);
	et_json_double(w, "error", r->error);
	et_json_bool(w, "converged", r->converged);
	et_json_end(w);
}

/* What --protocol auto came to, and why. */
static void write_choice(struct et_json *w, const struct et_experiment *e)
{
	struct et_choice choice = et_protocol_choose(e);

	if (!choice.automatic) {
		et_json_null(w, "chosen");
		return;
	}
	et_json_object(w, "chosen");
	et_json_string(w, "protocol", et_protocol_names[choice.protocol]);
	et_json_double(w, "expected_s", choice.seconds);
	et_json_bool(w, "loaded", choice.loaded);
	et_json_string(w, "why", choice.why);
	et_json_end(w);
}

static void write_command_head(struct et_json *w, const struct et_command *c)
{
	et_json_string(w, "name", c->name);
	et_json_string(w, "command", c->text);
	et_json_flat_array(w, "argv");
	for (char **arg = c->argv; arg && *arg; arg++)
		et_json_string(w, NULL, *arg);
	et_json_end(w);
	et_json_flat_object(w, "parameters");
	for (size_t i = 0; i < c->n_parameters; i++)
		et_json_string(w, c->parameters[i].name, c->parameters[i].value);
	et_json_end(w);
	et_json_string(w, "setup", c->setup);
	et_json_string(w, "prepare", c->prepare);
	et_json_string(w, "conclude", c->conclude);
	et_json_string(w, "cleanup", c->cleanup);
}

static void write_commands(
	struct et_json *w, const struct et_experiment *e, const struct et_judgement *j)
{
	et_json_array(w, "commands");
	for (size_t i = 0; i < e->n_commands; i++) {
		const struct et_command *c = &e->commands[i];

		et_json_object(w, NULL);
		write_command_head(w, c);
		et_json_array(w, "samples");
		for (size_t k = 0; k < c->n_samples; k++)
			write_sample(w, &c->samples[k]);
		et_json_end(w);
		et_json_object(w, "result");
		et_json_u64(w, "n", j->commands[i].elapsed.n);
		et_json_u64(w, "removed", j->commands[i].removed);
		write_estimate(w, "et", &j->commands[i].elapsed);
		write_estimate(w, "pt", &j->commands[i].cpu);
		write_paced(w, &j->commands[i].paced);
		write_before(w, j, i);
		write_kbest(w, &j->commands[i].kbest);
		et_warnings_json(w, &j->commands[i].warnings);
		et_json_end(w);
		et_json_end(w);
	}
	et_json_end(w);
}

void et_native_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_int(&w, "etalon", RECORD_VERSION);
	et_json_string(&w, "id", e->id);
	et_json_string(&w, "label", e->label);
	write_time(&w, "started", e->started_wall_ns);
	write_time(&w, "finished", e->finished_wall_ns);
	et_json_u64(&w, "started_wall_ns", e->started_wall_ns);
	et_json_u64(&w, "finished_wall_ns", e->finished_wall_ns);
	et_json_string(&w, "state", et_state_names[e->state]);
	et_json_string(&w, "protocol", et_protocol_names[e->protocol]);
	write_choice(&w, e);
	et_json_string(&w, "metric", et_metric_names[e->metric]);
	et_json_string(&w, "order", et_order_names[e->plan.order]);
	et_json_u64(&w, "seed", e->plan.seed);
	write_plan(&w, &e->plan);
	write_object(&w, "child", et_child_fields, &e->child);
	et_json_string(&w, "image_source", e->snapshot_source);
	write_object(&w, "host", et_host_fields, &e->host);
	write_environment(&w, e);
	write_commands(&w, e, j);
	et_json_array(&w, "comparisons");
	for (size_t i = 0; i < j->n_contrasts; i++)
		et_pair_json(&w, e->commands[j->contrasts[i].a].name,
			e->commands[j->contrasts[i].b].name, &j->contrasts[i]);
	et_json_end(&w);
	et_warnings_json(&w, &j->warnings);
	et_json_end(&w);
}
