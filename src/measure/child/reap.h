/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end of a program: waiting for it, reading what /proc holds about it until it is reaped, and
 * ending the processes that it left running. Their CPU time counts as the program's.
 */
#pragma once

#include "measure/observe/snapshot.h"
#include "model/sample/executor.h"

#include <sys/resource.h>
#include <sys/types.h>

/* Figures that cost a read of /proc (about 10 µs each) and are read only on request. */
enum et_want {
	ET_WANT_RUN_DELAY = 1,  /* no exit record will report it */
	ET_WANT_MIGRATIONS = 2, /* the program may run on several CPUs */
	ET_WANT_CPU = 4,        /* where it ended */
};

/* A child of ours to wait for. */
struct et_reap_request {
	pid_t pid;
	unsigned want;         /* bits of enum et_want */
	bool endless;          /* it never ends by itself: kill it when the others have ended */
	uint64_t began_ns;     /* CLOCK_MONOTONIC, about when it started */
	volatile pid_t *group; /* set to 0 when the child has ended; NULL: not needed */
	uint64_t *end_ns;      /* t1_ns is copied here as soon as it is known; NULL: not needed */
};

/* The figures of a child that has ended. */
struct et_reap_result {
	bool done;              /* it has ended and was reaped */
	uint64_t t1_ns;         /* CLOCK_MONOTONIC, right after the kernel reported the end */
	uint64_t t1_ticks;      /* the processor's counter then */
	int status;             /* as wait4() returns it */
	struct rusage usage;    /* of the child and of the descendants that it waited for */
	uint64_t cpu_ns;        /* of the child alone, exact */
	uint64_t run_delay_ns;  /* of its first thread; ET_UNKNOWN without ET_WANT_RUN_DELAY */
	uint64_t migrations;    /* of its first thread; ET_UNKNOWN without ET_WANT_MIGRATIONS */
	int cpu;                /* the CPU that it last ran on; -1: not known */
	uint64_t orphan_cpu_ns; /* of descendants that it did not wait for */
	uint32_t marks;         /* bits of enum et_mark */
};

/* The children of one run. */
struct et_reaping {
	const char *root; /* of /proc, see base/sysroot.h */
	const struct et_reap_request *children;
	struct et_reap_result *results; /* zero at first */
	size_t n;
	/*
	 * The processes before the run. Of our children these are not the program's (a server that
	 * --setup started): they are neither counted nor killed. NULL: not known; then no orphan
	 * is counted and no leftover killed.
	 */
	const struct et_snapshot *before;
	bool stops_are_ours; /* we stop and continue the children ourselves */
	/* Set when killed children are not to be waited for any longer; NULL: wait for ever. */
	const volatile sig_atomic_t *given_up;
};

/*
 * Waits until all children have ended; at most one of them, the last, is endless. Descendants that
 * end meanwhile are reaped and counted. A child that is stopped is marked, unless stops_are_ours,
 * and waited for. -EIO if a child stopped because it wants to use the terminal: it was killed,
 * since it would wait for ever. -ETIMEDOUT if a killed child did not end. Otherwise 0 or -errno.
 */
int et_reap_wait(const struct et_reaping *r) ET_CHECK;
/*
 * Kills and reaps the processes that the programs left running and marks the first result if there
 * were any. 0, -ETIMEDOUT if they cannot be ended in some seconds (a fork bomb), or another -errno
 * if the list of our children could not be read.
 */
int et_reap_leftovers(const struct et_reaping *r) ET_CHECK;

/* Reads what a request wants from /proc while the child is a zombie. t1_ns must be set. */
void et_reap_read_zombie(
	const char *root, const struct et_reap_request *q, struct et_reap_result *out);
/* The PIDs of our children, without their own children; without any if it fails. Free *out. */
int et_reap_list_children(const char *root, struct et_snapshot *out) ET_CHECK;
