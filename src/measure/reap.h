/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end of a program: waiting for it, what the kernel tells about it before it is gone, and the
 * processes it left behind, which count and do not outlive the run.
 */
#ifndef ET_MEASURE_REAP_H
#define ET_MEASURE_REAP_H

#include "measure/snapshot.h"
#include "model/executor.h"

#include <sys/resource.h>
#include <sys/types.h>

enum et_want {
	ET_WANT_RUN_DELAY = 1,  /* no exit record will tell it */
	ET_WANT_MIGRATIONS = 2, /* it may run on several CPUs */
	ET_WANT_CPU = 4,        /* where it ended */
};

struct et_ended {
	unsigned want;         /* enum et_want; set by the caller */
	bool endless;          /* it is killed when the others have ended; set by the caller */
	uint64_t began_ns;     /* about when it started; set by the caller */
	pid_t pid;             /* set by the caller; 0: no such child */
	volatile pid_t *group; /* cleared when it ends, or NULL; set by the caller */
	uint64_t *end_ns;      /* where t1 is written for the ledger, or NULL; set by the caller */
	bool done;             /* it has ended */
	uint64_t t1_ns;        /* right after the kernel said so */
	uint64_t t1_ticks;     /* the processor's counter then */
	int status;            /* as of wait */
	struct rusage usage;   /* of this child and those it waited for */
	uint64_t cpu_ns;       /* of this process alone, exact */
	uint64_t run_delay_ns;
	uint64_t migrations;    /* of its first thread, ET_UNKNOWN where not told */
	int cpu;                /* where it ended, -1 where not told */
	uint64_t orphan_cpu_ns; /* of descendants that came to us */
	unsigned marks;
};

/*
 * Waits until all n children have ended (at most one of them endless); descendants that end
 * meanwhile are reaped and counted, but not those in the picture from before. A child that is
 * stopped is marked (unless stops_are_ours) and waited for. -EIO when one wants the terminal it
 * does not have: it is killed then.
 */
int et_reap_wait(
	struct et_ended *ended, size_t n, const struct et_snapshot *before, bool stops_are_ours);
/*
 * Lets two children run in turn, the first again and again for beat_ns, then the second, until one
 * of them has ended; call it from another CPU than theirs, then et_reap_wait. Returns early when
 * *stop is set.
 */
void et_reap_alternate(
	const struct et_ended ended[2], uint64_t beat_ns, const volatile sig_atomic_t *stop);
/*
 * Kills what the programs left behind: our children that are not in the picture from before.
 * Their CPU time is added to the first entry, which is marked.
 */
void et_reap_leftovers(struct et_ended *ended, size_t n, const struct et_snapshot *before);

#endif
