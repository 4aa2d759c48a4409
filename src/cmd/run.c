/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon run`: options → experiment → driver → result. */
#include "base/clock.h"
#include "cmd/run_session.h"
#include "cmd/signals.h"
#include "protocol/driver.h"
#include "report/text.h"
#include "stats/contrast.h"
#include "stats/judge.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_run = {
	.name = "run",
	.operands = "COMMAND",
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

static int keep(void *ctx, const struct et_sample *s, size_t n, struct et_error *err)
{
	struct et_session *ses = ctx;

	(void)err;
	et_recorder_keep(&ses->recorder, s, n);
	return 0;
}

static int settle(void *ctx, uint64_t next_ns, struct et_error *err)
{
	struct et_session *ses = ctx;

	return et_recorder_settle(&ses->recorder, next_ns, err);
}

static void note(void *ctx, const struct et_progress_note *n)
{
	struct et_session *ses = ctx;
	struct et_progress_state state = { .name = n->command->name,
		.done = n->done,
		.total = n->total,
		.elapsed_ns = n->elapsed_ns,
		.time_limit_ns = ses->e->plan.time_limit_ns };

	et_progress_draw(&ses->progress, &state, et_clock_read_ns(CLOCK_MONOTONIC));
}

static int drive(struct et_session *s, struct et_error *err)
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
	/* The program's own output would land on the line. */
	bool shown = s->e->child.output && !strcmp(s->e->child.output, "inherit");
	s->progress = (struct et_progress){ .out = s->cli->progress && !shown ? stderr : NULL,
		.width = s->cli->columns };
	int rc = et_drive(&d, err);
	int rc2 = et_recorder_flush(&s->recorder, rc ? NULL : err);
	rc = rc ? rc : rc2;
	et_progress_erase(&s->progress);
	et_runner_close(s->runner);
	s->runner = NULL;
	s->e->state = rc == 0        ? ET_STATE_DONE
		      : rc == -EINTR ? ET_STATE_INTERRUPTED
				     : ET_STATE_FAILED;
	s->e->finished_wall_ns = et_clock_real.wall_ns(NULL);
	rc2 = et_store_set_state(
		s->store, s->e->id, s->e->state, s->e->finished_wall_ns, rc ? NULL : err);
	return rc ? rc : rc2;
}

static bool has_samples(const struct et_experiment *e)
{
	for (size_t c = 0; c < e->n_commands; c++) {
		if (e->commands[c].n_samples)
			return true;
	}
	return false;
}

/* A gate that cannot close must say so. */
static void warn_undecided(const struct et_judgement *j)
{
	for (size_t i = 0; i < j->n_contrasts; i++) {
		if (j->contrasts[i].pairs_needed || !isfinite(j->contrasts[i].p)) {
			fprintf(stderr,
				"etalon: warning: too few runs to find a regression\n"
				"hint: --runs %zu\n",
				j->contrasts[i].pairs_needed ? j->contrasts[i].pairs_needed : 10);
			return;
		}
	}
}

/* Prints and writes what there is; returns the exit status of a run that was not cut short. */
static int conclude(struct et_session *s)
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
	if (fflush(s->talk) || ferror(s->talk)) {
		et_fail_errno(&err, errno, ET_EXIT_OUTSIDE, "writing the result");
		et_judgement_free(&j);
		return et_cli_fail(&err);
	}
	if (et_outputs_write(&s->options.outputs, s->e, &j, &err))
		status = et_cli_fail(&err);
	else if (et_contrasts_regressed(j.contrasts, j.n_contrasts, s->e->plan.reference,
			 s->options.regression_ratio))
		status = ET_EXIT_PROGRAM;
	if (status == ET_EXIT_DONE && isfinite(s->options.regression_ratio))
		warn_undecided(&j);
	et_judgement_free(&j);
	return status;
}

static int finish(struct et_session *s, int rc, const struct et_error *err)
{
	bool measured = s->e->id[0] && has_samples(s->e);
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
	struct et_session s = { .cli = cli, .claim = -1 };
	struct et_operands ops;
	struct et_error err = { 0 };

	et_run_options_init(&s.options);
	s.e = s.options.e;
	int status = et_cli_parse(
		cli, &et_verb_run, argc, argv, et_run_options_handle, &s.options, &ops);
	if (status < 0) {
		s.talk = s.options.outputs.stdout_taken ? stderr : stdout;
		s.interrupt = et_signals_install();
		int rc = et_session_prepare(&s, &ops, &err);
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
