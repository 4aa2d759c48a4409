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

uint32_t et_rounds_decide(const struct et_experiment *e, uint32_t only, uint32_t upto)
{
	const struct et_plan *p = &e->plan;
	uint64_t round_ns = usual_ns(e, only, upto);
	double commands = only == UINT32_MAX ? (double)e->n_commands : 1;
	double n = round_ns ? ceil(commands * (double)p->min_time_ns / (double)round_ns) : 0;

	if (n < p->min_runs)
		return p->min_runs;
	return n > p->max_runs ? p->max_runs : (uint32_t)n;
}
