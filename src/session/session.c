/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/session.h"
#include "base/clock.h"
#include "host/factors.h"
#include "host/host.h"
#include "measure/child/metronome.h"
#include "measure/child/runner.h"
#include "measure/ledger/ledger.h"
#include "model/sample/metric_choice.h"
#include "protocol/schedule.h"
#include "session/recorder.h"
#include "session/removal.h"
#include "store/core/machines.h"

#include <sys/random.h>

/* A run that counts calls is ended after this many times the usual, but not before 30 s. */
enum { SLOWEST_COUNTING = 20 };
static const uint64_t LEAST_COUNTING_NS = 30000000000;

struct et_session {
	struct et_session_setup setup;
	struct et_experiment *e; /* owned */
	struct et_runner *runner;
	struct et_recorder recorder;
	struct et_warnings warnings;
	uint32_t failures; /* commands of a designed experiment that failed in this session */
	bool store_failed; /* the plan can be continued as soon as the store works again */
	char machine[sizeof(((struct et_experiment *)0)->machine)]; /* this one */
};

static struct et_session *create(const struct et_session_setup *setup, struct et_experiment *e)
{
	struct et_session *s = et_calloc(1, sizeof(*s));

	s->setup = *setup;
	s->e = e;
	et_host_identity("", s->machine, sizeof(s->machine));
	s->recorder = (struct et_recorder){
		.store = setup->store, .id = e->id, .clock = &et_clock_real, .profile = e->profile
	};
	return s;
}

/* Without the ledger the run continues; a warning says what is missing. */
static int open_runner(struct et_session *s, struct et_error *err)
{
	struct et_error why;

	et_ledger_early_wait(s->setup.early); /* the runner makes a process, the keeper */
	int rc = et_runner_open(s->e, s->setup.envp, s->setup.interrupt, &s->runner, err);

	if (rc == 0 && !s->setup.no_ledger &&
		et_runner_open_ledger(s->runner, ET_SCHED_ANY, s->setup.early, &why))
		et_warn(&s->warnings, ET_WARN_NO_LEDGER, et_arg_text(why.what));
	const struct et_observer *profiler = s->e->profile && et_profile_by_file(s->e->profile)
						     ? s->setup.profile_reader
						     : s->setup.profiler;
	if (rc == 0 && s->e->profile && profiler)
		rc = et_runner_observe(s->runner, profiler, err);
	if (rc == 0)
		et_runner_treat(s->runner, s->setup.hooks.treat, s->setup.hooks.ctx);
	return rc;
}

static const char *const severities[] = { "high", "medium", "low" };

/* Factors that the table does not have, such as those of the user's own, come last. */
static const char *severity_of(const char *factor)
{
	for (size_t i = 0; i < et_factors_count(); i++) {
		if (!strcmp(et_factor_rows[i].name, factor))
			return et_factor_rows[i].severity;
	}
	return "low";
}

/* Records in the store that this machine measures: what it is, and how its environment deviates. */
static int record_machine(
	struct et_store *store, const struct et_experiment *e, struct et_error *err)
{
	uint64_t now = et_clock_read_ns(CLOCK_REALTIME);
	ET_AUTO_FREE struct et_factor *list = et_calloc(e->n_environment + 1, sizeof(*list));
	struct et_machine_row row = { .first_wall_ns = now,
		.last_wall_ns = now,
		.version = ET_VERSION,
		.host = e->host,
		.deviations = list,
		.environment_known = e->n_environment > 0 };

	if (!*e->machine)
		return 0;
	snprintf(row.id, sizeof(row.id), "%s", e->machine);
	for (size_t k = 0; k < ET_LENGTH(severities); k++) {
		for (size_t i = 0; i < e->n_environment; i++) {
			const struct et_factor *f = &e->environment[i];
			if (!f->ok && !strcmp(severity_of(f->factor), severities[k]))
				list[row.n_deviations++] = *f;
		}
	}
	return et_store_put_machine(store, &row, err);
}

static int begin(struct et_session *s, struct et_error *err)
{
	struct et_experiment *e = s->e;
	uint64_t random[2] = { 0 };

	if (getrandom(random, sizeof(random), 0) < 0)
		return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "cannot get random numbers");
	et_host_read("", &e->host);
	e->origin = ET_ORIGIN_MEASURED;
	memcpy(e->machine, s->machine, sizeof(e->machine));
	et_experiment_name(e, et_clock_real.wall_ns(NULL), random[0]);
	if (s->setup.draw_seed)
		e->plan.seed = random[1] >> 11; /* JSON readers keep 53 bits */
	if (e->plan.metronome_ns == ET_METRONOME_AUTO)
		e->plan.metronome_ns = et_metronome_choose(e);
	if (!e->child.directory)
		e->child.directory = get_current_dir_name();
	/* It has no path if it was removed; the programs run in it nevertheless. */
	if (!e->child.directory && errno == ENOMEM)
		et_out_of_memory();
	int rc = et_session_check_cutoffs(s->setup.store, e, err);
	if (rc == 0)
		rc = et_store_claim(s->setup.store, e->id, err);
	if (rc == 0)
		rc = open_runner(s, err);
	if (rc)
		return rc;
	e->snapshot_source = et_runner_snapshot_source(s->runner);
	et_trust_begin(s->setup.trust.list, e);
	rc = et_store_begin(s->setup.store, e, err);
	return rc ? rc : record_machine(s->setup.store, e, err);
}

int et_session_begin(const struct et_session_setup *setup, struct et_experiment *e,
	struct et_session **out, struct et_error *err)
{
	struct et_session *s = create(setup, e);
	int rc = begin(s, err);

	if (rc)
		et_session_close(s);
	else
		*out = s;
	return rc;
}

static int check_record(const struct et_experiment *e, struct et_error *err)
{
	const char *wrong = et_record_check(e);

	if (!wrong)
		return 0;
	return et_hint(err,
		et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
			"experiment %s: %s is not as etalon writes it", e->id, wrong),
		"it cannot be resumed; 'etalon show %s' prints its samples", e->id);
}

static int check_trust(struct et_session *s, const char *name, struct et_error *err)
{
	struct et_trust trust = s->setup.trust;

	trust.named = name;
	return et_trust_experiment(&trust, s->setup.store, s->e, err);
}

static int check_state(const struct et_session *s, struct et_error *err)
{
	const struct et_experiment *e = s->e;

	if (e->state != ET_STATE_DONE || s->setup.more)
		return 0;
	et_fail(err, EALREADY, ET_EXIT_USAGE, "experiment %s is finished", e->id);
	if (e->plan.equal_ratio > 0)
		return et_hint(err, -EALREADY,
			"run 'etalon show %s' to print it, or add --more for more pairs", e->id);
	return et_hint(err, -EALREADY, "run 'etalon show %s' to print it", e->id);
}

static int resume(struct et_session *s, const char *name, struct et_error *err)
{
	const struct et_host *then = &s->e->host;
	struct et_host now;

	int rc = check_state(s, err);
	if (rc)
		return rc;
	rc = check_record(s->e, err);
	if (!rc && s->setup.check)
		rc = s->setup.check(s->setup.hooks.ctx, s->e, err);
	if (!rc)
		rc = check_trust(s, name, err);
	int changed = !rc && s->setup.replan ? s->setup.replan(s->setup.replan_ctx, s->e, err) : rc;
	if (changed < 0)
		return changed;
	et_host_read("", &now);
	if (strcmp(now.kernel, then->kernel) || strcmp(now.cpu, then->cpu))
		et_warn(&s->warnings, ET_WARN_RESUMED_ELSEWHERE, et_arg_text(now.kernel),
			et_arg_text(now.cpu));
	rc = open_runner(s, err);
	/* Killed after this, it is still done, and its new budget does nothing. */
	if (rc == 0 && changed)
		rc = et_store_set_plan(s->setup.store, s->e, err);
	if (rc == 0)
		rc = et_store_set_state(s->setup.store, s->e->id, ET_STATE_RUNNING, 0, err);
	return rc ? rc : record_machine(s->setup.store, s->e, err);
}

/* A record from elsewhere is never chosen: its author could have made it the newest. */
static int find_own(struct et_store *store, char id[40], struct et_error *err)
{
	char machine[sizeof(((struct et_experiment *)0)->machine)];

	et_host_identity("", machine, sizeof(machine));
	return et_store_find_unfinished(store, machine, id, err);
}

int et_session_resume(const struct et_session_setup *setup, const char *name,
	struct et_session **out, struct et_error *err)
{
	struct et_experiment *loaded;
	char id[40];

	int rc =
		name ? et_store_find(setup->store, name, id, err) : find_own(setup->store, id, err);
	/* Claim before loading: another etalon that is just ending may add samples until then. */
	if (rc == 0)
		rc = et_store_claim(setup->store, id, err);
	if (rc)
		return rc;
	rc = et_store_load(setup->store, id, &loaded, err);
	if (rc) {
		et_store_release(setup->store);
		return rc;
	}
	struct et_session *s = create(setup, loaded);
	rc = resume(s, name, err);
	if (rc)
		et_session_close(s);
	else
		*out = s;
	return rc;
}

static int keep(void *ctx, const struct et_sample *sample, size_t n, ET_UNUSED struct et_error *err)
{
	struct et_session *s = ctx;

	et_recorder_keep(&s->recorder, sample, n);
	return 0;
}

static int settle(void *ctx, uint64_t next_ns, struct et_error *err)
{
	struct et_session *s = ctx;

	int rc = et_recorder_settle(&s->recorder, next_ns, err);
	s->store_failed = s->store_failed || rc;
	return rc;
}

static int scouted(void *ctx, uint32_t command, struct et_error *err)
{
	struct et_session *s = ctx;
	int rc = et_store_set_files(
		s->setup.store, s->e->id, command, &s->e->commands[command].files, err);

	s->store_failed = s->store_failed || rc;
	return rc;
}

/* A sample must be in the store before its removal can be recorded. */
static int apply_rules(void *ctx, struct et_error *err)
{
	struct et_session *s = ctx;
	struct et_warnings later = { 0 }; /* dropped: finish() raises them */
	int rc = et_recorder_flush(&s->recorder, err);

	if (rc == 0)
		rc = et_session_remove(s->setup.store, s->e, s->setup.place, &later, err);
	et_warnings_free(&later);
	s->store_failed = s->store_failed || rc;
	return rc;
}

static enum et_state state_after(const struct et_session *s, int rc)
{
	if (rc == 0)
		return s->failures ? ET_STATE_FAILED : ET_STATE_DONE;
	return rc == -EINTR || rc == -EAGAIN || s->store_failed ? ET_STATE_INTERRUPTED
								: ET_STATE_FAILED;
}

/*
 * Removes samples and records how the run ended. The first error is the one that counts. Samples
 * that could not be stored are tried once more here, because there may be space again.
 */
static int finish(struct et_session *s, int rc, struct et_error *err)
{
	/* After an interruption a store that fails is what the user must know. */
	struct et_error *why = rc && rc != -EINTR && rc != -EAGAIN ? NULL : err;
	int rc2 = et_recorder_flush(&s->recorder, why);

	et_runner_close(s->runner);
	s->runner = NULL;
	if (rc2 == 0 && (rc == 0 || rc == -EINTR))
		rc2 = et_session_remove(s->setup.store, s->e, s->setup.place, &s->warnings, why);
	s->store_failed = s->store_failed || rc2;
	rc = why && rc2 ? rc2 : rc;
	et_metric_settle(s->e);
	s->e->state = state_after(s, rc);
	s->e->finished_wall_ns = et_clock_real.wall_ns(NULL);
	rc2 = et_store_set_state(
		s->setup.store, s->e->id, s->e->state, s->e->finished_wall_ns, rc ? NULL : err);
	/* If this could not be stored, either, the experiment stays "running" and is unlocked. */
	if (rc2 && s->e->state == ET_STATE_DONE)
		s->e->state = ET_STATE_INTERRUPTED;
	return rc ? rc : rc2;
}

int et_session_drive(struct et_session *s, struct et_error *err)
{
	struct et_driver d = { .e = s->e,
		.executor = et_runner_executor(s->runner),
		.clock = &et_clock_real,
		.most_rounds = s->setup.most_rounds,
		.settle = settle,
		.keep = keep,
		.scouted = scouted,
		.apply_rules = apply_rules,
		.hooks = s->setup.hooks,
		.ctx = s };
	int rc = et_drive(&d, err);

	s->failures = d.failures;
	return finish(s, rc, err);
}

uint64_t et_session_counting_limit(const struct et_experiment *e, uint32_t command)
{
	const struct et_samples *all = &e->commands[command].samples;
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(all);
	const struct et_sample *s;
	uint64_t most = LEAST_COUNTING_NS, sum = 0;

	while ((s = et_sample_reader_next(&r)))
		sum += s->measured.elapsed_ns;
	if (all->n && sum / all->n > most / SLOWEST_COUNTING)
		most = sum / all->n * SLOWEST_COUNTING;
	return e->plan.time_limit_ns && e->plan.time_limit_ns < most ? e->plan.time_limit_ns : most;
}

static int run_once(
	struct et_session *s, struct et_executor *x, uint32_t command, struct et_error *err)
{
	const struct et_request q = { .arrangement = ET_SOLO,
		.command = command,
		.most_ns = et_session_counting_limit(s->e, command) };
	struct et_sample sample[ET_SLOTS] = { 0 };
	int rc = x->around(x->ctx, ET_BEFORE_ALL, command, err);

	if (rc)
		return rc;
	rc = x->run(x->ctx, &q, sample, err);
	et_sample_free(&sample[0]);
	if (rc == 0 && sample[0].measured.exit_code != 0 && !s->e->plan.ignore_failure)
		rc = et_fail(err, ECHILD, ET_EXIT_PROGRAM,
			"'%s' failed in the run that counts calls", s->e->commands[command].name);
	int rc2 = x->around(x->ctx, ET_AFTER_ALL, command, rc ? NULL : err);
	return rc ? rc : rc2;
}

int et_session_count_calls(
	struct et_session *s, const struct et_observer *counter, struct et_error *err)
{
	struct et_runner *runner = NULL;
	int rc = et_runner_open(s->e, s->setup.envp, s->setup.interrupt, &runner, err);

	if (rc == 0)
		rc = et_runner_observe(runner, counter, err);
	if (rc == 0) {
		struct et_executor x = et_runner_executor(runner);
		for (uint32_t i = 0; rc == 0 && i < s->e->n_commands; i++)
			rc = run_once(s, &x, i, err);
	}
	et_runner_close(runner);
	if (rc && rc != -EINTR && rc != -ETIME)
		return rc;
	/* The commands before it were counted to their end. */
	int rc2 = et_store_set_calls(s->setup.store, s->e, rc ? NULL : err);
	return rc ? rc : rc2;
}

struct et_experiment *et_session_experiment(struct et_session *s)
{
	return s->e;
}

struct et_experiment *et_session_take_experiment(struct et_session *s)
{
	struct et_experiment *e = s->e;

	s->e = NULL;
	return e;
}

const struct et_warnings *et_session_warnings(const struct et_session *s)
{
	return &s->warnings;
}

void et_session_close(struct et_session *s)
{
	if (!s)
		return;
	et_runner_close(s->runner);
	et_recorder_free(&s->recorder);
	et_warnings_free(&s->warnings);
	et_store_release(s->setup.store);
	et_experiment_free(s->e);
	free(s);
}
