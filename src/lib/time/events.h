/* SPDX-License-Identifier: MIT */
/*
 * Counts events of the processor for this thread by perf_event_open(2): the cycles of the core that
 * belong to this thread alone, instructions, misses. The events are a group, so that the processor
 * counts them over the same time; if it has too few counters, the kernel counts them in turn, and
 * the counts are scaled up. Where the kernel allows it, they are read without a system call.
 */
#pragma once

#include "lib/bench/model.h"

#include <linux/perf_event.h>

enum { ET_EVENT_BLOCKS = 5 };

struct et_event_type {
	uint32_t type; /* PERF_TYPE_HARDWARE … */
	uint64_t config;
};

/* A counter as the kernel or its page shows it. */
struct et_event_reading {
	uint64_t count, enabled, running; /* times in ns */
};

struct et_pmu {
	int fd[ET_EVENTS];                            /* -1: cannot be counted */
	struct perf_event_mmap_page *page[ET_EVENTS]; /* NULL: read by a system call */
	int error;                                    /* errno of the first event; 0: counted */
	bool user_only;                               /* the kernel's part may not be counted */
	bool on;                                      /* between start and stop */
	struct et_event_reading at[ET_EVENTS];        /* the last start */
	double block[ET_EVENTS];                      /* of the current block */
	double cost[ET_EVENTS];                       /* of one start and stop */
	double blocks[ET_EVENTS][ET_EVENT_BLOCKS];    /* per call */
	size_t n_blocks;
};

/* The events of enum et_bench_event. */
extern const struct et_event_type et_event_types[ET_EVENTS];

/* Opens the events for this thread. Returns whether any can be counted; else `error` says why. */
bool et_pmu_open(const struct et_event_type *types, struct et_pmu *e);
/*
 * Begin and end counting. A block is the time from the first start to et_pmu_block; within it,
 * stop and start leave parts out. Their own cost is subtracted. Nothing here allocates.
 */
void et_pmu_start(struct et_pmu *e);
void et_pmu_stop(struct et_pmu *e);
/* Ends a block of this many calls. */
void et_pmu_block(struct et_pmu *e, double calls);
/* Closes the events. Each of out is the median of the blocks, per call; NaN: not counted. */
void et_pmu_close(struct et_pmu *e, double *out);

/* Why events cannot be counted; error is an errno of perf_event_open. In static memory. */
const char *et_pmu_why(int error);

/* Reads a counter from its page, see perf_event_open(2). False: the page does not allow it now. */
bool et_pmu_read_page(const volatile struct perf_event_mmap_page *page,
	uint64_t (*counter)(uint32_t index), uint64_t (*clock)(void), struct et_event_reading *out);
/* The count between two readings, scaled up if the counter was not always running. */
double et_pmu_between(const struct et_event_reading *from, const struct et_event_reading *to);
