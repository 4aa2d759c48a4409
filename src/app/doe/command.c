/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe`: plans, runs and analyses designed experiments. */
#include "app/doe/doe.h"
#include "campaign/campaign.h"
#include "store/import/results.h"

/* Bits of the actions that take an option. */
enum { OF_INIT = 1, OF_PLAN = 2, OF_RUN = 4, OF_STATUS = 8 };
enum { OF_ANALYSE = 16, OF_IMPORT = 32, OF_EXPORT = 64 };

#define FIRST "see 'etalon doe --help'; 'doe init' writes a first plan"

static const struct et_action actions[] = {
	{ "init", et_doe_init, OF_INIT, 0, 1, .rights = ET_RIGHTS_MACHINE },
	{ "plan", et_doe_plan, OF_PLAN, 1, 1, .rights = ET_RIGHTS_MACHINE, .wants = "a plan file",
		.hint = FIRST },
	{ "run", et_doe_run, OF_RUN, 1, 1, .rights = ET_RIGHTS_MACHINE, .wants = "a plan file",
		.hint = FIRST },
	{ "status", et_doe_status, OF_STATUS, 1, 1, .rights = ET_RIGHTS_FILES,
		.wants = "a plan file", .hint = FIRST },
	{ "analyse", et_doe_do_analyse, OF_ANALYSE, 1, 1000, .rights = ET_RIGHTS_FILES,
		.wants = "a plan file", .hint = FIRST },
	{ "import", et_doe_import, OF_IMPORT, 1, 2, .rights = ET_RIGHTS_FILES,
		.wants = "a CSV file", .hint = FIRST },
	{ "export", et_doe_export, OF_EXPORT, 1, 1, .rights = ET_RIGHTS_FILES,
		.wants = "a plan file", .hint = FIRST },
	{ 0 },
};

static const char *const methods[] = { "auto", "anova", "welch", "ranks", NULL };

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of text", et_set_true,
		ET_FILLS(et_doe_request, json), .of = OF_PLAN | OF_STATUS | OF_ANALYSE },
	{ 0, "no-pilot", NULL, "make no pilot runs", et_set_true,
		ET_FILLS(et_doe_request, no_pilot), .of = OF_PLAN },
	{ 0, "from", "COMMAND", "a first plan for this command", et_set_text,
		ET_FILLS(et_doe_request, from), .of = OF_INIT, .group = "a first plan" },
	{ 0, "schema", NULL, "print the JSON Schema of plans, for editors", et_set_true,
		ET_FILLS(et_doe_request, schema), .of = OF_INIT, .excludes = "from" },
	{ 0, "json", "FILE", "write the native record; - is stdout", et_set_text,
		ET_FILLS(et_doe_request, json_file), .values = "FILE", .of = OF_RUN,
		.excludes = "engine|attach|cancel", .group = "running" },
	{ 0, "new", NULL, "begin anew instead of continuing", et_set_true,
		ET_FILLS(et_doe_request, fresh), .of = OF_RUN },
	{ 'y', "yes", NULL, "do not ask before a large experiment", et_set_true,
		ET_FILLS(et_doe_request, yes), .of = OF_RUN },
	{ 0, "trust-record", NULL, "one that was not begun here", et_set_true,
		ET_FILLS(et_doe_request, trust), .of = OF_RUN, .needs = "attach|cancel" },
	{ 0, "terms", "TERM,TERM…", "these effects only, such as work,pad,work:pad", et_set_text,
		ET_FILLS(et_doe_request, terms), .of = OF_PLAN | OF_ANALYSE, .group = "analysis" },
	{ 0, "method", "auto|anova|welch|ranks", "how effects are tested (auto)", et_set_choice,
		ET_FILLS(et_doe_request, method), .names = methods, .of = OF_ANALYSE },
	{ 0, "alpha", "P", "level of the tests (0.05)", et_set_probability,
		ET_FILLS(et_doe_request, alpha), .of = OF_PLAN | OF_ANALYSE },
	{ 0, "level", "P", "coverage of the intervals (0.95)", et_set_probability,
		ET_FILLS(et_doe_request, level), .of = OF_ANALYSE },
	{ 0, "tables", NULL, "pairs of treatments over programs, before and after Holm",
		et_set_true, ET_FILLS(et_doe_request, tables), .of = OF_ANALYSE },
	{ 0, "plot", NULL, "also draw effects and residuals in the terminal", et_set_true,
		ET_FILLS(et_doe_request, plot), .of = OF_ANALYSE },
	{ 0, "svg", "FILE", "also draw effects, interactions and residuals", et_set_text,
		ET_FILLS(et_doe_request, svg), .values = "FILE", .of = OF_ANALYSE },
	{ 0, "report", "FILE", "also write a page (HTML)", et_set_text,
		ET_FILLS(et_doe_request, page), .values = "FILE", .of = OF_ANALYSE },
	{ 0, "response", "COLUMN", "the column that was measured (the last of numbers)",
		et_set_text, ET_FILLS(et_doe_request, response), .of = OF_IMPORT,
		.group = "other tools" },
	{ 0, "unit", "auto|s|ms|us|ns|bytes|count",
		"of the response (by its name, such as time_ms; else seconds)", et_set_choice,
		ET_FILLS(et_doe_request, unit), .names = et_results_unit_names, .of = OF_IMPORT },
	{ 0, "factors", "COLUMN,…", "the columns that are factors (all others)", et_set_text,
		ET_FILLS(et_doe_request, factors), .of = OF_IMPORT },
	{ 0, "program", "COLUMN", "the column of the program's name (program)", et_set_text,
		ET_FILLS(et_doe_request, program), .of = OF_IMPORT },
	{ 0, "block", "COLUMN", "the column of blocks (block)", et_set_text,
		ET_FILLS(et_doe_request, block), .of = OF_IMPORT },
	{ 0, "label", "TEXT", "name the experiment (the file's name)", et_set_text,
		ET_FILLS(et_doe_request, label), .of = OF_IMPORT },
	{ 0, "r", NULL, "a script for R that repeats the analysis", et_set_true,
		ET_FILLS(et_doe_request, r_script), .of = OF_EXPORT },
	{ 0, "data", "FILE", "the data that the script reads (data.csv)", et_set_text,
		ET_FILLS(et_doe_request, data), .values = "FILE", .of = OF_EXPORT, .needs = "r" },
	{ 'o', "output", "FILE", "write to a file instead of standard output", et_set_text,
		ET_FILLS(et_doe_request, output), .values = "FILE", .of = OF_INIT | OF_EXPORT },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_doe = {
	.name = "doe",
	.summary = "plan, run and analyse a designed experiment",
	.actions = actions,
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
	.engine_options = et_engine_options,
	.engine_of = OF_RUN,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_doe_request r = { .alpha = 0.05, .level = 0.95 };
	struct et_call call;
	int status = et_cli_call(
		cli, &et_verb_doe, argc, argv, &(struct et_cli_targets){ .ctx = &r }, &call);

	return status >= 0 ? status : et_call_run(&call);
}
