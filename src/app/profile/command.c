/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `etalon profile`: runs a program repeatedly while it is sampled, and shows each function with its
 * uncertainty. The runs are those of `etalon run`; this file adds the plan of the sampling.
 */
#include "app/profile/profile.h"
#include "profile/readers/read.h"

#include <errno.h>

enum { USUAL_RUNS = 30 };

#define FILLS(member) ET_FILLS(et_profile_command, member)
/* As in the options of `run`: it says how to run or sample a program, which files do not need. */
#define PLAN .kind = "plan"

#define WRITES(format, summary, option, help, write)                                               \
	{ 0, option, "FILE", help, et_profile_set_file, .values = "FILE", .context = format },

static const char *const by_names[] = { "function", "module", NULL };

static const struct et_option options[] = {
	{ 'F', "frequency", "HZ", "samples per second of CPU time (1000)", et_profile_set_frequency,
		FILLS(plan.rate_hz), PLAN, .excludes = "period", .group = "sampling" },
	{ 0, "period", "N", "nanoseconds or cycles from sample to sample, in place of a frequency",
		et_set_u64, FILLS(plan.period), .lo = 1, .hi = INT64_MAX, PLAN },
	{ 0, "event", "NAME",
		"cycles, cpu-clock, or auto: cycles if the machine counts them (auto)", et_set_text,
		FILLS(event), .values = "auto|cycles|cpu-clock" },
	{ 0, "fixed", NULL,
		"sample with one fixed period, which aliases with loops of the program (random "
		"periods)",
		et_set_true, FILLS(plan.fixed), PLAN },
	{ 'g', "call-graph", "HOW",
		"how callers are found: none, fp (frame pointers) or dwarf (copies of the stack) "
		"(none)",
		et_set_choice, FILLS(plan.chains), .names = et_chains_names, PLAN },
	{ 0, "user-only", NULL, "do not sample the kernel", et_set_true, FILLS(plan.user_only),
		PLAN },
	{ 0, "inlines", NULL, "show inlined functions as functions", et_set_true,
		FILLS(plan.inlines), PLAN },
	{ 0, "calls", "[NAME=N]",
		"count the calls of the functions in a run of their own, or take N calls of NAME "
		"per run, for the quantisation model",
		et_profile_add_calls, .values = "NAME=N" },
	{ 0, "compare", NULL, "compare two commands, whose runs alternate in random order",
		et_set_true, FILLS(view.compare), .group = "result" },
	{ 0, "by", "WHAT", "rows of the table: function or module (function)", et_set_choice,
		FILLS(view.by), .names = by_names },
	{ 0, "total", NULL, "sort by total time: with the functions that were called", et_set_true,
		FILLS(view.total) },
	{ 0, "top", "N", "rows to show, 0: all (as many as fit, or 20)", et_set_size,
		FILLS(view.top), .bit = ET_GIVEN_TOP },
	{ 0, "level", "P", "confidence of all intervals together (0.95)", et_set_probability,
		FILLS(view.level), .bit = ET_GIVEN_LEVEL },
	{ 0, "each", NULL, "intervals of each row by itself, not of all rows together", et_set_true,
		FILLS(each), .excludes = "statements" },
	{ 0, "statements", "N", "number of statements that hold together (the rows)", et_set_size,
		FILLS(view.statements), .lo = 1, .hi = INT64_MAX },
	{ 0, "bootstrap", "N", "replicates of the bootstrap, 0: none (9999)", et_set_u32,
		FILLS(view.replicates), .hi = 10000000 },
	{ 0, "from", "FILE",
		"show profiles of other tools, each operand being a further run: perf script, "
		"gprof, folded stacks, callgrind; or a kept profile (its ID)",
		et_set_text, FILLS(from), .values = "FILE", .excludes = "@plan|resume",
		.group = "files" },
	{ 0, "format", "NAME",
		"format of these files: perf, gprof, callgrind, folded or auto (auto)",
		et_set_choice, FILLS(format), .names = et_profile_format_names },
	ET_PROFILE_FORMATS(WRITES) /* --json to --report */
	{ 0 },
};

/* The options of `run` that a profile has. */
static const struct et_option changed_options[] = {
	{ .name = "runs", .help = "runs of each command (30)", .excludes = "until" },
	{ .name = "warmup", .help = "first runs of each command, which do not count (1)" },
	{ .name = "until",
		.arg = "ABS",
		.help = "run until every share above 1 % is known to ± ABS, e.g. 0.5%; -m, -M and "
			"--time-limit bound it",
		.excludes = "" },
	{ .name = "min-runs", .help = "at least N runs (30)", .needs = "until" },
	{ .name = "max-runs", .help = "at most N runs (1000)", .needs = "until" },
	{ .name = "time-limit" },
	{ .name = "seed", .help = "seed of the order and of the periods (drawn, and recorded)" },
	{ .name = "label",
		.help = "name the experiment; with --from: keep it in the store",
		.group = "the record" },
	{ .name = "resume",
		.help = "continue an interrupted profile (the last one)",
		.excludes = "@plan|label|event|compare" },
	{ .name = "trust-record", .needs = "resume" },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_profile = {
	.name = "profile",
	.operands = "COMMAND",
	.summary = "where does the time go, and how sure is that?",
	.usage = "[options] COMMAND\n[options] -- PROGRAM ARG…\n[options] --compare COMMAND "
		 "COMMAND\n"
		 "[options] --from FILE…\n[options] --compare --from OLD… -- NEW…\n--resume [ID]",
	.about =
		"Runs COMMAND repeatedly, samples which function it executes, and prints the share "
		"of\n"
		"each function with its uncertainty.",
	.examples = "  etalon profile -r 5 'etalon put sort'\n"
		    "  etalon profile -r 5 -g fp --flame flame.svg 'etalon put sort'\n"
		    "  etalon profile -r 5 --compare 'etalon put sort' 'etalon put inc --seconds "
		    "0.1'\n"
		    "  etalon profile --until 0.5% 'etalon put sort' # takes minutes\n",
	.options = options,
	.shared_options = et_run_options,
	.shares_few = true,
	.changed_options = changed_options,
	.uses_store = true,
	.child_options = et_child_options,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

/* Options that decide the number of runs replace the thirty. */
static void set_runs(struct et_run_options *o)
{
	if (!(o->given & ET_GIVEN_RUNS) && !(o->plan.until_ratio > 0))
		o->plan.runs = USUAL_RUNS;
}

static int before(void *ctx, struct et_measuring *m, struct et_experiment *e, struct et_error *err)
{
	struct et_profile_command *p = ctx;

	m->statements = p->view.statements;
	if (e) {
		e->profile = et_profile_new(&p->plan);
		e->plan.level = p->view.level;
	}
	return et_profile_check_calls(p, err);
}

static int conclude(void *ctx, struct et_measuring *m)
{
	struct et_profile_command *p = ctx;
	struct et_experiment *e = et_session_experiment(m->session);
	size_t left = 0;
	struct et_error err;

	int failed = et_profile_count_calls(p, m);
	int status =
		et_profile_conclude(p, m->cli, e, et_session_warnings(m->session), m->text, &left);
	if (!failed && !status)
		failed = et_profile_store_calls(p, m);
	if (m->cli->verbosity >= 0)
		et_run_print_place(m, left);
	if (m->text == stdout && et_cli_close_output(stdout, "-", &err))
		status = et_cli_fail(&err);
	return failed ? failed : status;
}

/* The cost of a sample was measured on virtual machines; see bench/profile. */
static void warn_slowdown(const struct et_cli *cli, const struct et_profile_plan *plan)
{
	const double sample_s = 13e-6, noticeable = 0.2;
	struct et_warnings w = { 0 };

	if (cli->verbosity < 0 || !(plan->rate_hz * sample_s > noticeable))
		return;
	et_warn(&w, ET_WARN_PROFILE_SLOWDOWN, et_arg_number(plan->rate_hz),
		et_arg_share(plan->rate_hz * sample_s));
	et_cli_warn(&w);
}

static int measure(struct et_cli *cli, struct et_profile_command *p, const struct et_operands *ops)
{
	const struct et_run_around around = {
		.ctx = p, .verb = "profile", .before = before, .conclude = conclude
	};

	p->run.around = &around;
	set_runs(&p->run);
	warn_slowdown(cli, &p->plan);
	return et_run_parsed(cli, &p->run, ops);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_profile_command p = { .plan = et_default_profile_plan,
		.view = et_default_profile_options };
	struct et_operands ops;
	struct et_error err;

	et_run_options_init(&p.run);
	p.run.protocol = ET_PROTOCOL_RAW;
	p.run.metric = ET_METRIC_CPU;
	p.run.plan.order = ET_ORDER_RANDOM;
	p.run.plan.probe = false;
	p.run.no_ledger = true;
	p.view.compare = false;
	int status = et_cli_parse_into(cli, &et_verb_profile, argc, argv,
		&(struct et_cli_targets){ .ctx = &p, .given = &p.run.given }, &ops);
	if (status < 0) {
		if (et_profile_check(&p, &ops, &err))
			status = et_cli_fail(&err);
		else
			status = p.from ? et_profile_show_files(cli, &p, &ops)
					: measure(cli, &p, &ops);
		et_operands_free(&ops);
	}
	et_run_options_free(&p.run);
	return status;
}
