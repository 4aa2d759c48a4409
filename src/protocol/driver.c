/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/driver.h"
#include "base/doubles.h"
#include "base/u64.h"
#include "model/experiment/advice.h"
#include "model/experiment/field.h"
#include "model/sample/metric_choice.h"
#include "num/kbest.h"
#include "num/rng.h"
#include "num/student.h"
#include "protocol/schedule.h"
#include "protocol/scouting.h"
#include "protocol/until.h"
#include "protocol/usual.h"

/* A command as its runs so far show it. */
struct known {
	struct et_usual usual;
	uint64_t last_elapsed_ns;       /* 0: it has not run yet */
	uint32_t warmups, counted;      /* runs so far */
	uint32_t done;                  /* turns so far: runs that count and did not fail */
	bool given_up;                  /* it failed, so it does not run again */
	struct et_welford cpu, elapsed; /* of its runs so far, for the progress line */
	enum { UNDECIDED, TOGETHER, IN_TURN } duet;
	enum { BOTH, DUETS, SOLOS } later; /* how it runs after the first rounds */
	bool decided;                      /* its comparison needs no more runs */
	bool apart; /* it shares files with the reference, so it never runs in a duet */
};

struct state {
	struct et_driver *d;
	struct et_experiment *e;
	uint64_t began_ns;
	uint64_t limit_ns; /* on the clock, from began_ns; 0: none */
	uint32_t order;    /* number of the last execution */
	uint64_t done;     /* turns of this session */
	/* For the progress line: where this session is, and its first round that was not done. */
	struct {
		uint32_t rounds, run;         /* rounds done, and those of this session */
		uint64_t began_ns;            /* the first round of this session */
		uint32_t per_round, in_round; /* turns, and those done */
		uint32_t commands_left;       /* in sequential order, after the present one */
	} at;
	uint32_t from, to; /* the commands that run now: all, or one in sequential order */
	uint32_t only;     /* that one, else UINT32_MAX */
	struct et_turn *turns;
	struct known *known; /* one per command */
	/* Turns that an earlier session finished, as keys of turn_key, ascending. */
	uint64_t *earlier;
	size_t n_earlier;
	uint32_t closed;       /* no run is added to the rounds up to this one */
	double reached;        /* the largest uncertainty at the last look of --until */
	struct et_until until; /* when --until or K-best is checked again */
	uint32_t rounds;       /* the number that was decided; 0: not yet */
	bool kbest;            /* sample until the fastest runs agree */
	bool no_duets;         /* the metric that decides is that of solo runs */
};

/* Samples whose program failed are taken again (this happens only without --ignore-failure). */
static bool counts_as_turn(const struct et_sample *s)
{
	return !s->place.warmup && s->ruling.removal.by != ET_REMOVED_FAILED;
}

static void learn(struct known *k, const struct et_sample *s)
{
	*(s->place.warmup ? &k->warmups : &k->counted) += 1;
	k->done += counts_as_turn(s);
	if (s->measured.elapsed_ns == ET_UNKNOWN) /* it could not be started */
		return;
	k->last_elapsed_ns = s->measured.elapsed_ns ? s->measured.elapsed_ns : 1;
	if (s->place.arrangement == ET_DUET)
		k->duet = s->ruling.marks & ET_MARK_NO_OVERLAP ? IN_TURN : TOGETHER;
	if (!s->place.warmup && s->place.arrangement != ET_DUET) {
		et_welford_add(&k->elapsed, (double)s->measured.elapsed_ns);
		if (s->measured.cpu_ns != ET_UNKNOWN)
			et_welford_add(&k->cpu, (double)s->measured.cpu_ns);
	}
	et_usual_learn(&k->usual, s);
}

/*
 * Decided once per command, so that all its pairs are of one kind. A time slice ends at a timer
 * tick at the earliest and lasts some milliseconds on large machines: shorter programs would not
 * alternate.
 */
static bool overlaps(const struct state *st, struct known *a, const struct known *b)
{
	uint64_t x = et_usual_cpu_ns(&a->usual), y = et_usual_cpu_ns(&b->usual),
		 longest = x > y ? x : y;

	if (a->duet == UNDECIDED)
		a->duet = longest && longest < et_slice_ns(&st->e->host) ? IN_TURN : TOGETHER;
	return a->duet == TOGETHER;
}

/*
 * The bytes that move the arguments of a run. Each run has its own stream of random numbers, so
 * that an experiment that was interrupted continues as it would have, in whatever order.
 */
static uint32_t draw_pad(const struct et_plan *p, uint32_t command, bool warmup, uint32_t iteration)
{
	const uint64_t other_than_order = 0x6c61796f7574; /* "layout" */
	struct et_rng rng;

	if (!p->randomise_layout)
		return 0;
	et_rng_seed(&rng, p->seed ^ other_than_order,
		((uint64_t)command << 33) | ((uint64_t)warmup << 32) | iteration);
	return (uint32_t)et_rng_below(&rng, ET_MOST_PAD + 1);
}

static struct et_request request_for(
	const struct state *st, const struct et_turn *turn, bool warmup)
{
	const struct known *first = &st->known[turn->command], *second = &st->known[turn->partner];
	uint32_t before = et_schedule_rounds_before(&st->e->plan);
	struct et_request q = { .arrangement = turn->arrangement,
		.command = turn->command,
		.partner = turn->partner,
		.warmup = warmup,
		.iteration = { warmup ? first->warmups : first->counted + before,
			second->counted + before },
		.swap = turn->swap,
		.most_ns = st->e->plan.time_limit_ns };
	for (size_t i = 0; i < ET_SLOTS; i++)
		q.pad_bytes[i] =
			draw_pad(&st->e->plan, i ? q.partner : q.command, warmup, q.iteration[i]);

	if (turn->arrangement == ET_DUET) {
		struct known *a = &st->known[turn->command], *b = &st->known[turn->partner];
		q.overlap = overlaps(st, a, b);
		q.parallel = a->usual.parallel || b->usual.parallel;
	}
	return q;
}

/* The expected duration of a turn, from earlier runs of its commands. */
static uint64_t expected_ns(const struct state *st, const struct et_turn *turn)
{
	uint32_t commands[] = { turn->command, turn->partner };
	uint64_t sum = 0;

	for (int i = 0; i < (turn->arrangement == ET_DUET ? 2 : 1); i++) {
		const struct et_command *c = &st->e->commands[commands[i]];
		const struct known *k = &st->known[commands[i]];
		if (c->prepare || c->conclude || !k->last_elapsed_ns)
			return UINT64_MAX;
		sum += k->last_elapsed_ns;
	}
	return sum;
}

static int settle(const struct state *st, uint64_t next_ns, struct et_error *err)
{
	return st->d->settle ? st->d->settle(st->d->ctx, next_ns, err) : 0;
}

/* --- one turn --- */

static bool failed(const struct state *st, const struct et_sample *s)
{
	return et_run_failed(st->e, s);
}

/* i is the number of the sample in its request. */
static int check_end(
	const struct state *st, const struct et_sample *s, size_t i, struct et_error *err)
{
	const struct et_command *c = &st->e->commands[s->place.command];
	const char *kind = s->place.warmup ? "warm-up run" : "run";
	uint32_t number = s->place.warmup ? s->place.position + 1 : s->place.round;

	if (!failed(st, s))
		return 0;
	if (s->measured.signal)
		et_fail(err, ECHILD, ET_EXIT_PROGRAM, "'%s' was ended by signal %d (%s) in %s %u",
			c->name, s->measured.signal, strsignal(s->measured.signal), kind, number);
	else
		et_fail(err, ECHILD, ET_EXIT_PROGRAM, "'%s' failed with exit status %d in %s %u",
			c->name, s->measured.exit_code, kind, number);
	if (st->d->executor.last_lines)
		et_quote(err, 0, st->d->executor.last_lines(st->d->executor.ctx, i));
	if (s->place.arrangement == ET_DUET && !(s->ruling.marks & ET_MARK_NO_OVERLAP))
		return et_hint(err, -ECHILD,
			"it ran together with its partner; if the two share files, ports or locks, "
			"use --order random, which runs them one at a time");
	if (st->e->design)
		return et_hint(err, -ECHILD,
			"add 'output: inherit' to the plan's 'run' to see its output, or "
			"'ignore-failure: true' to measure it anyway");
	if (st->e->child.ignore_codes && s->measured.exit_code)
		return et_hint(err, -ECHILD,
			"use --output inherit to see its output, or --ignore-failure=%s,%d to "
			"measure it anyway",
			st->e->child.ignore_codes, s->measured.exit_code);
	return et_hint(err, -ECHILD,
		"use --output inherit to see its output, or --ignore-failure to measure it anyway");
}

static void judge_alone(const struct state *st, struct et_sample *s)
{
	if (failed(st, s))
		s->ruling.removal.by = ET_REMOVED_FAILED;
	else if ((s->ruling.marks & ET_MARK_STOPPED) && !st->e->plan.keep_all)
		s->ruling.removal.by = ET_REMOVED_STOPPED;
}

static double uncertainty(const struct et_welford *r, double level)
{
	if (r->n < 2 || !(r->mean > 0))
		return NAN;
	return et_qt(0.5 + level / 2, r->n - 1) * sqrt(r->squares / (r->n - 1) / r->n) / r->mean;
}

/* The number of rounds that are to be expected, or 0. */
static uint32_t expected_rounds(const struct state *st, double reached, uint64_t now_ns)
{
	const struct et_plan *p = &st->e->plan;
	double commands = p->order == ET_ORDER_SEQUENTIAL ? 1 : (double)st->e->n_commands;
	double n;

	if (st->kbest || p->equal_ratio > 0)
		return 0;
	if (p->until_ratio > 0) {
		if (st->at.rounds < 5 || isnan(reached))
			return 0;
		/* Student's quantile shrinks towards the normal one with the number of runs. */
		double now = et_qt(0.5 + p->level / 2, st->at.rounds - 1),
		       then = et_qt(0.5 + p->level / 2, 1e6);
		n = ceil(st->at.rounds * pow(reached * then / now / p->until_ratio, 2));
	} else if (p->runs || st->rounds) {
		return p->runs ? p->runs : st->rounds;
	} else {
		if (!st->at.run || now_ns <= st->at.began_ns)
			return 0;
		n = ceil((double)p->min_time_ns * commands * st->at.run /
			 (double)(now_ns - st->at.began_ns));
	}
	n = fmax(n, fmax(p->min_runs, st->at.rounds));
	return n > p->max_runs ? p->max_runs : (uint32_t)n;
}

/* A turn of a round is done. */
static void advance(struct state *st, uint32_t round)
{
	if (++st->at.in_round < st->at.per_round)
		return;
	st->at.rounds = round - et_schedule_rounds_before(&st->e->plan);
	st->at.in_round = 0;
}

static void tell(const struct state *st, uint32_t command)
{
	const struct known *k = &st->known[command];
	const struct et_welford *r =
		st->e->metric == ET_METRIC_CPU && k->cpu.n > 0 ? &k->cpu : &k->elapsed;
	uint64_t now_ns = st->d->clock->now_ns(st->d->clock->ctx);
	struct et_progress_note note = { .done = st->at.rounds,
		.turns = st->done,
		.elapsed_ns = now_ns - st->began_ns,
		.command = &st->e->commands[command],
		.mean_ns = r->n > 0 ? r->mean : NAN,
		.uncertainty = uncertainty(r, st->e->plan.level),
		.reached = st->reached };

	if (!st->d->hooks.note)
		return;
	note.total =
		expected_rounds(st, st->d->hooks.reached ? st->reached : note.uncertainty, now_ns);
	if (note.total > 0 && note.total >= note.done && st->at.per_round) {
		uint64_t rounds =
			note.total - note.done + (uint64_t)st->at.commands_left * note.total;
		note.all_turns = st->done + rounds * st->at.per_round - st->at.in_round;
	}
	st->d->hooks.note(st->d->hooks.ctx, &note);
}

/* Whether the experiment continues with its other commands after this failure of one. */
static bool continues(const struct state *st, int rc, const struct et_error *err)
{
	if (!st->d->hooks.failed || !st->e->design || rc == -EINTR || rc == -ETIME)
		return false;
	return rc && (err->exit == ET_EXIT_PROGRAM || err->exit == ET_EXIT_USAGE);
}

static void give_up(struct state *st, uint32_t command, struct et_error *err)
{
	st->known[command].given_up = true;
	st->d->failures++;
	st->d->hooks.failed(st->d->hooks.ctx, command, err);
	*err = (struct et_error){ 0 };
}

/* Fills the place of the i-th sample of a request; the executor only measures. */
static struct et_place place_of(const struct et_request *q, size_t i)
{
	uint32_t commands[] = { q->command, q->partner };

	return (struct et_place){ .command = commands[i],
		.partner = q->arrangement == ET_DUET ? (int32_t)commands[!i] : -1,
		.arrangement = q->arrangement,
		.warmup = q->warmup };
}

static int record_files(const struct state *st, uint32_t command, struct et_error *err)
{
	return st->d->scouted ? st->d->scouted(st->d->ctx, command, err) : 0;
}

/* Commands that share files with the reference run one at a time, from the first round on. */
static int keep_apart(struct state *st, struct et_error *err)
{
	for (uint32_t c = 0; c < st->e->n_commands; c++) {
		int shares = et_scouting_shares(st->e, c, err);
		if (shares < 0)
			return shares;
		st->known[c].apart = shares;
		if (!shares)
			continue;
		st->known[c].later = SOLOS;
		/* The record must have the name, or a session that resumes would not know it. */
		int rc = record_files(st, st->e->plan.reference, err);
		rc = rc ? rc : record_files(st, c, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* Makes the run, and finds out which files its command uses if that is not known yet. */
static int execute(
	struct state *st, struct et_request *q, struct et_sample *samples, struct et_error *err)
{
	struct et_driver *d = st->d;

	if (q->warmup && et_scouting_wanted(d, q->command))
		return et_scouting_run(d, q, samples, err);
	return d->executor.run(d->executor.ctx, q, samples, err);
}

static int take_turn(struct state *st, const struct et_turn *turn, uint32_t round,
	uint32_t position, bool warmup, struct et_error *err)
{
	struct et_sample samples[2];
	struct et_request q = request_for(st, turn, warmup);
	size_t n = turn->arrangement == ET_DUET ? 2 : 1;

	int rc = settle(st, expected_ns(st, turn), err);
	if (rc)
		return rc;
	rc = execute(st, &q, samples, err);
	bool unstarted = continues(st, rc, err);
	if (rc && !unstarted)
		return rc;
	if (unstarted) {
		/* Its status is that of a shell, sh(1). */
		samples[0] = (struct et_sample){ 0 };
		et_fields_set_missing(et_sample_fields, &samples[0]);
		samples[0].measured.exit_code = 127;
		give_up(st, q.command, err);
	}
	st->order++;
	st->done++;
	if (!warmup) {
		uint32_t rounds = st->at.rounds;
		advance(st, round);
		st->at.run += st->at.rounds != rounds;
	}
	for (size_t i = 0; i < n; i++) {
		samples[i].place = place_of(&q, i);
		samples[i].place.order = st->order;
		samples[i].place.round = round;
		samples[i].place.position = position;
		judge_alone(st, &samples[i]);
		struct et_sample *kept = et_experiment_add(st->e, &samples[i]);
		samples[i].place.index = kept->place.index;
		learn(&st->known[kept->place.command], kept);
	}
	rc = st->d->keep(st->d->ctx, samples, n, err);
	for (size_t i = 0; rc == 0 && !unstarted && i < n; i++)
		rc = check_end(st, &samples[i], i, err);
	if (rc == -ECHILD && continues(st, rc, err)) {
		give_up(st, q.command, err);
		rc = 0;
	}
	if (rc == 0)
		tell(st, q.command);
	for (size_t i = 0; i < n; i++)
		et_sample_free(&samples[i]);
	return rc;
}

/* --- rounds and when to stop --- */

static bool out_of_time(const struct state *st)
{
	return st->limit_ns &&
	       st->d->clock->now_ns(st->d->clock->ctx) - st->began_ns >= st->limit_ns;
}

static uint64_t turn_key(uint32_t round, uint32_t position)
{
	return (uint64_t)round << 32 | position;
}

/* A turn that is left out keeps its place in the schedule: a resumed experiment counts the same. */
static bool is_left_out(const struct state *st, const struct et_turn *turn)
{
	const struct known *k = &st->known[turn->command];
	bool duet = turn->arrangement == ET_DUET;

	return (st->no_duets && duet) || k->given_up || k->decided ||
	       k->later == (duet ? SOLOS : DUETS);
}

static int run_round(struct state *st, uint32_t round, struct et_error *err)
{
	size_t n = et_schedule_round(&st->e->plan, st->e->n_commands, round, st->only, st->turns);

	st->at.per_round = st->at.in_round = 0;
	for (uint32_t i = 0; i < n; i++)
		st->at.per_round += !is_left_out(st, &st->turns[i]);
	for (uint32_t i = 0; i < n; i++) {
		/* In sequential order each command has its own rounds; its number is the key. */
		uint32_t position = st->only == UINT32_MAX ? i : st->only;
		uint64_t key = turn_key(round, position);
		if (is_left_out(st, &st->turns[i]))
			continue;
		/*
		 * A turn that an earlier session has finished is not run again. Nor is any other of
		 * its rounds, if pairs are sampled until they are decided: a run of that session
		 * and one of this are no pair.
		 */
		if (round <= st->closed) {
			advance(st, round);
			continue;
		}
		if (st->n_earlier &&
			bsearch(&key, st->earlier, st->n_earlier, sizeof(key), et_ascending_u64)) {
			advance(st, round);
			continue;
		}
		if (out_of_time(st))
			return 0;
		int rc = take_turn(st, &st->turns[i], round, position, false, err);
		if (rc)
			return rc;
	}
	return 0;
}

static bool fastest_agree(const struct et_experiment *e, uint32_t command)
{
	struct et_kbest_set set;
	size_t n;
	double *less;
	ET_AUTO_FREE double *x =
		et_command_values_less_interrupts(&e->commands[command], e->metric, &less, &n);

	free(less);
	et_kbest_set_init(&set, e->plan.k);
	for (size_t i = 0; i < n; i++)
		et_kbest_set_add(&set, x[i], 0);
	return et_kbest_converged(&set, e->plan.epsilon);
}

static bool satisfied(struct state *st, uint32_t command)
{
	const struct et_hooks *h = &st->d->hooks;
	const struct et_plan *p = &st->e->plan;

	if (st->kbest)
		return fastest_agree(st->e, command);
	st->reached =
		h->reached ? h->reached(h->ctx, st->e, command) : et_until_reached(st->e, command);
	return st->reached <= fmax(p->until_ratio, p->equal_ratio); /* false for NaN */
}

/*
 * Returns 1 if the answer, without removed samples, is precise enough, 0 if not, or -errno. A
 * command whose comparison is decided runs no more; the reference runs as long as another does.
 */
static int look(struct state *st, struct et_error *err)
{
	const struct et_plan *p = &st->e->plan;
	int rc = st->d->apply_rules && !st->kbest ? st->d->apply_rules(st->d->ctx, err) : 0;
	bool all = true;

	for (uint32_t c = st->from; rc == 0 && c < st->to; c++) {
		bool enough = satisfied(st, c) || st->known[c].decided;
		if (!enough && !(p->equal_ratio > 0))
			return 0;
		st->known[c].decided = enough && p->equal_ratio > 0 && c != p->reference;
		all = all && enough;
	}
	return rc ? rc : all;
}

static bool count_reached(struct state *st, uint32_t rounds_done)
{
	const struct et_plan *p = &st->e->plan;

	if (p->runs)
		return rounds_done >= p->runs;
	uint32_t enough = et_rounds_until_decided(st->e, st->only);
	if (rounds_done < enough)
		return false;
	if (!st->rounds)
		st->rounds = et_rounds_decide(st->e, st->only, enough);
	return rounds_done >= st->rounds;
}

/* A comparison that is not decided by then stays open. */
static bool over_budget(const struct state *st)
{
	uint64_t budget_ns = st->e->plan.min_time_ns * st->e->n_commands;

	return budget_ns && st->d->clock->now_ns(st->d->clock->ctx) - st->began_ns >= budget_ns;
}

/* Looks whether the comparisons are decided. Returns what another_round does. */
static int another_to_decide(struct state *st, uint32_t rounds_done, struct et_error *err)
{
	if (over_budget(st))
		return 0;
	if (!et_decision_due(&st->until, rounds_done))
		return 1;
	int sure = look(st, err);
	return sure < 0 ? sure : !sure;
}

/* Returns 1 if another round is needed, 0 if not, or -errno. */
static int another_round(struct state *st, uint32_t rounds_done, struct et_error *err)
{
	const struct et_plan *p = &st->e->plan;

	if (out_of_time(st))
		return 0;
	if (!st->kbest && p->until_ratio == 0 && p->equal_ratio == 0)
		return !count_reached(st, rounds_done);
	if (rounds_done < (st->kbest ? p->k : p->min_runs))
		return 1;
	if (rounds_done >= p->max_runs)
		return 0;
	if (p->equal_ratio > 0)
		return another_to_decide(st, rounds_done, err);
	if (!et_until_due(&st->until, rounds_done))
		return 1;
	int sure = look(st, err);
	if (sure < 0)
		return sure;
	/* Runs that are the fastest so far need no second look: more of them do not undo it. */
	bool stop = et_until_look(&st->until, rounds_done, sure);
	return !(st->kbest ? sure : stop);
}

/* The execution with which a round began; UINT32_MAX if none of its runs is recorded. */
static uint32_t first_order(const struct state *st, uint32_t round)
{
	uint32_t first = UINT32_MAX;

	for (uint32_t c = st->from; c < st->to; c++) {
		et_for_each_sample(s, &st->e->commands[c].samples) {
			if (!s->place.warmup && s->place.round == round && s->place.order < first)
				first = s->place.order;
		}
	}
	return first;
}

/*
 * --metric auto decides by the runs so far; the first rounds settle it. In a round that an earlier
 * session began, the runs that were known then decide, not those that came after it, nor the
 * warm-up of this session. Otherwise a resumed experiment would have duets in rounds that were
 * finished without them.
 */
static void choose_metric(struct state *st, uint32_t rounds_done)
{
	uint32_t round = et_schedule_rounds_before(&st->e->plan) + rounds_done + 1;

	if (rounds_done > ET_USUAL_FIRST)
		return;
	st->e->metric = et_metric_choose_before(st->e, first_order(st, round)).metric;
	/* A partner changes elapsed time, and company makes no metric but CPU time more precise. */
	st->no_duets = st->e->metric != ET_METRIC_CPU && st->e->plan.order == ET_ORDER_AUTO;
}

/* How a command ran after the first rounds in an earlier session. */
static int later_so_far(const struct et_command *c, uint32_t first)
{
	et_for_each_sample(s, &c->samples) {
		if (!s->place.warmup && s->place.round > first)
			return s->place.arrangement == ET_DUET ? DUETS : SOLOS;
	}
	return BOTH;
}

/* Leaves out runs that the decision does not need; a later session makes the same choice. */
static void choose_turns(struct state *st, uint32_t rounds_done)
{
	const struct et_plan *p = &st->e->plan;
	struct known *reference = &st->known[p->reference];
	const struct et_hooks *h = &st->d->hooks;
	bool alone = false;

	if (!(p->equal_ratio > 0) || p->order != ET_ORDER_AUTO || st->no_duets || !h->kinds ||
		(rounds_done != ET_KINDS_ROUNDS && rounds_done != ET_KINDS_LEAST) ||
		rounds_done != et_rounds_of_both(st->e))
		return;
	for (uint32_t c = 0; c < st->e->n_commands; c++) {
		struct known *k = &st->known[c];
		if (c == p->reference)
			continue;
		k->later = k->apart ? SOLOS : later_so_far(&st->e->commands[c], rounds_done);
		if (k->later == BOTH)
			k->later = h->kinds(h->ctx, st->e, c) == ET_KINDS_DIFFERENT ? SOLOS : DUETS;
		alone = alone || k->later == SOLOS;
	}
	reference->later = alone ? SOLOS : DUETS;
}

/* --protocol auto decides by the warm-up runs. */
static void choose_protocol(struct state *st)
{
	const struct et_plan *p = &st->e->plan;

	st->kbest = et_protocol_choose(st->e).protocol == ET_PROTOCOL_KBEST && p->k >= 1 &&
		    p->k <= ET_KBEST_MOST;
	choose_metric(st, 0);
}

static int run_rounds(struct state *st, struct et_error *err)
{
	int rc = 0, more = 0;

	st->until = (struct et_until){ 0 };
	st->rounds = 0;
	for (uint32_t round = 1; rc == 0; round++) {
		choose_metric(st, round - 1);
		choose_turns(st, round - 1);
		more = another_round(st, round - 1, err);
		if (more <= 0)
			return more;
		if (st->d->most_rounds && st->at.run >= st->d->most_rounds)
			return -EAGAIN;
		if (!st->at.run)
			st->at.began_ns = st->d->clock->now_ns(st->d->clock->ctx);
		rc = run_round(st, et_schedule_rounds_before(&st->e->plan) + round, err);
	}
	return rc;
}

/* Whether a command of a designed experiment has all its runs from earlier sessions. */
static bool is_complete(const struct state *st, uint32_t command)
{
	const struct et_plan *p = &st->e->plan;

	return st->e->design && p->runs && st->known[command].done >= p->runs;
}

static int warm_up_once(struct state *st, uint32_t position, bool if_unclear, struct et_error *err)
{
	int rc = 0;

	for (uint32_t c = st->from; rc == 0 && c < st->to; c++) {
		struct et_turn turn = { .arrangement = ET_SOLO, .command = c };
		if (is_complete(st, c) || st->known[c].given_up ||
			(if_unclear && !et_usual_is_unclear(&st->known[c].usual, &st->e->host)))
			continue;
		if (out_of_time(st))
			return 0;
		rc = take_turn(st, &turn, 0, position, true, err);
	}
	return rc;
}

/*
 * Warm-up: solo runs of each command, as many as the plan asks for. A resumed experiment warms up
 * again, because the machine is cold. Duets need one solo run of each command in any case, to know
 * whether the two can overlap and on how many CPUs; so does --protocol auto.
 */
static int warm_up(struct state *st, struct et_error *err)
{
	enum et_order order = st->e->plan.order;
	bool duets = st->e->n_commands > 1 && (order == ET_ORDER_AUTO || order == ET_ORDER_DUET);
	bool undecided = st->e->protocol == ET_PROTOCOL_AUTO;
	uint32_t times = st->e->plan.warmup;

	if (!times &&
		(((duets || undecided) && !st->n_earlier) || (duets && et_scouting_lacks(st->d))))
		times = 1;
	/* The last round is for those of which duets need to know more. */
	for (uint32_t w = 0; w < times + duets; w++) {
		int rc = warm_up_once(st, w, w == times, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* Runs the present commands: setup, warm-up, rounds, cleanup. */
static int run_group(struct state *st, struct et_error *err)
{
	const struct et_executor *x = &st->d->executor;
	int rc = 0;

	memset(&st->at, 0, sizeof(st->at));
	st->at.commands_left = (uint32_t)st->e->n_commands - st->to;
	tell(st, st->from);
	rc = settle(st, UINT64_MAX, err);
	for (uint32_t c = st->from; rc == 0 && c < st->to; c++)
		rc = x->around(x->ctx, ET_BEFORE_ALL, c, err);
	if (rc == 0)
		rc = warm_up(st, err);
	if (rc == 0 && st->only == UINT32_MAX)
		rc = keep_apart(st, err);
	choose_protocol(st);
	if (rc == 0)
		rc = run_rounds(st, err);
	int end = settle(st, UINT64_MAX, rc ? NULL : err);
	/* Clean up after a failure, too; the first error is the one that is reported. */
	for (uint32_t c = st->from; c < st->to; c++) {
		rc = rc ? rc : end;
		end = x->around(x->ctx, ET_AFTER_ALL, c, rc ? NULL : err);
	}
	return rc ? rc : end;
}

/* Continues the counts of an earlier session. */
static void take_stock(struct state *st)
{
	size_t room = 0;

	for (size_t c = 0; c < st->e->n_commands; c++) {
		et_for_each_sample(s, &st->e->commands[c].samples) {
			learn(&st->known[c], s);
			st->order = s->place.order > st->order ? s->place.order : st->order;
			if (!counts_as_turn(s))
				continue;
			ET_GROW(st->earlier, st->n_earlier, room);
			st->earlier[st->n_earlier++] = turn_key(s->place.round, s->place.position);
		}
	}
	if (st->n_earlier)
		qsort(st->earlier, st->n_earlier, sizeof(*st->earlier), et_ascending_u64);
	if (!st->n_earlier || !(st->e->plan.equal_ratio > 0))
		return;
	/* Before the first look no command is left out: only the round that was cut has gaps. */
	uint32_t last = (uint32_t)(st->earlier[st->n_earlier - 1] >> 32);
	st->closed = last < st->e->plan.min_runs ? last - 1 : last;
}

static int run_in_sequence(struct state *st, struct et_error *err)
{
	struct et_driver *d = st->d;
	uint64_t share = st->e->plan.time_limit_ns / st->e->n_commands;
	int rc = 0;

	for (uint32_t c = 0; rc == 0 && c < st->e->n_commands; c++) {
		if (is_complete(st, c))
			continue;
		if (st->e->design && d->hooks.before_command)
			rc = d->hooks.before_command(d->hooks.ctx, c, err);
		st->from = st->only = c;
		st->to = c + 1;
		/* Each command has its share of the time and what earlier ones left. */
		st->limit_ns = share * (c + 1);
		if (rc == 0)
			rc = run_group(st, err);
	}
	return rc;
}

int et_drive(struct et_driver *d, struct et_error *err)
{
	struct state st = { .d = d,
		.e = d->e,
		.began_ns = d->clock->now_ns(d->clock->ctx),
		.to = (uint32_t)d->e->n_commands,
		.only = UINT32_MAX,
		.reached = NAN };

	st.turns = et_calloc(et_schedule_size(d->e->n_commands), sizeof(*st.turns));
	st.known = et_calloc(d->e->n_commands, sizeof(*st.known));
	take_stock(&st);
	choose_protocol(&st);
	st.limit_ns = d->e->plan.time_limit_ns;
	int rc = d->e->plan.order == ET_ORDER_SEQUENTIAL ? run_in_sequence(&st, err)
							 : run_group(&st, err);
	free(st.turns);
	free(st.known);
	free(st.earlier);
	return rc;
}
