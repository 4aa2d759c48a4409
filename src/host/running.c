/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/running.h"
#include "base/alloc.h"
#include "host/daemons.h"

#include <string.h>

static const char *const factors[] = { [ET_DAEMONS] = "daemons",
	[ET_TIMERS] = "timers",
	[ET_TIME_DAEMONS] = NULL, /* kept unless the user names the factor time-daemon */
	[ET_IRQBALANCE] = "irqbalance" };

static void classify(const struct et_machine *m, const struct et_process *p, struct et_running *out)
{
	out->why = et_untouchable_reason(p->comm);
	for (const struct et_daemon *d = et_daemons; d->name && !out->why; d++) {
		if (!et_daemon_owns(m, d, p))
			continue;
		out->group = factors[d->group];
		if (d->group == ET_TIME_DAEMONS)
			out->why = "it keeps the clock synchronised";
	}
}

/* "kworker/0:1-events" and "migration/3" are many threads of one kind. */
static void name_of(const struct et_process *p, char *out, size_t size)
{
	size_t len = p->kernel_thread ? strcspn(p->comm, "/:") : strlen(p->comm);

	snprintf(out, size, "%.*s", (int)len, p->comm);
}

static struct et_running *find(struct et_running_list *r, const char *name, bool kernel)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->list[i].kernel == kernel && !strcmp(r->list[i].name, name))
			return &r->list[i];
	}
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct et_running *x = a, *y = b;

	return x->kernel != y->kernel ? x->kernel - y->kernel : strcmp(x->name, y->name);
}

void et_running_read(const struct et_machine *m, struct et_running_list *out)
{
	*out = (struct et_running_list){ 0 };
	for (size_t i = 0; i < m->processes.n; i++) {
		const struct et_process *p = &m->processes.list[i];
		struct et_running one = { .n = 1, .kernel = p->kernel_thread };
		if (p->ours || strchr("TtZX", p->state))
			continue;
		name_of(p, one.name, sizeof(one.name));
		struct et_running *known = find(out, one.name, one.kernel);
		if (known) {
			known->n++;
			continue;
		}
		if (!one.kernel)
			classify(m, p, &one);
		ET_GROW(out->list, out->n, out->cap);
		out->list[out->n++] = one;
	}
	if (out->n)
		qsort(out->list, out->n, sizeof(*out->list), by_name);
}
