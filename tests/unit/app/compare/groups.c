/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which experiments of a store are those of one machine: renamed, cloned, of an older version. */
#include "app/compare/machines.h"
#include "base/base.h"
#include "base/parse.h"
#include "tap.h"

#define A "aaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbb"

static struct et_fleet fleet;
static struct et_fleet_groups groups;

/* Experiments of an identity under a name, from one time to another. */
static void add(const char *machine, const char *host, uint64_t first_ns, uint64_t last_ns)
{
	ET_GROW(groups.list, groups.n, groups.cap);
	struct et_fleet_group *g = &groups.list[groups.n++];
	*g = (struct et_fleet_group){
		.experiments = 1, .samples = 10, .first_wall_ns = first_ns, .last_wall_ns = last_ns
	};
	snprintf(g->machine, sizeof(g->machine), "%s", machine);
	snprintf(g->host, sizeof(g->host), "%s", host);
}

static void forget(void)
{
	et_fleet_free(&fleet);
	free(groups.list);
	fleet = (struct et_fleet){ 0 };
	groups = (struct et_fleet_groups){ 0 };
}

/* Merges the groups and compares the number of machines and of notes. */
static void merges(size_t machines, size_t notes, const char *label)
{
	et_fleet_merge(&groups, &fleet);
	size_t n = fleet.notes ? et_strv_length(fleet.notes) : 0;
	if (!ok(fleet.n == machines && n == notes, "machines: %s", label))
		printf("# %zu machines, %zu notes\n", fleet.n, n);
}

static void renamed(void)
{
	add(A, "old", 10, 20);
	add(A, "new", 30, 40);
	merges(1, 0, "one digest under two names, one after the other, is a renamed machine");
	is_str(fleet.list[0].host.name, "new", "machines: it has its newest name");
	ok(fleet.list[0].experiments == 2 && fleet.list[0].samples == 20,
		"machines: it has the experiments of both names");
	ok(fleet.list[0].first_wall_ns == 10 && fleet.list[0].last_wall_ns == 40,
		"machines: it was seen from the first to the last");
	ok(groups.list[0].at == 0 && groups.list[1].at == 0, "machines: both groups lead to it");
	forget();
	add(A, "new", 30, 40);
	add(A, "old", 10, 20);
	merges(1, 0, "the order of the groups does not matter");
	is_str(fleet.list[0].host.name, "new", "machines: nor for its name");
	forget();
}

static void cloned(void)
{
	add(A, "n1", 10, 30);
	add(A, "n2", 20, 40);
	merges(2, 1, "one digest under two names at the same time is two clones, with a note");
	ok(fleet.notes && strstr(fleet.notes[0], "n1 and n2 have the same machine-id"),
		"machines: the note names both");
	forget();
	add(A, "n1", 10, 20);
	add(A, "n2", 20, 30);
	merges(2, 1, "times that touch are at the same time");
	forget();
	add(A, "n1", 10, 30);
	add(A, "n2", 20, 40);
	add(A, "n3", 50, 60);
	merges(3, 1, "a clone is not taken for the machine that was renamed later");
	forget();
	add("name", "n1", 10, 30);
	add("name", "n2", 20, 40);
	merges(1, 0, "a name that an administrator chose is one machine");
	forget();
}

static void apart(void)
{
	add(A, "n1", 10, 30);
	add(B, "n1", 10, 30);
	merges(2, 0, "two digests under one name are two machines");
	forget();
	add("", "n1", 10, 30);
	add("", "n2", 40, 50);
	add("", "n1", 60, 70);
	merges(2, 0, "without an identity, the name tells machines apart");
	ok(fleet.list[0].experiments == 2, "machines: equal names without an identity are one");
	forget();
}

static void modernised(void)
{
	add("n1 " A, "n1", 10, 20);
	add(A, "n1", 30, 40);
	merges(1, 0, "the identity of an earlier version is the digest in it");
	is_str(fleet.list[0].id, A, "machines: it has the identity of this version");
	forget();
	add("n1 " A, "n1", 10, 20);
	add(A, "n2", 30, 40);
	merges(2, 0, "but not under another name: it may be a container");
	forget();
	add("n1 " A, "n1", 10, 20);
	add(A, "n1", 30, 40);
	add(A, "n2", 15, 25);
	merges(2, 1, "a clone is found by the times of both identities");
	forget();
	add("n1 " A, "n1", 10, 20);
	merges(1, 0, "an earlier identity alone is a machine");
	is_str(fleet.list[0].id, "n1 " A, "machines: it keeps the identity");
	forget();
}

int main(void)
{
	merges(0, 0, "an empty store has none");
	forget();
	renamed();
	cloned();
	apart();
	modernised();
	return tap_done();
}
