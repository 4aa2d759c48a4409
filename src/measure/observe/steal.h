/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steal: time that the hypervisor took from our CPUs, in ticks of 10 ms from /proc/stat. */
#pragma once

#include "base/base.h"

#include <sched.h>

struct et_stolen {
	uint64_t steal_ns; /* ET_UNKNOWN if it cannot be read */
	uint64_t busy_ns;  /* CPU time of all programs and interrupts */
};

struct et_steal {
	int fd;                   /* of /proc/stat; -1: not readable, or not needed */
	bool physical;            /* there is no hypervisor, so steal is 0 */
	char *buf;                /* text of the last reading */
	uint64_t read_ns;         /* CLOCK_MONOTONIC then; 0: there is no reading */
	const cpu_set_t *counted; /* the CPU set that it was last summed for, and the sum */
	struct et_stolen sum;
};

/* root is that of /proc, see base/sysroot.h. */
void et_steal_open(struct et_steal *s, const char *root, bool virtual_machine);
void et_steal_close(struct et_steal *s);
/*
 * The steal since boot on the CPUs of the set (NULL: all). The file changes at most once in 10 ms,
 * so a younger reading is used again.
 */
struct et_stolen et_steal_read(struct et_steal *s, const cpu_set_t *cpus);
/* The pure half: the same from the text of /proc/stat. */
struct et_stolen et_steal_parse(const char *text, const cpu_set_t *cpus, long ticks_per_second);
/*
 * The steal of a program that used cpu_ns between two readings: each task on the CPUs bears steal
 * in proportion to its CPU time. ET_UNKNOWN if a reading is.
 */
uint64_t et_steal_share_ns(struct et_stolen before, struct et_stolen after, uint64_t cpu_ns);
