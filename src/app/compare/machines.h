/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon compare --by machine`: the same programs on different machines. */
#pragma once

#include "cli/cli.h"
#include "stats/fleet/fleet.h"
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

/* Compares the machines of a campaign, if there are two or more. A failure prints nothing. */
void et_compare_campaign(const struct et_cli *cli, struct et_store *s, const char *id, FILE *out);

/* The machines of the store, compared by the newest 20000 commands that were measured. */

/* Prints a table, or JSON. */
int et_fleet_list(const struct et_cli *cli, bool json, struct et_error *err) ET_CHECK;
/* Writes a page to a path; "-" is stdout. */
int et_fleet_report(const struct et_cli *cli, const char *path, struct et_error *err) ET_CHECK;

/* --- the machines of a store, or of some experiments, as a fleet --- */

/* The experiments of one identity under one name of the host. */
struct et_fleet_group {
	char machine[ET_MACHINE_SIZE], host[ET_MACHINE_SIZE];
	char written[ET_MACHINE_SIZE]; /* the identity in the store */
	uint64_t experiments, samples, first_wall_ns, last_wall_ns;
	size_t at; /* in the fleet */
};

struct et_fleet_groups {
	struct et_fleet_group *list;
	size_t n, cap;
};

/* Adds a machine to the fleet for the groups that are one, and notes about clones. */
void et_fleet_merge(struct et_fleet_groups *l, struct et_fleet *fleet);

/*
 * Compares the machines of experiments, which are sessions, by commands of the same name and text.
 * metric: of enum et_metric, or ET_METRIC_AUTO; -ENOENT: no machine has the name `reference`.
 */
int et_fleet_of_experiments(struct et_experiment *const *list, size_t n, double alpha, int metric,
	const char *reference, struct et_fleet *out, struct et_error *err) ET_CHECK;
