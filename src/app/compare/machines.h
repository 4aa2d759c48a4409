/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon compare --by machine`: the same programs on different machines. */
#pragma once

#include "cli/cli.h"
#include "store/core/store.h"

struct et_by_machine {
	double alpha;
	const char *reference, *json; /* or NULL */
	double fail_ratio;            /* the slowdown that fails; INFINITY: none does */
	int metric;                   /* enum et_metric, or ET_METRIC_AUTO */
};

/* Sets *regressed to whether a machine is surely slower than allowed. */
int et_compare_machines(const struct et_cli *cli, const struct et_by_machine *o,
	const struct et_operands *ops, bool *regressed, struct et_error *err) ET_CHECK;

/*
 * Prints the comparison of the machines of a campaign, unless there are fewer than two. It is an
 * addition to the answer: a failure prints nothing.
 */
void et_compare_campaign(const struct et_cli *cli, struct et_store *s, const char *id, FILE *out);

/* The machines of the store, for `list --machines` and `report --machines`. */

/* Prints a table, or JSON. */
int et_fleet_list(const struct et_cli *cli, bool json, struct et_error *err) ET_CHECK;
/* Writes a page to a path; "-" is stdout. */
int et_fleet_report(const struct et_cli *cli, const char *path, struct et_error *err) ET_CHECK;
