/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon run`: makes an experiment of the options, runs it in a session, prints the result. */
#include "app/run/run.h"
#include "base/display.h"
#include "campaign/campaign.h"
#include "cli/server.h"
#include "cli/signals.h"
#include "report/pair.h"
#include "source/baseline.h"
#include "stats/compare/judge.h"

/* A campaign has many machines, and keeps the options that it was begun with. */
#define ONE_MACHINE "resume|baseline|equal|fail-on-regression|part-rounds|@output"
#define BEGUN "engine|@engine|@plan|@budget|label|resume|fail-on-regression|@output"

static const struct et_option changed_options[] = {
	{ .name = "engine", .excludes = ONE_MACHINE },
	{ .name = "attach", .excludes = "cancel|" BEGUN },
	{ .name = "cancel", .excludes = BEGUN },
	{ .name = "trust-record", .needs = "resume|baseline|attach|cancel" },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_run = {
	.name = "run",
	.operands = "COMMAND",
	.summary = "how long does my program really take? which of these is faster?",
	.usage = "[options] COMMAND…\n[options] -- PROGRAM ARG…\n--resume [ID]\n--attach|--cancel "
		 "[CAMPAIGN]",
	.about = "Each COMMAND is one string. It is split into words as a shell splits them, but\n"
		 "run without a shell.",
	.examples = "  etalon run 'sleep 0.1'\n"
		    "  etalon run --runs 20 -- sort /etc/passwd\n"
		    "  etalon run 'etalon put sort' 'etalon put inc --seconds 0.05'\n"
		    "  etalon run --equal 5% 'etalon put sort' 'etalon put inc --seconds 0.05'\n"
		    "  etalon run --until 5% --json result.json 'etalon put inc --seconds 0.01'\n"
		    "  etalon run --runs 20 --report result.html 'etalon put sort'\n"
		    "  etalon run --protocol auto 'etalon put sort --size 1000'\n"
		    "  etalon run -r 10 -L n 1000,2000 'etalon put sort --size {n}'\n"
		    "  etalon run -r 10 --shell sh 'sort /etc/passwd | uniq -c'\n"
		    "  etalon run --engine ssh:a,b 'sort /etc/passwd' # needs a cluster\n",
	.usual = "runs|equal|until|baseline|metric|fail-on-regression|label|json|"
		 "report|shell|prepare|ignore-failure|output|help",
	.options = et_run_options,
	.changed_options = changed_options,
	.uses_store = true,
	.engine_options = et_engine_options,
	.child_options = et_child_options,
	.exports = true,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

/* --- the result --- */

static void print_continuation(
	const struct et_measuring *m, const char *id, const char *option, size_t pairs)
{
	ET_AUTO_FREE char *what = pairs ? et_asprintf("about %zu pairs in all would", pairs)
					: et_strdup("more pairs may");

	fprintf(m->text, "kept as %s: %s decide: etalon run%s --resume %s --more\n", id, what,
		option, id);
}

void et_run_print_place(const struct et_measuring *m, const struct et_judgement *j, size_t left)
{
	const struct et_experiment *e = et_session_experiment(m->session);
	ET_AUTO_FREE char *url = et_clean(et_store_url(m->store), "");
	ET_AUTO_FREE char *option = et_server_option(m->cli);
	const char *dash = strrchr(e->id, '-'), *id = dash ? dash + 1 : e->id;

	if (m->cli->verbosity > 0)
		fprintf(m->text, "kept as %s in %s\n", e->id, url);
	else if (j && e->state == ET_STATE_DONE && et_judgement_open(e, j))
		print_continuation(m, id, option, et_judgement_runs(e, j));
	else if (left)
		fprintf(m->text, "kept as %s: %zu more note%s in etalon show -v%s\n", id, left,
			left == 1 ? "" : "s", option);
	else
		fprintf(m->text, "kept as %s: etalon show%s%s\n", id, option,
			*option ? "" : ", etalon report");
}

/* Names the pages that were written. */
static void print_pages(const struct et_measuring *m, const struct et_outputs *outputs)
{
	for (size_t i = 0; i < outputs->n; i++) {
		ET_AUTO_FREE char *path = et_clean(outputs->list[i].path, "");
		if (!strcmp(outputs->list[i].format->name, "html") && strcmp(path, "-") != 0)
			fprintf(m->text, "page written to %s\n", path);
	}
}

static int conclude(struct et_run_options *o, struct et_measuring *m)
{
	struct et_outputs *outputs = &o->outputs;
	struct et_text_options text = et_cli_text(m->cli);
	text.sort = o->sort;
	text.unit = o->unit;
	const struct et_experiment *e = et_session_experiment(m->session);
	struct et_judgement j;
	struct et_error err;
	int status = ET_EXIT_DONE;

	et_judge(e, &j);
	et_warnings_append(&j.warnings, et_session_warnings(m->session));
	if (o->around && o->around->measured)
		o->around->measured(o->around->ctx, m, &j);
	size_t left = et_text_result(e, &j, &text, m->text);
	if (o->around && o->around->printed)
		o->around->printed(o->around->ctx, m);
	if (m->cli->verbosity >= 0)
		et_run_print_place(m, &j, left);
	/* The other outputs are written even if stdout is full or closed. */
	if (m->text == stdout && et_cli_close_output(stdout, "-", &err))
		status = et_cli_fail(&err);
	if (et_outputs_write(outputs, e, &j, &err))
		status = et_cli_fail(&err);
	else if (m->cli->verbosity >= 0)
		print_pages(m, outputs);
	et_gate_say(e, &j.gate, "etalon: ", stderr);
	if (status == ET_EXIT_DONE && j.gate.contrasts)
		status = et_gate_status(&j.gate);
	et_judgement_free(&j);
	return status;
}

/* --- the runs --- */

static int finish(
	struct et_run_options *o, struct et_measuring *m, int rc, const struct et_error *err)
{
	const struct et_experiment *e = m->session ? et_session_experiment(m->session) : NULL;
	bool measured = false;
	int status = ET_EXIT_DONE;

	for (size_t c = 0; e && c < e->n_commands && (rc == 0 || rc == -EINTR); c++)
		measured = measured || e->commands[c].samples.n;
	if (measured && o->around && o->around->conclude)
		status = o->around->conclude(o->around->ctx, m);
	else if (measured)
		status = conclude(o, m);
	if (rc == 0)
		return status;
	int failed = err->what[0] ? et_cli_fail(err) : 0; /* also if programs could not be ended */
	if (rc != -EINTR)
		return failed;
	et_say(stderr, "etalon: interrupted; every finished sample is stored\n");
	if (e) {
		ET_AUTO_FREE char *command = et_measuring_resumption(m);
		et_say(stderr, "hint: run '%s' to continue\n", command);
	}
	return 128 + m->interrupt->signal;
}

static int resume(struct et_measuring *m, const struct et_run_options *o,
	const struct et_operands *ops, struct et_error *err)
{
	const char *name = o->resume_id ? o->resume_id : ops->n_before ? ops->before[0] : NULL;

	if (ops->n_before + ops->n_after > (o->resume_id ? 0u : 1u))
		return et_refuse(err, "omit them, or start a new experiment",
			"--resume continues the recorded plan and takes no commands");
	if (!o->more && (o->given & ET_GIVEN_MAX || o->plan.time_limit_ns))
		return et_refuse(err,
			"omit it, or use --more for a comparison that needs more pairs",
			"--resume and --%s exclude each other",
			o->given & ET_GIVEN_MAX ? "max-runs" : "time-limit");
	if (o->more && !name)
		return et_refuse(err, "run 'etalon run --resume ID --more'",
			"--more needs the id of the experiment");
	if (m->trust && !name)
		return et_refuse(err, "run 'etalon run --resume ID --trust-record'",
			"--trust-record needs the id of the record");
	return et_measuring_resume(m, name, err);
}

/* Everything before the store is opened; sets *out, unless an experiment is resumed. */
static int plan(struct et_measuring *m, struct et_run_options *o, const struct et_operands *ops,
	struct et_experiment **out, struct et_error *err)
{
	struct et_experiment *e = NULL;
	int rc = o->resume ? 0 : et_run_options_finish(o, ops, &e, err);

	if (rc == 0 && e && o->baseline)
		rc = et_baseline_add(m->cli, o->baseline, m->trust, e, err);
	if (rc == 0)
		rc = et_outputs_open(&o->outputs, err);
	if (rc == 0 && o->around && o->around->before)
		rc = o->around->before(o->around->ctx, m, e, err);
	if (rc)
		et_experiment_free(e);
	else
		*out = e;
	return rc;
}

static int measure(struct et_measuring *m, struct et_run_options *o, const struct et_operands *ops,
	struct et_error *err)
{
	struct et_experiment *e;

	int rc = plan(m, o, ops, &e, err);
	if (rc == 0)
		rc = o->resume ? resume(m, o, ops, err) : et_measuring_begin(m, e, err);
	return rc ? rc : et_measuring_drive(m, err);
}

/* hyperfine's --style overrides what the terminal suggests. */
static void apply_style(enum et_style style, struct et_cli *cli)
{
	if (style == ET_STYLE_AUTO)
		return;
	cli->color = style == ET_STYLE_FULL || style == ET_STYLE_COLOR;
	cli->progress = style == ET_STYLE_FULL || (style == ET_STYLE_NOCOLOR && cli->progress);
	if (style == ET_STYLE_NONE)
		cli->verbosity = -1;
}

int et_run_parsed(struct et_cli *cli, struct et_run_options *o, const struct et_operands *ops)
{
	struct et_error err = { 0 };
	FILE *nothing = o->style == ET_STYLE_NONE ? fopen("/dev/null", "we") : NULL;
	FILE *text = o->outputs.stdout_taken ? stderr : stdout;

	apply_style(o->style, cli);
	cli->measures = true;
	struct et_measuring m = { .cli = cli,
		.interrupt = et_signals_install(),
		.env = o->env,
		.no_ledger = o->no_ledger,
		.draw_seed = !(o->given & ET_GIVEN_SEED),
		.trust = o->trust_record,
		.more = o->more,
		.replan = et_run_options_replan,
		.replan_ctx = o,
		.resume_verb = o->around ? o->around->verb : "run",
		.text = nothing ? nothing : text };
	int rc = measure(&m, o, ops, &err);
	int status = finish(o, &m, rc, &err);
	et_measuring_close(&m);
	if (o->around && o->around->after)
		o->around->after(o->around->ctx, &m);
	if (nothing)
		fclose(nothing);
	return status;
}

int et_run_main(struct et_cli *cli, const struct et_verb *verb, struct et_run_options *o, int argc,
	char **argv)
{
	struct et_operands ops;
	int status = et_cli_parse_into(cli, verb, argc, argv,
		&(struct et_cli_targets){ .ctx = o, .given = &o->given, .outputs = &o->outputs },
		&ops);

	if (status < 0) {
		if (o->like_hyperfine)
			et_run_options_add_reference(o, &ops);
		if (o->around && o->around->parsed)
			o->around->parsed(o->around->ctx, o);
		status = cli->engine.given ? et_run_engine(cli, o, &ops)
					   : et_run_parsed(cli, o, &ops);
		et_operands_free(&ops);
	}
	et_run_options_free(o);
	return status;
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_run_options o;

	et_run_options_init(&o);
	o.asks = true;
	return et_run_main(cli, &et_verb_run, &o, argc, argv);
}
