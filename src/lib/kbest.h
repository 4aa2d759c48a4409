/* SPDX-License-Identifier: GPL-3.0-or-later */
/* K-best over a timebase: what etalon_kbest does once it has one. */
#ifndef ET_LIB_KBEST_H
#define ET_LIB_KBEST_H

#include "lib/timebase.h"

#include <etalon/etalon.h>

/* Is sz no size of a struct whose first version had `first` bytes? It was never set, then. */
bool et_kbest_size_bad(size_t sz, size_t first);
/* Defaults for what sz leaves out, and a check of the rest: 0 or an etalon_status. */
int et_kbest_opts_complete(const struct etalon_kbest_opts *given, struct etalon_kbest_opts *out);
/*
 * Measures with a calibrated timebase. When its clock goes backwards, starts again with `other` (calibrated
 * too), or gives up with ETALON_BAD_CLOCK where there is none.
 */
int et_kbest_measure(struct et_timebase *t, struct et_timebase *other, void (*fn)(void *),
	void *arg, const struct etalon_kbest_opts *o, struct etalon_kbest_result *out);

#endif
