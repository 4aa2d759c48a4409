/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe`: plans, runs and analyses designed experiments. */
#include "cmd/doe.h"
#include "base/nearest.h"
#include "cmd/campaign.h"
#include "store/results.h"

#include <errno.h>
#include <string.h>

/* Bits of the actions that take an option. */
enum { OF_INIT = 1, OF_PLAN = 2, OF_RUN = 4, OF_STATUS = 8 };
enum { OF_ANALYSE = 16, OF_IMPORT = 32, OF_EXPORT = 64 };

static const struct {
	const char *name;
	et_doe_action *run;
	unsigned bit;
	size_t least, most; /* operands */
	enum et_rights rights;
} actions[] = {
	{ "init", et_doe_init, OF_INIT, 0, 0, ET_RIGHTS_MACHINE },
	{ "plan", et_doe_plan, OF_PLAN, 1, 1, ET_RIGHTS_MACHINE },
	{ "run", et_doe_run, OF_RUN, 1, 1, ET_RIGHTS_MACHINE },
	{ "status", et_doe_status, OF_STATUS, 1, 1, ET_RIGHTS_FILES },
	{ "analyse", et_doe_do_analyse, OF_ANALYSE, 1, 1000, ET_RIGHTS_FILES },
	{ "import", et_doe_import, OF_IMPORT, 1, 2, ET_RIGHTS_FILES },
	{ "export", et_doe_export, OF_EXPORT, 1, 1, ET_RIGHTS_FILES },
};

static const char *const methods[] = { "auto", "anova", "welch", "ranks", NULL };

static const struct et_option options[] = {
	{ 0, "json", NULL, "plan, status, analyse: print JSON instead of text", et_set_true,
		ET_FILLS(et_doe_request, json), .bit = OF_PLAN | OF_STATUS | OF_ANALYSE },
	{ 0, "no-pilot", NULL, "plan: make no pilot runs", et_set_true,
		ET_FILLS(et_doe_request, no_pilot), .bit = OF_PLAN },
	{ 0, "from", "COMMAND", "init: a first plan for this command", et_set_text,
		ET_FILLS(et_doe_request, from), .bit = OF_INIT, .group = "a first plan" },
	{ 0, "schema", NULL, "init: print the JSON Schema of plans, for editors", et_set_true,
		ET_FILLS(et_doe_request, schema), .bit = OF_INIT },
	{ 0, "json", "FILE", "run: write the native record; - is stdout", et_set_text,
		ET_FILLS(et_doe_request, json_file), .values = "FILE", .bit = OF_RUN,
		.group = "running" },
	{ 0, "new", NULL, "run: begin anew instead of continuing", et_set_true,
		ET_FILLS(et_doe_request, fresh), .bit = OF_RUN },
	{ 'y', "yes", NULL, "run: do not ask before a large experiment", et_set_true,
		ET_FILLS(et_doe_request, yes), .bit = OF_RUN },
	{ 0, "trust-record", NULL, "run --attach|--cancel ID: one that was not begun here",
		et_set_true, ET_FILLS(et_doe_request, trust), .bit = OF_RUN },
	{ 0, "terms", "TERM,TERM…", "plan, analyse: these effects only, such as work,pad,work:pad",
		et_set_text, ET_FILLS(et_doe_request, terms), .bit = OF_PLAN | OF_ANALYSE,
		.group = "analysis" },
	{ 0, "method", "auto|anova|welch|ranks", "analyse: how effects are tested (auto)",
		et_set_choice, ET_FILLS(et_doe_request, method), .names = methods,
		.bit = OF_ANALYSE },
	{ 0, "alpha", "P", "plan, analyse: level of the tests (0.05)", et_set_probability,
		ET_FILLS(et_doe_request, alpha), .bit = OF_PLAN | OF_ANALYSE },
	{ 0, "level", "P", "analyse: coverage of the intervals (0.95)", et_set_probability,
		ET_FILLS(et_doe_request, level), .bit = OF_ANALYSE },
	{ 0, "tables", NULL, "analyse: pairs of treatments over programs, before and after Holm",
		et_set_true, ET_FILLS(et_doe_request, tables), .bit = OF_ANALYSE },
	{ 0, "plot", NULL, "analyse: also draw effects and residuals in the terminal", et_set_true,
		ET_FILLS(et_doe_request, plot), .bit = OF_ANALYSE },
	{ 0, "svg", "FILE", "analyse: also draw effects, interactions and residuals", et_set_text,
		ET_FILLS(et_doe_request, svg), .values = "FILE", .bit = OF_ANALYSE },
	{ 0, "report", "FILE", "analyse: also write a page (HTML)", et_set_text,
		ET_FILLS(et_doe_request, page), .values = "FILE", .bit = OF_ANALYSE },
	{ 0, "response", "COLUMN", "import: the column that was measured (the last of numbers)",
		et_set_text, ET_FILLS(et_doe_request, response), .bit = OF_IMPORT,
		.group = "other tools" },
	{ 0, "unit", "auto|s|ms|us|ns|bytes|count",
		"import: of the response (by its name, such as time_ms; else seconds)",
		et_set_choice, ET_FILLS(et_doe_request, unit), .names = et_results_unit_names,
		.bit = OF_IMPORT },
	{ 0, "factors", "COLUMN,…", "import: the columns that are factors (all others)",
		et_set_text, ET_FILLS(et_doe_request, factors), .bit = OF_IMPORT },
	{ 0, "program", "COLUMN", "import: the column of the program's name (program)", et_set_text,
		ET_FILLS(et_doe_request, program), .bit = OF_IMPORT },
	{ 0, "block", "COLUMN", "import: the column of blocks (block)", et_set_text,
		ET_FILLS(et_doe_request, block), .bit = OF_IMPORT },
	{ 0, "label", "TEXT", "import: name the experiment (the file's name)", et_set_text,
		ET_FILLS(et_doe_request, label), .bit = OF_IMPORT },
	{ 0, "r", NULL, "export: a script for R that repeats the analysis", et_set_true,
		ET_FILLS(et_doe_request, r_script), .bit = OF_EXPORT },
	{ 0, "data", "FILE", "export --r: the data that the script reads (data.csv)", et_set_text,
		ET_FILLS(et_doe_request, data), .values = "FILE", .bit = OF_EXPORT },
	{ 'o', "output", "FILE", "init, export: write to a file instead of standard output",
		et_set_text, ET_FILLS(et_doe_request, output), .values = "FILE",
		.bit = OF_INIT | OF_EXPORT },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_doe = {
	.name = "doe",
	.summary = "plan, run and analyse a designed experiment",
	.operands = "init|plan|run|status|analyse|import|export",
	.usage = "init [--from COMMAND]\nplan PLAN\nrun PLAN\nrun --attach|--cancel "
		 "[PLAN|ID]\nstatus PLAN|ID\n"
		 "analyse PLAN|ID…\n"
		 "import FILE\nexport PLAN|ID",
	.about =
		"A plan file says which programs are measured, which factors are varied over\n"
		"which levels, and how often. 'doe run' continues an experiment of the same plan\n"
		"that was interrupted or killed; --new begins anew. 'doe status' shows how far it\n"
		"is. PLAN may also be the id or label of a stored experiment, or its record, but\n"
		"for 'doe plan' and 'doe run'.",
	.examples = "  etalon doe init -o plan.yaml\n"
		    "  etalon doe plan plan.yaml\n"
		    "  etalon doe run plan.yaml\n"
		    "  etalon doe analyse plan.yaml\n"
		    "  etalon doe run plan.yaml --engine slurm # needs a cluster\n",
	.options = options,
	.uses_store = true,
	.uses_engine = true,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

static int refuse(const char *what, struct et_error *err)
{
	struct et_nearest n = et_nearest_to(what);

	for (size_t i = 0; i < ET_LENGTH(actions); i++)
		et_nearest_offer(&n, actions[i].name);
	int rc = *what ? et_fail(err, EINVAL, ET_EXIT_USAGE, "doe: there is no action '%s'", what)
		       : et_fail(err, EINVAL, ET_EXIT_USAGE, "doe: no action given");
	if (n.best)
		return et_hint(err, rc, "did you mean 'doe %s'?", n.best);
	return et_hint(err, rc,
		"use 'doe init', 'doe plan', 'doe run', 'doe status', 'doe analyse', 'doe import' "
		"or 'doe export'");
}

/* Returns the bit of the action that the command line names; 0: none. */
static unsigned action_of(int argc, char **argv)
{
	for (int k = 1; k < argc && strcmp(argv[k], "--"); k++) {
		for (size_t i = 0; i < ET_LENGTH(actions); i++) {
			if (!strcmp(argv[k], actions[i].name))
				return actions[i].bit;
		}
	}
	return 0;
}

static const char *name_of(unsigned bit)
{
	size_t i = 0;

	while (i < ET_LENGTH(actions) - 1 && !(actions[i].bit & bit))
		i++;
	return actions[i].name;
}

/* The table for one action: a copy in which each row has a bit of its own. */
struct table {
	struct et_option rows[ET_LENGTH(options)];
	unsigned actions[ET_LENGTH(options)]; /* that take the row */
	size_t n;
};

/* Whether another row of the same name belongs to the action. */
static bool has_namesake(const struct et_option *o, unsigned action)
{
	for (const struct et_option *p = options; p->name; p++) {
		if (p != o && !strcmp(p->name, o->name) && p->bit & action)
			return true;
	}
	return false;
}

static void make_table(unsigned action, struct table *t)
{
	_Static_assert(ET_LENGTH(options) <= 33, "each option needs a bit");

	*t = (struct table){ 0 };
	for (const struct et_option *o = options; o->name; o++) {
		if (!(o->bit & action) && has_namesake(o, action))
			continue;
		t->actions[t->n] = o->bit;
		t->rows[t->n] = *o;
		t->rows[t->n].bit = 1u << t->n;
		t->n++;
	}
}

static int check_given(const struct table *t, unsigned given, unsigned action, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];

	for (size_t i = 0; action && i < t->n; i++) {
		if (given & t->rows[i].bit && !(t->actions[i] & action))
			return et_hint(err,
				et_fail(err, EINVAL, ET_EXIT_USAGE, "doe %s takes no %s",
					name_of(action), et_option_shown(&t->rows[i], shown)),
				"it is an option of 'doe %s'", name_of(t->actions[i]));
	}
	return 0;
}

static int dispatch(struct et_cli *cli, const struct et_doe_request *r,
	const struct et_operands *ops, int *status, struct et_error *err)
{
	const char *what = ops->n_before ? ops->before[0] : "";
	size_t n = ops->n_before ? ops->n_before - 1 : 0, i = 0;

	while (i < ET_LENGTH(actions) && strcmp(actions[i].name, what))
		i++;
	if (i == ET_LENGTH(actions))
		return refuse(what, err);
	/* A campaign may be named, or be the last. */
	bool last = actions[i].bit == OF_RUN && (cli->engine.attach || cli->engine.cancel);
	if ((n < actions[i].least && !last) || n > actions[i].most || ops->n_after)
		return et_doe_refuse_operands(
			what, n ? ops->before[1] : "COMMAND", n < actions[i].least, err);
	cli->engine.trust = r->trust;
	int rc = et_engine_check(&cli->engine, what, actions[i].bit == OF_RUN, err);
	if (rc)
		return rc;
	et_confine(actions[i].rights);
	return actions[i].run(cli, r, ops->before + 1, n, status, err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	unsigned action = action_of(argc, argv);
	struct et_verb verb = et_verb_doe;
	struct table table;
	struct et_doe_request r = { .alpha = 0.05, .level = 0.95 };
	struct et_operands ops;
	struct et_error err = { 0 };

	make_table(action, &table);
	if (action)
		verb.options = table.rows;
	int status = et_cli_parse_into(cli, &verb, argc, argv,
		&(struct et_cli_targets){ .ctx = &r, .given = &r.given }, &ops);
	if (status >= 0)
		return status;
	status = ET_EXIT_DONE;
	int rc = check_given(&table, r.given, action, &err);
	if (rc == 0)
		rc = dispatch(cli, &r, &ops, &status, &err);
	et_operands_free(&ops);
	return rc ? et_cli_fail(&err) : status;
}
