/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of runs. The schedule of a round is a pure function of the plan and the number of the
 * round, so that an interrupted experiment continues exactly where it stopped.
 */
#pragma once

#include "model/experiment/experiment.h"

struct et_turn {
	enum et_arrangement arrangement;
	uint32_t command;
	uint32_t partner; /* of a duet: the reference */
	bool swap;        /* the reference starts first */
};

/* The rounds before the first that a plan runs: others run them, as parts of a campaign. */
uint32_t et_schedule_rounds_before(const struct et_plan *plan);
/* The largest number of turns in a round: the size of the array below. */
size_t et_schedule_size(size_t n_commands);

/*
 * Fills the turns of a round (from 1) and returns their number. Random orders are balanced: every
 * second round is the reverse of the one before, so that all commands have the same mean position
 * and a drift affects them equally. In sequential order each command has its own rounds, and `only`
 * is that command; otherwise `only` is UINT32_MAX.
 */
size_t et_schedule_round(const struct et_plan *plan, size_t n_commands, uint32_t round,
	uint32_t only, struct et_turn *out);

/*
 * Lists the runs of a plan whose number of rounds is fixed and that has no duets, in the order in
 * which the driver makes them, warm-up runs included. Fills at most `most` and returns how many.
 */
size_t et_schedule_list(
	const struct et_plan *plan, size_t n_commands, size_t most, struct et_planned_run *out);

/* The highest number of an execution. With as many again, an order still fits into 32 bits. */
enum { ET_MOST_ORDERS = 1000000000 };

/*
 * Compares a stored experiment with its plan before it is resumed: the store checks each value
 * alone. Names the first part that etalon would not have written; NULL: the driver can continue it.
 */
const char *et_record_check(const struct et_experiment *e) ET_CHECK;
