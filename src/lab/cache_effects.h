/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the cache does to a time. Two procedures that read memory, called in a sequence: A's data
 * fit into the first cache, B's drive them out of all but the last. A first call is another thing
 * than the next, and A behind B another than A behind A: a timing must say which it means.
 */
#ifndef ET_LAB_CACHE_EFFECTS_H
#define ET_LAB_CACHE_EFFECTS_H

#include "base/error.h"
#include "lab/progress.h"
#include "model/experiment.h"

enum { ET_CACHE_EFFECTS_STEPS = 8, ET_CACHE_EFFECTS_KBESTS = 4 };

/* A call of the sequence, in order. The last-level cache is cleared before the first. */
struct et_cache_effects_step {
	const char *name; /* in the record */
	char procedure;   /* 'A' or 'B' */
	const char *state;
};

extern const struct et_cache_effects_step et_cache_effects_steps[ET_CACHE_EFFECTS_STEPS];
/* What libetalon says of A and B, with a warm and with a cold cache. */
extern const struct et_cache_effects_step et_cache_effects_kbests[ET_CACHE_EFFECTS_KBESTS];

struct et_cache_effects_times {
	size_t n;
	double median_ns, min_ns, max_ns; /* NaN without any */
};

struct et_cache_effects {
	double a_bytes, b_bytes, cleared_bytes;
	struct et_cache_effects_times steps[ET_CACHE_EFFECTS_STEPS];
	double kbest_ns[ET_CACHE_EFFECTS_KBESTS],
		error_ns[ET_CACHE_EFFECTS_KBESTS]; /* NaN: not measured */
};

struct et_cache_effects_options {
	uint32_t runs; /* of the sequence */
	struct et_lab_progress progress;
};

/* As et_kbest_accuracy_run and _read. */
int et_cache_effects_run(const struct et_cache_effects_options *o, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
int et_cache_effects_read(
	const struct et_experiment *e, struct et_cache_effects *out, struct et_error *err) ET_CHECK;

#endif
