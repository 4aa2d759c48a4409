/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `run` that do not go together. */
#include "cmd/run_options.h"

#include <errno.h>
#include <string.h>

/* What a reference loop beside the program cannot go with. */
static int check_pace(const struct et_experiment *e, struct et_error *err)
{
	if (!e->plan.pace)
		return 0;
	if (e->plan.order == ET_ORDER_DUET)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--pace and --order duet: in a duet each is the other's reference"),
			"leave --pace away, or use --order auto or random");
	if (e->metric == ET_METRIC_ET)
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

int et_run_options_check(const struct et_run_options *o, struct et_error *err)
{
	const struct et_plan *p = &o->e->plan;

	if (p->min_runs > p->max_runs)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--min-runs %u is above --max-runs %u",
			p->min_runs, p->max_runs);
	if (p->order == ET_ORDER_DUET && o->e->metric == ET_METRIC_ET)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--order duet cannot judge elapsed time: the two share a CPU"),
			"use --order random, or --metric pt");
	int rc = check_pace(o->e, err);
	if (rc)
		return rc;
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
