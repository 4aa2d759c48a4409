/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sync --all` and `sync ID…`: delivers experiments of the local store and of the spool. */
#include "app/sync/sync.h"
#include "base/alloc.h"
#include "cli/server.h"
#include "store/core/machines.h"

#include <errno.h>
#include <string.h>

/* Experiments of a store that the user means, for the destination. */
struct ids {
	struct et_outbox all;
	size_t room;
	const char *destination;
};

static int add_id(void *ctx, const struct et_summary *s)
{
	struct ids *ids = ctx;
	struct et_outbox_entry entry = { .destination = et_strdup(ids->destination) };

	memcpy(entry.experiment, s->id, sizeof(entry.experiment));
	ET_GROW(ids->all.list, ids->all.n, ids->room);
	ids->all.list[ids->all.n++] = entry;
	return 0;
}

/* Those of both stores; local or spool may be NULL. */
struct meant {
	struct et_store *local, *spool;
	struct ids in_local, in_spool;
};

static int find_named(struct meant *m, const char *name, struct et_error *err)
{
	struct et_summary one = { 0 };
	int rc = m->local ? et_store_find(m->local, name, one.id, err) : -ENOENT;

	if (!rc)
		return add_id(&m->in_local, &one);
	if (rc == -ENOENT && m->spool) {
		rc = et_store_find(m->spool, name, one.id, err);
		if (!rc)
			return add_id(&m->in_spool, &one);
	}
	return rc;
}

/* With --all, of the spool those that were measured for this store, also if they are delivered. */
static int find_all(struct meant *m, struct et_error *err)
{
	struct et_outbox all = { 0 };
	int rc = m->local ? et_store_list(m->local, 0, add_id, &m->in_local, err) : 0;

	if (!rc && m->spool)
		rc = et_outbox_read(m->spool, &all, err);
	for (size_t i = 0; i < all.n; i++) {
		struct et_summary one = { 0 };
		if (strcmp(all.list[i].destination, m->in_spool.destination) != 0)
			continue;
		memcpy(one.id, all.list[i].experiment, sizeof(one.id));
		(void)add_id(&m->in_spool, &one);
	}
	et_outbox_free(&all);
	return rc;
}

static int find_ids(struct meant *m, char *const *names, bool all, struct et_error *err)
{
	int rc = all ? find_all(m, err) : 0;

	for (; !rc && *names; names++)
		rc = find_named(m, *names, err);
	return rc;
}

static void print_ids(const struct ids *ids)
{
	for (size_t i = 0; i < ids->all.n; i++)
		printf("%s: would be delivered\n", ids->all.list[i].experiment);
}

/* Experiments in the spool wait for this store from now on, and for no other. */
static int deliver_spooled(const struct et_cli *cli, const struct et_sync *o, struct meant *m,
	const char *url, struct et_error *err)
{
	const struct et_outbox *all = &m->in_spool.all;
	int rc = 0;

	for (size_t i = 0; !rc && i < all->n; i++)
		rc = et_outbox_redirect(m->spool, all->list[i].experiment, url, err);
	return rc || !all->n ? rc : et_sync_deliver(cli, o, err);
}

/* The claim ends before the delivery: the store is free while a server is slow. */
static int upload(struct et_store *local, struct et_store *central,
	const struct et_outbox_entry *entry, enum et_delivered *out, struct et_error *err)
{
	struct et_experiment *e = NULL;
	int rc = et_store_claim(local, entry->experiment, err);

	if (rc)
		return rc;
	rc = et_store_load(local, entry->experiment, &e, err);
	et_store_release(local);
	if (!rc)
		rc = et_store_copy_machine(local, central, e->machine, err);
	if (!rc)
		rc = et_store_deliver(central, e, out, err);
	et_experiment_free(e);
	return rc;
}

static int deliver_meant(const struct et_cli *cli, const struct et_sync *o, struct meant *m,
	const char *url, struct et_error *err)
{
	if (o->dry_run) {
		print_ids(&m->in_local);
		print_ids(&m->in_spool);
		return ET_EXIT_DONE;
	}
	int status = et_sync_send(cli, m->local, &m->in_local.all, upload);
	int spooled = deliver_spooled(cli, o, m, url, err);
	return spooled ? spooled : status;
}

int et_sync_upload(
	const struct et_cli *cli, const struct et_sync *o, char *const *names, struct et_error *err)
{
	ET_AUTO_FREE char *url = et_sync_local_url(o);
	const char *central = et_sync_central(cli);

	if (!central)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "no central store is named"),
			"name it with --store postgresql://…");
	ET_AUTO_FREE char *destination = et_spool_destination(central);
	struct meant m = { .in_local.destination = destination,
		.in_spool.destination = destination };
	int rc = et_sync_open_spool(&m.spool, err);
	if (!rc || rc == -ENOENT)
		rc = et_server_open(url, ET_STORE_EXISTING, &m.local, err);
	if (rc == -ENOENT && m.spool)
		rc = 0;
	if (!rc)
		rc = find_ids(&m, names, o->all, err);
	if (!rc)
		rc = deliver_meant(cli, o, &m, central, err);
	et_outbox_free(&m.in_local.all);
	et_outbox_free(&m.in_spool.all);
	et_store_close(m.local);
	et_store_close(m.spool);
	return rc;
}
