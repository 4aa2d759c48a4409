/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/native.h"
#include "base/alloc.h"
#include "base/json.h"
#include "model/design_json.h"
#include "num/student.h"
#include "report/pair.h"
#include "report/steps.h"
#include "report/tally.h"
#include "report/warning.h"

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

/* An estimate without values has no figures, so its members are not written. */
static double of(const struct et_estimate *e, double value)
{
	return e->n ? value : NAN;
}

/* A figure in the unit of its metric: "mean" is written as "mean_ns". */
static void write_figure(struct et_json *w, const char *name, enum et_unit unit,
	const struct et_estimate *e, double x)
{
	char key[48];

	snprintf(key, sizeof(key), "%s_%s", name, et_unit_names[unit]);
	et_json_double(w, key, of(e, x));
}

static void write_interval(struct et_json *w, enum et_unit unit, const struct et_estimate *e)
{
	char key[48];

	snprintf(key, sizeof(key), "interval_%s", et_unit_names[unit]);
	et_json_flat_array(w, key);
	et_json_double(w, NULL, of(e, e->lo));
	et_json_double(w, NULL, of(e, e->hi));
	et_json_end(w);
}

static void write_estimate(
	struct et_json *w, const struct et_metric_row *metric, const struct et_estimate *e)
{
	enum et_unit unit = metric->unit;

	et_json_object(w, metric->name);
	et_json_u64(w, "n", e->n);
	write_figure(w, "mean", unit, e, e->mean);
	write_figure(w, "sd", unit, e, e->sd);
	et_json_double(w, "relative_error", of(e, e->relative_error));
	write_figure(w, "min", unit, e, e->min);
	write_figure(w, "max", unit, e, e->max);
	write_figure(w, "median", unit, e, e->median);
	write_figure(w, "q1", unit, e, e->q1);
	write_figure(w, "q3", unit, e, e->q3);
	write_figure(w, "standard_uncertainty", unit, e, e->standard_uncertainty);
	et_json_double(w, "coverage_factor", of(e, e->coverage_factor));
	write_figure(w, "expanded_uncertainty", unit, e, e->expanded_uncertainty);
	write_interval(w, unit, e);
	et_json_double(w, "level", of(e, e->level));
	et_json_string(w, "interval_method", e->n ? e->interval_method : NULL);
	/* Plain Student's t, from which the interval may differ by dependence and skewness. */
	double n = (double)e->n, t = e->n > 1 ? et_qt((1 + e->level) / 2, n - 1) : NAN;
	et_json_double(w, "degrees_of_freedom", of(e, e->df));
	et_json_double(w, "variance_inflation", of(e, e->inflation));
	write_figure(w, "student_t", unit, e, t * e->sd / sqrt(n));
	et_warnings_json(w, &e->warnings);
	et_json_end(w);
}

/* One object per judged metric. */
static void write_estimates(struct et_json *w, const struct et_estimate list[ET_METRICS])
{
	for (int m = 0; m < ET_METRICS; m++) {
		if (et_metrics[m].judged)
			write_estimate(w, &et_metrics[m], &list[m]);
	}
}

/* CPU time at full speed, as corrected by the reference loop, or why it is not known. */
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

/* The runs of the machine's two states. */
static void write_states(struct et_json *w, const struct et_states *s)
{
	if (!s->slow) {
		et_json_null(w, "states");
		return;
	}
	et_json_flat_object(w, "states");
	et_json_u64(w, "fast", s->fast);
	et_json_u64(w, "slow", s->slow);
	et_json_double(w, "fast_mean_ns", s->fast_mean);
	et_json_double(w, "slow_mean_ns", s->slow_mean);
	et_json_end(w);
}

/* The judged time at full speed, with the probe as a covariate. */
static void write_full_speed(struct et_json *w, const struct et_full_speed *f)
{
	if (!f->n) {
		et_json_null(w, "full_speed");
		return;
	}
	et_json_object(w, "full_speed");
	et_json_u64(w, "n", f->n);
	et_json_double(w, "mean_ns", f->mean);
	et_json_double(w, "standard_uncertainty_ns", f->standard_uncertainty);
	et_json_double(w, "coverage_factor", f->coverage_factor);
	et_json_double(w, "expanded_uncertainty_ns", f->expanded_uncertainty);
	et_json_flat_array(w, "interval_ns");
	et_json_double(w, NULL, f->lo);
	et_json_double(w, NULL, f->hi);
	et_json_end(w);
	et_json_double(w, "level", f->level);
	et_json_double(w, "df", f->df);
	et_json_double(w, "inflation", f->inflation);
	et_json_double(w, "slope", f->slope);
	et_json_double(w, "slope_standard_uncertainty", f->slope_uncertainty);
	et_json_double(w, "probe_ns", f->reading);
	et_json_end(w);
}

/* The estimates from all samples, before rules removed some of them. */
static void write_before(struct et_json *w, const struct et_estimate before[ET_METRICS])
{
	size_t n = 0;

	for (int m = 0; m < ET_METRICS; m++)
		n += before[m].n;
	if (!n) {
		et_json_null(w, "before_removal");
		return;
	}
	et_json_object(w, "before_removal");
	write_estimates(w, before);
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
	et_json_double(w, "compensated_ns", r->compensated);
	et_json_double(w, "spread", r->spread);
	et_json_double(w, "error", r->error);
	et_json_bool(w, "converged", r->converged);
	et_json_end(w);
}

/* Writes the change of the mean by EMP's check of the values themselves. */
static void write_second_check(struct et_json *w, const struct et_second_check *c)
{
	if (!(c->mean_before > 0)) {
		et_json_null(w, "second_check");
		return;
	}
	et_json_flat_object(w, "second_check");
	et_json_u64(w, "removed", c->removed);
	et_json_double(w, "mean_before_ns", c->mean_before);
	et_json_double(w, "mean_after_ns", c->mean_after);
	et_json_double(w, "change", c->change);
	et_json_end(w);
}

/* The protocol that --protocol auto has chosen, and why. */
static void write_choice(struct et_json *w, const struct et_choice *choice)
{
	if (!choice->automatic) {
		et_json_null(w, "chosen");
		return;
	}
	et_json_object(w, "chosen");
	et_json_string(w, "protocol", et_protocol_names[choice->protocol]);
	et_json_double(w, "expected_s", choice->seconds);
	et_json_double(w, "undisturbed", choice->fits);
	et_json_bool(w, "loaded", choice->loaded);
	et_json_string(w, "why", choice->why);
	et_json_end(w);
}

/* Why this metric is judged, and by which command. */
static void write_metric_choice(
	struct et_json *w, const struct et_experiment *e, const struct et_metric_choice *choice)
{
	bool decided =
		choice->reason != ET_METRIC_BY_USER && choice->reason != ET_METRIC_BY_DEFAULT;

	et_json_flat_object(w, "metric_choice");
	et_json_bool(w, "auto", e->metric_auto);
	et_json_string(w, "reason", et_metric_reason_names[choice->reason]);
	et_json_string(w, "command", decided ? e->commands[choice->command].name : NULL);
	et_json_double(w, "amount", decided ? choice->amount : NAN);
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

/* The shares of the elapsed time of kept solo samples, and who ran while it was runnable. */
static void write_shares(struct et_json *w, const struct et_command *c)
{
	struct et_tally tally;
	size_t n;
	double rest;

	et_tally_samples(c, &tally);
	ET_AUTO_FREE struct et_taker *all = et_takers(c, &tally.parts, &n, &rest);
	et_json_object(w, "made_of");
	for (int i = 0; i < ET_SHARES; i++)
		et_json_double(w, et_share_rows[i].field, tally.parts.shares[i]);
	if (!tally.parts.ledger) {
		et_json_null(w, "taken_by");
		et_json_end(w);
		return;
	}
	et_json_array(w, "taken_by");
	for (size_t i = 0; i < n; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "name", all[i].name);
		et_json_double(w, "mean_ns", all[i].ns);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}

static void write_result(struct et_json *w, const struct et_command_result *r)
{
	et_json_object(w, "result");
	et_json_u64(w, "n", r->estimate[ET_METRIC_ELAPSED].n);
	et_json_u64(w, "removed", r->removed);
	write_estimates(w, r->estimate);
	write_shares(w, r->command);
	write_paced(w, &r->paced);
	write_before(w, r->before);
	write_states(w, &r->states);
	write_full_speed(w, &r->full_speed);
	write_second_check(w, &r->second_check);
	write_kbest(w, &r->kbest);
	et_warnings_json(w, &r->warnings);
	et_json_end(w);
}

static void write_command(struct et_json *w, const struct et_command_result *r)
{
	et_json_object(w, NULL);
	write_command_head(w, r->command);
	et_json_array(w, "samples");
	ET_AUTO_READER struct et_sample_reader all = et_samples_read(&r->command->samples);
	for (const struct et_sample *s; (s = et_sample_reader_next(&all));)
		write_sample(w, s);
	et_json_end(w);
	write_result(w, r);
	et_json_end(w);
}

static void write_second(
	struct et_json *w, const struct et_experiment *e, const struct et_judgement *j)
{
	if (!j->second) {
		et_json_null(w, "by_other_metric");
		return;
	}
	et_json_object(w, "by_other_metric");
	et_json_string(w, "metric", et_metric_names[j->second[0].metric]);
	et_json_array(w, "comparisons");
	for (size_t i = 0; i < j->n_contrasts; i++)
		et_pair_json(w, e->commands[j->second[i].a].name, e->commands[j->second[i].b].name,
			&j->second[i]);
	et_json_end(w);
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
	write_choice(&w, &j->choice);
	et_json_string(&w, "metric", et_metric_names[j->metric.metric]);
	write_metric_choice(&w, e, &j->metric);
	et_json_string(&w, "order", et_order_names[e->plan.order]);
	et_json_u64(&w, "seed", e->plan.seed);
	write_plan(&w, &e->plan);
	write_object(&w, "child", et_child_fields, &e->child);
	et_json_string(&w, "image_source", e->snapshot_source);
	et_json_string(&w, "machine", *e->machine ? e->machine : NULL);
	write_object(&w, "host", et_host_fields, &e->host);
	write_environment(&w, e);
	write_object(&w, "first_check", et_first_check_fields, &e->first_check);
	if (e->member.campaign[0])
		write_object(&w, "campaign", et_member_fields, &e->member);
	et_json_array(&w, "commands");
	for (size_t i = 0; i < j->n_commands; i++)
		write_command(&w, &j->commands[i]);
	et_json_end(&w);
	et_json_array(&w, "comparisons");
	for (size_t i = 0; i < j->n_contrasts; i++)
		et_pair_json(&w, e->commands[j->contrasts[i].a].name,
			e->commands[j->contrasts[i].b].name, &j->contrasts[i]);
	et_json_end(&w);
	write_second(&w, e, j);
	et_native_profile(&w, e->profile);
	et_design_write(&w, "design", e->design);
	et_warnings_json(&w, &j->warnings);
	if (j->steps)
		et_steps_json(j->steps, &w);
	et_json_end(&w);
}

void et_native_write_plan(const struct et_experiment *e, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 0);
	et_json_object(&w, NULL);
	et_json_int(&w, "etalon", RECORD_VERSION);
	et_json_string(&w, "label", e->label);
	et_json_string(&w, "state", et_state_names[ET_STATE_INTERRUPTED]);
	et_json_string(&w, "protocol", et_protocol_names[e->protocol]);
	et_json_string(&w, "metric", et_metric_names[e->metric]);
	et_json_object(&w, "metric_choice");
	et_json_bool(&w, "auto", e->metric_auto);
	et_json_end(&w);
	et_json_string(&w, "order", et_order_names[e->plan.order]);
	et_json_u64(&w, "seed", e->plan.seed);
	write_plan(&w, &e->plan);
	write_object(&w, "child", et_child_fields, &e->child);
	et_json_array(&w, "commands");
	for (size_t i = 0; i < e->n_commands; i++) {
		et_json_object(&w, NULL);
		write_command_head(&w, &e->commands[i]);
		et_json_end(&w);
	}
	et_json_end(&w);
	if (e->profile)
		et_native_profile(&w, e->profile);
	et_design_write(&w, "design", e->design);
	et_json_end(&w);
}
