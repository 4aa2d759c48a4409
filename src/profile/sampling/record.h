/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records of a profile: samples, and the side band about mappings, names, forks and exits. See
 * perf_event_open(2). Pointers in the results point into the body of the record.
 */
#pragma once

#include "profile/symbols/space.h"

#include <linux/perf_event.h>

/* The parts that the records of our events contain. */
#define ET_SIDE_TYPE ((uint64_t)(PERF_SAMPLE_TID | PERF_SAMPLE_TIME))
#define ET_SAMPLE_TYPE                                                                             \
	((uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME))

struct et_perf_sample {
	uint64_t id; /* of the event */
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time_ns;
	bool kernel;           /* the CPU was in the kernel */
	const uint64_t *chain; /* addresses and PERF_CONTEXT_… marks, innermost first */
	size_t n_chain;
	/* With PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER; NULL: a kernel thread. */
	const uint64_t *regs;
	size_t n_regs;
	const char *stack; /* a copy, from the stack pointer upwards */
	size_t stack_size;
};

/* Decodes a PERF_RECORD_SAMPLE of a sample_type and number of registers. False: it is damaged. */
bool et_perf_sample_read(uint64_t type, size_t n_regs, uint16_t misc, const char *body, size_t size,
	struct et_perf_sample *out) ET_CHECK;

struct et_perf_side {
	uint32_t type; /* PERF_RECORD_MMAP2, COMM, FORK or EXIT */
	uint32_t pid, tid, parent_pid, parent_tid;
	uint64_t time_ns;
	bool exec;                 /* of COMM: the process has called execve */
	struct et_mapping mapping; /* of MMAP2 */
};

/* The same for a side-band record with ET_SIDE_TYPE. False also for other records. */
bool et_perf_side_read(const struct perf_event_header *h, const char *body, size_t size,
	struct et_perf_side *out) ET_CHECK;

/* Returns the time of either kind of record; 0 if it is too short. */
uint64_t et_perf_record_time(uint32_t type, const char *body, size_t size);
