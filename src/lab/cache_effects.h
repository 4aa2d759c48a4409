/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows how the cache changes a time. Two procedures read memory and are called in a sequence: the
 * data of A fit into the first-level cache, those of B evict them from all levels but the last. The
 * first call of A takes longer than the second, and A after B longer than A after A, so a timing
 * must state which of them it means.
 */
#ifndef ET_LAB_CACHE_EFFECTS_H
#define ET_LAB_CACHE_EFFECTS_H

#include "base/error.h"
#include "lab/progress.h"
#include "model/experiment.h"

enum { ET_CACHE_EFFECTS_STEPS = 8, ET_CACHE_EFFECTS_KBESTS = 4 };

/* One thing that is timed. */
struct et_cache_effects_step {
	const char *name;  /* of its series in the experiment */
	char procedure;    /* 'A' or 'B' */
	const char *state; /* of the cache, in words */
};

/* The calls of the sequence. The last-level cache is cleared before the first. */
extern const struct et_cache_effects_step et_cache_effects_steps[ET_CACHE_EFFECTS_STEPS];
/* The measurements of A and B by libetalon, with a warm and with a cold cache. */
extern const struct et_cache_effects_step et_cache_effects_kbests[ET_CACHE_EFFECTS_KBESTS];

struct et_cache_effects_times {
	size_t n;
	double median_ns, min_ns, max_ns; /* NaN if n is 0 */
};

struct et_cache_effects {
	/* Sizes of the data and of the memory that clears the cache; NaN: unknown. */
	double a_bytes, b_bytes, cleared_bytes;
	struct et_cache_effects_times steps[ET_CACHE_EFFECTS_STEPS];
	/* libetalon's results and the half widths of their 95 % intervals; NaN: not measured. */
	double kbest_ns[ET_CACHE_EFFECTS_KBESTS], error_ns[ET_CACHE_EFFECTS_KBESTS];
};

struct et_cache_effects_options {
	uint32_t runs; /* how often the sequence is run */
	struct et_lab_progress progress;
};

/*
 * Measures in this thread, without binding it to a CPU. On success the caller frees *out, which
 * holds the finished part if progress.report has ended it early.
 */
int et_cache_effects_run(const struct et_cache_effects_options *o, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
/* Extracts the results from an experiment; -EINVAL if another experiment of lab has made it. */
int et_cache_effects_read(
	const struct et_experiment *e, struct et_cache_effects *out, struct et_error *err) ET_CHECK;

#endif
