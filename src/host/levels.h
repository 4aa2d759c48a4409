/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets the levels of a designed experiment's factors that belong to the machine: governor, turbo,
 * SMT, huge pages, services. Each change is in the journal before it is made, and is restored at
 * the end, or by the next etalon after a kill.
 */
#ifndef ET_HOST_LEVELS_H
#define ET_HOST_LEVELS_H

#include "host/environment.h"
#include "model/design.h"

/* Whether this machine can set a level; 0, or -errno with err filled. Changes nothing. */
int et_levels_check(const struct et_machine *m, const struct et_design_factor *f, size_t level,
	struct et_error *err) ET_CHECK;

#endif
