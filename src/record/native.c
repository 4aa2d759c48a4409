/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"
#include "model/design/json.h"
#include "model/experiment/field_rows.h"
#include "model/experiment/figure.h"
#include "num/student.h"
#include "record/format.h"
#include "report/listing.h"
#include "report/pair.h"
#include "report/steps.h"
#include "report/warning.h"
#include "stats/series/tally.h"

/* The root has the number 0 and is not written. */
static void write_nodes(struct et_json *w, const char *key, const void *profile)
{
	const struct et_profile *p = profile;

	et_json_array(w, key);
	for (size_t i = 1; i < p->n_nodes; i++) {
		et_json_flat_array(w, NULL);
		et_json_u64(w, NULL, p->nodes[i].parent);
		et_json_u64(w, NULL, p->nodes[i].function);
		et_json_end(w);
	}
	et_json_end(w);
}

/* Of each node with samples: its number, its samples, and those at the entry of the function. */
static void write_counts(struct et_json *w, const char *key, const void *profile_run)
{
	const struct et_profile_run *run = profile_run;

	et_json_flat_array(w, key);
	for (size_t i = 0; i < run->n_counts; i++) {
		et_json_flat_array(w, NULL);
		et_json_u64(w, NULL, run->counts[i].node);
		et_json_u64(w, NULL, run->counts[i].samples);
		et_json_u64(w, NULL, run->counts[i].at_entry);
		et_json_end(w);
	}
	et_json_end(w);
}

static const struct et_field profile_fields[] = {
	ET_KEY_FLAT(et_profile, "plan", plan, et_profile_plan_fields),
	ET_KEYS_IN(et_profile_fields),
	ET_KEY_LIST(et_profile, "functions", functions, n_functions, et_profile_function_fields,
		.flat = true),
	ET_KEY_MADE("nodes", write_nodes),
	ET_KEY_LIST(et_profile, "runs", runs, n_runs,
		ET_TABLE(ET_KEYS(et_profile_run, command, order), ET_KEYS_IN(et_profile_run_fields),
			ET_KEY_MADE("counts", write_counts)),
		.flat = true),
	ET_KEY_LIST(et_profile, "calls", calls, n_calls,
		ET_TABLE(ET_KEYS(et_profile_calls, command, function, calls)), .flat = true),
	{ 0 },
};

enum { RECORD_VERSION = 1 };

static void write_removal(struct et_json *w, const char *key, const void *removal)
{
	const struct et_removal *r = removal;

	if (r->by == ET_KEPT) {
		et_json_null(w, key);
		return;
	}
	et_json_object(w, key);
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

static const struct et_field sample_fields[] = {
	ET_KEY(et_sample, "index", place.index),
	ET_KEYS_IN(et_sample_fields),
	ET_KEY_LIST(et_sample, "interference", measured.culprits, measured.n_culprits,
		et_culprit_fields),
	ET_KEY_BY(et_sample, "removed", ruling.removal, write_removal),
	{ 0 },
};

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

static void write_argv(struct et_json *w, const char *key, const void *argv)
{
	et_json_flat_array(w, key);
	for (char *const *word = *(char *const *const *)argv; word && *word; word++)
		et_json_string(w, NULL, *word);
	et_json_end(w);
}

static void write_parameters(struct et_json *w, const char *key, const void *command)
{
	const struct et_command *c = command;

	et_json_flat_object(w, key);
	for (size_t i = 0; i < c->n_parameters; i++)
		et_json_string(w, c->parameters[i].name, c->parameters[i].value);
	et_json_end(w);
}

static const struct et_field command_fields[] = {
	ET_KEYS(et_command, name),
	ET_KEY(et_command, "command", text),
	ET_KEY_BY(et_command, "argv", argv, write_argv),
	ET_KEY_MADE("parameters", write_parameters),
	ET_KEYS(et_command, setup, prepare, conclude, cleanup),
	{ 0 },
};

/* The shares of the elapsed time of kept solo samples, and who ran while it was runnable. */
static void write_shares(struct et_json *w, const struct et_command *c)
{
	static const struct et_field taker_fields[] = {
		ET_KEYS(et_tally_taker, name),
		ET_KEY(et_tally_taker, "mean_ns", ns),
		{ 0 },
	};
	struct et_tally tally;
	size_t n;
	double rest;

	et_tally_samples(c, &tally);
	ET_AUTO_FREE struct et_tally_taker *all = et_takers(c, &tally.parts, &n, &rest);
	et_json_object(w, "made_of");
	for (int i = 0; i < ET_SHARES; i++)
		et_json_double(w, et_share_rows[i].field, tally.parts.shares[i]);
	if (tally.parts.ledger)
		et_fields_list(w, "taken_by", taker_fields, all, n, sizeof(*all));
	else
		et_json_null(w, "taken_by");
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
	ET_AUTO_READER struct et_sample_reader all = et_samples_read(&r->command->samples);

	et_json_object(w, NULL);
	et_fields_write(w, command_fields, r->command);
	et_files_write(w, "files", &r->command->files);
	et_json_array(w, "samples");
	for (const struct et_sample *s; (s = et_sample_reader_next(&all));)
		et_fields_flat(w, NULL, sample_fields, s);
	et_json_end(w);
	write_result(w, r);
	et_json_end(w);
}

static void write_comparisons(
	struct et_json *w, const struct et_experiment *e, const struct et_contrast *list, size_t n)
{
	et_json_array(w, "comparisons");
	for (size_t i = 0; i < n; i++)
		et_pair_json(w, e->commands[list[i].a].name, e->commands[list[i].b].name, &list[i]);
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
	write_comparisons(w, e, j->second, j->n_contrasts);
	et_json_end(w);
}

static const struct et_field head_fields[] = {
	ET_KEYS(et_experiment, id, label),
	ET_KEY_BY(et_experiment, "started", started_wall_ns, et_time_json),
	ET_KEY_BY(et_experiment, "finished", finished_wall_ns, et_time_json),
	ET_KEYS(et_experiment, started_wall_ns, finished_wall_ns),
	ET_KEY_NAME(et_experiment, "state", state, et_state_names),
	ET_KEY_NAME(et_experiment, "protocol", protocol, et_protocol_names),
	{ 0 },
};

/* The part of a record that is decided before the first run. */
static const struct et_field plan_fields[] = {
	ET_KEY_NAME(et_experiment, "order", plan.order, et_order_names),
	ET_KEY(et_experiment, "seed", plan.seed),
	ET_KEY_OBJECT(et_experiment, "plan", plan,
		ET_TABLE(ET_KEY_NAME(et_plan, "order", order, et_order_names),
			ET_KEYS(et_plan, seed), ET_KEYS_IN(et_plan_fields))),
	ET_KEY_OBJECT(et_experiment, "child", child, et_child_fields),
	{ 0 },
};

static const struct et_field machine_fields[] = {
	ET_KEY(et_experiment, "image_source", snapshot_source),
	ET_KEYS_GIVEN(et_experiment, machine),
	ET_KEY_OBJECT(et_experiment, "host", host, et_host_fields),
	ET_KEY_LIST(et_experiment, "environment", environment, n_environment, et_factor_fields,
		.flat = true),
	ET_KEY_OBJECT(et_experiment, "first_check", first_check, et_first_check_fields),
	{ 0 },
};

void et_native_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	enum et_member_kind kind = et_member_kind(&e->member);
	struct et_json w;

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_int(&w, "etalon", RECORD_VERSION);
	et_fields_write(&w, head_fields, e);
	if (j->choice.automatic)
		et_fields_object(&w, "chosen", choice_fields, &j->choice);
	else
		et_json_null(&w, "chosen");
	et_json_string(&w, "metric", et_metric_names[j->metric.metric]);
	write_metric_choice(&w, e, &j->metric);
	et_fields_write(&w, plan_fields, e);
	et_fields_write(&w, machine_fields, e);
	if (kind == ET_MEMBER_CAMPAIGN)
		et_fields_object(&w, "campaign", et_member_fields, &e->member);
	if (kind == ET_MEMBER_STUDY)
		et_fields_object(&w, "study", et_study_fields, &e->member);
	et_json_array(&w, "commands");
	for (size_t i = 0; i < j->n_commands; i++)
		write_command(&w, &j->commands[i]);
	et_json_end(&w);
	write_comparisons(&w, e, j->contrasts, j->n_contrasts);
	write_second(&w, e, j);
	et_gate_json(&w, e, &j->gate);
	if (e->profile)
		et_fields_object(&w, "profile", profile_fields, e->profile);
	else
		et_json_null(&w, "profile");
	if (e->n_figures) /* of lab only: other records lack the key */
		et_fields_list(&w, "figures", et_figure_fields, e->figures, e->n_figures,
			sizeof(*e->figures));
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
	et_fields_write(&w, plan_fields, e);
	et_json_array(&w, "commands");
	for (size_t i = 0; i < e->n_commands; i++)
		et_fields_object(&w, NULL, command_fields, &e->commands[i]);
	et_json_end(&w);
	if (e->profile)
		et_fields_object(&w, "profile", profile_fields, e->profile);
	et_design_write(&w, "design", e->design);
	et_json_end(&w);
}
