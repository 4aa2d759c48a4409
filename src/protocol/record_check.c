/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/record_check.h"
#include "num/kbest.h"
#include "protocol/schedule.h"

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

static bool command_is_valid(const struct et_command *c)
{
	return c->argv && c->argv[0] && c->argv[0][0];
}

/* A part of a campaign begins with a later round. */
static uint32_t rounds_before(const struct et_plan *p)
{
	return p->first_round > 1 ? p->first_round - 1 : 0;
}

/* The number of the last round that the plan can have, whatever makes it stop. */
static uint32_t last_round(const struct et_plan *p)
{
	return rounds_before(p) + larger(larger(p->runs, p->k), larger(p->min_runs, p->max_runs));
}

/* Warm-up has no round, and its position counts the warm-up runs of the command. */
static bool turn_is_valid(const struct et_experiment *e, const struct et_place *at)
{
	if (at->warmup)
		return at->round == 0 && at->position < larger(e->plan.warmup, 1);
	return at->round > rounds_before(&e->plan) && at->round <= last_round(&e->plan) &&
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
	ET_AUTO_READER struct et_sample_reader r =
		et_samples_read_figures(&e->commands[command].samples);
	uint32_t index = 0;

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
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
		if (!command_is_valid(&e->commands[i]))
			return "a command";
	}
	for (size_t i = 0; !wrong && i < e->n_commands; i++)
		wrong = check_samples(e, i);
	return wrong;
}
