/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The part of a treatment of a designed experiment that concerns the program that is started:
 * environment, CPUs, scheduling, addresses, memory. It is decided for every command before the
 * first run.
 */
#ifndef ET_MEASURE_TREATMENT_H
#define ET_MEASURE_TREATMENT_H

#include "base/error.h"
#include "model/design.h"

/*
 * Whether this machine can set a level of a factor whose scope is the child, or processes of ours.
 * root as in base/sysroot.h. 0, or -errno with err filled: it names the factor and the level.
 */
int et_treatment_check(const char *root, const struct et_design_factor *f, size_t level,
	struct et_error *err) ET_CHECK;

#endif
