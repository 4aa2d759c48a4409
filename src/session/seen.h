/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records in the store that this machine measures: what it is, and how its environment deviates. */
#pragma once

#include "store/core/store.h"

/* Once per session. e has the host, the machine and the environment. */
int et_session_record_machine(
	struct et_store *store, const struct et_experiment *e, struct et_error *err) ET_CHECK;
