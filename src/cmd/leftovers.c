/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/leftovers.h"
#include "measure/cgroup.h"

static const char *plural(size_t n)
{
	return n == 1 ? "" : "es";
}

void et_leftovers_end(const struct et_cli *cli)
{
	struct et_sweep sweep = { 0 };

	et_cgroup_sweep_all("", &sweep);
	if (sweep.ended && cli->verbosity >= 0)
		fprintf(stderr,
			"etalon: ended %zu process%s that an interrupted etalon left running\n",
			sweep.ended, plural(sweep.ended));
	if (sweep.left)
		fprintf(stderr,
			"etalon: warning: %zu process%s that an interrupted etalon left running "
			"cannot be ended; they disturb what is measured now\n",
			sweep.left, plural(sweep.left));
}
