/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's exit records: one message for every task that ends anywhere on the machine, sent
 * over the TASKSTATS generic netlink family to listeners with CAP_NET_ADMIN.
 *
 * The CPU time in a record misses the task's last stretch, up to a tick. It serves to find other
 * processes that started and ended, and is never used for the CPU time of the measured program.
 */
#pragma once

#include "base/error.h"

struct et_exit_record {
	int32_t pid;
	int32_t tgid; /* 0 before version 12 of struct taskstats */
	int32_t ppid;
	char name[16];
	bool group; /* the sum over a process of several threads, sent with its last thread */
	uint64_t cpu_ns;
	uint64_t run_delay_ns;
	uint64_t block_delay_ns;
	uint64_t max_rss_bytes; /* of its address space */
};

typedef void et_exit_fn(void *ctx, const struct et_exit_record *r);

/*
 * Decodes one netlink message of len bytes and calls fn for each record in it. Pure. -EBADMSG if
 * it is malformed; a message of another family is ignored.
 */
int et_taskstats_decode(
	const void *message, size_t len, uint16_t family, et_exit_fn *fn, void *ctx) ET_CHECK;

struct et_taskstats; /* a registered listener */

/* -EPERM without CAP_NET_ADMIN, -ENOENT if the kernel has no taskstats. */
int et_taskstats_open(struct et_taskstats **out) ET_CHECK;
/* Whether this process may receive the records, so that short-lived processes are seen. */
bool et_taskstats_offered(void);
void et_taskstats_close(struct et_taskstats *t);
/*
 * Reads every record that has arrived and calls fn for each; NULL: drops them. *lost is set if the
 * kernel dropped records since the last call. 0 or -errno.
 */
int et_taskstats_drain(struct et_taskstats *t, et_exit_fn *fn, void *ctx, bool *lost) ET_CHECK;
/* Sets the size of the socket's buffer; tests make it small to lose records. */
int et_taskstats_set_buffer(struct et_taskstats *t, int bytes) ET_CHECK;
