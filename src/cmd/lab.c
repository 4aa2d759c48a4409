/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab NAME`: published experiments, and those by which this tool judges itself. */
#include "base/clock.h"
#include "base/json.h"
#include "base/parse.h"
#include "cmd/cli.h"
#include "cmd/lab_experiments.h"
#include "cmd/signals.h"

#include <errno.h>
#include <string.h>

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of tables", NULL, ET_LAB_JSON },
	{ 0, "repetitions", "N", "simulations of each case (1000)", NULL, ET_LAB_REPETITIONS },
	{ 0, "seed", "N", "the same seed gives the same tables, or order of runs (1)", NULL,
		ET_LAB_SEED },
	{ 0, "bootstrap", "N", "coverage: replicates of the bootstrap (999)", NULL,
		ET_LAB_BOOTSTRAP },
	{ 0, "law", "NAME", "coverage: this law only, such as normal, lognormal-1, nist-5", NULL,
		ET_LAB_LAW },
	{ 0, "size", "N", "coverage: so many values only (10, 30 and 100; NIST's 1000)", NULL,
		ET_LAB_SIZE },
	{ 0, "effect", "REL", "false-alarms: how much slower, for the power (1%)", NULL,
		ET_LAB_EFFECT },
	{ 0, "pair-sd", "SD", "false-alarms: standard deviation of the log ratio of a duet (0.027)",
		NULL, ET_LAB_PAIR_SD },
	{ 0, "lengths", "LIST", "of what is timed, such as 1ms,10ms,1s (each its own)", NULL,
		ET_LAB_LENGTHS },
	{ 0, "pace", NULL, "emp-versions: what 'run --pace' makes of the task", NULL, ET_LAB_PACE },
	{ 0, "loads", "LIST", "kbest-, interval-accuracy: processes on the CPU (1,2,11)", NULL,
		ET_LAB_LOADS },
	{ 0, "programs", "LIST", "real-programs: these only, such as sort,gcc (all)", NULL,
		ET_LAB_PROGRAMS },
	{ 0, "sizes", "LIST", "real-programs: these only (small,medium,large)", NULL,
		ET_LAB_SIZES },
	{ 'r', "runs", "N", "what is measured: samples of each (each its own)", NULL, ET_LAB_RUNS },
	{ 0, "label", "TEXT", "what is measured: name the experiment (lab NAME)", NULL,
		ET_LAB_LABEL },
	{ 0, "from", "ID", "what is measured: print the tables of a kept experiment", NULL,
		ET_LAB_FROM },
	{ 0, "svg", "FILE", "kbest-, interval-accuracy, cache: write the picture too", NULL,
		ET_LAB_SVG },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_lab = {
	.name = "lab",
	.summary = "experiments that judge methods, and this tool",
	.usage = "list\ncoverage [options]\nfalse-alarms [options]\nemp-versions [options]\n"
		 "clock-methods [options]\nreal-programs [options]\nkbest-accuracy [options]\n"
		 "interval-accuracy [options]\ncache [options]",
	.about = "coverage and false-alarms simulate, with a known truth; what they print at full\n"
		 "length stands in doc/coverage.md. The others measure on this machine and keep\n"
		 "what they measure as run does. Ctrl-C ends one with what is known by then.",
	.examples = "  etalon lab list\n"
		    "  etalon lab coverage --repetitions 50 --law lognormal-1\n"
		    "  etalon lab false-alarms --repetitions 20\n"
		    "  etalon lab emp-versions --lengths 10ms,20ms --runs 12\n"
		    "  etalon lab clock-methods --lengths 0.02 --runs 5\n"
		    "  etalon lab real-programs --programs sort,perl --sizes small --runs 3\n"
		    "  etalon lab kbest-accuracy --loads 1,2 --lengths 1ms,4ms --runs 5\n"
		    "  etalon lab interval-accuracy --loads 1 --lengths 5ms,20ms --runs 3\n"
		    "  etalon lab cache --runs 5 --svg cache.svg\n",
	.options = options,
	.uses_store = true,
	.run = run,
};

static int parse_law(const char *name, const struct et_law **out, struct et_error *err)
{
	*out = et_law_find(name);
	if (*out)
		return 0;
	et_fail(err, EINVAL, ET_EXIT_USAGE, "--law: unknown law '%s'", name);
	return et_hint(err, -EINVAL,
		"normal, lognormal-0.5, lognormal-1, exponential, bimodal, ar-0.3, ar-0.6, "
		"nist-1, nist-2, nist-3, nist-5, nist-10, nist-100");
}

static int option(void *ctx, int id, char *const *args, struct et_error *err)
{
	struct et_lab_request *r = ctx;
	uint64_t n = 0;
	int rc = 0;

	r->given |= (unsigned)id;
	switch (id) {
	case ET_LAB_REPETITIONS:
		rc = et_parse_u64("--repetitions", args[0], 1, 10000000, &n, err);
		r->asked.repetitions = (uint32_t)n;
		return rc;
	case ET_LAB_SEED:
		return et_parse_u64("--seed", args[0], 0, UINT64_MAX, &r->asked.seed, err);
	case ET_LAB_BOOTSTRAP:
		rc = et_parse_u64("--bootstrap", args[0], 99, 1000000, &n, err);
		r->asked.replicates = n;
		return rc;
	case ET_LAB_LAW:
		return parse_law(args[0], &r->coverage.law, err);
	case ET_LAB_SIZE:
		rc = et_parse_u64("--size", args[0], 5, 100000, &n, err);
		r->coverage.n = n;
		return rc;
	case ET_LAB_EFFECT:
		return et_parse_ratio("--effect", args[0], &r->alarms.effect, err);
	case ET_LAB_PAIR_SD:
		return et_parse_ratio("--pair-sd", args[0], &r->alarms.duet_sd, err);
	case ET_LAB_JSON:
		return 0;
	default:
		return et_lab_measure_option(&r->measure, id, args[0], err);
	}
}

static void list(bool json)
{
	struct et_json w;

	et_json_init(&w, stdout, 2);
	if (json)
		et_json_array(&w, NULL);
	for (const struct et_lab_experiment *x = et_lab_experiments; x->name; x++) {
		if (!json) {
			printf("%-17s %s\n", x->name, x->summary);
			continue;
		}
		et_json_flat_object(&w, NULL);
		et_json_string(&w, "name", x->name);
		et_json_string(&w, "summary", x->summary);
		et_json_end(&w);
	}
	if (json)
		et_json_end(&w);
}

/* Options that only another experiment takes are refused, not ignored. */
static int check_options(const struct et_lab_experiment *x, unsigned given, struct et_error *err)
{
	unsigned common = ET_LAB_JSON | (x ? x->takes : 0);

	for (const struct et_option *o = options; o->name; o++) {
		if (given & (unsigned)o->id & ~common)
			return et_fail(err, EINVAL, ET_EXIT_USAGE, "lab %s takes no --%s",
				x ? x->name : "list", o->name);
	}
	return 0;
}

static int find(
	const struct et_operands *ops, const struct et_lab_experiment **out, struct et_error *err)
{
	if (ops->n_before != 1 || ops->after) {
		et_fail(err, EINVAL, ET_EXIT_USAGE, "lab: name one experiment");
		return et_hint(err, -EINVAL, "etalon lab list shows them");
	}
	*out = NULL;
	if (!strcmp(ops->before[0], "list"))
		return 0;
	for (const struct et_lab_experiment *x = et_lab_experiments; x->name; x++) {
		if (!strcmp(x->name, ops->before[0]))
			*out = x;
	}
	if (*out)
		return 0;
	et_fail(err, EINVAL, ET_EXIT_USAGE, "lab: unknown experiment '%s'", ops->before[0]);
	return et_hint(err, -EINVAL, "etalon lab list shows them");
}

static int perform(struct et_cli *cli, const struct et_lab_experiment *x, struct et_lab_request *r,
	struct et_error *err)
{
	r->cli = cli;
	r->interrupt = et_signals_install();
	r->name = x->name;
	r->progress =
		(struct et_progress){ .out = cli->progress ? stderr : NULL, .width = cli->columns };
	r->page = (struct et_page){ .out = stdout, .width = cli->columns, .color = cli->color };
	r->started_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	int rc = x->run(r, err);
	if (rc && rc != -EINTR)
		return et_cli_fail(err);
	return r->interrupt->signal ? 128 + r->interrupt->signal : ET_EXIT_DONE;
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_lab_request r = { .asked = { .seed = 1, .repetitions = 1000, .replicates = 999 },
		.alarms = { .effect = 0.01, .duet_sd = 0.027 } };
	const struct et_lab_experiment *x = NULL;
	struct et_operands ops;
	struct et_error err = { 0 };
	int status = et_cli_parse(cli, &et_verb_lab, argc, argv, option, &r, &ops);

	if (status >= 0)
		return status;
	int rc = find(&ops, &x, &err);
	et_operands_free(&ops);
	if (rc == 0)
		rc = check_options(x, r.given, &err);
	if (rc)
		return et_cli_fail(&err);
	status = ET_EXIT_DONE;
	if (x)
		status = perform(cli, x, &r, &err);
	else
		list(r.given & ET_LAB_JSON);
	return et_cli_close_output(stdout, "-", &err) ? et_cli_fail(&err) : status;
}
