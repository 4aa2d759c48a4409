/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observer: the time that the hypervisor took from the CPUs of a run (steal.h). */
#include "base/alloc.h"
#include "measure/child/run.h"

#include <string.h>

static int open_steal(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	struct et_steal *s = et_calloc(1, sizeof(*s));

	(void)err;
	et_steal_open(s, setup->root, strcmp(setup->e->host.virtual_machine, "none") != 0);
	*self = s;
	return 0;
}

static void read_into(struct et_steal *s, struct et_run *run, size_t moment)
{
	struct et_stolen now = et_steal_read(s, run->cpus);

	for (size_t i = 0; i < run->n; i++)
		run->read[i].stolen[moment] = now;
}

static void before(void *self, struct et_run *run)
{
	read_into(self, run, 0);
}

static void after(void *self, struct et_run *run)
{
	read_into(self, run, 1);
}

static void close_steal(void *self)
{
	et_steal_close(self);
	free(self);
}

const struct et_observer et_observe_steal = {
	.name = "steal",
	.open = open_steal,
	.before = before,
	.after = after,
	.close = close_steal,
};
