/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/until.h"
#include "base/u64.h"
#include "num/mean_interval.h"
#include "num/student.h"
#include "protocol/driver.h"

bool et_until_due(const struct et_until *u, uint32_t runs)
{
	return runs >= u->next_look;
}

bool et_until_look(struct et_until *u, uint32_t runs, bool narrow)
{
	bool stop = narrow && u->once;

	u->once = narrow;
	u->next_look = runs + 1 + runs / 10;
	return stop;
}

bool et_decision_due(struct et_until *u, uint32_t rounds)
{
	enum { PART = 50 };

	if (rounds % 2 || rounds < u->next_look)
		return false;
	u->next_look = rounds + 1 + rounds / PART;
	return true;
}

uint32_t et_rounds_of_both(const struct et_experiment *e)
{
	uint64_t took_ns = 0;

	for (size_t c = 0; c < e->n_commands; c++) {
		et_for_each_sample(s, &e->commands[c].samples) {
			if (!s->place.warmup && s->place.round <= ET_KINDS_LEAST &&
				s->measured.elapsed_ns != ET_UNKNOWN)
				took_ns += s->measured.elapsed_ns;
		}
	}
	return took_ns > ET_KINDS_NS ? ET_KINDS_LEAST : ET_KINDS_ROUNDS;
}

/* In a duet the answer is the ratio, so --until is about the mean log ratio of the pairs. */
static double ratio_uncertainty(const struct et_experiment *e, uint32_t command)
{
	const struct et_command *c = &e->commands[command];
	const struct et_command *ref = &e->commands[e->plan.reference];
	ET_AUTO_READER struct et_sample_reader of_c = et_samples_read_figures(&c->samples);
	ET_AUTO_READER struct et_sample_reader of_ref = et_samples_read_figures(&ref->samples);
	ET_AUTO_FREE double *x = et_calloc(c->samples.n, sizeof(*x));
	const struct et_sample *s, *r = et_sample_reader_next(&of_ref);
	size_t n = 0;

	while ((s = et_sample_reader_next(&of_c))) {
		if (s->place.warmup || s->place.arrangement != ET_DUET ||
			s->ruling.removal.by != ET_KEPT)
			continue;
		while (r && r->place.order < s->place.order)
			r = et_sample_reader_next(&of_ref);
		if (r && r->place.order == s->place.order && r->ruling.removal.by == ET_KEPT &&
			et_sample_value(s, e->metric) > 0 && et_sample_value(r, e->metric) > 0)
			x[n++] = log(et_sample_value(s, e->metric) / et_sample_value(r, e->metric));
	}
	return et_mean_interval(x, n, e->plan.level).half;
}

double et_until_reached(const struct et_experiment *e, uint32_t command)
{
	size_t n;

	if (e->plan.order == ET_ORDER_DUET && e->n_commands > 1)
		return command == e->plan.reference ? 0 : ratio_uncertainty(e, command);
	ET_AUTO_FREE double *x = et_command_values(
		&e->commands[command], e->metric, e->plan.pace ? ET_PACED : ET_SOLO, &n);
	struct et_mean_interval kept = et_mean_interval(x, n, e->plan.level);
	double plain = kept.mean > 0 ? kept.half / kept.mean : NAN;
	size_t uncut_n;
	ET_AUTO_FREE double *uncut =
		et_command_values_uncut(&e->commands[command], e->metric, &uncut_n);
	if (!uncut || n < 2)
		return plain;
	/* See ET_REJECTION. */
	return fmax(plain, et_qt(0.5 + e->plan.level / 2, kept.df) * ET_REJECTION *
				   et_mean_interval(uncut, uncut_n, e->plan.level).u / kept.mean);
}

/* --- the automatic number of rounds --- */

/* Notes when each round began, from 1 to upto; 0 if it has no sample. */
static void find_starts(
	const struct et_experiment *e, uint32_t only, uint32_t upto, uint64_t *starts)
{
	for (uint32_t c = 0; c < e->n_commands; c++) {
		if (only != UINT32_MAX && only != c)
			continue;
		et_for_each_sample(s, &e->commands[c].samples) {
			uint32_t round = s->place.round;
			uint64_t at = s->measured.started_wall_ns;
			if (s->place.warmup || !round || round > upto)
				continue;
			if (!starts[round] || at < starts[round])
				starts[round] = at;
		}
	}
}

/*
 * The usual duration of a round: the median of the times between the beginnings of two rounds. An
 * interruption between two of them, or a clock that was set, does not move it. 0: not known.
 */
static uint64_t usual_ns(const struct et_experiment *e, uint32_t only, uint32_t upto)
{
	ET_AUTO_FREE uint64_t *starts = et_calloc((size_t)upto + 1, sizeof(*starts));
	ET_AUTO_FREE uint64_t *spans = et_calloc((size_t)upto + 1, sizeof(*spans));
	size_t n = 0;

	find_starts(e, only, upto, starts);
	for (uint32_t i = 1; i < upto; i++) {
		if (starts[i] && starts[i + 1] > starts[i])
			spans[n++] = starts[i + 1] - starts[i];
	}
	if (!n)
		return 0;
	qsort(spans, n, sizeof(*spans), et_ascending_u64);
	return spans[n / 2];
}

static bool has_hooks(const struct et_command *c)
{
	return c->prepare || c->conclude;
}

/* The duration of a command's first run that counts; 0: there is none. */
static uint64_t first_run_ns(const struct et_command *c)
{

	et_for_each_sample(s, &c->samples) {
		if (!s->place.warmup && s->ruling.removal.by != ET_REMOVED_FAILED &&
			s->measured.elapsed_ns != ET_UNKNOWN)
			return s->measured.elapsed_ns;
	}
	return 0;
}

/*
 * The same with its hooks. Their time is not recorded: one conclusion and one preparation are
 * between the beginnings of the first two runs.
 */
static uint64_t first_turn_ns(const struct et_experiment *e, uint32_t command, uint32_t upto)
{
	uint64_t run_ns = first_run_ns(&e->commands[command]), starts[3] = { 0 };

	if (upto < 2 || !has_hooks(&e->commands[command]))
		return run_ns;
	find_starts(e, command, 2, starts);
	bool known = starts[1] && starts[2] > starts[1] && starts[2] - starts[1] > run_ns;
	return known ? starts[2] - starts[1] : run_ns;
}

uint32_t et_rounds_until_decided(const struct et_experiment *e, uint32_t only)
{
	const struct et_plan *p = &e->plan;
	/* With one run only, the time of its hooks is not known. */
	bool two = only != UINT32_MAX && p->min_runs < 2 && p->max_runs > 1 &&
		   has_hooks(&e->commands[only]) &&
		   2 * first_run_ns(&e->commands[only]) <= p->min_time_ns;

	return two ? 2 : p->min_runs;
}

uint32_t et_rounds_decide(const struct et_experiment *e, uint32_t only, uint32_t upto)
{
	const struct et_plan *p = &e->plan;
	bool sequential = only != UINT32_MAX;
	uint64_t round_ns = sequential ? first_turn_ns(e, only, upto) : usual_ns(e, only, upto);
	double commands = sequential ? 1 : (double)e->n_commands;
	double n = round_ns ? commands * (double)p->min_time_ns / (double)round_ns : 0;

	n = sequential ? floor(n) : ceil(n);
	if (n < p->min_runs)
		return p->min_runs;
	return n > p->max_runs ? p->max_runs : (uint32_t)n;
}
