/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observer: which other processes used CPU time during a run (snapshot.h). */
#include "base/alloc.h"
#include "measure/child/run.h"

struct observation {
	struct et_proc_reader reader;
	struct et_snapshot before, after;
	uint64_t tick_ns; /* of the kernel: an exit record may be this much short */
	int failed;       /* -errno: a snapshot of this run could not be taken */
};

static int open_snapshots(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	struct observation *o = et_calloc(1, sizeof(*o));

	(void)err;
	/* A missing /proc fails each snapshot, which marks the samples. */
	o->failed = et_proc_reader_open(&o->reader, setup->root);
	o->tick_ns = setup->e->host.tick_ns;
	*self = o;
	return 0;
}

static void before(void *self, struct et_run *run)
{
	struct observation *o = self;

	o->failed = et_snapshot_take(&o->reader, NULL, 0, &o->before);
	run->before = o->failed ? NULL : &o->before;
}

static void after(void *self, struct et_run *run)
{
	struct observation *o = self;
	int32_t ours[ET_SLOTS];

	for (size_t i = 0; i < run->n_children; i++)
		ours[i] = run->waits[i].pid;
	if (!o->failed)
		o->failed = et_snapshot_take(&o->reader, ours, run->n_children, &o->after);
}

/* Both programs of a duet get the same list, in which neither of them is. */
static void fill(void *self, struct et_run *run, struct et_sample *samples)
{
	struct observation *o = self;

	for (size_t i = 0; i < run->n; i++) {
		struct et_measured *m = &samples[i].measured;
		if (o->failed) {
			samples[i].ruling.marks |= ET_MARK_NO_SNAPSHOT;
			continue;
		}
		m->n_culprits = et_snapshot_compare(&o->reader, &o->before, &o->after, run->exits,
			getpid(), o->tick_ns, &m->culprits);
	}
}

static void close_snapshots(void *self)
{
	struct observation *o = self;

	et_proc_reader_close(&o->reader);
	et_snapshot_free(&o->before);
	et_snapshot_free(&o->after);
	free(o);
}

const struct et_observer et_observe_snapshots = {
	.name = "snapshots",
	.open = open_snapshots,
	.before = before,
	.after = after,
	.fill = fill,
	.close = close_snapshots,
};
