/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which experiments of a store are those of one machine. */
#pragma once

#include "model/result/fleet.h"

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
