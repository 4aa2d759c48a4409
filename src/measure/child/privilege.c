/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/privilege.h"

#include <unistd.h>

int et_hint_privilege(struct et_error *err, int rc, const char *capabilities, const char *otherwise)
{
	if (geteuid() != 0)
		return et_hint(err, rc, "run with sudo%s%s", otherwise ? ", or " : "",
			otherwise ? otherwise : "");
	if (!otherwise)
		return et_hint(
			err, rc, "grant %s to this container, or run outside of it", capabilities);
	return et_hint(err, rc, "grant %s to this container, run outside of it, or %s",
		capabilities, otherwise);
}
