/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon run`: options → experiment → driver → result. */
#include "cmd/run_session.h"
#include "cmd/signals.h"
#include "report/text.h"
#include "stats/contrast.h"
#include "stats/judge.h"

#include <errno.h>
#include <math.h>

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
		    "  etalon run --runs 20 --report result.html 'etalon put sort'\n"
		    "  etalon run --protocol auto 'etalon put sort --size 1000'\n"
		    "  etalon run -L n 1000,2000 'etalon put sort --size {n}'\n"
		    "  etalon run --shell sh 'sort /etc/passwd | uniq -c'\n",
	.options = et_run_options,
	.uses_store = true,
	.run = run,
};

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
	for (size_t i = 0; i < s->notes.n; i++)
		et_warn(&j.warnings, "%s", s->notes.text[i]);
	et_text_result(s->e, &j, &text, s->talk);
	if (s->cli->verbosity >= 0)
		fprintf(s->talk, "kept as %s in %s\n", s->e->id, et_store_url(s->store));
	if (s->talk == stdout && et_cli_close_output(stdout, "-", &err)) {
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
	struct et_session s = { .cli = cli };
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
			rc = et_session_drive(&s, &err);
		et_tuning_end(&s.tuning, cli);
		status = finish(&s, rc, &err);
		et_operands_free(&ops);
	}
	et_session_close(&s);
	return status;
}
