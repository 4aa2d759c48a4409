/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/compare/fleet_groups.h"
#include "base/alloc.h"
#include "base/parse.h"

#include <string.h>

/* Both were seen from the first to the last of both. */
static void unite(struct et_fleet_group *a, struct et_fleet_group *b)
{
	a->first_wall_ns = b->first_wall_ns =
		a->first_wall_ns < b->first_wall_ns ? a->first_wall_ns : b->first_wall_ns;
	a->last_wall_ns = b->last_wall_ns =
		a->last_wall_ns > b->last_wall_ns ? a->last_wall_ns : b->last_wall_ns;
}

/* Earlier versions wrote the host's name before the digest. */
static void modernise(struct et_fleet_groups *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *digest = et_machine_old_digest(l->list[i].machine);
		for (size_t k = 0; digest && k < l->n; k++) {
			const struct et_fleet_group *other = &l->list[k];
			if (strcmp(other->machine, digest) != 0 ||
				strcmp(other->host, l->list[i].host) != 0)
				continue;
			memcpy(l->list[i].machine, other->machine, ET_MACHINE_SIZE);
			unite(&l->list[i], &l->list[k]);
			break;
		}
	}
}

/*
 * Two names of one digest at the same time are two machines with one machine-id; one after the
 * other they are a machine that was renamed.
 */
static bool is_clone(const struct et_fleet_group *a, const struct et_fleet_group *b)
{
	return et_machine_is_digest(a->machine) && !strcmp(a->machine, b->machine) &&
	       strcmp(a->host, b->host) != 0 && a->first_wall_ns <= b->last_wall_ns &&
	       b->first_wall_ns <= a->last_wall_ns;
}

static bool is_same(const struct et_fleet_groups *l, const struct et_fleet_group *a,
	const struct et_fleet_group *b)
{
	if (strcmp(a->machine, b->machine) != 0)
		return false;
	if (!strcmp(a->host, b->host))
		return true;
	for (size_t i = 0; i < l->n; i++) {
		if (is_clone(a, &l->list[i]) || is_clone(b, &l->list[i]))
			return false;
	}
	return *a->machine != '\0';
}

static void add_note(struct et_fleet *f, char *text)
{
	size_t n = f->notes ? et_strv_length(f->notes) : 0;

	f->notes = et_realloc(f->notes, n + 2, sizeof(*f->notes));
	f->notes[n] = text;
	f->notes[n + 1] = NULL;
}

/* Whether an earlier group has the same identity and name: one of them was modernised. */
static bool is_repeated(const struct et_fleet_groups *l, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (!strcmp(l->list[k].machine, l->list[i].machine) &&
			!strcmp(l->list[k].host, l->list[i].host))
			return true;
	}
	return false;
}

static void note_clones(const struct et_fleet_groups *l, struct et_fleet *fleet)
{
	for (size_t i = 0; i < l->n; i++) {
		for (size_t k = 0; k < i && !is_repeated(l, i); k++) {
			if (!is_repeated(l, k) && is_clone(&l->list[i], &l->list[k]))
				add_note(fleet,
					et_asprintf("note: %s and %s have the same machine-id, as "
						    "clones of an image have; name them by "
						    "ETALON_MACHINE or /etc/etalon/machine",
						l->list[k].host, l->list[i].host));
		}
	}
}

void et_fleet_merge(struct et_fleet_groups *l, struct et_fleet *fleet)
{
	modernise(l);
	for (size_t i = 0; i < l->n; i++) {
		struct et_fleet_group *g = &l->list[i];
		struct et_fleet_machine *m = NULL;
		for (size_t k = 0; k < i && !m; k++) {
			if (is_same(l, g, &l->list[k]))
				m = &fleet->list[l->list[k].at];
		}
		if (!m)
			m = et_fleet_add(fleet, g->machine);
		g->at = (size_t)(m - fleet->list);
		m->experiments += g->experiments;
		m->samples += g->samples;
		if (!m->first_wall_ns || g->first_wall_ns < m->first_wall_ns)
			m->first_wall_ns = g->first_wall_ns;
		if (g->last_wall_ns >= m->last_wall_ns) {
			m->last_wall_ns = g->last_wall_ns;
			snprintf(m->host.name, sizeof(m->host.name), "%.64s", g->host);
		}
	}
	note_clones(l, fleet);
}
