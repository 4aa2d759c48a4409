/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `run` held against each other: what does not go together is refused. */
#include "cmd/run_options.h"

#include <errno.h>
#include <string.h>

/* K, epsilon and M; what was not given is filled in. */
static int check_kbest_figures(struct et_run_options *o, struct et_error *err)
{
	struct et_plan *p = &o->e->plan;

	p->k = p->k ? p->k : 3;
	p->epsilon = p->epsilon > 0 ? p->epsilon : 0.01;
	if (!o->max_given && p->until_ratio == 0)
		p->max_runs = 100;
	if (p->k > p->max_runs)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--best %u is above --max-runs %u", p->k,
			p->max_runs);
	if (p->epsilon > 1)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--epsilon is above 1");
	return 0;
}

/* K-best, asked for or possible: its own options, and none that speak of a mean. */
static int check_kbest(struct et_run_options *o, struct et_error *err)
{
	struct et_plan *p = &o->e->plan;
	bool certain = o->e->protocol == ET_PROTOCOL_KBEST;

	if (!certain && o->e->protocol != ET_PROTOCOL_AUTO) {
		if (!p->k && p->epsilon == 0)
			return 0;
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--best and --epsilon go with --protocol kbest or auto");
	}
	int rc = check_kbest_figures(o, err);
	if (rc)
		return rc;
	if (certain && (o->runs_given || p->until_ratio > 0))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"K-best stops by itself and takes no --%s",
				o->runs_given ? "runs" : "until"),
			"--best, --epsilon and --max-runs say when");
	if (p->order == ET_ORDER_DUET)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"K-best needs runs alone, and --order duet has none"),
			"use --order auto or random");
	if (!certain && p->order == ET_ORDER_SEQUENTIAL && o->e->n_commands > 1)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--protocol auto looks at all commands before it decides, and "
				"--order sequential at one"),
			"use --order random, or name the protocol");
	return 0;
}

/* What a reference loop beside the program cannot go with. */
static int check_pace(const struct et_experiment *e, struct et_error *err)
{
	if (!e->plan.pace)
		return 0;
	if (e->protocol == ET_PROTOCOL_KBEST || e->protocol == ET_PROTOCOL_AUTO)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--pace and --protocol %s: K-best needs runs alone",
				et_protocol_names[e->protocol]),
			"use one of them");
	if (e->plan.order == ET_ORDER_DUET)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--pace and --order duet: in a duet each is the other's reference"),
			"leave --pace away, or use --order auto or random");
	if (e->metric == ET_METRIC_ELAPSED)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--pace cannot judge elapsed time: the loop takes its share of it"),
			"leave --pace away, or use --metric pt");
	if (e->child.sched && strcmp(e->child.sched, "other"))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--pace and --sched %s: the loop would never have a turn",
				e->child.sched),
			"use one of them");
	return 0;
}

int et_run_options_check(struct et_run_options *o, struct et_error *err)
{
	struct et_plan *p = &o->e->plan;
	int rc = check_kbest(o, err);

	if (rc == 0)
		rc = check_pace(o->e, err);
	if (rc)
		return rc;
	if ((p->until_ratio > 0 || !p->k) && p->min_runs > p->max_runs)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--min-runs %u is above --max-runs %u",
			p->min_runs, p->max_runs);
	if (p->order == ET_ORDER_DUET && !et_metrics[o->e->metric].in_duets)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--order duet cannot judge elapsed time: the two share a CPU"),
			"use --order random, or --metric pt");
	if (o->outputs.stdout_taken && o->e->child.output && !strcmp(o->e->child.output, "inherit"))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"the record and the program's output cannot both go to stdout"),
			"write the record to a file, or the output with --output FILE");
	if (o->e->label && !strcmp(o->e->label, "last"))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--label: 'last' means the newest experiment already");
	if (o->names.n > o->e->n_commands)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "%zu names for %zu commands", o->names.n,
			o->e->n_commands);
	return 0;
}
