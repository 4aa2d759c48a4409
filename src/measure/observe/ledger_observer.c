/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observer: the account of who had the program's CPU (ledger.h). */
#include "measure/child/run.h"
#include "measure/ledger/ledger.h"

static int open_ledger(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	struct et_ledger *l = NULL;
	int rc = et_ledger_open(setup->sched_way, setup->early, setup->cpus, &l, err);

	*self = l;
	return rc;
}

static void before(void *self, struct et_run *run)
{
	for (size_t i = 0; i < run->n_children; i++) {
		run->setups[i].begin_ns = et_ledger_begin(self, i);
		run->waits[i].end_ns = et_ledger_end(self, i);
	}
	et_ledger_arm(self, run->n_children);
}

static int attach(void *self, struct et_run *run, struct et_error *err)
{
	(void)err;
	for (size_t i = 0; i < run->n_children; i++)
		et_ledger_follow(self, i, run->waits[i].pid);
	return 0;
}

static void after(void *self, struct et_run *run)
{
	(void)run;
	et_ledger_stop(self);
}

static void fill(void *self, struct et_run *run, struct et_sample *samples)
{
	et_ledger_gather(self);
	for (size_t i = 0; i < run->n; i++)
		et_ledger_fill(self, i, &samples[i]);
}

static const char *source(const void *self)
{
	return et_ledger_source(self);
}

static void close_ledger(void *self)
{
	et_ledger_close(self);
}

const struct et_observer et_observe_ledger = {
	.name = "ledger",
	.on_request = true,
	.open = open_ledger,
	.before = before,
	.attach = attach,
	.after = after,
	.fill = fill,
	.source = source,
	.close = close_ledger,
};
