/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/native.h"
#include "base/alloc.h"
#include "base/json.h"
#include "model/design/json.h"
#include "model/experiment/field_rows.h"
#include "model/experiment/figure.h"
#include "num/student.h"
#include "report/pair.h"
#include "report/steps.h"
#include "report/warning.h"
#include "stats/series/tally.h"

#include <math.h>

/* The root has the number 0 and is not written. */
static void write_nodes(struct et_json *w, const struct et_profile *p)
{
	et_json_array(w, "nodes");
	for (size_t i = 1; i < p->n_nodes; i++) {
		et_json_flat_array(w, NULL);
		et_json_u64(w, NULL, p->nodes[i].parent);
		et_json_u64(w, NULL, p->nodes[i].function);
		et_json_end(w);
	}
	et_json_end(w);
}

static void write_run(struct et_json *w, const struct et_profile_run *run)
{
	et_json_flat_object(w, NULL);
	et_json_u64(w, "command", run->command);
	et_json_u64(w, "order", run->order);
	et_fields_write(w, et_profile_run_fields, run);
	et_json_flat_array(w, "counts");
	for (size_t i = 0; i < run->n_counts; i++) {
		et_json_flat_array(w, NULL);
		et_json_u64(w, NULL, run->counts[i].node);
		et_json_u64(w, NULL, run->counts[i].samples);
		et_json_u64(w, NULL, run->counts[i].at_entry);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}

static const struct et_field call_fields[] = {
	ET_KEYS(et_profile_calls, command, function, calls),
	{ 0 },
};

static void write_profile(struct et_json *w, const struct et_profile *p)
{
	if (!p) {
		et_json_null(w, "profile");
		return;
	}
	et_json_object(w, "profile");
	et_fields_flat(w, "plan", et_profile_plan_fields, &p->plan);
	et_fields_write(w, et_profile_fields, p);
	et_fields_list(w, "functions", et_profile_function_fields, p->functions, p->n_functions,
		sizeof(*p->functions));
	write_nodes(w, p);
	et_json_array(w, "runs");
	for (size_t i = 0; i < p->n_runs; i++)
		write_run(w, &p->runs[i]);
	et_json_end(w);
	et_fields_list(w, "calls", call_fields, p->calls, p->n_calls, sizeof(*p->calls));
	et_json_end(w);
}

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

/* Only lab has them, so that other records lack the key. */
static void write_figures(struct et_json *w, const struct et_experiment *e)
{
	if (e->n_figures)
		et_fields_list(w, "figures", et_figure_fields, e->figures, e->n_figures,
			sizeof(*e->figures));
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
	et_json_array(w, "interference");
	for (size_t i = 0; i < s->measured.n_culprits; i++)
		et_fields_object(w, NULL, et_culprit_fields, &s->measured.culprits[i]);
	et_json_end(w);
	write_removal(w, &s->ruling.removal);
	et_json_end(w);
}

/* Plain Student's t, from which the interval may differ by dependence and skewness. */
static double student_t(const void *estimate)
{
	const struct et_estimate *e = estimate;
	double n = (double)e->n, t = e->n > 1 ? et_qt((1 + e->level) / 2, n - 1) : NAN;

	return t * e->sd / sqrt(n);
}

static const struct et_field known_estimate[] = {
	ET_KEYS_IN_UNIT(et_estimate, mean, sd),
	ET_KEYS(et_estimate, relative_error),
	ET_KEYS_IN_UNIT(et_estimate, min, max, median, q1, q3, standard_uncertainty),
	ET_KEYS(et_estimate, coverage_factor),
	ET_KEYS_IN_UNIT(et_estimate, expanded_uncertainty),
	ET_KEY_SPAN(et_estimate, "interval", lo, hi, .in_unit = true),
	ET_KEYS(et_estimate, level, interval_method),
	ET_KEY(et_estimate, "degrees_of_freedom", df),
	ET_KEY(et_estimate, "variance_inflation", inflation),
	ET_KEY_OF("student_t", student_t, .in_unit = true),
	{ 0 },
};

/* An estimate without values has no figures. */
static const struct et_field estimate_fields[] = {
	ET_KEYS(et_estimate, n),
	ET_KEYS_IN(known_estimate, ET_GIVEN(et_estimate, n)),
	ET_KEY_WARNINGS(et_estimate, warnings),
	{ 0 },
};

/* One object per judged metric. */
static void write_estimates(struct et_json *w, const struct et_estimate list[ET_METRICS])
{
	for (int m = 0; m < ET_METRICS; m++) {
		if (!et_metrics[m].judged)
			continue;
		et_json_object(w, et_metrics[m].name);
		et_fields_write_in(w, estimate_fields, &list[m], et_unit_names[et_metrics[m].unit]);
		et_json_end(w);
	}
}

/* CPU time at full speed, as corrected by the reference loop, or why it is not known. */
static const struct et_field paced_fields[] = {
	ET_KEYS(et_paced, n),
	ET_KEY(et_paced, "why_not", why),
	ET_KEYS_NS(et_paced, mean),
	ET_KEYS(et_paced, relative_error),
	ET_KEYS_NS(et_paced, standard_uncertainty),
	ET_KEYS(et_paced, coverage_factor),
	ET_KEYS_NS(et_paced, expanded_uncertainty),
	ET_KEY_SPAN(et_paced, "interval_ns", lo, hi),
	ET_KEYS(et_paced, level, df, inflation, coefficient),
	ET_KEY(et_paced, "coefficient_standard_uncertainty", coefficient_uncertainty),
	ET_KEY(et_paced, "coefficient_p", p),
	ET_KEYS_NS(et_paced, lap, lap_mean),
	{ 0 },
};

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

/* The protocol that --protocol auto has chosen, and why. */
static const struct et_field choice_fields[] = {
	ET_KEY_NAME(et_choice, "protocol", protocol, et_protocol_names),
	ET_KEY(et_choice, "expected_s", seconds),
	ET_KEY(et_choice, "undisturbed", fits),
	ET_KEYS(et_choice, loaded, why),
	{ 0 },
};

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

static const struct et_field hook_fields[] = {
	ET_KEYS(et_command, setup, prepare, conclude, cleanup),
	{ 0 },
};

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
	et_fields_write(w, hook_fields, c);
}

static const struct et_field taker_fields[] = {
	ET_KEYS(et_tally_taker, name),
	ET_KEY(et_tally_taker, "mean_ns", ns),
	{ 0 },
};

/* The shares of the elapsed time of kept solo samples, and who ran while it was runnable. */
static void write_shares(struct et_json *w, const struct et_command *c)
{
	struct et_tally tally;
	size_t n;
	double rest;

	et_tally_samples(c, &tally);
	ET_AUTO_FREE struct et_tally_taker *all = et_takers(c, &tally.parts, &n, &rest);
	et_json_object(w, "made_of");
	for (int i = 0; i < ET_SHARES; i++)
		et_json_double(w, et_share_rows[i].field, tally.parts.shares[i]);
	if (!tally.parts.ledger) {
		et_json_null(w, "taken_by");
		et_json_end(w);
		return;
	}
	et_fields_list(w, "taken_by", taker_fields, all, n, sizeof(*all));
	et_json_end(w);
}

/*
 * The runs of the machine's two states; the judged time at full speed, with the probe as a
 * covariate; the change of the mean by EMP's check of the values themselves.
 */
static const struct et_field speed_fields[] = {
	ET_KEY_FLAT(et_command_result, "states", states,
		ET_TABLE(ET_KEYS(et_states, fast, slow),
			ET_KEYS_NS(et_states, fast_mean, slow_mean)),
		ET_GIVEN(et_command_result, states.slow)),
	ET_KEY_OBJECT(et_command_result, "full_speed", full_speed,
		ET_TABLE(ET_KEYS(et_full_speed, n),
			ET_KEYS_NS(et_full_speed, mean, standard_uncertainty),
			ET_KEYS(et_full_speed, coverage_factor),
			ET_KEYS_NS(et_full_speed, expanded_uncertainty),
			ET_KEY_SPAN(et_full_speed, "interval_ns", lo, hi),
			ET_KEYS(et_full_speed, level, df, inflation, slope),
			ET_KEY(et_full_speed, "slope_standard_uncertainty", slope_uncertainty),
			ET_KEY(et_full_speed, "probe_ns", reading)),
		ET_GIVEN(et_command_result, full_speed.n)),
	ET_KEY_FLAT(et_command_result, "second_check", second_check,
		ET_TABLE(ET_KEYS(et_second_check, removed),
			ET_KEYS_NS(et_second_check, mean_before, mean_after),
			ET_KEYS(et_second_check, change)),
		ET_GIVEN(et_command_result, second_check.mean_before)),
	ET_KEY_FLAT(et_command_result, "kbest", kbest,
		ET_TABLE(ET_KEYS(et_kbest_result, k, epsilon, n),
			ET_KEYS_NS(et_kbest_result, best, compensated),
			ET_KEYS(et_kbest_result, spread, error, converged)),
		ET_GIVEN(et_command_result, kbest.k)),
	ET_KEY_WARNINGS(et_command_result, warnings),
	{ 0 },
};

static void write_result(struct et_json *w, const struct et_command_result *r)
{
	et_json_object(w, "result");
	et_json_u64(w, "n", r->estimate[ET_METRIC_ELAPSED].n);
	et_json_u64(w, "removed", r->removed);
	write_estimates(w, r->estimate);
	write_shares(w, r->command);
	if (r->paced.n || r->paced.why)
		et_fields_object(w, "paced", paced_fields, &r->paced);
	else
		et_json_null(w, "paced");
	write_before(w, r->before);
	et_fields_write(w, speed_fields, r);
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
	if (j->choice.automatic)
		et_fields_object(&w, "chosen", choice_fields, &j->choice);
	else
		et_json_null(&w, "chosen");
	et_json_string(&w, "metric", et_metric_names[j->metric.metric]);
	write_metric_choice(&w, e, &j->metric);
	et_json_string(&w, "order", et_order_names[e->plan.order]);
	et_json_u64(&w, "seed", e->plan.seed);
	write_plan(&w, &e->plan);
	et_fields_object(&w, "child", et_child_fields, &e->child);
	et_json_string(&w, "image_source", e->snapshot_source);
	et_json_string(&w, "machine", *e->machine ? e->machine : NULL);
	et_fields_object(&w, "host", et_host_fields, &e->host);
	et_fields_list(&w, "environment", et_factor_fields, e->environment, e->n_environment,
		sizeof(*e->environment));
	et_fields_object(&w, "first_check", et_first_check_fields, &e->first_check);
	enum et_member_kind kind = et_member_kind(&e->member);
	if (kind == ET_MEMBER_CAMPAIGN)
		et_fields_object(&w, "campaign", et_member_fields, &e->member);
	if (kind == ET_MEMBER_STUDY)
		et_fields_object(&w, "study", et_study_fields, &e->member);
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
	write_profile(&w, e->profile);
	write_figures(&w, e);
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
	et_fields_object(&w, "child", et_child_fields, &e->child);
	et_json_array(&w, "commands");
	for (size_t i = 0; i < e->n_commands; i++) {
		et_json_object(&w, NULL);
		write_command_head(&w, &e->commands[i]);
		et_json_end(&w);
	}
	et_json_end(&w);
	if (e->profile)
		write_profile(&w, e->profile);
	et_design_write(&w, "design", e->design);
	et_json_end(&w);
}
