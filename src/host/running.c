/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/running.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "host/daemons.h"
#include "host/services.h"

#include <inttypes.h>
#include <string.h>

/* The part that the plan has for each process of the machine. */
struct fates {
	struct et_running *of; /* by the place in the list of processes */
	const char *factor;
};

static void remember(void *ctx, size_t i, const char *why)
{
	struct fates *f = ctx;

	snprintf(f->of[i].why, sizeof(f->of[i].why), "%s", why ? why : "");
	f->of[i].group = why ? NULL : f->factor;
}

/* Decided by the plan of `env apply`; without the factor time-daemon, time daemons are kept. */
static void read_fates(const struct et_machine *m, struct et_running *of)
{
	et_daemons_fates(m, ET_DAEMONS, remember, &(struct fates){ of, "daemons" });
	et_daemons_fates(m, ET_IRQBALANCE, remember, &(struct fates){ of, "irqbalance" });
	for (size_t i = 0; i < m->processes.n; i++) {
		const struct et_process *p = &m->processes.list[i];
		const char *why = et_untouchable_reason(p->comm);
		for (const struct et_daemon *d = et_daemons; d->name && !why; d++) {
			if (d->group == ET_TIME_DAEMONS && et_daemon_owns(m, d, p))
				why = "it keeps the clock synchronised";
		}
		if (why && !p->kernel_thread)
			remember(&(struct fates){ of, NULL }, i, why);
	}
}

/* "kworker/0:1-events" and "migration/3" are many threads of one kind. */
static void name_of(const struct et_process *p, char *out, size_t size)
{
	size_t len = p->kernel_thread ? strcspn(p->comm, "/:") : strlen(p->comm);

	snprintf(out, size, "%.*s", (int)len, p->comm);
}

static struct et_running *find(struct et_running_list *r, const struct et_running *like)
{
	for (size_t i = 0; i < r->n; i++) {
		struct et_running *x = &r->list[i];
		if (x->kernel == like->kernel && x->group == like->group &&
			!strcmp(x->name, like->name) && !strcmp(x->why, like->why))
			return x;
	}
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct et_running *x = a, *y = b;

	if (x->kernel != y->kernel)
		return x->kernel - y->kernel;
	return strcmp(x->name, y->name) ? strcmp(x->name, y->name) : strcmp(x->why, y->why);
}

void et_running_read(const struct et_machine *m, struct et_running_list *out)
{
	ET_AUTO_FREE struct et_running *fates = et_calloc(m->processes.n, sizeof(*fates));

	*out = (struct et_running_list){ 0 };
	read_fates(m, fates);
	for (size_t i = 0; i < m->processes.n; i++) {
		const struct et_process *p = &m->processes.list[i];
		struct et_running one = fates[i];
		one.n = 1;
		one.kernel = p->kernel_thread;
		if (p->ours || strchr("TtZX", p->state))
			continue;
		name_of(p, one.name, sizeof(one.name));
		struct et_running *known = find(out, &one);
		if (known) {
			known->n++;
			continue;
		}
		ET_GROW(out->list, out->n, out->cap);
		out->list[out->n++] = one;
	}
	if (out->n)
		qsort(out->list, out->n, sizeof(*out->list), by_name);
}

/* The sum of the names' hashes does not depend on their order. */
struct set {
	uint64_t sum;
	const char *last; /* a name of the table occurs several times, one after the other */
};

static void add(struct set *s, const char *name)
{
	if (s->last && !strcmp(s->last, name))
		return;
	s->sum += et_hash_text(name);
	s->last = name;
}

static void add_units(struct set *s, char *names)
{
	char *rest;

	for (char *name = strtok_r(names, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest))
		add(s, name);
}

/* A daemon that no service starts, such as a package manager, comes and goes with its work. */
static void add_daemons(struct set *s, const struct et_machine *m)
{
	for (const struct et_daemon *d = et_daemons; d->name; d++) {
		for (size_t i = 0; d->units[0] && i < m->processes.n; i++) {
			if (et_daemon_owns(m, d, &m->processes.list[i]))
				add(s, d->name);
		}
	}
}

void et_services_digest(const struct et_machine *m, char out[17])
{
	ET_AUTO_FREE char *names = et_services_enabled(m->systemctl);
	struct set set = { 0 };

	out[0] = '\0';
	if (names)
		add_units(&set, names);
	else if (m->systemctl)
		return;
	else
		add_daemons(&set, m);
	snprintf(out, 17, "%016" PRIx64, set.sum);
}
