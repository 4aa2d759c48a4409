/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Restores the environment if memory runs out while it is changed. A signal that can be caught
 * needs no rescue: etalon ends in the normal way and restores. After SIGKILL, the next etalon
 * restores.
 */
#pragma once

#include "host/environment.h"

/*
 * From now on the changes of a session in j (see et_environment_restore) are restored if memory
 * runs out. m and j must stay valid until et_rescue_end. A further call replaces the session.
 */
void et_rescue_begin(const struct et_machine *m, struct et_journal *j, int64_t session);
/* Must be called before j is closed. */
void et_rescue_end(void);
