/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon daemons learn|show|analyse|forget`: which background processes spoil samples. */
#include "app/daemons/daemons.h"
#include "protocol/lshape.h"

#include <errno.h>
#include <string.h>

struct request {
	struct et_daemons_output out;
	bool keep;
	bool yes;
	enum et_learning_preset preset;
	const char *command;
	struct et_learn_options learn;
};

enum { OF_LEARN = 1, OF_SHOW = 2, OF_ANALYSE = 4, OF_FORGET = 8 };
enum { OF_TABLES = OF_SHOW | OF_ANALYSE };
static const uint64_t BY_PRESET = UINT64_MAX; /* the user did not give this figure */

static int set_tables(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_daemons_output *out = et_option_target(o, ctx);

	out->wanted = ET_DAEMON_TABLES_ALL;
	return args[0] ? et_daemon_tables_choose(args[0], &out->wanted, err) : 0;
}

#define PLAN .kind = "plan" /* which an interrupted learning has already */

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of text", et_set_true, ET_FILLS(request, out.json) },
	{ 0, "tables", "[LIST]",
		"print the tables of the EMP papers, VII to XIX, or those of LIST, "
		"such as XVI,XVIII",
		set_tables, ET_FILLS(request, out), .of = OF_TABLES },
	{ 0, "csv", NULL, "print them as CSV instead of text", et_set_true,
		ET_FILLS(request, out.csv), .of = OF_TABLES, .needs = "tables",
		.excludes = "json" },
	{ 0, "report", "FILE", "write a page (HTML) with pictures; - is stdout", et_set_text,
		ET_FILLS(request, out.page), .values = "FILE" },
	{ 0, "svg", "FILE", "write the pictures", et_set_text, ET_FILLS(request, out.svg),
		.values = "FILE", .of = OF_LEARN | OF_ANALYSE },
	{ 0, "keep", NULL, "store the cutoffs for this machine", et_set_true,
		ET_FILLS(request, keep), .of = OF_ANALYSE },
	{ 0, "command", "N|NAME", "the command of experiments that have several", et_set_text,
		ET_FILLS(request, command), .of = OF_TABLES },
	{ 0, "preset", "NAME",
		"quick, 300 samples of 1 s and 40 of 8 s, or paper, as published: 800 of "
		"128 s and 40 of 16384 s, which takes nine days (quick)",
		et_set_choice, ET_FILLS(request, preset), .names = et_learning_preset_names,
		.of = OF_LEARN, PLAN },
	{ 0, "short-runs", "N", "samples of the short run (300)", et_set_u64,
		ET_FILLS(request, learn.plan.short_runs), .lo = ET_LSHAPE_LEAST, .hi = 1000000,
		.of = OF_LEARN, PLAN },
	{ 0, "short-seconds", "DUR", "length of each short sample (1s)", et_set_duration,
		ET_FILLS(request, learn.plan.short_ns), .of = OF_LEARN, PLAN },
	{ 0, "long-runs", "N", "samples of the long run, 0 for none (40)", et_set_u64,
		ET_FILLS(request, learn.plan.long_runs), .hi = 1000000, .of = OF_LEARN, PLAN },
	{ 0, "long-seconds", "DUR", "length of each long sample (8s)", et_set_duration,
		ET_FILLS(request, learn.plan.long_ns), .of = OF_LEARN, PLAN },
	{ 0, "label", "TEXT", "name of the two experiments (daemons)", et_set_text,
		ET_FILLS(request, learn.label), .of = OF_LEARN },
	{ 0, "env", NULL,
		"change what disturbs timing on this machine for the duration, as 'env "
		"apply' does",
		et_set_true, ET_FILLS(request, learn.env), .of = OF_LEARN },
	{ 0, "only", "LIST", "change these factors (those of EMP)", et_set_text,
		ET_FILLS(request, learn.only), .of = OF_LEARN, .needs = "env" },
	{ 0, "except", "LIST", "do not change these factors", et_set_text,
		ET_FILLS(request, learn.except), .of = OF_LEARN, .needs = "env" },
	{ 0, "busy", NULL,
		"do not ask on a busy machine, and keep the cutoffs although other work "
		"had the CPU",
		et_set_true, ET_FILLS(request, learn.busy), .of = OF_LEARN },
	{ 0, "resume", NULL, "continue an interrupted learn", et_set_true,
		ET_FILLS(request, learn.resume), .of = OF_LEARN, .excludes = "@plan|only|except" },
	{ 0, "yes", NULL, "do not ask; needed without a terminal", et_set_true,
		ET_FILLS(request, yes), .of = OF_FORGET },
	{ 0 },
};

static et_action_run learn, show, analyse, forget;
static const struct et_action actions[] = {
	{ "learn", learn, OF_LEARN, 0, 0, .rights = ET_RIGHTS_MACHINE },
	{ "show", show, OF_SHOW, 0, SIZE_MAX, .rights = ET_RIGHTS_FILES },
	{ "analyse", analyse, OF_ANALYSE, 1, 2, .rights = ET_RIGHTS_FILES,
		.wants = "a file, or one or two experiments",
		.hint = "use 'etalon daemons analyse FILE', with - for standard input, or 'etalon "
			"daemons analyse SHORT [LONG]' with ids or labels of one or two "
			"experiments" },
	{ "forget", forget, OF_FORGET, 0, 0, .rights = ET_RIGHTS_FILES },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_daemons = {
	.name = "daemons",
	.actions = actions,
	.summary = "which background processes spoil samples, and from which CPU time on?",
	.usage = "learn [options]\nshow [options]\nshow --tables [options] [ID…]\nanalyse "
		 "[options] FILE|-\n"
		 "analyse [options] ID [ID]\nforget [--yes]",
	.about =
		"learn takes many short and long samples of a fixed program, finds those that an\n"
		"infrequent daemon disturbed, and stores a cutoff for each daemon: a sample in\n"
		"which it used more CPU time is removed. show prints the cutoffs. analyse finds\n"
		"cutoffs in a record (JSON), or in one or two experiments, first the one of short\n"
		"samples. A word that is the name of a file is that file. forget removes the\n"
		"cutoffs of this machine.",
	.examples = "  etalon daemons learn # takes minutes\n"
		    "  etalon daemons learn --busy --short-runs 20 --short-seconds 10ms "
		    "--long-runs 0\n"
		    "  etalon daemons learn --env --preset paper # takes days: nine\n"
		    "  etalon daemons show\n"
		    "  etalon daemons analyse daemons.json\n"
		    "  etalon daemons analyse daemons-short\n"
		    "  etalon daemons analyse --json daemons.json\n"
		    "  etalon daemons analyse --tables daemons.json\n"
		    "  etalon daemons show --tables=XVI,XVIII --csv\n"
		    "  etalon daemons analyse --report daemons.html --svg daemons.svg "
		    "daemons.json\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

/* Takes the figures that the user did not give from the preset. */
static void fill_plan(struct et_learning_plan *p, const struct et_learning_plan *preset)
{
	p->short_runs = p->short_runs == BY_PRESET ? preset->short_runs : p->short_runs;
	p->short_ns = p->short_ns == BY_PRESET ? preset->short_ns : p->short_ns;
	p->long_runs = p->long_runs == BY_PRESET ? preset->long_runs : p->long_runs;
	p->long_ns = p->long_ns == BY_PRESET ? preset->long_ns : p->long_ns;
}

static int learn(struct et_call *call, struct et_error *err)
{
	struct request *r = call->ctx;

	fill_plan(&r->learn.plan, &et_learning_presets[r->preset]);
	return et_daemons_learn(call->cli, &r->learn, &r->out, &call->status, err);
}

static int show(struct et_call *call, struct et_error *err)
{
	struct request *r = call->ctx;

	if (call->n && !r->out.wanted)
		return et_refuse(err, "add --tables: Table XIX is about experiments",
			"daemons show: unexpected '%s'", call->operands[0]);
	return et_daemons_show(call->cli, call->operands, call->n, r->command, &r->out, err);
}

static int analyse(struct et_call *call, struct et_error *err)
{
	struct request *r = call->ctx;

	return et_daemons_analyse_operands(
		call->cli, call->operands, call->n, r->command, r->keep, &r->out, err);
}

static int forget(struct et_call *call, struct et_error *err)
{
	const struct request *r = call->ctx;

	return et_daemons_forget(call->cli, r->yes, err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .learn = { .plan = { BY_PRESET, BY_PRESET, BY_PRESET, BY_PRESET },
				     .label = ET_LEARN_LABEL } };
	struct et_call call;
	struct et_error err = { 0 };
	int status = et_cli_call(
		cli, &et_verb_daemons, argc, argv, &(struct et_cli_targets){ .ctx = &r }, &call);

	if (status >= 0)
		return status;
	if (et_daemons_output_open(&r.out, &err)) {
		et_operands_free(&call.ops);
		return et_cli_fail(&err);
	}
	status = et_call_run(&call);
	et_daemons_output_close(&r.out);
	return status;
}
