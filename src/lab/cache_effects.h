/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows how the cache changes a time, by two procedures that do the same and have code of their
 * own. All caches are cleared before each sequence of calls.
 *
 * The first sequence is that of Figure 9.13 of Bryant & O'Hallaron: each call needs the code that
 * measures, the code of the procedure, and data, and which of them are in a cache differs. The
 * differences give the cost of each (practice problem 9.6). In the second sequence the data of A
 * fit into the first-level cache, and those of B evict them from all levels but the last.
 */
#pragma once

#include "lab/grid.h"

enum { ET_CACHE_EFFECTS_CALLS = 6, ET_CACHE_EFFECTS_STEPS = 8, ET_CACHE_EFFECTS_KBESTS = 5 };

/* One thing that is timed. */
struct et_cache_effects_step {
	const char *name;      /* of its series in the experiment */
	const char *procedure; /* "A" or "B" */
	const char *state;     /* of the cache, in words */
	const char *sum;       /* the parts of a call that are added up, such as "c+d" */
};

/* The measurements 1 to 6 of Figure 9.13; state is the argument: b1, b2 or b3. */
extern const struct et_cache_effects_step et_cache_effects_calls[ET_CACHE_EFFECTS_CALLS];
/* The calls of the second sequence. */
extern const struct et_cache_effects_step et_cache_effects_steps[ET_CACHE_EFFECTS_STEPS];
/* The measurements of A and B by libetalon; state is that of the cache. */
extern const struct et_cache_effects_step et_cache_effects_kbests[ET_CACHE_EFFECTS_KBESTS];

struct et_cache_effects_times {
	size_t n;
	double median_ns, min_ns, max_ns; /* NaN if n is 0 */
	const char *procedure, *state;    /* of the step that was timed */
};

/* Practice problem 9.6: a call without misses (c); misses of measuring (m), code (p), data (d). */
struct et_cache_effects_parts {
	double c_ns, m_ns, p_ns, d_ns;
};

struct et_cache_effects {
	/* Sizes of the data and of the memory that clears the cache; NaN: unknown. */
	double a_bytes, b_bytes, cleared_bytes;
	uint64_t clears, failures; /* failures: the probe found data in the cleared caches */
	struct et_cache_effects_times calls[ET_CACHE_EFFECTS_CALLS];
	struct et_cache_effects_parts parts; /* of the medians of the calls */
	struct et_cache_effects_times steps[ET_CACHE_EFFECTS_STEPS];
	/* libetalon's results and the half widths of their 95 % intervals; NaN: not known. */
	double kbest_ns[ET_CACHE_EFFECTS_KBESTS], error_ns[ET_CACHE_EFFECTS_KBESTS];
};

/* Solves the six equations of the calls; those of the same sum are averaged. */
struct et_cache_effects_parts et_cache_effects_solve(const double ns[ET_CACHE_EFFECTS_CALLS]);

/* Measures in this thread, not bound to a CPU. If progress ends it early, it adds what it has. */
int et_cache_effects_run(uint32_t runs, const struct et_lab_progress *progress,
	struct et_experiment *e, struct et_error *err) ET_CHECK;
et_lab_read et_cache_effects_read; /* fills a struct et_cache_effects */
