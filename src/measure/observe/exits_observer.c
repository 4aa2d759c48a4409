/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Observer: the exit records of the tasks that ended during a run (taskstats.h). Those of the
 * program give its delays and peak memory; the others are for the snapshots' list of culprits.
 * Without them /proc and wait4() are asked for the program's figures.
 */
#include "base/alloc.h"
#include "measure/child/run.h"

#include <errno.h>
#include <sys/resource.h>

struct observation {
	struct et_taskstats *taskstats; /* NULL: the kernel does not send them … */
	int why;                        /* … for this reason, -errno */
	struct et_exits exits;
	int failed; /* -errno: they could not be read in this run */
};

static int open_exits(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	struct observation *o = et_calloc(1, sizeof(*o));

	(void)setup;
	(void)err;
	o->why = et_taskstats_open(&o->taskstats);
	*self = o;
	return 0;
}

static uint64_t own_peak_bytes(void)
{
	struct rusage own;

	getrusage(RUSAGE_SELF, &own);
	return (uint64_t)own.ru_maxrss * 1024;
}

static void before(void *self, struct et_run *run)
{
	struct observation *o = self;
	bool lost; /* of no interest: records of tasks that ended before the run */

	o->exits.n = 0;
	run->exits = &o->exits;
	if (o->taskstats) {
		o->failed = et_taskstats_drain(o->taskstats, NULL, NULL, &lost);
		return;
	}
	for (size_t i = 0; i < run->n_children; i++) {
		run->waits[i].want |= ET_WANT_RUN_DELAY;
		run->read[i].etalon_rss_bytes = own_peak_bytes();
	}
}

static void after(void *self, struct et_run *run)
{
	struct observation *o = self;
	bool lost = false;

	if (!o->taskstats)
		return;
	int rc = et_taskstats_drain(o->taskstats, et_exits_add, &o->exits, &lost);
	if (run->paced) /* the reference loop is neither the program nor a culprit */
		et_exits_claim(&o->exits, run->waits[run->n].pid, 0);
	for (size_t i = 0; i < run->n; i++) {
		struct et_readings *read = &run->read[i];
		read->has_exit_records = true;
		read->lost_exit_records = lost || rc || o->failed;
		/* Orphans become our children; in a duet that does not show whose they are. */
		read->tree =
			et_exits_claim(&o->exits, run->waits[i].pid, run->n == 1 ? getpid() : 0);
	}
}

static const char *source(const void *self)
{
	const struct observation *o = self;

	if (o->taskstats)
		return "taskstats";
	return o->why == -EPERM ? "proc" : "proc-no-taskstats";
}

static void close_exits(void *self)
{
	struct observation *o = self;

	et_taskstats_close(o->taskstats);
	et_exits_free(&o->exits);
	free(o);
}

const struct et_observer et_observe_exits = {
	.name = "exits",
	.open = open_exits,
	.before = before,
	.after = after,
	.source = source,
	.close = close_exits,
};
