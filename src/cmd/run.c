/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon run`: options → experiment → driver → result. */
#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/claim.h"
#include "cmd/environment.h"
#include "cmd/kept.h"
#include "cmd/recorder.h"
#include "cmd/run_options.h"
#include "cmd/signals.h"
#include "host/host.h"
#include "measure/runner.h"
#include "protocol/driver.h"
#include "report/progress.h"
#include "report/text.h"
#include "stats/contrast.h"
#include "stats/judge.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

extern char **environ;

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_run = {
	.name = "run",
	.summary = "how long does my program take, truly? which of these is faster?",
	.usage = "[options] COMMAND…\n[options] -- PROGRAM ARG…\n--resume [ID]",
	.about = "Each COMMAND is one string, split as a shell would but run without a shell.",
	.examples = "  etalon run 'sleep 0.1'\n"
		    "  etalon run --runs 20 -- sort /etc/passwd\n"
		    "  etalon run 'etalon put sort' 'etalon put inc --seconds 0.05'\n"
		    "  etalon run --until 5% --json result.json 'etalon put inc --seconds 0.01'\n"
		    "  etalon run -L n 1000,2000 'etalon put sort --size {n}'\n"
		    "  etalon run --shell sh 'sort /etc/passwd | uniq -c'\n",
	.options = et_run_options,
	.uses_store = true,
	.run = run,
};

struct session {
	struct et_cli *cli;
	struct et_run_options options;
	struct et_experiment *e;
	struct et_store *store;
	struct et_runner *runner;
	struct et_interrupt *interrupt;
	struct et_recorder recorder;
	struct et_progress progress;
	FILE *talk;
	struct et_tuning tuning;
	int claim; /* descriptor that says that this process runs the experiment */
};

static int keep(void *ctx, const struct et_sample *s, size_t n, struct et_error *err)
{
	struct session *ses = ctx;

	(void)err;
	et_recorder_keep(&ses->recorder, s, n);
	return 0;
}

static int settle(void *ctx, uint64_t next_ns, struct et_error *err)
{
	struct session *ses = ctx;

	return et_recorder_settle(&ses->recorder, next_ns, err);
}

static void note(void *ctx, const struct et_progress_note *n)
{
	struct session *ses = ctx;
	struct et_progress_state state = { .name = n->command->name,
		.done = n->done,
		.total = n->total,
		.elapsed_ns = n->elapsed_ns,
		.time_limit_ns = ses->e->plan.time_limit_ns };

	et_progress_draw(&ses->progress, &state, et_clock_read_ns(CLOCK_MONOTONIC));
}

/* A new experiment: the host as it is now, an id, a seed. */
static int begin(struct session *s, struct et_error *err)
{
	struct et_experiment *e = s->e;
	uint64_t random[2] = { 0 };

	if (getrandom(random, sizeof(random), 0) < 0)
		return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "random numbers");
	et_experiment_name(e, et_clock_real.wall_ns(NULL), random[0]);
	if (!s->options.seed_given)
		e->plan.seed = random[1] >> 11; /* every JSON reader keeps 53 bits */
	e->child.directory = get_current_dir_name();
	int rc = et_claim(e->id, &s->claim, err);
	if (rc == 0)
		rc = et_runner_open(e, environ, s->interrupt, &s->runner, err);
	if (rc)
		return rc;
	e->image_source = et_strdup(et_runner_image_source(s->runner));
	return et_store_begin(s->store, e, err);
}

/* An interrupted one: plan, seed, commands and finished samples as they were kept. */
static int resume(struct session *s, const struct et_operands *ops, struct et_error *err)
{
	struct et_run_options *o = &s->options;
	const char *name = o->resume_id ? o->resume_id : ops->n_before ? ops->before[0] : NULL;
	struct et_experiment *kept;
	struct et_host now;
	char id[40];

	int rc = name ? et_store_find(s->store, name, id, err)
		      : et_store_find_unfinished(s->store, id, err);
	if (rc == 0)
		rc = et_store_load(s->store, id, &kept, err);
	if (rc)
		return rc;
	et_experiment_free(s->e);
	s->e = o->e = kept;
	if (kept->state == ET_STATE_DONE)
		return et_hint(err,
			et_fail(err, EALREADY, ET_EXIT_USAGE, "experiment %s is finished", id),
			"etalon show %s prints it", id);
	rc = et_claim(id, &s->claim, err);
	if (rc)
		return rc;
	et_host_read("", &now);
	if (strcmp(now.kernel, kept->host.kernel) || strcmp(now.cpu, kept->host.cpu))
		fprintf(stderr, "etalon: warning: resumed on another kernel or CPU (%s, %s)\n",
			now.kernel, now.cpu);
	rc = et_runner_open(kept, environ, s->interrupt, &s->runner, err);
	return rc ? rc : et_store_set_state(s->store, id, ET_STATE_RUNNING, 0, err);
}

static int prepare(struct session *s, const struct et_operands *ops, struct et_error *err)
{
	int rc = s->options.resume ? 0 : et_run_options_finish(&s->options, ops, err);

	if (rc == 0)
		rc = et_outputs_open(&s->options.outputs, err);
	if (rc == 0)
		rc = et_kept_open(s->cli, ET_STORE_WRITE, &s->store, err);
	if (rc == 0)
		rc = et_tuning_begin(&s->tuning, s->cli, s->options.env,
			s->options.resume ? NULL : s->e, s->talk, err);
	if (rc)
		return rc;
	if (s->options.resume)
		return resume(s, ops, err);
	et_host_read("", &s->e->host);
	return begin(s, err);
}

static int drive(struct session *s, struct et_error *err)
{
	struct et_driver d = { .e = s->e,
		.executor = et_runner_executor(s->runner),
		.clock = &et_clock_real,
		.settle = settle,
		.keep = keep,
		.note = note,
		.ctx = s };

	s->recorder =
		(struct et_recorder){ .store = s->store, .id = s->e->id, .clock = &et_clock_real };
	s->progress = (struct et_progress){ .out = s->cli->progress ? stderr : NULL,
		.width = s->cli->columns };
	int rc = et_drive(&d, err);
	int rc2 = et_recorder_flush(&s->recorder, rc ? NULL : err);
	rc = rc ? rc : rc2;
	et_progress_erase(&s->progress);
	et_runner_close(s->runner);
	s->runner = NULL;
	s->e->state = rc ? ET_STATE_INTERRUPTED : ET_STATE_DONE;
	s->e->finished_wall_ns = et_clock_real.wall_ns(NULL);
	rc2 = et_store_set_state(
		s->store, s->e->id, s->e->state, s->e->finished_wall_ns, rc ? NULL : err);
	return rc ? rc : rc2;
}

/* Prints and writes what there is; returns the exit status of a run that was not cut short. */
static int conclude(struct session *s)
{
	struct et_text_options text = {
		.width = s->cli->columns, .color = s->cli->color, .verbose = s->cli->verbosity > 0
	};
	struct et_judgement j;
	struct et_error err;
	int status = ET_EXIT_DONE;

	et_judge(s->e, &j);
	et_text_result(s->e, &j, &text, s->talk);
	if (s->cli->verbosity >= 0)
		fprintf(s->talk, "kept as %s in %s\n", s->e->id, et_store_url(s->store));
	fflush(s->talk);
	if (et_outputs_write(&s->options.outputs, s->e, &j, &err))
		status = et_cli_fail(&err);
	else if (et_contrasts_regressed(j.contrasts, j.n_contrasts, s->e->plan.reference,
			 s->options.regression_ratio))
		status = ET_EXIT_PROGRAM;
	et_judgement_free(&j);
	return status;
}

static int finish(struct session *s, int rc, const struct et_error *err)
{
	bool measured = s->e->id[0] && et_experiment_samples(s->e) > 0;
	int status = measured && (rc == 0 || rc == -EINTR) ? conclude(s) : ET_EXIT_DONE;

	if (rc == 0)
		return status;
	if (rc != -EINTR)
		return et_cli_fail(err);
	fprintf(stderr, "etalon: interrupted; every finished sample is kept\n");
	if (s->e->id[0])
		fprintf(stderr, "hint: etalon run --resume %s goes on\n", s->e->id);
	return 128 + s->interrupt->signal;
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct session s = { .cli = cli, .claim = -1 };
	struct et_operands ops;
	struct et_error err = { 0 };

	et_run_options_init(&s.options);
	s.e = s.options.e;
	int status = et_cli_parse(
		cli, &et_verb_run, argc, argv, et_run_options_handle, &s.options, &ops);
	if (status < 0) {
		s.talk = s.options.outputs.stdout_taken ? stderr : stdout;
		s.interrupt = et_signals_install();
		int rc = prepare(&s, &ops, &err);
		if (rc == 0)
			rc = drive(&s, &err);
		et_tuning_end(&s.tuning, cli);
		status = finish(&s, rc, &err);
		et_operands_free(&ops);
	}
	et_runner_close(s.runner);
	et_recorder_free(&s.recorder);
	et_store_close(s.store);
	et_cleanup_close(&s.claim);
	et_run_options_free(&s.options);
	return status;
}
