/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/privilege.h"

int et_hint_privilege(struct et_error *err, int rc, const char *capabilities, const char *otherwise)
{
	if (geteuid() != 0)
		return et_hint(err, rc, "run with sudo%s%s", otherwise ? ", or " : "",
			otherwise ? otherwise : "");
	return et_hint(err, rc, "grant %s to this container, %srun outside of it%s%s", capabilities,
		otherwise ? "" : "or ", otherwise ? ", or " : "", otherwise ? otherwise : "");
}
