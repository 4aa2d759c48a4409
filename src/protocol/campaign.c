/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/campaign.h"
#include "base/parse.h"
#include "num/rng.h"

/* --- parts --- */

enum { PARTS_PER_MACHINE = 4, ROUNDS_PER_WARMUP = 4 };

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/*
 * The number of rounds that a part has if the user has no wish. About four parts per machine even
 * out machines of unequal speed, and cost little if one is lost. A part has at least four times as
 * many rounds as warm-up runs, and an even number: random orders are balanced in pairs of rounds.
 */
static uint32_t part_rounds(const struct et_division *d)
{
	size_t nodes = d->per_machine ? 1 : et_strv_length(d->nodes);
	uint64_t least = (uint64_t)ROUNDS_PER_WARMUP * d->warmup;
	uint64_t rounds = divide_up(d->rounds, PARTS_PER_MACHINE * (nodes ? nodes : 1));

	if (d->part_rounds)
		return d->part_rounds < d->rounds ? d->part_rounds : d->rounds;
	rounds = rounds < least ? least : rounds;
	rounds += rounds % 2;
	return rounds < d->rounds ? (uint32_t)rounds : d->rounds;
}

static void shuffle(struct et_part *parts, size_t n, uint64_t seed)
{
	const uint64_t other_than_order = 0x7061727473; /* "parts" */
	struct et_rng rng;

	et_rng_seed(&rng, seed ^ other_than_order, 0);
	et_shuffle(&rng, parts, n, sizeof(*parts));
	for (size_t i = 0; i < n; i++)
		parts[i].number = (uint32_t)i;
}

int et_division_make(
	const struct et_division *d, struct et_part **out, size_t *n, struct et_error *err)
{
	uint32_t size = part_rounds(d);
	size_t nodes = d->per_machine ? et_strv_length(d->nodes) : 1;
	uint64_t per_node = size ? divide_up(d->rounds, size) : 0, all = per_node * nodes;
	size_t k = 0;

	if (!all)
		return et_refuse(err, NULL, "the plan has no runs, or no machine");
	if (all > ET_CAMPAIGN_MOST_PARTS)
		return et_fail_hint(err, E2BIG, ET_EXIT_USAGE, "use a larger --part-rounds",
			"the experiment has %llu parts of %u rounds; %d are possible",
			(unsigned long long)all, size, ET_CAMPAIGN_MOST_PARTS);
	struct et_part *parts = et_calloc(all, sizeof(*parts));
	for (size_t i = 0; i < nodes; i++) {
		for (uint32_t first = 1; first <= d->rounds; first += size, k++) {
			uint32_t left = d->rounds - first + 1;
			parts[k] = (struct et_part){ .node = d->per_machine ? et_strdup(d->nodes[i])
									    : NULL,
				.first_round = first,
				.rounds = left < size ? left : size };
		}
	}
	shuffle(parts, k, d->seed);
	*out = parts;
	*n = k;
	return 0;
}

/* --- what to do next --- */

/*
 * A scheduler may need a moment until it lists a job that it accepted, and may list the previous
 * one until then. A job that is really lost is worth a minute.
 */
static const uint64_t SETTLE_NS = UINT64_C(5000000000), LOST_NS = UINT64_C(30000000000);

/* Saying that the job was lost, with the exit status if there is one. */
static void describe_loss(const struct et_job_report *r, char *why, size_t size)
{
	if (r->state != ET_JOB_ENDED)
		snprintf(why, size, "its job disappeared");
	else if (r->why[0])
		snprintf(why, size, "its job ended without a result: %s", r->why);
	else
		snprintf(why, size, "its job ended without a result, with exit status %d",
			r->status);
}

static void lose(
	const struct et_part *p, const struct et_job_report *r, struct et_part_decision *out)
{
	/* The attempt whose job has ended: that of the report, unless a later one has begun. */
	uint32_t attempt = et_attempt_number(p->generation, r->restarts);
	out->attempt = attempt > p->attempt ? attempt : p->attempt;
	/* The attempt itself may have said why it failed; that counts, and is known already. */
	bool told = p->error && p->attempt == out->attempt && p->state == ET_PART_TODO;
	if (told)
		snprintf(out->why, sizeof(out->why), "%s", p->error);
	else
		describe_loss(r, out->why, sizeof(out->why));
	uint32_t failures = p->error && !strcmp(p->error, out->why) ? p->failures + !told : 1;
	out->action =
		failures >= ET_CAMPAIGN_MOST_FAILURES || (r->state == ET_JOB_ENDED && r->final)
			? ET_PART_GIVE_UP
			: ET_PART_RESUBMIT;
}

static void decide_part(const struct et_part *p, const struct et_job_report *r, uint64_t now_ns,
	struct et_campaign_decision *all, struct et_part_decision *out)
{
	uint64_t since_ns = now_ns > p->changed_wall_ns ? now_ns - p->changed_wall_ns : 0;
	/* A report about an earlier submission says nothing about the latest one. */
	bool old = r->generation && r->generation < p->generation;
	enum et_job_state state = old ? ET_JOB_UNKNOWN : r->state;

	if (p->state == ET_PART_DONE) {
		all->done++;
	} else if (p->state == ET_PART_FAILED) {
		all->failed++;
	} else if (!p->generation) {
		all->waiting++;
		out->action = ET_PART_SUBMIT;
	} else if (state == ET_JOB_RUNNING) {
		all->running++;
	} else if (state == ET_JOB_STUCK) {
		all->stuck++;
		snprintf(out->why, sizeof(out->why), "%s", r->why);
	} else {
		all->waiting++;
		if (since_ns >= (state == ET_JOB_ENDED ? SETTLE_NS : LOST_NS) &&
			state != ET_JOB_WAITING)
			lose(p, r, out);
	}
}

void et_campaign_decide(const struct et_campaign *c, const struct et_job_report *reports,
	uint64_t now_wall_ns, struct et_campaign_decision *out)
{
	*out = (struct et_campaign_decision){ .parts = et_calloc(c->n_parts, sizeof(*out->parts)) };
	for (size_t i = 0; i < c->n_parts; i++) {
		const struct et_part *p = &c->parts[i];
		uint32_t generation = p->generation, begun = p->attempt / et_attempt_number(1, 0);

		decide_part(p, &reports[i], now_wall_ns, out, &out->parts[i]);
		out->to_submit += out->parts[i].action == ET_PART_SUBMIT ||
				  out->parts[i].action == ET_PART_RESUBMIT;
		generation = generation > begun ? generation : begun;
		if (generation > out->generation)
			out->generation = generation;
	}
	out->generation++;
	out->finished = out->done + out->failed == c->n_parts;
}

void et_campaign_decision_free(struct et_campaign_decision *d)
{
	free(d->parts);
	*d = (struct et_campaign_decision){ 0 };
}
