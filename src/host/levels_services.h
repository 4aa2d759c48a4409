/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The factor `services` of designed experiments: which units its levels stop. Used by levels.c. */
#pragma once

#include "base/error.h"
#include "host/machine.h"
#include "model/experiment/environment.h"

/* The name of the factor in the journal. */
#define ET_SERVICES_FACTOR "services"

/*
 * Appends the changes that a level needs: none of "as-is", the units of "stop:UNIT,UNIT", or the
 * active units that a target does not want. 0, or -errno with err filled.
 */
int et_services_plan(const struct et_machine *m, const char *level, struct et_changes *out,
	struct et_error *err) ET_CHECK;
/* Whether a level may stop a unit of that name; a forged journal may have others. */
bool et_services_may_stop(const char *unit);
