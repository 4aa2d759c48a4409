/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One perf event and its ring buffer: opening and mapping it, reading records that may wrap around
 * the end of the buffer, and noticing lost ones. The caller chooses the event (its attr) and knows
 * what the records mean; this file knows only their header and PERF_RECORD_LOST. See
 * perf_event_open(2), "MMAP layout".
 */
#pragma once

#include "base/base.h"

#include <linux/perf_event.h>

struct et_perf_ring {
	int fd;                            /* of the event */
	struct perf_event_mmap_page *page; /* the control page; the records follow at data_offset */
	size_t size;                       /* bytes for records, a power of two */
	bool was_full;                     /* at the last drain, which has reported the loss */
};

struct et_perf_reader {
	/*
	 * Called for each record but PERF_RECORD_LOST. size is that of the body, which is aligned
	 * to 8 bytes, valid during the call, and followed by a NUL byte.
	 */
	void (*record)(void *ctx, const struct perf_event_header *h, const char *body, size_t size);
	/*
	 * Called at the place where records were lost. n is their number, 0 while it is not known
	 * yet: the kernel reports a loss only with the next record that fits, so a ring without
	 * room is reported once at the end of a drain, and again, with `again` set, when the
	 * kernel's record of that loss arrives in a later one.
	 */
	void (*lost)(void *ctx, uint64_t n, bool again);
	void *ctx;
};

/*
 * Opens the event for a process and a CPU (as perf_event_open takes them), or with the flag
 * PERF_FLAG_PID_CGROUP for the tasks of a control group, by the descriptor of its folder. Maps a
 * ring of at least capacity_bytes, or a smaller one for users who may not lock so much memory.
 */
int et_perf_ring_open(const struct perf_event_attr *attr, int whose, int cpu, unsigned long flags,
	size_t capacity_bytes, struct et_perf_ring *out) ET_CHECK;
void et_perf_ring_close(struct et_perf_ring *r);
/*
 * Hands all records in the ring to the reader, in the order in which the kernel wrote them, and
 * frees their room. -EBADMSG if the bytes are not what the kernel writes: the rest was skipped.
 */
int et_perf_ring_drain(struct et_perf_ring *r, const struct et_perf_reader *reader) ET_CHECK;
