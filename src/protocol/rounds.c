/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/rounds.h"
#include "base/alloc.h"
#include "base/u64.h"

#include <math.h>

/* Notes when each round began, from 1 to upto; 0 if it has no sample. */
static void find_starts(
	const struct et_experiment *e, uint32_t only, uint32_t upto, uint64_t *starts)
{
	for (uint32_t c = 0; c < e->n_commands; c++) {
		if (only != UINT32_MAX && only != c)
			continue;
		ET_AUTO_READER struct et_sample_reader r =
			et_samples_read_figures(&e->commands[c].samples);
		for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
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
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
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
