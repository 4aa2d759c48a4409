/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/schedule.h"
#include "num/kbest.h"
#include "num/rng.h"

size_t et_schedule_size(size_t n_commands)
{
	return 2 * n_commands;
}

uint32_t et_schedule_rounds_before(const struct et_plan *plan)
{
	return plan->first_round > 1 ? plan->first_round - 1 : 0;
}

static enum et_arrangement alone(const struct et_plan *plan)
{
	return plan->pace ? ET_PACED : ET_SOLO;
}

static size_t list_turns(const struct et_plan *plan, size_t n_commands, struct et_turn *out)
{
	bool solos = plan->order != ET_ORDER_DUET || n_commands == 1;
	bool duets = plan->order == ET_ORDER_DUET || plan->order == ET_ORDER_AUTO;
	size_t n = 0;

	for (uint32_t c = 0; solos && c < n_commands; c++)
		out[n++] = (struct et_turn){ .arrangement = alone(plan), .command = c };
	for (uint32_t c = 0; duets && c < n_commands; c++) {
		if (c != plan->reference)
			out[n++] = (struct et_turn){
				.arrangement = ET_DUET, .command = c, .partner = plan->reference
			};
	}
	return n;
}

/* A random order; a random bit decides which program of a duet starts first. */
static void shuffle(struct et_turn *turns, size_t n, uint64_t seed, uint32_t pair)
{
	struct et_rng rng;

	et_rng_seed(&rng, seed, pair);
	et_shuffle(&rng, turns, n, sizeof(*turns));
	for (size_t i = 0; i < n; i++)
		turns[i].swap = turns[i].arrangement == ET_DUET && et_rng_below(&rng, 2);
}

static void reverse(struct et_turn *turns, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct et_turn t = turns[i];
		turns[i] = turns[n - 1 - i];
		turns[n - 1 - i] = t;
	}
	for (size_t i = 0; i < n; i++)
		turns[i].swap = turns[i].arrangement == ET_DUET && !turns[i].swap;
}

size_t et_schedule_round(const struct et_plan *plan, size_t n_commands, uint32_t round,
	uint32_t only, struct et_turn *out)
{
	if (only != UINT32_MAX) {
		out[0] = (struct et_turn){ .arrangement = alone(plan), .command = only };
		return 1;
	}
	size_t n = list_turns(plan, n_commands, out);
	if (plan->order == ET_ORDER_ROUND_ROBIN)
		return n;
	shuffle(out, n, plan->seed, (round - 1) / 2);
	if ((round - 1) % 2)
		reverse(out, n);
	return n;
}

/* Lists the runs of the commands from `from` up to `to`: warm-up, then rounds. */
static size_t list_group(const struct et_plan *plan, uint32_t from, uint32_t to,
	struct et_turn *turns, size_t most, struct et_planned_run *out)
{
	bool sequential = plan->order == ET_ORDER_SEQUENTIAL;
	size_t n = 0;

	for (uint32_t w = 0; w < plan->warmup; w++) {
		for (uint32_t c = from; c < to && n < most; c++)
			out[n++] = (struct et_planned_run){ .command = c };
	}
	uint32_t before = et_schedule_rounds_before(plan);
	for (uint32_t round = before + 1; round <= before + plan->runs && n < most; round++) {
		size_t length =
			et_schedule_round(plan, to, round, sequential ? from : UINT32_MAX, turns);
		for (size_t i = 0; i < length && n < most; i++)
			out[n++] = (struct et_planned_run){ .command = turns[i].command,
				.round = round };
	}
	return n;
}

size_t et_schedule_list(
	const struct et_plan *plan, size_t n_commands, size_t most, struct et_planned_run *out)
{
	ET_AUTO_FREE struct et_turn *turns =
		et_calloc(et_schedule_size(n_commands), sizeof(*turns));
	uint32_t all = (uint32_t)n_commands;
	size_t n = 0;

	if (plan->order != ET_ORDER_SEQUENTIAL)
		return list_group(plan, 0, all, turns, most, out);
	for (uint32_t c = 0; c < all && n < most; c++)
		n += list_group(plan, c, c + 1, turns, most - n, out + n);
	return n;
}

/* --- a stored experiment --- */

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static bool plan_is_valid(const struct et_plan *p)
{
	return p->warmup <= ET_MOST_RUNS && p->runs <= ET_MOST_RUNS &&
	       p->min_runs <= ET_MOST_RUNS && p->max_runs <= ET_MOST_RUNS &&
	       p->first_round <= ET_MOST_RUNS && p->k <= ET_KBEST_MOST && p->level > 0 &&
	       p->level < 1;
}

/*
 * Warm-up has no round, and its position counts the warm-up runs of the command: those of the plan,
 * and one more if the first was scouted.
 */
static bool turn_is_valid(const struct et_experiment *e, const struct et_place *at)
{
	const struct et_plan *p = &e->plan;
	uint32_t before = et_schedule_rounds_before(p);
	/* The most rounds that the plan can have, whatever makes it stop. */
	uint32_t most = larger(larger(p->runs, p->k), larger(p->min_runs, p->max_runs));

	if (at->warmup)
		return at->round == 0 && at->position <= larger(p->warmup, 1);
	return at->round > before && at->round <= before + most &&
	       at->position < et_schedule_size(e->n_commands);
}

static bool partner_is_valid(const struct et_experiment *e, const struct et_place *at)
{
	if (at->arrangement != ET_DUET)
		return at->partner == -1;
	return at->partner >= 0 && at->partner < (int64_t)e->n_commands &&
	       at->partner != (int64_t)at->command;
}

static const char *check_samples(const struct et_experiment *e, size_t command)
{
	uint32_t index = 0;

	et_for_each_sample(s, &e->commands[command].samples) {
		const struct et_place *at = &s->place;
		if (at->command != command || at->index != ++index)
			return "the command or index of a sample";
		if (at->order < 1 || at->order > ET_MOST_ORDERS)
			return "the order of a sample";
		if (!turn_is_valid(e, at))
			return "the round or position of a sample";
		if (!partner_is_valid(e, at))
			return "the partner of a sample";
	}
	return NULL;
}

const char *et_record_check(const struct et_experiment *e)
{
	const char *wrong = NULL;

	if (!e->n_commands || e->plan.reference >= e->n_commands)
		return "the reference";
	if (!plan_is_valid(&e->plan))
		return "the plan";
	for (size_t i = 0; i < e->n_commands; i++) {
		char *const *argv = e->commands[i].argv;
		if (!argv || !argv[0] || !argv[0][0])
			return "a command";
	}
	for (size_t i = 0; !wrong && i < e->n_commands; i++)
		wrong = check_samples(e, i);
	return wrong;
}
