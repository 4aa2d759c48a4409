/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon daemons learn|show|analyse|forget`: which background processes spoil samples. */
#include "cmd/daemons.h"
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
	unsigned given; /* OF_… */
};

/* Options that only learn takes; those of them that say what it measures; of show and analyse. */
enum { OF_LEARN = 1, OF_PLAN = 2, OF_TABLES = 4, OF_FACTORS = 8 };
static const uint64_t BY_PRESET = UINT64_MAX; /* the user did not give this figure */

static int set_tables(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_daemons_output *out = et_option_target(o, ctx);

	out->tables = true;
	out->wanted = ET_DAEMON_TABLES_ALL;
	return args[0] ? et_daemon_tables_choose(args[0], &out->wanted, err) : 0;
}

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of text", et_set_true, ET_FILLS(request, out.json) },
	{ 0, "tables", "[LIST]",
		"show, analyse: print the tables of the EMP papers, VII to XIX, or those of LIST, "
		"such as XVI,XVIII",
		set_tables, ET_FILLS(request, out), .bit = OF_TABLES },
	{ 0, "csv", NULL, "print the tables as CSV instead of text", et_set_true,
		ET_FILLS(request, out.csv), .bit = OF_TABLES },
	{ 0, "report", "FILE", "write a page (HTML) with pictures; - is stdout", et_set_text,
		ET_FILLS(request, out.page), .values = "FILE" },
	{ 0, "svg", "FILE", "learn, analyse: write the pictures", et_set_text,
		ET_FILLS(request, out.svg), .values = "FILE" },
	{ 0, "keep", NULL, "analyse: store the cutoffs for this machine", et_set_true,
		ET_FILLS(request, keep) },
	{ 0, "command", "N|NAME", "show, analyse: the command of experiments that have several",
		et_set_text, ET_FILLS(request, command), .bit = OF_TABLES },
	{ 0, "preset", "NAME",
		"learn: quick, 300 samples of 1 s and 40 of 8 s, or paper, as published: 800 of "
		"128 s and 40 of 16384 s, which takes nine days (quick)",
		et_set_choice, ET_FILLS(request, preset), .names = et_learning_preset_names,
		.bit = OF_LEARN | OF_PLAN },
	{ 0, "short-runs", "N", "learn: samples of the short run (300)", et_set_u64,
		ET_FILLS(request, learn.plan.short_runs), .lo = ET_LSHAPE_LEAST, .hi = 1000000,
		.bit = OF_LEARN | OF_PLAN },
	{ 0, "short-seconds", "DUR", "learn: length of each short sample (1s)", et_set_duration,
		ET_FILLS(request, learn.plan.short_ns), .bit = OF_LEARN | OF_PLAN },
	{ 0, "long-runs", "N", "learn: samples of the long run, 0 for none (40)", et_set_u64,
		ET_FILLS(request, learn.plan.long_runs), .hi = 1000000, .bit = OF_LEARN | OF_PLAN },
	{ 0, "long-seconds", "DUR", "learn: length of each long sample (8s)", et_set_duration,
		ET_FILLS(request, learn.plan.long_ns), .bit = OF_LEARN | OF_PLAN },
	{ 0, "label", "TEXT", "learn: name of the two experiments (daemons)", et_set_text,
		ET_FILLS(request, learn.label), .bit = OF_LEARN },
	{ 0, "env", NULL,
		"learn: change what disturbs timing on this machine for the duration, as 'env "
		"apply' does",
		et_set_true, ET_FILLS(request, learn.env), .bit = OF_LEARN },
	{ 0, "only", "LIST", "learn --env: change these factors (those of EMP)", et_set_text,
		ET_FILLS(request, learn.only), .bit = OF_LEARN | OF_FACTORS },
	{ 0, "except", "LIST", "learn --env: do not change these factors", et_set_text,
		ET_FILLS(request, learn.except), .bit = OF_LEARN | OF_FACTORS },
	{ 0, "busy", NULL,
		"learn: do not ask on a busy machine, and keep the cutoffs although other work "
		"had the CPU",
		et_set_true, ET_FILLS(request, learn.busy), .bit = OF_LEARN },
	{ 0, "resume", NULL, "learn: continue an interrupted learn", et_set_true,
		ET_FILLS(request, learn.resume), .bit = OF_LEARN },
	{ 0, "yes", NULL, "forget: do not ask; needed without a terminal", et_set_true,
		ET_FILLS(request, yes) },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_daemons = {
	.name = "daemons",
	.operands = "learn|show|analyse|forget",
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

static int refuse(const char *what, const struct et_operands *ops, struct et_error *err)
{
	if (!strcmp(what, "analyse"))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"daemons analyse: expected a file, or one or two experiments"),
			"use 'etalon daemons analyse FILE', with - for standard input, or 'etalon "
			"daemons analyse SHORT [LONG]' with ids or labels of experiments");
	const char *odd = !strcmp(what, "learn") || !strcmp(what, "show") || !strcmp(what, "forget")
				  ? (ops->n_before > 1 ? ops->before[1] : "--")
				  : what;
	int rc = *odd ? et_fail(err, EINVAL, ET_EXIT_USAGE, "daemons: unexpected '%s'", odd)
		      : et_fail(err, EINVAL, ET_EXIT_USAGE, "daemons: no action given");
	return et_hint(err, rc,
		"use 'daemons learn', 'daemons show', 'daemons analyse FILE' or 'daemons forget'");
}

/* Refuses options of another action. */
static int check_given(const struct request *r, const char *what, struct et_error *err)
{
	if (r->given & OF_LEARN && strcmp(what, "learn"))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"one of the options is only valid with 'daemons learn'");
	if (r->given & OF_TABLES && strcmp(what, "analyse") && strcmp(what, "show"))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--tables, --csv and --command are only valid with 'daemons show' and "
			"'daemons analyse'");
	if (r->keep && strcmp(what, "analyse"))
		return et_fail(
			err, EINVAL, ET_EXIT_USAGE, "--keep is only valid with 'daemons analyse'");
	if (r->out.svg && strcmp(what, "learn") && strcmp(what, "analyse"))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--svg is only valid with 'daemons learn' and 'daemons analyse'");
	if (r->yes && strcmp(what, "forget"))
		return et_fail(
			err, EINVAL, ET_EXIT_USAGE, "--yes is only valid with 'daemons forget'");
	return 0;
}

/* The actions that change nothing on the machine. */
static int look(const struct et_cli *cli, struct request *r, const char *what,
	const struct et_operands *ops, struct et_error *err)
{
	char *const *names = ops->before + 1;
	size_t n = ops->n_before ? ops->n_before - 1 : 0;

	if (!strcmp(what, "show") && (!n || r->out.tables) && !ops->n_after)
		return et_daemons_show(cli, names, n, r->command, &r->out, err);
	if (!strcmp(what, "analyse") && (n == 1 || n == 2) && !ops->n_after)
		return et_daemons_analyse_operands(
			cli, names, n, r->command, r->keep, &r->out, err);
	return refuse(what, ops, err);
}

static int dispatch(struct et_cli *cli, struct request *r, const struct et_operands *ops,
	int *status, struct et_error *err)
{
	const char *what = ops->n_before ? ops->before[0] : "";
	bool alone = ops->n_before == 1 && !ops->n_after;
	int rc = check_given(r, what, err);

	*status = ET_EXIT_DONE;
	if (rc == 0 && r->given & OF_FACTORS && !r->learn.env && !r->learn.resume)
		rc = et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--only and --except select factors of the environment"),
			"add --env");
	if (rc)
		return rc;
	if (!strcmp(what, "learn") && alone)
		return et_daemons_learn(cli, &r->learn, &r->out, status, err);
	if (!strcmp(what, "forget") && alone)
		return et_daemons_forget(cli, r->yes, err);
	return look(cli, r, what, ops, err);
}

/* Takes the figures that the user did not give from the preset. */
static void fill_plan(struct et_learning_plan *p, const struct et_learning_plan *preset)
{
	p->short_runs = p->short_runs == BY_PRESET ? preset->short_runs : p->short_runs;
	p->short_ns = p->short_ns == BY_PRESET ? preset->short_ns : p->short_ns;
	p->long_runs = p->long_runs == BY_PRESET ? preset->long_runs : p->long_runs;
	p->long_ns = p->long_ns == BY_PRESET ? preset->long_ns : p->long_ns;
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .learn = { .plan = { BY_PRESET, BY_PRESET, BY_PRESET, BY_PRESET },
				     .label = ET_LEARN_LABEL } };
	struct et_operands ops;
	struct et_error err = { 0 };

	int status = et_cli_parse_into(cli, &et_verb_daemons, argc, argv,
		&(struct et_cli_targets){ .ctx = &r, .given = &r.given }, &ops);
	if (status >= 0)
		return status;
	if (!ops.n_before || strcmp(ops.before[0], "learn"))
		et_confine(ET_RIGHTS_FILES);
	r.learn.given = r.given & OF_PLAN;
	fill_plan(&r.learn.plan, &et_learning_presets[r.preset]);
	int rc = et_daemons_output_open(&r.out, &err);
	if (rc == 0)
		rc = dispatch(cli, &r, &ops, &status, &err);
	et_daemons_output_close(&r.out);
	et_operands_free(&ops);
	return rc ? et_cli_fail(&err) : status;
}
