/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time the hypervisor took from our CPUs, from /proc/stat: whole clock ticks of 10 ms. */
#ifndef ET_MEASURE_STEAL_H
#define ET_MEASURE_STEAL_H

#include "base/attr.h"

#include <sched.h>
#include <stdbool.h>

struct et_stolen {
	uint64_t steal_ns; /* ET_UNKNOWN when not told */
	uint64_t busy_ns;  /* what the CPUs spent on all programs and interrupts */
};

struct et_steal {
	int fd;                   /* kept open; -1 when it cannot be told */
	bool physical;            /* no hypervisor: nothing can be stolen */
	char *buf;                /* text of the last reading */
	uint64_t read_ns;         /* CLOCK_MONOTONIC of it; 0: none yet */
	const cpu_set_t *counted; /* the set it was last summed for, and the sum */
	struct et_stolen sum;
};

/* root is that of /proc, see base/sysroot.h. */
void et_steal_open(struct et_steal *s, const char *root, bool virtual_machine);
void et_steal_close(struct et_steal *s);
/*
 * Stolen since boot on the CPUs of the set (NULL: all). The file changes once in 10 ms at most, so
 * a reading that is younger is used again.
 */
struct et_stolen et_steal_read(struct et_steal *s, const cpu_set_t *cpus);
/* The pure half: the same out of the text of /proc/stat. */
struct et_stolen et_steal_parse(const char *text, const cpu_set_t *cpus, long ticks_per_second);
/*
 * The share of a program that used cpu_ns between two readings: what was taken from the CPUs was
 * taken from whoever ran on them, in proportion. ET_UNKNOWN when not told.
 */
uint64_t et_steal_share_ns(struct et_stolen before, struct et_stolen after, uint64_t cpu_ns);

#endif
