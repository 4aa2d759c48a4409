/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of CPUs in which threads are placed: packages, cores, hyper-thread siblings. */
#pragma once

#include "base/base.h"

#include <sched.h>

enum et_placement {
	ET_PLACE_ANYWHERE, /* as the kernel likes */
	ET_PLACE_COMPACT,  /* fills a core, then the next of the package, then the next package */
	ET_PLACE_SCATTER,  /* goes round the packages, then their cores, then the siblings */
};

/*
 * Writes the CPUs of the set to out, which has room for CPU_SETSIZE, compactly or scattered.
 * Returns how many they are. A CPU whose topology cannot be read counts as a core of package 0.
 */
size_t et_topology_order(
	const char *root, const cpu_set_t *cpus, enum et_placement placement, int *out);
