/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hint for an operation that the kernel refused for want of a capability. */
#pragma once

#include "base/error.h"

/*
 * Advises sudo. If we are root already, the capabilities are missing in this container: then it
 * advises to grant them. `otherwise` is a further way, or NULL. Returns rc, as et_hint does.
 */
int et_hint_privilege(
	struct et_error *err, int rc, const char *capabilities, const char *otherwise);
