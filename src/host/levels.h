/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets the levels of a designed experiment's factors that belong to the machine: governor, turbo,
 * SMT, huge pages, services. Each change is in the journal before it is made, and is restored at
 * the end, or by the next etalon after a kill.
 */
#pragma once

#include "host/environment.h"
#include "model/design/design.h"

/* Whether this machine can set a level. Factors of another scope than ET_SCOPE_MACHINE pass. */
int et_levels_check(const struct et_machine *m, const struct et_design_factor *f, size_t level,
	struct et_error *err) ET_CHECK;

/* The name in the journal of the factor `services`, whose levels stop units. */
#define ET_SERVICES_FACTOR "services"
/* Whether a level may stop a unit of that name; a forged journal may have others. */
bool et_services_may_stop(const char *unit);

/* Whether the design has factors of the machine. */
bool et_levels_needed(const struct et_design *d);

struct et_levels;

/*
 * Decides what each level changes. The present values are the ones that the end of the session in
 * j restores. Everything passed must outlive *out.
 */
int et_levels_open(const struct et_machine *m, struct et_journal *j, const struct et_design *d,
	struct et_levels **out, struct et_error *err) ET_CHECK;
/* Whether the machine has another state than the treatment of a command wants. */
bool et_levels_differ(const struct et_levels *l, uint32_t command);
/* Brings the machine into the state of a command's treatment. */
int et_levels_set(struct et_levels *l, uint32_t command, struct et_error *err) ET_CHECK;
/* Frees it; et_environment_restore restores the machine. NULL is fine. */
void et_levels_close(struct et_levels *l);
