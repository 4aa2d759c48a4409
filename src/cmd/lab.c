/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab NAME`: published experiments, and those that test etalon itself. */
#include "base/clock.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "cmd/cli.h"
#include "cmd/lab_experiments.h"
#include "cmd/signals.h"
#include "lab/functions.h"
#include "lab/problems.h"

#include <errno.h>
#include <string.h>

/* The i-th operand: "list", then the experiments. */
static const char *operand(size_t i)
{
	return i ? et_lab_experiments[i - 1].name : "list";
}

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_lab = {
	.name = "lab",
	.operand = operand,
	.summary = "run experiments that test methods of measurement, and etalon itself",
	.usage = "list\nNAME [options]\nproblems [PROBLEM] [options]",
	.about =
		"'etalon lab list' shows the experiments. coverage, false-alarms and quantisation\n"
		"simulate data whose true value is known; doc/coverage.md has full tables of the\n"
		"first two. The others measure on this machine and store their samples as run\n"
		"does. fragmentation, sampling-rate, competing-load, triangle and sampling-bias "
		"are\n"
		"about profiles. After Ctrl-C an experiment prints the results that it has so far.",
	.examples =
		"  etalon lab list\n"
		"  etalon lab coverage --repetitions 50 --law lognormal-1\n"
		"  etalon lab false-alarms --repetitions 20\n"
		"  etalon lab quantisation --repetitions 50\n"
		"  etalon lab duet-bias --pairs registers,registers-l2 --runs 12 --repetitions 20\n"
		"  etalon lab emp-versions --lengths 10ms,20ms --runs 12\n"
		"  etalon lab clock-methods --lengths 0.02 --runs 5\n"
		"  etalon lab real-programs --programs sort,perl --sizes small --runs 3\n"
		"  etalon lab kbest-accuracy --loads 1,2 --lengths 1ms,4ms --runs 5\n"
		"  etalon lab kbest-coverage --repetitions 3 --filter malloc\n"
		"  etalon lab functions --filter sort\n"
		"  etalon lab interval-accuracy --loads 1 --lengths 5ms,20ms --runs 3\n"
		"  etalon lab cache --runs 5 --svg cache.svg\n"
		"  etalon lab branch\n"
		"  etalon lab problems\n"
		"  etalon lab problems tick-count --ticks 7 --interval 10ms\n"
		"  etalon lab fragmentation --runs 2 --lengths 10ms\n"
		"  etalon lab sampling-rate --runs 2 --lengths 10ms\n"
		"  etalon lab competing-load --runs 2 --lengths 10ms\n"
		"  etalon lab triangle --runs 3 --lengths 50ms\n"
		"  etalon lab sampling-bias --runs 2 --lengths 10ms\n",
	.options = et_lab_options,
	.uses_store = true,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

static void list(bool json)
{
	struct et_json w;

	et_json_init(&w, stdout, 2);
	if (json)
		et_json_array(&w, NULL);
	for (const struct et_lab_experiment *x = et_lab_experiments; x->name; x++) {
		if (!json) {
			et_cli_help_text(18, x->name, x->summary);
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

	for (const struct et_option *o = et_lab_options; o->name; o++) {
		if (given & o->bit & ~common)
			return et_fail(err, EINVAL, ET_EXIT_USAGE, "lab %s takes no --%s",
				x ? x->name : "list", o->name);
	}
	return 0;
}

static int unknown_experiment(const char *typed, struct et_error *err)
{
	struct et_nearest n = et_nearest_to(typed);

	for (const struct et_lab_experiment *x = et_lab_experiments; x->name; x++)
		et_nearest_offer(&n, x->name);
	et_fail(err, EINVAL, ET_EXIT_USAGE, "lab: unknown experiment '%s'", typed);
	if (et_problem_find(typed))
		return et_hint(err, -EINVAL, "use 'etalon lab problems %s'", typed);
	if (n.best)
		return et_hint(err, -EINVAL, "did you mean '%s'? 'etalon lab list' shows them all",
			n.best);
	return et_hint(err, -EINVAL, "run 'etalon lab list' to see them");
}

static int find(
	const struct et_operands *ops, const struct et_lab_experiment **out, struct et_error *err)
{
	bool problem = ops->n_before == 2 && !strcmp(ops->before[0], "problems");
	if ((ops->n_before != 1 && !problem) || ops->after) {
		et_fail(err, EINVAL, ET_EXIT_USAGE, "lab: expected one experiment");
		return et_hint(err, -EINVAL, "run 'etalon lab list' to see them");
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
	return unknown_experiment(ops->before[0], err);
}

static int perform(struct et_cli *cli, const struct et_lab_experiment *x, struct et_lab_request *r,
	struct et_error *err)
{
	cli->measures = !r->measure.from;
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
	int status;

	et_problem_values_init(&r.problem);
	if (argc > 1 && !strcmp(argv[1], "functions"))
		return et_lab_functions(argc - 1, argv + 1);
	status = et_cli_parse_into(cli, &et_verb_lab, argc, argv,
		&(struct et_cli_targets){ .ctx = &r, .given = &r.given }, &ops);

	if (status >= 0)
		return status;
	if (r.measure.from)
		et_confine(ET_RIGHTS_FILES);
	int rc = find(&ops, &x, &err);
	r.operand = ops.n_before > 1 ? ops.before[1] : NULL; /* it is in argv */
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
