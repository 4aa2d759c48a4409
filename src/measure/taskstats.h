/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's exit records: one message for every task that ends anywhere on the machine, sent
 * over the TASKSTATS generic netlink family to listeners with CAP_NET_ADMIN.
 *
 * A record's CPU time misses the task's last stretch, up to a tick: it names who came and went,
 * it never gives the measured program's own process time.
 */
#ifndef ET_MEASURE_TASKSTATS_H
#define ET_MEASURE_TASKSTATS_H

#include "base/error.h"

#include <stdbool.h>

struct et_exit_record {
	int32_t pid;
	int32_t tgid; /* 0 when the kernel's version does not tell */
	int32_t ppid;
	char name[16];
	bool group; /* sums a whole threaded process (sent with its last thread) */
	uint64_t cpu_ns;
	uint64_t run_delay_ns;
	uint64_t block_delay_ns;
	uint64_t max_rss_bytes; /* of its address space */
};

/*
 * Decodes one netlink message (with its header, len bytes) and calls fn for each record in it.
 * Pure; hostile bytes give -EBADMSG, a message of another family 0 calls.
 */
int et_taskstats_decode(const void *message, size_t len, uint16_t family,
	void (*fn)(void *ctx, const struct et_exit_record *r), void *ctx) ET_CHECK;

struct et_taskstats; /* a registered listener */

/* -EPERM without CAP_NET_ADMIN, -ENOENT when the kernel has no taskstats. */
int et_taskstats_open(struct et_taskstats **out) ET_CHECK;
void et_taskstats_close(struct et_taskstats *t);
/*
 * Takes every record that has arrived. *lost is set when the kernel had to drop some since the
 * last call. fn may be NULL to throw them away.
 */
int et_taskstats_drain(struct et_taskstats *t,
	void (*fn)(void *ctx, const struct et_exit_record *r), void *ctx, bool *lost) ET_CHECK;
/* Another size for the socket's buffer, for tests of lost records. */
int et_taskstats_set_buffer(struct et_taskstats *t, int bytes) ET_CHECK;

#endif
