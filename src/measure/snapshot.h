/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who else ran: a picture of the CPU time of every process before and after a sample, and the
 * exit records in between.
 *
 * The CPU time of a living process is read from its CPU clock (clock_gettime on the process's
 * clock id): nanoseconds, exact even for a process that is running at that moment (a taskstats
 * reply is up to a tick behind then), without privilege, and at a sixth of a request's cost. What
 * only taskstats can tell, who came and went between two pictures, comes from its exit records.
 */
#ifndef ET_MEASURE_SNAPSHOT_H
#define ET_MEASURE_SNAPSHOT_H

#include "measure/taskstats.h"
#include "model/sample.h"

struct et_reading {
	int32_t pid;
	uint64_t cpu_ns;
};

/*
 * The processes there are, kept from picture to picture: listing /proc costs more than reading all
 * the clocks, so it is listed again only when somebody has been born since, which the kernel's
 * number of the newest process tells.
 */
struct et_proc_reader {
	int proc_fd, loadavg_fd;
	int32_t newest; /* number of the newest process when the list was right; 0: never */
	struct et_proc_entry {
		int32_t pid;
		bool named; /* a kernel thread, whose name stays; the next field holds it */
		char name[16];
	} * list; /* ascending pid */
	size_t n, cap;
};

struct et_snapshot {
	struct et_reading *readings; /* ascending pid */
	size_t n, cap;
};

int et_proc_reader_open(struct et_proc_reader *w);
void et_proc_reader_close(struct et_proc_reader *w);
/*
 * Reads every process there is now; the memory of the image is used again. ours are children of
 * our own that were born since the last picture: they alone are no reason to list again.
 */
int et_snapshot_take(
	struct et_proc_reader *w, const int32_t *ours, size_t n_ours, struct et_snapshot *image);
void et_snapshot_free(struct et_snapshot *image);

/* Exit records gathered during a sample. */
struct et_exits {
	struct et_exit_record *records;
	size_t n, cap;
};

void et_exits_add(void *exits, const struct et_exit_record *r);
void et_exits_free(struct et_exits *exits);

/* The tasks of the measured program among the exits: root's descendants, waited for or not. */
struct et_tree_delays {
	uint64_t run_ns;        /* waiting for a CPU, all tasks */
	uint64_t block_ns;      /* waiting for block I/O, all tasks */
	size_t tasks;           /* how many tasks ended, the root's first thread too */
	uint64_t max_rss_bytes; /* the largest address space among them; 0: not told */
};

/* Marks the records that belong to the tree of `root` by setting their pid negative. */
struct et_tree_delays et_exits_claim(struct et_exits *exits, int32_t root, int32_t reaper);

/*
 * The CPU time of every process that used some between the pictures, descending, without `self`
 * and without records claimed before. tick_ns is the doubt of an exit record. Names come from
 * /proc where the process still lives; w (or NULL) remembers those that stay. *out is new memory.
 */
size_t et_snapshot_compare(struct et_proc_reader *w, const struct et_snapshot *before,
	const struct et_snapshot *after, const struct et_exits *exits, int32_t self,
	uint64_t tick_ns, struct et_culprit **out);

#endif
