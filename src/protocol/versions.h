/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The versions of EMP as published (doc/emp.md), each judged by the runs of its own environment.
 * Version 4 is the runs of version 3, if the record says that the kernel is up to date. Elapsed
 * times are checked by elapsed time, CPU times by CPU time, as in the papers. A version that the
 * machine could not have is empty, with the reason. Versions 5 and 6 are then judged by the last
 * environment before it; if there is none, they are empty as well.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/precision.h"
#include "model/sample/daemon.h"

enum { ET_V6_LEAST = 10 }; /* the sample size that the papers recommend */

/* An experiment of `lab emp-versions`. Its commands are the tasks, which are the same in all. */
struct et_version_source {
	enum et_lab_env env;
	struct et_experiment *e; /* its rulings and its protocol are changed */
};

/*
 * cutoffs may be NULL: nothing was learned. why_not has the reason for an environment that was not
 * measured, or NULL. et_versions_free frees what out owns. ET_OURS_PACED is left empty.
 */
void et_versions_judge(const struct et_version_source *sources, size_t n,
	const struct et_cutoffs *cutoffs, const char *const why_not[ET_ENVS],
	struct et_versions *out);
