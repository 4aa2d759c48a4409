/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which other processes used CPU time during a run: a snapshot of the CPU time of every process
 * before and after it, and the exit records of those that ended in between. CPU time is read from
 * the clock of the process (clock_gettime()): exact even while it runs (a taskstats reply may miss
 * its last tick), without privilege, and at a sixth of the cost of a taskstats request.
 */
#pragma once

#include "measure/observe/taskstats.h"
#include "model/sample/sample.h"

struct et_reading {
	int32_t pid;
	uint64_t cpu_ns;
};

/*
 * The list of all processes, kept from one snapshot to the next. Listing /proc costs more than
 * reading all the clocks, so it is repeated only if a process was created since, which the kernel's
 * number of the newest process (in /proc/loadavg) shows.
 */
struct et_proc_reader {
	const char *root; /* of /proc, see base/sysroot.h */
	int proc_fd, loadavg_fd;
	int32_t newest; /* the newest process when the list was made; 0: there is no list */
	struct et_proc_entry {
		int32_t pid;
		bool named; /* it is a kernel thread; its name does not change: */
		char name[16];
	} * list; /* ascending pid */
	size_t n, cap;
};

struct et_snapshot {
	struct et_reading *readings; /* ascending pid */
	size_t n, cap;
};

/* Compares two int32_t, or members at the begin of structs, for qsort() and bsearch(). */
int et_by_pid(const void *a, const void *b);

/* 0, or -errno if /proc cannot be read; then every snapshot fails. Close it in either case. */
int et_proc_reader_open(struct et_proc_reader *r, const char *root) ET_CHECK;
void et_proc_reader_close(struct et_proc_reader *r);
/*
 * Reads every process that exists now into *s, whose memory is reused. `ours` are children of our
 * own that were created since the last snapshot and have ended: they alone are no reason to list
 * /proc again. 0, or -errno with an empty snapshot.
 */
int et_snapshot_take(struct et_proc_reader *r, const int32_t *ours, size_t n_ours,
	struct et_snapshot *s) ET_CHECK;
void et_snapshot_free(struct et_snapshot *s);

/*
 * Measures how long the two snapshots around a run take: a process may run meanwhile, so less CPU
 * time than this cannot be distinguished from none. Returns milliseconds, the shortest of several
 * trials; 0 if /proc cannot be read.
 */
double et_snapshots_cost_ms(const char *root);

/* Exit records gathered during a run. */
struct et_exits {
	struct et_exit_record *records;
	size_t n, cap;
};

void et_exits_add(void *exits, const struct et_exit_record *r);
void et_exits_free(struct et_exits *exits);

/* Sums over the tasks of the measured program among the exit records. */
struct et_tree_delays {
	uint64_t run_ns;        /* waiting for a CPU */
	uint64_t block_ns;      /* waiting for block I/O */
	size_t tasks;           /* number of tasks, with the first thread of the root */
	uint64_t max_rss_bytes; /* the largest peak memory of one of them; 0: not known */
};

/*
 * Claims the records of the process `root` and its descendants by making their pid negative. If
 * `reaper` is not 0, orphans that it reaped belong to the tree as well.
 */
struct et_tree_delays et_exits_claim(struct et_exits *exits, int32_t root, int32_t reaper);

/*
 * Lists every process that used CPU time between two snapshots, in descending order, without `self`
 * and without claimed records. An exit record may be short by up to tick_ns. Names of live
 * processes come from /proc; r remembers those of kernel threads. The caller frees *out.
 */
size_t et_snapshot_compare(struct et_proc_reader *r, const struct et_snapshot *before,
	const struct et_snapshot *after, const struct et_exits *exits, int32_t self,
	uint64_t tick_ns, struct et_culprit **out);
