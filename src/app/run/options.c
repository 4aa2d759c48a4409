/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of the options of `run`. */
#include "app/run/options.h"
#include "base/parse.h"
#include "cli/field_option.h"
#include "num/kbest.h"

/* Text that the experiment owns, or none. */
static int set_own_text(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char **where = et_option_target(o, ctx);

	(void)err;
	free(*where);
	*where = args[0] ? et_strdup(args[0]) : NULL;
	return 0;
}

/* As hyperfine: "none" is no shell, and "default" is sh. */
static int set_shell(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char *shell = args[0];

	if (shell && !strcmp(shell, "none"))
		shell = NULL;
	else if (shell && !strcmp(shell, "default"))
		shell = (char *)"sh";
	return set_own_text(o, ctx, &shell, err);
}

static int set_input(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char *path = strcmp(args[0], "null") ? args[0] : (char *)"/dev/null";

	return set_own_text(o, ctx, &path, err);
}

/* A duration, or none: the word in the context of the option. */
static int set_duration_or_none(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	uint64_t *ns = et_option_target(o, ctx);

	if (strcmp(args[0], o->context))
		return et_set_duration(o, ctx, args, err);
	*ns = 0;
	return 0;
}

/* The option may be given several times, with several names each. */
static int add_names(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char **where = et_option_target(o, ctx);
	ET_AUTO_FREE char *joined =
		*where ? et_asprintf("%s,%s", *where, args[0]) : et_strdup(args[0]);

	return set_own_text(o, ctx, (char *[]){ joined }, err);
}

static int add_value(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_each *each = et_option_target(o, ctx);

	if (each->n == ET_MOST_VALUES)
		return et_fail(err, E2BIG, ET_EXIT_USAGE, "--%s is given more than %d times",
			o->name, ET_MOST_VALUES);
	each->text[each->n++] = args[0];
	return 0;
}

/* A scan, or a list of two arguments; expanded later, because the step may follow its scan. */
static int add_range(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_run_options *options = ctx;

	(void)o;
	if (options->n_ranges_given == ET_MOST_VALUES)
		return et_fail(
			err, E2BIG, ET_EXIT_USAGE, "more than %d parameters", ET_MOST_VALUES);
	options->ranges_given[options->n_ranges_given++] =
		(struct et_range_given){ args[0], args[1], args[2] };
	return 0;
}

static int set_resume(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_run_options *options = ctx;

	(void)o;
	(void)err;
	options->resume = true;
	options->resume_id = args[0];
	return 0;
}

static int set_show(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	(void)args;
	return set_own_text(o, ctx, (char *[]){ (char *)"inherit" }, err);
}

/* Every exit status, or a list; -i=1,2 comes with its '='. */
static int set_ignored(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_run_options *options = ctx;
	const char *codes = args[0] ? args[0] + (args[0][0] == '=') : "all-non-zero";
	uint64_t status;

	if (!strcmp(codes, "all-non-zero")) {
		options->plan.ignore_failure = true;
		return 0;
	}
	for (const char *p = codes;; p++) {
		size_t n = strcspn(p, ",");
		ET_AUTO_FREE char *one = et_strndup(p, n);
		int rc = et_parse_u64("--ignore-failure", one, 1, 255, &status, err);
		if (rc)
			return rc;
		p += n;
		if (!*p)
			break;
	}
	return set_own_text(o, ctx, (char *[]){ (char *)codes }, err);
}

/* hyperfine takes one output per command; etalon has one for all. */
static int set_output(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	const char *const *earlier = et_option_target(o, ctx);

	if (*earlier && strcmp(*earlier, args[0]))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--output: '%s' and '%s' differ, but there is one output for all commands",
			*earlier, args[0]);
	return set_own_text(o, ctx, args, err);
}

#define PLAN_FIELD(field) ET_FILLS_FIELD(et_run_options, plan, et_plan_fields, field)
#define CHILD_FIELD(field) ET_FILLS_FIELD(et_run_options, child, et_child_fields, field)

/* Part of the plan, which an interrupted experiment and a file have already. */
#define PLAN .kind = "plan"
#define BUDGET .kind = "budget" /* the same, but --more has another one */
#define FILLS(member) ET_FILLS(et_run_options, member)

static const char *const style_names[] = { "auto", "basic", "full", "nocolor", "color", "none",
	NULL };

const struct et_option et_run_options[] = {
	{ 'w', "warmup", "N",
		"first runs of each command, whose samples do not count (1; etalon hyperfine: 0)",
		et_set_field_number, PLAN_FIELD("warmup"), .hi = ET_MOST_RUNS, PLAN,
		.group = "number of runs" },
	{ 'r', "runs", "N", "exactly N samples per command (automatic)", et_set_field_number,
		PLAN_FIELD("runs"), .lo = 1, .hi = ET_MOST_RUNS, .bit = ET_GIVEN_RUNS, PLAN,
		.excludes = "until|equal|min-benchmarking-time" },
	{ 0, "equal", "REL",
		"sample until each command is slower, faster, or equal within REL of the "
		"reference (1%), at most to -M or --time-limit",
		et_set_field_ratio, PLAN_FIELD("equal_ratio"), PLAN,
		.excludes = "until|min-benchmarking-time" },
	{ 0, "until", "REL",
		"sample until the expanded uncertainty of the mean is at most REL of it, e.g. 0.5%",
		et_set_field_ratio, PLAN_FIELD("until_ratio"), PLAN,
		.excludes = "min-benchmarking-time" },
	{ 'm', "min-runs", "N", "at least N samples per command (10; with --until 30)",
		et_set_field_number, PLAN_FIELD("min_runs"), .lo = 1, .hi = ET_MOST_RUNS,
		.bit = ET_GIVEN_MIN, PLAN },
	{ 'M', "max-runs", "N",
		"at most N samples per command (1000; K-best: 100; etalon hyperfine: no limit)",
		et_set_field_number, PLAN_FIELD("max_runs"), .lo = 1, .hi = ET_MOST_RUNS,
		.bit = ET_GIVEN_MAX, BUDGET },
	{ 0, "min-benchmarking-time", "DUR",
		"unless --runs or --until decides: run each command for at least this long (3s)",
		/* 0: --min-runs alone decides. */
		set_duration_or_none, FILLS(plan.min_time_ns), .context = "0",
		.bit = ET_GIVEN_MIN_TIME, PLAN },
	{ 0, "time-limit", "DUR", "start no more runs after this time, e.g. 5m", et_set_duration,
		FILLS(plan.time_limit_ns), BUDGET },
	{ 'P', "parameter-scan", "VAR MIN MAX",
		"run the commands for each number from MIN to MAX, which replaces {VAR}", add_range,
		PLAN, .group = "parameters" },
	{ 'D', "parameter-step-size", "STEP", "its step (1)", et_set_text, FILLS(step), PLAN,
		.needs = "parameter-scan" },
	{ 'L', "parameter-list", "VAR VALUES",
		"run the commands for each of a,b,c; several parameters make the product",
		add_range, PLAN },
	{ 0, "reference", "N|NAME", "command that the others are compared with (1)", et_set_text,
		FILLS(reference), PLAN, .group = "several commands" },
	{ 0, "reference-name", "NAME", "name for the reference command", et_set_text,
		FILLS(reference_name), PLAN },
	{ 0, "baseline", "ID|LABEL",
		"also run the command of a stored experiment, and compare the others with it",
		et_set_text, FILLS(baseline), PLAN, .excludes = "reference" },
	{ 0, "order", "NAME",
		"arrangement of several commands: auto, random, round-robin, sequential or duet "
		"(auto; etalon hyperfine: sequential)",
		et_set_choice, FILLS(plan.order), .names = et_order_names, PLAN },
	{ 0, "seed", "N", "seed of the random order (drawn, and recorded)", et_set_u64,
		FILLS(plan.seed), .hi = INT64_MAX, .bit = ET_GIVEN_SEED, PLAN },
	{ 0, "metronome", "DUR|off",
		"in a duet, alternate the two programs every DUR by signals from another CPU, or "
		"off: by the scheduler's slices (1ms if a second CPU is free)",
		set_duration_or_none, FILLS(plan.metronome_ns), .context = "off",
		.values = "off|1ms", PLAN },
	{ 0, "protocol", "NAME",
		"how samples become a result: cause, emp, kbest, raw, or auto: kbest for short, "
		"undisturbed runs, else cause (cause)",
		et_set_choice, FILLS(protocol), .names = et_protocol_names, PLAN,
		.group = "evaluation" },
	{ 'k', "best", "K", "K-best: sample until the K fastest runs agree (3)",
		et_set_field_number, PLAN_FIELD("k"), .lo = 1, .hi = ET_KBEST_MOST, PLAN },
	{ 0, "epsilon", "REL", "K-best: agree within REL of the fastest, e.g. 0.5% (1%)",
		et_set_field_ratio, PLAN_FIELD("epsilon"), PLAN },
	{ 0, "metric", "NAME",
		"what is judged: cpu, elapsed or memory (its peak), or auto: elapsed if a command "
		"uses several CPUs or waits, else cpu (auto)",
		et_set_metric, FILLS(metric), .names = et_metric_words, PLAN },
	{ 0, "keep-all", NULL, "remove no sample, only mark them", et_set_true,
		FILLS(plan.keep_all), PLAN },
	{ 0, "pace", NULL, "run a reference loop on the program's CPU; its speed corrects CPU time",
		et_set_true, FILLS(plan.pace), PLAN, .group = "the machine and the record" },
	{ 0, "no-probe", NULL,
		"do not time a fixed loop before and after each run; remove no sample as "
		"machine-slow",
		et_set_false, FILLS(plan.probe), PLAN },
	{ 0, "no-scout", NULL,
		"do not look which files the commands read and write; two that share some may then "
		"run at the same time",
		et_set_false, FILLS(plan.scout), PLAN },
	{ 0, "no-ledger", NULL, "do not record which processes take the program's CPU", et_set_true,
		FILLS(no_ledger) },
	{ 0, "randomise-layout", NULL,
		"give each run a random size of its environment, so that the interval covers what "
		"the layout of memory does",
		et_set_true, FILLS(plan.randomise_layout), PLAN },
	{ 0, "env", NULL,
		"change what disturbs timing on this machine for the duration, as 'env apply' does",
		et_set_true, FILLS(env.apply) },
	{ 0, "only", "LIST", "change only these factors, e.g. daemons,time-sync", et_set_text,
		FILLS(env.only), .needs = "env" },
	{ 0, "except", "LIST", "change all factors but these", et_set_text, FILLS(env.except),
		.needs = "env" },
	{ 0, "label", "TEXT", "name the experiment", set_own_text, FILLS(label) },
	{ 0, "resume", "[ID]", "continue an interrupted experiment (the last one)",
		.set = set_resume, .excludes = "@plan|label" },
	{ 0, "more", NULL,
		"add pairs to the experiment of this ID, also if it is finished, within a new "
		"budget",
		et_set_true, FILLS(more), .needs = "resume" },
	{ 0, "trust-record", NULL, "run a record that was not begun here; name its ID", et_set_true,
		FILLS(trust_record), .needs = "resume|baseline" },
	{ 'u', "time-unit", "UNIT",
		"unit of the table: second, millisecond, microsecond or nanosecond (auto)",
		et_set_choice, FILLS(unit), .names = et_time_unit_names,
		.group = "the answer, and files" },
	{ 0, "style", "TYPE",
		"text as hyperfine's: auto, basic, full, nocolor, color or none (auto)",
		et_set_choice, FILLS(style), .names = style_names },
	{ 0, "sort", "ORDER",
		"order of the table: command, mean-time or auto (by time from four commands on)",
		et_set_choice, FILLS(sort), .names = et_sort_names },
	{ 0, "fail-on-regression", "[PCT]",
		"exit 5 if a command is surely slower than the reference by more than PCT % (0)",
		et_set_percent, FILLS(plan.regression_ratio), .bit = ET_GIVEN_GATE },
	{ 0, "undecided", "STATUS",
		"exit with this status if --fail-on-regression cannot decide, e.g. 125 for git "
		"bisect run (0)",
		et_set_u32, FILLS(plan.undecided), .hi = 255, .needs = "fail-on-regression" },
	{ 0 },
};

const struct et_option et_child_options[] = {
	{ 0, "cpu", "LIST", "CPUs that the program may use, e.g. 0-3,6", set_own_text,
		FILLS(child.cpus), PLAN, .group = "how the program runs" },
	{ 0, "sched", "POLICY", "other or fifo:N (other)", set_own_text, FILLS(child.sched),
		.values = "other|fifo:1|fifo:50", PLAN },
	{ 0, "nice", "N", "nice value added for the program, from -20 to 19 (0)",
		et_set_field_number, CHILD_FIELD("nice"), PLAN },
	{ 'S', "shell", "SHELL",
		"run commands through this shell, with its options: sh, bash, default (sh) or none "
		"(none; etalon hyperfine: sh for shell syntax)",
		set_shell, FILLS(child.shell), .values = "sh|bash|default|none",
		.bit = ET_GIVEN_SHELL, PLAN },
	{ 'N', "no-shell", NULL, "run commands without a shell (the default of etalon run)",
		set_shell, FILLS(child.shell), .bit = ET_GIVEN_SHELL, PLAN },
	{ 's', "setup", "CMD", "run CMD once before all runs of a command", add_value, FILLS(setup),
		PLAN, .group = "hooks, run by a shell" },
	{ 'p', "prepare", "CMD",
		"run CMD before each run; given once for all commands or once for each", add_value,
		FILLS(prepare), PLAN },
	{ 'C', "conclude", "CMD", "run CMD after each run", add_value, FILLS(conclude), PLAN },
	{ 'c', "cleanup", "CMD", "run CMD once after all runs of a command", add_value,
		FILLS(cleanup), PLAN },
	{ 'n', "command-name", "NAME", "name for the Nth command (repeatable)", add_value,
		FILLS(names), PLAN, .group = "names, input and output" },
	{ 'i', "ignore-failure", "[CODES]",
		"also measure programs that fail, or only those with these exit statuses, e.g. 1,2",
		set_ignored, FILLS(child.ignore_codes), PLAN },
	{ 0, "output", "WHERE", "the program's output: null, pipe, inherit or a file (null)",
		set_output, FILLS(child.output), .values = "FILE", PLAN },
	{ 0, "show-output", NULL, "the same as --output inherit", set_show, FILLS(child.output),
		PLAN },
	{ 0, "input", "FILE", "the program's standard input (/dev/null)", set_input,
		FILLS(child.input), .values = "FILE", PLAN },
	{ 0, "user", "NAME", "run the program as this user, without the privileges of etalon",
		set_own_text, FILLS(child.user), .values = "USER", PLAN },
	{ 0, "pass-env", "NAMES", "also pass these variables, e.g. JAVA_HOME,CC", add_names,
		FILLS(child.pass_env), PLAN, .needs = "user" },
	{ 0, "no-new-privs", NULL, "let the program gain no privileges by setuid files",
		et_set_true, FILLS(child.no_new_privs), PLAN },
	{ 0 },
};

void et_run_options_init(struct et_run_options *o)
{
	*o = (struct et_run_options){
		.plan = et_default_plan,
		.protocol = ET_PROTOCOL_CAUSE,
		.metric = ET_METRIC_AUTO,
	};
	o->plan.metronome_ns = ET_METRONOME_AUTO;
	o->plan.scout = true;
}

void et_run_options_free(struct et_run_options *o)
{
	et_child_spec_free(&o->child);
	free(o->label);
	et_ranges_free(&o->ranges);
	et_outputs_close(&o->outputs);
}

/* --- combinations --- */

/* Fills in the defaults of K, epsilon and the most runs. */
static int check_kbest_figures(unsigned given, struct et_plan *p, struct et_error *err)
{
	p->k = p->k ? p->k : 3;
	p->epsilon = p->epsilon > 0 ? p->epsilon : 0.01;
	if (!(given & ET_GIVEN_MAX) && p->until_ratio == 0)
		p->max_runs = 100;
	if (p->k > p->max_runs)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--best %u is above --max-runs %u", p->k,
			p->max_runs);
	return 0;
}

/* K-best excludes options about a mean, and its own options exclude other protocols. */
static int check_kbest(unsigned given, struct et_experiment *e, struct et_error *err)
{
	struct et_plan *p = &e->plan;
	bool certain = e->protocol == ET_PROTOCOL_KBEST;

	if (!certain && e->protocol != ET_PROTOCOL_AUTO) {
		if (!p->k && p->epsilon == 0)
			return 0;
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--best and --epsilon need --protocol kbest or auto");
	}
	int rc = check_kbest_figures(given, p, err);
	if (rc)
		return rc;
	if (certain && (given & ET_GIVEN_RUNS || p->until_ratio > 0))
		return et_refuse(err,
			"omit it; --best, --epsilon and --max-runs control when K-best stops",
			"K-best decides itself when to stop, so --%s has no effect",
			given & ET_GIVEN_RUNS ? "runs" : "until");
	if (p->order == ET_ORDER_DUET)
		return et_refuse(err, "use --order auto or random",
			"K-best needs solo runs, and --order duet has none");
	if (!certain && p->order == ET_ORDER_SEQUENTIAL && e->n_commands > 1)
		return et_refuse(err, "use --order random, or name the protocol",
			"--protocol auto needs the first runs of all commands early, but --order "
			"sequential delays them");
	return 0;
}

/* These protocols are about what disturbs a time. */
static int check_metric(const struct et_experiment *e, struct et_error *err)
{
	if (et_metric_is_time(e->metric) ||
		(e->protocol != ET_PROTOCOL_KBEST && e->protocol != ET_PROTOCOL_EMP))
		return 0;
	return et_refuse(err, "use --protocol cause, or --metric cpu",
		"--protocol %s is about times, but --metric %s judges %s",
		et_protocol_names[e->protocol], et_metric_words[e->metric],
		et_metrics[e->metric].label);
}

/* Refuses options that contradict a reference loop on the program's CPU. */
static int check_pace(const struct et_experiment *e, struct et_error *err)
{
	if (!e->plan.pace)
		return 0;
	if (!et_metric_is_time(e->metric))
		return et_refuse(err, "omit --pace, or use --metric cpu",
			"--pace corrects CPU time, but --metric %s judges %s",
			et_metric_words[e->metric], et_metrics[e->metric].label);
	if (e->protocol == ET_PROTOCOL_KBEST || e->protocol == ET_PROTOCOL_AUTO)
		return et_refuse(err, "omit --pace, or use --protocol cause",
			"--pace contradicts --protocol %s: K-best needs solo runs",
			et_protocol_names[e->protocol]);
	if (e->plan.order == ET_ORDER_DUET)
		return et_refuse(err, "omit --pace, or use --order auto or random",
			"--pace contradicts --order duet: each program is the other's reference");
	if (e->metric == ET_METRIC_ELAPSED)
		return et_refuse(err, "omit --pace, or use --metric cpu",
			"--pace cannot judge elapsed time: the loop uses part of it");
	if (e->child.sched && strcmp(e->child.sched, "other"))
		return et_refuse(err, "omit one of them",
			"--pace contradicts --sched %s: the loop would never run", e->child.sched);
	return 0;
}

static void bound_decision(unsigned given, struct et_plan *p)
{
	if (!(given & ET_GIVEN_MAX))
		p->max_runs = ET_EQUAL_MOST;
	p->min_time_ns =
		given & ET_GIVEN_MAX || p->time_limit_ns ? 0 : ET_EQUAL_PATIENCE * p->min_time_ns;
}

/* A given bound moves the other's default: -M 5 means 5 runs, -m 2000 at least 2000. */
static int check_number(
	unsigned given, enum et_protocol protocol, struct et_plan *p, struct et_error *err)
{
	unsigned bounds = given & (ET_GIVEN_MIN | ET_GIVEN_MAX);

	/* --runs leaves nothing to the bounds, but those of K-best, which auto may choose. */
	if (given & ET_GIVEN_RUNS && bounds && protocol != ET_PROTOCOL_AUTO)
		return et_refuse(err, "omit one of them",
			"--runs decides the number of runs, so --%s has no effect",
			bounds & ET_GIVEN_MIN ? "min-runs" : "max-runs");
	if (p->until_ratio > 0 && !(given & ET_GIVEN_MIN))
		p->min_runs = ET_UNTIL_LEAST;
	if (p->equal_ratio > 0)
		bound_decision(given, p);
	if (p->min_runs > p->max_runs && !(given & ET_GIVEN_MAX))
		p->max_runs = p->min_runs;
	if (p->min_runs > p->max_runs && !(given & ET_GIVEN_MIN))
		p->min_runs = p->max_runs;
	if (p->min_runs > p->max_runs)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--min-runs %u is above --max-runs %u",
			p->min_runs, p->max_runs);
	return 0;
}

/*
 * Several programs are a question, and so is a gate: they are sampled until it is answered, unless
 * the user has said how many runs that takes.
 */
static void ask_until_decided(const struct et_run_options *o, struct et_experiment *e)
{
	struct et_plan *p = &e->plan;
	bool fixed = p->runs || o->given & ET_GIVEN_MIN_TIME || p->until_ratio > 0;
	bool kbest = e->protocol == ET_PROTOCOL_KBEST || e->protocol == ET_PROTOCOL_AUTO;
	bool question = p->gate || o->asks;

	if (question && (e->n_commands > 1 || o->baseline) && !fixed && !kbest && !p->pace &&
		p->equal_ratio == 0 && p->order != ET_ORDER_SEQUENTIAL)
		p->equal_ratio = ET_EQUAL_USUAL;
}

/* Only runs in turn can be looked at after each of them: all others are compared as series. */
static int check_equal(
	const struct et_run_options *o, const struct et_experiment *e, struct et_error *err)
{
	if (!(e->plan.equal_ratio > 0))
		return 0;
	if (e->n_commands < 2 && !o->baseline)
		return et_refuse(err, "give the reference first, or a stored one with --baseline",
			"--equal: equal to what? There is one command");
	if (e->plan.order == ET_ORDER_SEQUENTIAL)
		return et_refuse(err, "use --order auto",
			"--equal contradicts --order sequential, which finishes one command before "
			"it begins the next");
	if (e->protocol == ET_PROTOCOL_KBEST || e->protocol == ET_PROTOCOL_AUTO || e->plan.pace)
		return et_refuse(err, "omit one of them", "--equal contradicts %s",
			e->plan.pace ? "--pace, which has no pairs"
				     : "K-best, which keeps the fastest runs only");
	return 0;
}

/* --- --resume with changes --- */

static uint32_t rounds_made(const struct et_experiment *e)
{
	uint32_t rounds = 0;

	for (size_t c = 0; c < e->n_commands; c++) {
		et_for_each_sample(s, &e->commands[c].samples)
			rounds = s->place.round > rounds ? s->place.round : rounds;
	}
	return rounds;
}

/* A budget of its own for the session that continues. */
static int raise_budget(
	const struct et_run_options *o, struct et_experiment *e, struct et_error *err)
{
	uint32_t made = rounds_made(e);
	struct et_plan p = o->plan;

	if (!(e->plan.equal_ratio > 0))
		return et_refuse(err,
			"run it anew, or with --equal: pairs that are added because of a result "
			"break the promise of a fixed number",
			"--more needs a comparison that is sampled until it is decided; the "
			"number of runs of %s was fixed",
			e->id);
	bound_decision(o->given, &p);
	if (!(o->given & ET_GIVEN_MAX))
		p.max_runs = p.max_runs < ET_MOST_RUNS - made ? p.max_runs + made : ET_MOST_RUNS;
	if (p.max_runs <= made)
		return et_fail_hint(err, EINVAL, ET_EXIT_USAGE, "give a total that is larger",
			"--max-runs %u: %s has %u rounds already", p.max_runs, e->id, made);
	e->plan.max_runs = p.max_runs;
	e->plan.time_limit_ns = p.time_limit_ns;
	e->plan.min_time_ns = p.min_time_ns;
	return 0;
}

int et_run_options_replan(void *ctx, struct et_experiment *e, struct et_error *err)
{
	const struct et_run_options *o = ctx;
	int rc = o->more ? raise_budget(o, e, err) : 0;

	if (rc || !(o->given & ET_GIVEN_GATE))
		return rc ? rc : o->more;
	e->plan.gate = true;
	e->plan.regression_ratio = o->plan.regression_ratio;
	e->plan.undecided = o->plan.undecided;
	rc = et_run_gate_check(e, false, err);
	return rc ? rc : 1;
}

int et_run_gate_check(const struct et_experiment *e, bool baseline, struct et_error *err)
{
	if (!e->plan.gate || e->n_commands > 1 || baseline)
		return 0;
	return et_refuse(err, "give the old program first, or a stored one with --baseline",
		"--fail-on-regression: slower than what? There is one command");
}

/* Of which kind the runs are, and how many. */
static int check_runs(const struct et_run_options *o, struct et_experiment *e, struct et_error *err)
{
	int rc = check_metric(e, err);

	e->plan.gate = o->given & ET_GIVEN_GATE;
	if (rc == 0)
		rc = check_kbest(o->given, e, err);
	if (rc == 0)
		rc = check_pace(e, err);
	if (rc == 0)
		rc = et_run_gate_check(e, o->baseline != NULL, err);
	ask_until_decided(o, e);
	if (rc == 0)
		rc = check_equal(o, e, err);
	return rc ? rc : check_number(o->given, e->protocol, &e->plan, err);
}

/* A file that takes the output of all commands is written by two of them at a time in a duet. */
static int check_output(
	const struct et_run_options *o, struct et_experiment *e, struct et_error *err)
{
	const char *output = e->child.output;
	bool file = output && strcmp(output, "null") && strcmp(output, "pipe") &&
		    strcmp(output, "inherit");

	if (!file || (e->n_commands < 2 && !o->baseline))
		return 0;
	if (e->plan.order == ET_ORDER_DUET)
		return et_refuse(err, "use --order random, or another --output",
			"--order duet would mix the output of two programs in %s", output);
	if (e->plan.order == ET_ORDER_AUTO)
		e->plan.order = ET_ORDER_RANDOM;
	return 0;
}

int et_run_options_check(struct et_run_options *o, struct et_experiment *e, struct et_error *err)
{
	struct et_plan *p = &e->plan;
	int rc = check_runs(o, e, err);

	if (rc == 0)
		rc = check_output(o, e, err);
	if (rc == 0 && o->outputs.stdout_taken && e->child.output &&
		!strcmp(e->child.output, "inherit"))
		rc = et_refuse(err, "write the record to a file, or the output with --output FILE",
			"the record and the program's output cannot both go to stdout");
	if (rc)
		return rc;
	if (p->order == ET_ORDER_DUET && !et_metrics[e->metric].in_duets)
		return et_refuse(err, "use --order random, or --metric cpu",
			"--order duet cannot judge elapsed time: the two share a CPU");
	if (e->label && !strcmp(e->label, "last"))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--label: 'last' is reserved for the newest experiment");
	if (o->names.n > e->n_commands)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--command-name is given %zu times for %zu command%s", o->names.n,
			e->n_commands, e->n_commands == 1 ? "" : "s");
	return 0;
}
