/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "conduct/leftovers.h"
#include "base/alloc.h"
#include "base/display.h"
#include "draw/terminal.h"
#include "measure/child/cgroup.h"

static const char *plural(size_t n)
{
	return n == 1 ? "" : "es";
}

void et_leftovers_end(const struct et_cli *cli)
{
	struct et_sweep sweep = { 0 };

	et_cgroup_sweep_all("", &sweep);
	ET_AUTO_FREE char *names = et_clean(sweep.names, "");
	if (sweep.ended && cli->verbosity >= 0)
		et_say(stderr,
			"etalon: ended %zu process%s that an earlier, interrupted etalon left "
			"running%s%s\n",
			sweep.ended, plural(sweep.ended), *names ? ": " : "", names);
	if (sweep.left)
		et_say(stderr,
			"etalon: warning: %zu process%s that an earlier, interrupted etalon left "
			"running cannot be ended%s%s%s; they disturb what is measured now\n",
			sweep.left, plural(sweep.left), *names ? " (" : "", names,
			*names ? ")" : "");
}
