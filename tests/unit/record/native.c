/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The native record is parsed: every documented key is there and has the right value. */
#include "record/format.h"
#include "sample_of.h"
#include "tap.h"
#include "unit/report/fixture.h"

#include <jansson.h>

static json_t *written(const struct et_experiment *e, const struct et_judgement *j)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	json_error_t err;

	et_native_write(e, j, f);
	fclose(f);
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &err);
	if (!root)
		printf("# %s at %d\n%s", err.text, err.position, text);
	free(text);
	return root;
}

static void has_keys(const json_t *object, const char *what, const char *keys)
{
	ET_AUTO_FREE char *copy = et_strdup(keys);
	ET_AUTO_FREE char *missing = et_strdup("");

	for (char *key = strtok(copy, " "); key; key = strtok(NULL, " ")) {
		if (!json_object_get(object, key)) {
			char *more = et_asprintf("%s %s", missing, key);
			free(missing);
			missing = more;
		}
	}
	if (!ok(!*missing, "native record: %s has its keys", what))
		printf("# missing:%s\n", missing);
}

static json_t *at(json_t *object, const char *key, size_t i)
{
	return json_array_get(json_object_get(object, key), i);
}

static const char *text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static long long number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static double real(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static bool is_null(const json_t *object, const char *key)
{
	return json_is_null(json_object_get(object, key));
}

static void keys(json_t *root)
{
	json_t *command = at(root, "commands", 0), *sample = at(command, "samples", 2);
	json_t *result = json_object_get(command, "result");

	has_keys(root, "the record",
		"etalon id label started protocol metric order seed machine host environment "
		"commands "
		"comparisons state finished plan child image_source warnings");
	has_keys(json_object_get(root, "host"), "host",
		"kernel cpu cpus virtual clocksource tick_ns");
	has_keys(at(root, "environment", 0), "a factor", "factor state wanted ok");
	has_keys(json_object_get(root, "plan"), "the plan",
		"order seed reference warmup runs until_ratio min_runs min_time_ns max_runs "
		"time_limit_ns "
		"metronome_ns pace keep_all ignore_failure level randomise_layout");
	has_keys(json_object_get(root, "child"), "the child",
		"cpus sched user pass_env shell input output directory nice no_new_privs "
		"ignore_codes");
	has_keys(command, "a command", "name command argv parameters samples result");
	has_keys(sample, "a sample",
		"index order round arrangement warmup exit_code signal et_ns pt_ns user_ns "
		"system_ns wait_ns blocked_ns steal_ns max_rss_bytes voluntary_switches "
		"involuntary_switches cpu_migrations major_faults minor_faults interference "
		"removed position partner marks pt_source started_wall_ns on_cpu_ns runnable_ns "
		"asleep_ns calls");
	has_keys(at(sample, "interference", 0), "a culprit",
		"name pid kernel_thread pt_ns on_our_cpu_ns exited doubt_ns");
	has_keys(result, "a result", "n removed et pt made_of");
	has_keys(json_object_get(result, "made_of"), "the shares of the elapsed time",
		"on_cpu_ns runnable_ns asleep_ns stolen_ns unexplained_ns taken_by");
	has_keys(json_object_get(result, "pt"), "an estimate",
		"mean_ns sd_ns relative_error min_ns max_ns median_ns standard_uncertainty_ns "
		"coverage_factor expanded_uncertainty_ns interval_ns level interval_method "
		"degrees_of_freedom variance_inflation student_t_ns warnings");
	json_t *pair = at(root, "comparisons", 0);
	has_keys(pair, "a comparison",
		"a b f_test ks test statistic df p holm_alpha p_holm significant_unadjusted "
		"significant ratio paired verdict");
	has_keys(json_object_get(pair, "ratio"), "the ratio of a comparison",
		"estimate lo hi method");
	has_keys(json_object_get(pair, "paired"), "the pairing of a comparison",
		"pairs arrangement log_ratio_sd");
}

/* The shares of the kept samples; cron took 200 ms in one of four. */
static void shares(void)
{
	static const char *const names[] = { "one" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_judgement j = fixture_judgement(e);

	for (int ledger = 0; ledger < 2; ledger++) {
		if (ledger)
			fixture_ledger(e, 200000000);
		json_t *root = written(e, &j);
		json_t *made = json_object_get(
			json_object_get(at(root, "commands", 0), "result"), "made_of");
		if (ledger) {
			ok(real(made, "on_cpu_ns") == 300000000 &&
					real(made, "runnable_ns") == 60000000 &&
					real(made, "asleep_ns") == 20000000 &&
					real(made, "stolen_ns") == 12000000 &&
					real(made, "unexplained_ns") == 8000000,
				"made_of: the shares are the means of the ledgers");
			ok(!strcmp(text(at(made, "taken_by", 0), "name"), "cron") &&
					real(at(made, "taken_by", 0), "mean_ns") == 50000000,
				"made_of: the processes that took the CPU are listed");
		} else {
			/* Of kept samples: elapsed time 432.5, CPU time 413.55, waits 9.475 ms */
			ok(real(made, "on_cpu_ns") == 413550000 &&
					real(made, "runnable_ns") == 9475000 &&
					real(made, "asleep_ns") == 9475000 &&
					real(made, "unexplained_ns") == 0,
				"made_of: without a ledger the shares come from the kernel's sums");
			ok(is_null(made, "taken_by"), "made_of: without a ledger nobody is named");
		}
		json_decref(root);
	}
	et_judgement_free(&j);
	et_experiment_free(e);
}

static void profile(struct et_experiment *e, const struct et_judgement *j)
{
	json_t *root = written(e, j);
	ok(is_null(root, "profile"), "native record: an experiment without a profile has null");
	json_decref(root);

	struct et_sample s = fixture_sample(1, 5, 5);
	e->profile = et_profile_new(&et_default_profile_plan);
	strcpy(e->profile->event, "cpu-clock");
	uint32_t f = et_profile_function_of(e->profile, "f\x01\xff", "/m", ET_SPACE_JIT, true);
	uint32_t node = et_profile_node_of(e->profile, ET_PROFILE_ROOT, f);
	struct et_profile_run run = { .period = 0.5, .lost = 3 };
	et_profile_run_add(&run, node, 7, 2);
	s.place.order = 9;
	s.measured.profile = &run;
	et_experiment_add(e, &s);
	free(run.counts);
	et_profile_set_calls(e->profile, 1, f, 1e6);

	root = written(e, j);
	json_t *p = json_object_get(root, "profile"), *function = at(p, "functions", 0);
	json_t *first = at(p, "runs", 0), *count = at(first, "counts", 0);
	has_keys(p, "a profile", "plan event way kernel_allowed functions nodes runs calls");
	has_keys(json_object_get(p, "plan"), "the plan of a profile",
		"event rate_hz period fixed user_only inlines addresses chains");
	has_keys(first, "a run of a profile",
		"command order samples period counted lost overruns throttled tasks short_tasks");
	ok(real(json_object_get(p, "plan"), "rate_hz") == 1000 &&
			!strcmp(text(p, "event"), "cpu-clock"),
		"native record: the wished rate and the event that was used");
	is_str(text(function, "name"), "f\x01\xef\xbf\xbd",
		"native record: a nasty name of a function is valid UTF-8");
	is_str(text(function, "space"), "jit", "native record: the kind of a function");
	ok(json_array_size(json_object_get(p, "nodes")) == 1 &&
			json_integer_value(json_array_get(at(p, "nodes", 0), 1)) == f,
		"native record: the root is not among the nodes");
	ok(number(first, "command") == 1 && number(first, "order") == 9 &&
			number(first, "samples") == 7 && number(first, "lost") == 3 &&
			real(first, "period") == 0.5,
		"native record: a run of a profile");
	ok(json_integer_value(json_array_get(count, 0)) == node &&
			json_integer_value(json_array_get(count, 1)) == 7 &&
			json_integer_value(json_array_get(count, 2)) == 2,
		"native record: a count has its node, samples and those at the entry");
	ok(real(at(p, "calls", 0), "calls") == 1e6, "native record: numbers of calls");
	json_decref(root);
}

static void values(json_t *root)
{
	json_t *command = at(root, "commands", 0), *sample = at(command, "samples", 2);
	json_t *killed = at(at(root, "commands", 1), "samples", 1);
	json_t *removed = json_object_get(at(command, "samples", 5), "removed");
	json_t *empty = json_object_get(json_object_get(at(root, "commands", 1), "result"), "pt");

	ok(number(root, "etalon") == 1, "native record: the version is 1");
	is_str(text(root, "id"), "20261115-085506-1f3a9c", "native record: id");
	is_str(text(root, "started"), "2026-11-15T08:55:06Z", "native record: started");
	ok(number(root, "started_wall_ns") == 1794732906123456789,
		"native record: the start has nanoseconds");
	ok(is_null(root, "label"), "native record: a missing label is null");
	is_str(text(command, "name"), "b\xef\xbf\xbd\n\"",
		"native record: a nasty name is valid UTF-8");
	is_str(text(json_object_get(command, "parameters"), "n"), "3", "native record: parameters");
	ok(number(sample, "pt_ns") == 413300000 && is_null(sample, "blocked_ns"),
		"native record: CPU time, and an unknown time as null");
	ok(is_null(sample, "signal") && is_null(sample, "partner") && is_null(sample, "removed"),
		"native record: a kept solo sample has no signal, partner or removal");
	ok(number(at(sample, "interference", 1), "doubt_ns") == 4000000,
		"native record: a culprit has the uncertainty of its CPU time");
	ok(is_null(at(sample, "interference", 0), "on_our_cpu_ns"),
		"native record: unknown CPU time on the program's CPU is null");
	ok(is_null(killed, "exit_code") && number(killed, "signal") == 9,
		"native record: a killed run has a signal and no exit code");
	is_str(json_string_value(at(killed, "marks", 0)), "lost-records", "native record: marks");
	ok(number(killed, "partner") == 0, "native record: partner");
	is_str(text(removed, "by"), "daemon-cutoff",
		"native record: the rule that removed a sample");
	ok(number(removed, "cutoff_ns") == 1000000,
		"native record: the cutoff that removed a sample");
	ok(is_null(empty, "mean_ns") && is_null(empty, "interval_method") &&
			is_null(empty, "level") && json_is_null(at(empty, "interval_ns", 0)),
		"native record: an estimate without values is null");
	json_t *pair = at(root, "comparisons", 0);
	ok(json_is_true(json_object_get(pair, "significant_unadjusted")),
		"native record: significant without correction");
	is_str(text(pair, "test"), "signed-rank", "native record: test of a comparison");
	is_str(text(pair, "b"), "c", "native record: second command of a comparison");
}

int main(void)
{
	static const char *const names[] = { "b\xff\n\"", "c" };
	struct et_experiment *e = fixture_experiment(names, 2);
	struct et_judgement j = fixture_judgement(e);
	struct et_sample *killed = sample_of(&e->commands[1], 1);

	e->n_environment = 1;
	e->environment = et_calloc(1, sizeof(*e->environment));
	e->environment[0] =
		(struct et_factor){ et_strdup("turbo"), et_strdup("on"), et_strdup("off"), false };
	e->commands[0].n_parameters = 1;
	e->commands[0].parameters = et_calloc(1, sizeof(*e->commands[0].parameters));
	e->commands[0].parameters[0] = (struct et_parameter){ et_strdup("n"), et_strdup("3") };
	killed->measured.exit_code = -1;
	killed->measured.signal = 9;
	killed->ruling.marks = ET_MARK_LOST_RECORDS | ET_MARK_NO_EXITS;
	killed->place.arrangement = ET_DUET;
	killed->place.partner = 0;
	j.commands[1].estimate[ET_METRIC_CPU] = (struct et_estimate){ 0 };

	json_t *root = written(e, &j);
	if (ok(root, "native record: valid JSON without duplicate keys")) {
		keys(root);
		values(root);
	}
	json_decref(root);
	profile(e, &j);
	et_judgement_free(&j);
	et_experiment_free(e);
	shares();
	return tap_done();
}
