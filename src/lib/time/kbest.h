/* SPDX-License-Identifier: MIT */
/* K-best over a timebase: the part of etalon_kbest that does not depend on the machine. */
#pragma once

#include "lib/time/sampler.h"

/* Whether sz, given by a caller, cannot be the size of a struct that had `first` bytes at first. */
bool et_kbest_size_bad(size_t sz, size_t first);
/* Copies the options (NULL: none), adds defaults and checks them. Returns an etalon_status. */
int et_kbest_opts_complete(
	const struct etalon_kbest_opts *given, struct etalon_kbest_opts *out) ET_CHECK;
/*
 * Measures with a calibrated timebase. If its clock goes backwards, measures again with `other`,
 * which is calibrated too, or fails with ETALON_BAD_CLOCK if that is NULL. Fills out if it returns
 * ETALON_OK or ETALON_NOT_CONVERGED.
 */
int et_kbest_measure(struct et_timebase *t, struct et_timebase *other, void (*fn)(void *),
	void *arg, const struct etalon_kbest_opts *o, struct etalon_kbest_result *out) ET_CHECK;

/* --- inactive periods of a thread, by a clock that a test can replace --- */

struct et_inactive_clock {
	uint64_t (*read)(void *ctx); /* NULL: the counter */
	void *ctx;
	double hz;
};

/*
 * Reads the clock until duration_ns have passed or the list is full; threshold_ns 0: chosen. Does
 * not set out->clock. ETALON_OK, ETALON_NO_MEMORY, ETALON_BAD_CLOCK (it went backwards).
 */
int et_inactive_find(const struct et_inactive_clock *c, double threshold_ns, double duration_ns,
	struct etalon_period *list, size_t capacity, struct etalon_inactivity *out);
