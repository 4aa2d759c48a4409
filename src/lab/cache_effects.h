/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows how the cache changes a time. Two procedures read memory and are called in a sequence: the
 * data of A fit into the first-level cache, those of B evict them from all levels but the last. A
 * first call takes another time than the second, and A after B another than A after A, so a timing
 * must state which of them it means.
 */
#ifndef ET_LAB_CACHE_EFFECTS_H
#define ET_LAB_CACHE_EFFECTS_H

#include "base/error.h"
#include "lab/progress.h"
#include "model/experiment.h"

enum { ET_CACHE_EFFECTS_STEPS = 8, ET_CACHE_EFFECTS_KBESTS = 4 };

/* A call of the sequence. The last-level cache is cleared before the first call. */
struct et_cache_effects_step {
	const char *name; /* of its series in the experiment */
	char procedure;   /* 'A' or 'B' */
	const char *state;
};

extern const struct et_cache_effects_step et_cache_effects_steps[ET_CACHE_EFFECTS_STEPS];
/* The measurements of A and B by libetalon, with a warm and with a cold cache. */
extern const struct et_cache_effects_step et_cache_effects_kbests[ET_CACHE_EFFECTS_KBESTS];

struct et_cache_effects_times {
	size_t n;
	double median_ns, min_ns, max_ns; /* NaN if n is 0 */
};

struct et_cache_effects {
	double a_bytes, b_bytes, cleared_bytes;
	struct et_cache_effects_times steps[ET_CACHE_EFFECTS_STEPS];
	/* libetalon's results and the half widths of their 95 % intervals; NaN: not measured */
	double kbest_ns[ET_CACHE_EFFECTS_KBESTS], error_ns[ET_CACHE_EFFECTS_KBESTS];
};

struct et_cache_effects_options {
	uint32_t runs; /* how often the sequence is run */
	struct et_lab_progress progress;
};

/* These work like et_kbest_accuracy_run and et_kbest_accuracy_read. */
int et_cache_effects_run(const struct et_cache_effects_options *o, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
int et_cache_effects_read(
	const struct et_experiment *e, struct et_cache_effects *out, struct et_error *err) ET_CHECK;

#endif
