/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refuses options of `run` that contradict each other. */
#include "app/run/options.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"K-best decides itself when to stop, so --%s has no effect",
				given & ET_GIVEN_RUNS ? "runs" : "until"),
			"omit it; --best, --epsilon and --max-runs control when K-best stops");
	if (p->order == ET_ORDER_DUET)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"K-best needs solo runs, and --order duet has none"),
			"use --order auto or random");
	if (!certain && p->order == ET_ORDER_SEQUENTIAL && e->n_commands > 1)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--protocol auto needs the first runs of all commands early, but "
				"--order sequential delays them"),
			"use --order random, or name the protocol");
	return 0;
}

/* Refuses options that contradict a reference loop on the program's CPU. */
static int check_pace(const struct et_experiment *e, struct et_error *err)
{
	if (!e->plan.pace)
		return 0;
	if (e->protocol == ET_PROTOCOL_KBEST || e->protocol == ET_PROTOCOL_AUTO)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--pace contradicts --protocol %s: K-best needs solo runs",
				et_protocol_names[e->protocol]),
			"omit --pace, or use --protocol cause");
	if (e->plan.order == ET_ORDER_DUET)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--pace contradicts --order duet: each program is the other's "
				"reference"),
			"omit --pace, or use --order auto or random");
	if (e->metric == ET_METRIC_ELAPSED)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--pace cannot judge elapsed time: the loop uses part of it"),
			"omit --pace, or use --metric cpu");
	if (e->child.sched && strcmp(e->child.sched, "other"))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--pace contradicts --sched %s: the loop would never run",
				e->child.sched),
			"omit one of them");
	return 0;
}

static int check_child(
	const struct et_run_options *o, const struct et_experiment *e, struct et_error *err)
{
	if (o->outputs.stdout_taken && e->child.output && !strcmp(e->child.output, "inherit"))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"the record and the program's output cannot both go to stdout"),
			"write the record to a file, or the output with --output FILE");
	return 0;
}

/* --runs leaves nothing to the bounds, but those of K-best, which auto may choose. */
static int check_bounds(unsigned given, enum et_protocol protocol, struct et_error *err)
{
	unsigned bounds = given & (ET_GIVEN_MIN | ET_GIVEN_MAX);

	if (!(given & ET_GIVEN_RUNS) || !bounds || protocol == ET_PROTOCOL_AUTO)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--runs decides the number of runs, so --%s has no effect",
			bounds & ET_GIVEN_MIN ? "min-runs" : "max-runs"),
		"omit one of them");
}

/*
 * One bound that is given moves the default of the other: -M 5 means 5 runs, and -m 2000 means 2000
 * or more if they take less than 3 s.
 */
static int check_number(
	unsigned given, enum et_protocol protocol, struct et_plan *p, struct et_error *err)
{
	int rc = check_bounds(given, protocol, err);

	if (rc)
		return rc;
	if (p->until_ratio > 0 && !(given & ET_GIVEN_MIN))
		p->min_runs = ET_UNTIL_LEAST;
	if (p->min_runs > p->max_runs && !(given & ET_GIVEN_MAX))
		p->max_runs = p->min_runs;
	if (p->min_runs > p->max_runs && !(given & ET_GIVEN_MIN))
		p->min_runs = p->max_runs;
	if (p->min_runs > p->max_runs)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--min-runs %u is above --max-runs %u",
			p->min_runs, p->max_runs);
	return 0;
}

int et_run_gate_check(
	const struct et_run_options *o, const struct et_experiment *e, struct et_error *err)
{
	if (!isfinite(o->regression_ratio) || e->n_commands > 1 || o->baseline)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--fail-on-regression: slower than what? There is one command"),
		"give the old program first, or a stored one with --baseline");
}

int et_run_options_check(struct et_run_options *o, struct et_experiment *e, struct et_error *err)
{
	struct et_plan *p = &e->plan;
	int rc = check_kbest(o->given, e, err);

	if (rc == 0)
		rc = check_pace(e, err);
	if (rc == 0)
		rc = check_number(o->given, e->protocol, p, err);
	if (rc == 0)
		rc = check_child(o, e, err);
	if (rc == 0)
		rc = et_run_gate_check(o, e, err);
	if (rc)
		return rc;
	if (p->order == ET_ORDER_DUET && !et_metrics[e->metric].in_duets)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--order duet cannot judge elapsed time: the two share a CPU"),
			"use --order random, or --metric cpu");
	if (e->label && !strcmp(e->label, "last"))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--label: 'last' is reserved for the newest experiment");
	if (o->names.n > e->n_commands)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--command-name is given %zu times for %zu command%s", o->names.n,
			e->n_commands, e->n_commands == 1 ? "" : "s");
	return 0;
}
