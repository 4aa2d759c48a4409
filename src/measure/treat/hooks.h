/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hooks of a designed experiment: `setup` before the first run, `between` before each
 * treatment. */
#pragma once

#include "measure/child/hook.h"
#include "model/design/design.h"

struct et_design_hooks {
	bool begun;
	uint32_t treatment; /* the present one */
};

/*
 * Runs the hooks that are due before a run of a command, as h says. `between` finds the name of the
 * treatment in ETALON_TREATMENT. 0, -EINTR after a signal, or another -errno with err filled.
 */
int et_design_hooks_run(struct et_design_hooks *s, const struct et_hook *h,
	const struct et_design *d, uint32_t command, struct et_error *err) ET_CHECK;
