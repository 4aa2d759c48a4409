/* SPDX-License-Identifier: MIT */
/* K-best over a timebase: the part of etalon_kbest that does not depend on the machine. */
#pragma once

#include "lib/time/sampler.h"

/* Whether sz, given by a caller, cannot be the size of a struct that had `first` bytes at first. */
bool et_kbest_size_bad(size_t sz, size_t first);
/*
 * Copies the caller's options, fills members that they lack with defaults, and checks them. given
 * may be NULL: all defaults. Returns an etalon_status.
 */
int et_kbest_opts_complete(
	const struct etalon_kbest_opts *given, struct etalon_kbest_opts *out) ET_CHECK;
/*
 * Measures with a calibrated timebase. If its clock goes backwards, measures again with `other`,
 * which is calibrated too, or fails with ETALON_BAD_CLOCK if that is NULL. Fills out if it returns
 * ETALON_OK or ETALON_NOT_CONVERGED.
 */
int et_kbest_measure(struct et_timebase *t, struct et_timebase *other, void (*fn)(void *),
	void *arg, const struct etalon_kbest_opts *o, struct etalon_kbest_result *out) ET_CHECK;
