/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs in which order. A round's schedule is a pure function of the plan and the round's
 * number, so that an interrupted experiment goes on exactly where it was.
 */
#ifndef ET_PROTOCOL_SCHEDULE_H
#define ET_PROTOCOL_SCHEDULE_H

#include "model/experiment.h"

struct et_turn {
	enum et_arrangement arrangement;
	uint32_t command;
	uint32_t partner; /* of a duet: the reference */
	bool swap;        /* the reference starts first */
};

/* How many turns a round has at most: room for the array below. */
size_t et_schedule_size(size_t n_commands);

/*
 * The turns of a round (from 1). Random orders are balanced: every second round is the one before
 * it backwards, so that each command has the same mean place and a drift hits all alike.
 * Sequential order has no rounds over all commands: `only` names the command of such a round;
 * UINT32_MAX everywhere else.
 */
size_t et_schedule_round(const struct et_plan *plan, size_t n_commands, uint32_t round,
	uint32_t only, struct et_turn *out);

#endif
