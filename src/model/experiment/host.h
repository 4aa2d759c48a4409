/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The properties of a machine that matter to a timing. */
#pragma once

#include "base/attr.h"

#include <stdbool.h>

struct et_host {
	char name[65];
	char kernel[130];         /* release, e.g. 6.1.0-18-amd64 */
	char architecture[65];    /* x86_64 */
	char cpu[128];            /* model name */
	uint32_t cpus;            /* online */
	char virtual_machine[32]; /* "kvm", "none", "unknown" … */
	char clocksource[32];
	char governor[32]; /* frequency governor of the CPUs; "" if there is none */
	uint64_t tick_ns;
	uint64_t memory_bytes;
	bool block_delays; /* kernel.task_delayacct: the kernel reports waiting for block I/O */
};

/*
 * A factor of the environment, and whether it is as a measurement needs it. If wanted is
 * ET_FACTOR_UNCHANGED, the state is a change of the factor while the programs ran.
 */
#define ET_FACTOR_UNCHANGED "no change during the runs"
struct et_factor {
	char *factor;
	char *state;
	char *wanted;
	bool ok;
};
