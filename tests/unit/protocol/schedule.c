/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/schedule.h"
#include "tap.h"

enum { COMMANDS = 4, ROUNDS = 400 };

static struct et_turn turns[2 * COMMANDS];

static struct et_plan plan_of(enum et_order order, uint64_t seed)
{
	return (struct et_plan){ .order = order, .seed = seed, .reference = 1 };
}

/* True if every command runs once alone and every other one once with the reference. */
static bool complete(const struct et_plan *p, size_t n)
{
	int solo[COMMANDS] = { 0 }, duet[COMMANDS] = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (turns[i].arrangement == ET_SOLO)
			solo[turns[i].command]++;
		else if (turns[i].partner == p->reference)
			duet[turns[i].command]++;
	}
	for (uint32_t c = 0; c < COMMANDS; c++) {
		bool duets = p->order == ET_ORDER_AUTO || p->order == ET_ORDER_DUET;
		if (solo[c] != (p->order != ET_ORDER_DUET) ||
			duet[c] != (duets && c != p->reference))
			return false;
	}
	return true;
}

static void every_round_is_complete(void)
{
	for (int order = ET_ORDER_AUTO; order <= ET_ORDER_DUET; order++) {
		struct et_plan p = plan_of((enum et_order)order, 7);
		bool good = true;
		if (order == ET_ORDER_SEQUENTIAL)
			continue;
		for (uint32_t round = 1; round <= 50; round++)
			good = good && complete(&p, et_schedule_round(&p, COMMANDS, round,
							    UINT32_MAX, turns));
		ok(good, "%s: every round has each turn once", et_order_names[order]);
	}
}

static void places_are_balanced(void)
{
	struct et_plan p = plan_of(ET_ORDER_RANDOM, 42);
	int sum[COMMANDS] = { 0 }, first[COMMANDS] = { 0 };

	for (uint32_t round = 1; round <= ROUNDS; round++) {
		size_t n = et_schedule_round(&p, COMMANDS, round, UINT32_MAX, turns);
		for (size_t i = 0; i < n; i++)
			sum[turns[i].command] += (int)i;
		first[turns[0].command]++;
	}
	for (int c = 0; c < COMMANDS; c++) {
		ok(sum[c] == ROUNDS * (COMMANDS - 1) / 2,
			"random: command %d has the mean position %g", c, (double)sum[c] / ROUNDS);
		/* 400 rounds, 1 in 4 first: five standard deviations of a binomial are 43. */
		ok(first[c] > 50 && first[c] < 150,
			"random: command %d is first in %d of %d rounds", c, first[c], ROUNDS);
	}
}

static void duets_swap_evenly(void)
{
	struct et_plan p = plan_of(ET_ORDER_DUET, 3);
	int swaps = 0;

	for (uint32_t round = 1; round <= ROUNDS; round++) {
		et_schedule_round(&p, 2, round, UINT32_MAX, turns);
		swaps += turns[0].swap;
	}
	ok(swaps == ROUNDS / 2, "duet: each of the two starts first equally often (%d)", swaps);
}

static void seeds_decide(void)
{
	struct et_plan a = plan_of(ET_ORDER_RANDOM, 1), b = plan_of(ET_ORDER_RANDOM, 2);
	struct et_turn again[2 * COMMANDS];
	int same = 0, other = 0;

	for (uint32_t round = 1; round <= 40; round++) {
		et_schedule_round(&a, COMMANDS, round, UINT32_MAX, turns);
		et_schedule_round(&a, COMMANDS, round, UINT32_MAX, again);
		same += !memcmp(turns, again, COMMANDS * sizeof(*turns));
		et_schedule_round(&b, COMMANDS, round, UINT32_MAX, again);
		other += !memcmp(turns, again, COMMANDS * sizeof(*turns));
	}
	ok(same == 40, "random: the same seed gives the same order");
	ok(other < 15, "random: another seed gives another order (%d of 40 rounds agree)", other);
}

int main(void)
{
	every_round_is_complete();
	places_are_balanced();
	duets_swap_evenly();
	seeds_decide();
	struct et_plan p = plan_of(ET_ORDER_ROUND_ROBIN, 1);
	et_schedule_round(&p, COMMANDS, 9, UINT32_MAX, turns);
	ok(turns[0].command == 0 && turns[3].command == 3,
		"round-robin: commands keep the given order");
	p.order = ET_ORDER_SEQUENTIAL;
	ok(et_schedule_round(&p, COMMANDS, 5, 2, turns) == 1 && turns[0].command == 2,
		"sequential: a round has one command");
	return tap_done();
}
