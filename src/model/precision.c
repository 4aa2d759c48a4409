/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/precision.h"

const char *const et_version_names[ET_VERSIONS] = { "v1", "v2", "v3", "v4", "v5", "v6", "ours" };

const char *const et_version_rules[ET_VERSIONS] = {
	"every run",
	"no run beside a daemon, timer or clock synchroniser that 'env apply' would have stopped",
	"v2, and no run beside a process that is seen in fewer than half of the runs",
	"v2, and no run in which a daemon was above the mean + 2 sd of its own executions",
	("v2, and no run with a daemon above the cutoff that the dual-execution analysis of these "
	 "runs finds"),
	"v5, and CPU time within mean ± 2 sd of the rest",
	"what 'etalon run' keeps today",
};
