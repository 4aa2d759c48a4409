/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How an experiment of the lab reports its progress, and how its caller ends it early. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct et_lab_progress {
	/* Called after each repetition; false ends the experiment with what it has. May be NULL. */
	bool (*report)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
	/* Nonzero, perhaps by a signal handler: abandon the present repetition. May be NULL. */
	const volatile sig_atomic_t *cancelled;
};

typedef void et_lab_free(void *result); /* what a struct of results owns */

/* The settings that simulations have in common. */
struct et_simulation {
	uint64_t seed;
	uint32_t repetitions;
	size_t replicates; /* of the bootstrap */
	struct et_lab_progress progress;
};

static inline bool et_lab_report_progress(
	const struct et_lab_progress *p, uint64_t done, uint64_t total)
{
	return !p->report || p->report(p->ctx, done, total);
}
