/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/services_digest.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "host/daemons.h"
#include "host/services.h"

#include <inttypes.h>
#include <string.h>

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
