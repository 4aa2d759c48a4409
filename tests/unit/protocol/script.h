/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drives experiments with scripted durations and a scripted clock; no process runs. */
#pragma once

#include "base/base.h"
#include "experiment_of.h"
#include "protocol/driver.h"
#include "sample_of.h"

#include <errno.h>
#include <math.h>

struct script {
	uint64_t now_ns;
	size_t runs, kept, setups, cleanups;
	size_t fail_at;      /* run number that fails with a program's exit status */
	size_t interrupt_at; /* run number that a signal interrupts */
	size_t slow_at;      /* run number that takes ten times as long */
	double noise;        /* relative, alternating */
	uint64_t cpu_ns[2];
	uint32_t orders[4096];
	bool overlapped, parallel;
	uint64_t hooks_ns;           /* time between runs */
	const char *waits;           /* a run per turn that counts: 'w' waits, others compute */
	char warmup_waits;           /* the same for the warm-up runs */
	struct et_experiment *ruled; /* the rules remove every second sample; NULL: no rules */
	size_t rule_calls;
	uint32_t most_rounds;
	double reached; /* the uncertainty that the caller knows falls with 1/runs; 0: it has none
			 */
	bool second_is_clear; /* its comparison is decided at the first look */
	enum et_kinds kinds;  /* what the caller knows of the second command */
	size_t kinds_asked;
};

static inline enum et_kinds kinds(void *ctx, const struct et_experiment *e, uint32_t command)
{
	struct script *s = ctx;

	(void)e;
	s->kinds_asked += command == 1;
	return s->kinds;
}

static inline double reached(void *ctx, const struct et_experiment *e, uint32_t command)
{
	const struct script *s = ctx;

	(void)e;
	return s->second_is_clear && command == 1 ? 0 : s->reached / (double)s->runs;
}

/* Rules on all samples anew, as the protocol's rules do. */
static inline int apply_rules(void *ctx, struct et_error *err)
{
	struct script *s = ctx;

	(void)err;
	s->rule_calls++;
	for (size_t i = 0; s->ruled && i < s->ruled->commands[0].samples.n; i++)
		sample_of(&s->ruled->commands[0], i)->ruling.removal.by =
			i % 2 ? ET_REMOVED_MACHINE_SLOW : ET_KEPT;
	return 0;
}

static inline uint64_t now(void *ctx)
{
	return ((struct script *)ctx)->now_ns;
}

static inline void fill(struct script *s, struct et_sample *out, uint32_t command)
{
	double sign = s->runs % 2 ? 1 : -1;

	memset(out, 0, sizeof(*out));
	out->measured.started_wall_ns = s->now_ns + 1;
	out->measured.cpu_ns = (uint64_t)((double)s->cpu_ns[command % 2] * (1 + sign * s->noise));
	out->measured.elapsed_ns = out->measured.cpu_ns + 1000;
	if (s->parallel)
		out->measured.elapsed_ns = out->measured.cpu_ns / 2;
	s->now_ns += out->measured.elapsed_ns + s->hooks_ns;
}

static inline int run(
	void *ctx, const struct et_request *q, struct et_sample out[2], struct et_error *err)
{
	struct script *s = ctx;

	(void)err;
	if (++s->runs == s->interrupt_at)
		return -EINTR;
	fill(s, &out[0], q->command);
	if (s->waits && (q->warmup ? s->warmup_waits : s->waits[q->iteration[0]]) == 'w') {
		out[0].measured.asleep_ns = out[0].measured.elapsed_ns;
		out[0].measured.elapsed_ns *= 2;
	}
	if (s->runs == s->slow_at)
		out[0].measured.cpu_ns = 10 * out[0].measured.cpu_ns;
	if (q->arrangement == ET_DUET) {
		fill(s, &out[1], q->partner);
		s->overlapped = q->overlap;
		if (!q->overlap)
			out[0].ruling.marks = out[1].ruling.marks = ET_MARK_NO_OVERLAP;
		s->parallel = s->parallel && q->parallel;
	}
	if (s->runs == s->fail_at)
		out[0].measured.exit_code = 3;
	return 0;
}

static inline int around(
	void *ctx, enum et_occasion occasion, uint32_t command, struct et_error *err)
{
	struct script *s = ctx;

	(void)command;
	(void)err;
	*(occasion == ET_BEFORE_ALL ? &s->setups : &s->cleanups) += 1;
	return 0;
}

static inline int keep(void *ctx, const struct et_sample *s, size_t n, struct et_error *err)
{
	struct script *script = ctx;

	(void)err;
	for (size_t i = 0; i < n; i++)
		script->orders[script->kept++] = s[i].place.order;
	return 0;
}

/* Notes what the progress line would show. */
static struct {
	size_t n;
	struct et_progress_note first, last, middle;
} told;

static inline void note(void *ctx, const struct et_progress_note *n)
{
	(void)ctx;
	if (!told.n++)
		told.first = *n;
	if (n->done == 5)
		told.middle = *n;
	told.last = *n;
}

static inline int drive(struct et_experiment *e, struct script *s, struct et_error *err)
{
	struct et_clock clock = { .now_ns = now, .wall_ns = now, .ctx = s };
	struct et_driver d = { .e = e,
		.executor = { .run = run, .around = around, .ctx = s },
		.clock = &clock,
		.most_rounds = s->most_rounds,
		.keep = keep,
		.apply_rules = apply_rules,
		.hooks = { .note = note,
			.reached = s->reached > 0 ? reached : NULL,
			.kinds = kinds,
			.ctx = s },
		.ctx = s };

	if (!s->cpu_ns[0])
		s->cpu_ns[0] = s->cpu_ns[1] = 30000000;
	return et_drive(&d, err);
}
