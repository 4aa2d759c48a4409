/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon profile`: the runs of `etalon run`, sampled; each function has its uncertainty. */
#include "app/profile/profile.h"
#include "base/display.h"
#include "base/parse.h"
#include "profile/readers/read.h"
#include "profile/sampling/calls.h"
#include "profile/symbols/object.h"

#include <sys/ioctl.h>

enum { USUAL_RUNS = 30, USUAL_TOP = 20, LEAST_TOP = 5, OTHER_LINES = 14, MOST_HZ = 1000000 };

/* --- options --- */

static int set_frequency(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];
	uint64_t hz;
	int rc = et_parse_u64(et_option_shown(o, shown), args[0], 1, MOST_HZ, &hz, err);

	if (rc == 0)
		*(double *)et_option_target(o, ctx) = (double)hz;
	return rc;
}

static int add_calls(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_profile_command *p = ctx;
	double n;

	(void)o;
	if (!args[0]) {
		p->count_calls = true;
		return 0;
	}
	const char *equals = strrchr(args[0], '=');
	if (!equals || equals == args[0] || p->calls.n == ET_MOST_VALUES)
		return et_refuse(err, "write --calls=fn1=1000",
			"--calls: '%s' is not a function and its number of calls", args[0]);
	int rc = et_parse_double("--calls", equals + 1, &n, err);
	if (rc == 0 && !(n >= 0))
		rc = et_fail(err, EINVAL, ET_EXIT_USAGE, "--calls: '%s' is negative", equals + 1);
	if (rc == 0)
		p->calls.text[p->calls.n++] = args[0];
	return rc;
}

static int set_file(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_outputs *outputs = &((struct et_profile_command *)ctx)->run.outputs;
	int rc = et_outputs_add(outputs, NULL, args[0], err);

	if (rc == 0)
		outputs->list[outputs->n - 1].own = et_profile_format_find(o->context);
	return rc;
}

#define FILLS(member) ET_FILLS(et_profile_command, member)
/* As in the options of `run`: it says how to run or sample a program, which files do not need. */
#define PLAN .kind = "plan"

#define WRITES(format, summary, option, help, write)                                               \
	{ 0, option, "FILE", help, set_file, .values = "FILE", .context = format },

#define OR_WORD(word, name) ", " word

static const char *const by_names[] = { "function", "module", NULL };

static const struct et_option options[] = {
	{ 'F', "frequency", "HZ", "samples per second of CPU time (1000)", set_frequency,
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
		add_calls, .values = "NAME=N" },
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
		et_set_text, FILLS(from), .values = "FILE", .excludes = "@plan|@budget|resume",
		.group = "files" },
	{ 0, "format", "NAME", "format of these files: auto" ET_PROFILE_READERS(OR_WORD) " (auto)",
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
		.excludes = "@plan|@budget|label|event|compare" },
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

/* --- combinations of options that contradict each other --- */

static int check_sampling(struct et_profile_command *p, struct et_error *err)
{
	const char *event = p->event ? p->event : "auto";

	if (p->plan.period)
		p->plan.rate_hz = 0;
	if (!p->from && strcmp(event, "auto") && strcmp(event, "cycles") &&
		strcmp(event, "cpu-clock"))
		return et_refuse(err, "use auto, cycles or cpu-clock",
			"--event: '%s' is not an event", event);
	snprintf(p->plan.event, sizeof(p->plan.event), "%s", event);
	return 0;
}

/* Both need the debug information of the program. */
static int check_build(const struct et_profile_command *p, struct et_error *err)
{
	const char *option = p->plan.inlines                     ? "--inlines"
			     : p->plan.chains == ET_CHAINS_DWARF ? "-g dwarf"
								 : NULL;

	if (!option || et_object_has_symbols() || p->from || p->run.resume)
		return 0;
	return et_fail_hint(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
		"install libdw-dev and build etalon again; -g fp finds callers without it",
		"%s needs libdw, without which this etalon was built", option);
}

static int check_view(struct et_profile_command *p, struct et_error *err)
{
	bool measures = !p->from && !p->run.resume;
	struct winsize size;

	if (p->each)
		p->view.statements = 1;
	if (p->view.total && measures && p->plan.chains == ET_CHAINS_NONE)
		return et_refuse(err, "add -g fp, or -g dwarf for programs without frame pointers",
			"--total needs the callers of functions");
	if (p->view.total && p->view.by == ET_BY_MODULE)
		return et_refuse(err, "omit one of them",
			"--total is about functions, and --by module about files");
	/* As many rows as the terminal has lines for, beside the rest of the text. */
	if (p->run.given & ET_GIVEN_TOP)
		p->view.least = 0;
	else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		p->view.top = USUAL_TOP;
	else
		p->view.top = size.ws_row > OTHER_LINES + LEAST_TOP ? size.ws_row - OTHER_LINES
								    : LEAST_TOP;
	return 0;
}

static int check_commands(
	const struct et_profile_command *p, const struct et_operands *ops, struct et_error *err)
{
	size_t n = ops->after ? 1 : ops->n_before;

	if (p->view.compare && n != 2)
		return et_refuse(err,
			"quote each of them: etalon profile --compare 'sort -n x' 'sort x'",
			"--compare needs two commands, and there %s %zu", n == 1 ? "is" : "are", n);
	if (!p->view.compare && n > 1)
		return et_refuse(err, "quote the command, or use --compare for two commands",
			"%zu commands, but one is profiled", n);
	return 0;
}

/* Files are runs that were made elsewhere, so nothing is run. */
static int check_files(
	const struct et_profile_command *p, const struct et_operands *ops, struct et_error *err)
{
	if (p->count_calls)
		return et_refuse(err, "give the number: --calls=NAME=N",
			"--calls cannot count the calls of files");
	if (p->view.compare ? !ops->after || !ops->n_after : ops->n_after > 0)
		return et_refuse(err, "use --compare --from OLD… -- NEW…",
			p->view.compare ? "--compare needs the files of two programs"
					: "files after -- are compared with the others");
	return 0;
}

/* Refuses options that contradict each other; fills the plan and the view. */
static int check_options(
	struct et_profile_command *p, const struct et_operands *ops, struct et_error *err)
{
	int rc = check_sampling(p, err);

	if (rc == 0)
		rc = check_build(p, err);
	if (rc == 0)
		rc = check_view(p, err);
	if (rc == 0 && p->from)
		rc = check_files(p, ops, err);
	else if (rc == 0 && !p->run.resume)
		rc = check_commands(p, ops, err);
	return rc;
}

/* --- the calls of functions, counted in a run of their own --- */

struct functions {
	size_t n, without; /* without a number of calls */
};

static struct functions count_functions(const struct et_experiment *e)
{
	uint32_t list[ET_MOST_COUNTED];
	struct functions all = { 0 };

	for (uint32_t i = 0; i < e->n_commands; i++) {
		size_t n = et_calls_choose(e->profile, i, list);
		for (size_t k = 0; k < n; k++)
			all.without += isnan(et_profile_calls_of(e->profile, i, list[k]));
		all.n += n;
	}
	return all;
}

/* The longest of the commands. */
static double limit_seconds(const struct et_experiment *e)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < e->n_commands; i++) {
		uint64_t limit = et_session_counting_limit(e, i);
		most = limit > most ? limit : most;
	}
	return (double)most / 1e9;
}

static int count(struct et_measuring *m, const struct et_experiment *e, size_t n)
{
	bool told = m->cli->verbosity >= 0;
	struct et_error err = { 0 };
	struct functions all;

	if (told)
		et_say(stderr,
			"counting the calls of %zu function%s in one more run, which is ended "
			"after %.3g s: each call takes 1 to 20 µs longer, and several times that "
			"on a busy machine\n",
			n, n == 1 ? "" : "s", limit_seconds(e));
	int rc = et_session_count_calls(m->session, &et_observe_calls, &err);
	switch (rc) {
	case 0:
		all = count_functions(e);
		if (told && all.without)
			et_say(stderr,
				"%zu of %zu functions have no number of calls: the kernel cannot "
				"probe them, or their file changed\n",
				all.without, all.n);
		return ET_EXIT_DONE;
	case -ETIME:
		et_say(stderr,
			"etalon: the run that counts calls took longer than %.3g s, so it was "
			"ended; the profile is stored without its numbers of calls\n",
			limit_seconds(e));
		return ET_EXIT_DONE;
	case -EINTR:
		et_say(stderr,
			"etalon: interrupted; the profile is stored without numbers of calls\n");
		return 128 + m->interrupt->signal;
	default:
		return et_cli_fail(&err);
	}
}

/* After the last run: counts calls in a further run, and stores them. Returns the exit status. */
static int count_calls(const struct et_profile_command *p, struct et_measuring *m)
{
	const struct et_experiment *e = et_session_experiment(m->session);

	if (!p->count_calls || e->state != ET_STATE_DONE)
		return ET_EXIT_DONE;
	size_t n = count_functions(e).n;
	if (n)
		return count(m, e, n);
	et_say(stderr, "no calls are counted: no function of a file has 1 %% of the samples\n");
	return ET_EXIT_DONE;
}

/* --- the command --- */

static int before(void *ctx, struct et_measuring *m, struct et_experiment *e, struct et_error *err)
{
	struct et_profile_command *p = ctx;

	m->statements = p->view.statements;
	if (e) {
		e->profile = et_profile_new(&p->plan);
		e->plan.level = p->view.level;
	}
	return p->count_calls ? et_calls_allowed("", err) : 0;
}

static int conclude(void *ctx, struct et_measuring *m)
{
	struct et_profile_command *p = ctx;
	struct et_experiment *e = et_session_experiment(m->session);
	size_t left = 0;
	struct et_error err;

	int failed = count_calls(p, m);
	int status =
		et_profile_conclude(p, m->cli, e, et_session_warnings(m->session), m->text, &left);
	/* Stores the numbers that the user gave and et_profile_conclude entered. */
	if (!failed && !status && p->calls.n && et_store_set_calls(m->store, e, &err))
		failed = et_cli_fail(&err);
	if (m->cli->verbosity >= 0)
		et_run_print_place(m, NULL, left);
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
	/* Options that decide the number of runs replace the thirty. */
	if (!(p->run.given & ET_GIVEN_RUNS) && !(p->run.plan.until_ratio > 0))
		p->run.plan.runs = USUAL_RUNS;
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
		if (check_options(&p, &ops, &err))
			status = et_cli_fail(&err);
		else
			status = p.from ? et_profile_show_files(cli, &p, &ops)
					: measure(cli, &p, &ops);
		et_operands_free(&ops);
	}
	et_run_options_free(&p.run);
	return status;
}
