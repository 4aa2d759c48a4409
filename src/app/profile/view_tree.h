/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calling contexts of a profile with their means over the runs that count. */
#pragma once

#include "app/profile/view.h"

/* A node with the contexts below it. */
struct et_profile_box {
	double self;  /* mean samples per run of the context itself */
	double total; /* with the contexts that it called */
	double share; /* mean over the runs of total / all samples */
	double half;  /* expanded uncertainty of the share, of this box by itself; NaN: one run */
};

/*
 * Returns one box per node of the profile, by its number; the root has the sum. Takes memory for
 * the nodes, not for nodes times runs. The caller frees it.
 */
struct et_profile_box *et_profile_tree(
	const struct et_experiment *e, uint32_t command, double level);

/* Writes the functions of a context from the outermost in, joined by `join`, for a file. */
void et_profile_stack(const struct et_profile *p, uint32_t node, const char *join, FILE *out);
