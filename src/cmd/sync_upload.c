/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sync --all` and `sync ID…`: delivers experiments of the local store and of the spool. */
#include "base/alloc.h"
#include "cmd/server.h"
#include "cmd/sync.h"
#include "store/machines.h"
#include "store/spool.h"

#include <errno.h>
#include <string.h>

struct ids {
	char (*list)[40];
	size_t n, room;
};

static int add_id(void *ctx, const struct et_summary *s)
{
	struct ids *ids = ctx;

	ET_GROW(ids->list, ids->n, ids->room);
	memcpy(ids->list[ids->n++], s->id, sizeof(s->id));
	return 0;
}

/* The experiments of both stores that the user means; local or spool may be NULL. */
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
static int find_all(struct meant *m, const char *url, struct et_error *err)
{
	ET_AUTO_FREE char *destination = et_spool_destination(url);
	struct et_outbox all = { 0 };
	int rc = m->local ? et_store_list(m->local, 0, add_id, &m->in_local, err) : 0;

	if (!rc && m->spool)
		rc = et_outbox_read(m->spool, &all, err);
	for (size_t i = 0; i < all.n; i++) {
		struct et_summary one = { 0 };
		if (strcmp(all.list[i].destination, destination) != 0)
			continue;
		memcpy(one.id, all.list[i].experiment, sizeof(one.id));
		(void)add_id(&m->in_spool, &one);
	}
	et_outbox_free(&all);
	return rc;
}

static int find_ids(
	struct meant *m, char *const *names, bool all, const char *url, struct et_error *err)
{
	int rc = all ? find_all(m, url, err) : 0;

	for (; !rc && *names; names++)
		rc = find_named(m, *names, err);
	return rc;
}

/* Experiments in the spool wait for this store from now on, and for no other. */
static int deliver_spooled(const struct et_cli *cli, const struct et_sync *o, struct meant *m,
	const char *url, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < m->in_spool.n; i++) {
		if (o->dry_run)
			printf("%s: would be delivered\n", m->in_spool.list[i]);
		else
			rc = et_outbox_redirect(m->spool, m->in_spool.list[i], url, err);
	}
	return rc || o->dry_run || !m->in_spool.n ? rc : et_sync_deliver(cli, o, err);
}

static int upload(const struct et_cli *cli, struct et_store *local, struct et_store *central,
	const char *id, struct et_error *err)
{
	static const char *const outcomes[] = { "delivered", "delivered a later state",
		"was delivered before",
		"not stored: another attempt did this part of the campaign" };
	struct et_experiment *e = NULL;
	enum et_delivered how;
	int rc = et_store_claim(local, id, err);

	if (rc)
		return rc;
	rc = et_store_load(local, id, &e, err);
	et_store_release(local);
	if (!rc)
		rc = et_store_copy_machine(local, central, e->machine, err);
	if (!rc)
		rc = et_store_deliver(central, e, &how, err);
	et_experiment_free(e);
	if (!rc && cli->verbosity >= 0)
		printf("%s: %s\n", id, outcomes[how]);
	return rc;
}

static int upload_all(const struct et_cli *cli, struct et_store *local, const struct ids *ids,
	bool dry_run, struct et_error *err)
{
	const char *url = et_sync_central(cli);
	struct et_store *central = NULL;
	int status = ET_EXIT_DONE;
	int rc = dry_run || !ids->n ? 0 : et_server_open(url, ET_STORE_WRITE, &central, err);

	for (size_t i = 0; !rc && i < ids->n; i++) {
		if (dry_run) {
			printf("%s: would be delivered\n", ids->list[i]);
			continue;
		}
		rc = upload(cli, local, central, ids->list[i], err);
		if (rc == -EEXIST || rc == -EBADMSG || rc == -EBUSY) {
			et_sync_print_failure(ids->list[i], err);
			status = ET_EXIT_OUTSIDE;
			rc = 0;
		}
	}
	et_store_close(central);
	return rc ? rc : status;
}

int et_sync_upload(
	const struct et_cli *cli, const struct et_sync *o, char *const *names, struct et_error *err)
{
	ET_AUTO_FREE char *url = et_sync_local_url(o);
	const char *central = et_sync_central(cli);
	struct meant m = { 0 };

	if (!central)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "no central store is named"),
			"name it with --store postgresql://…");
	int rc = et_sync_open_spool(&m.spool, err);
	if (!rc || rc == -ENOENT)
		rc = et_server_open(url, ET_STORE_READ, &m.local, err);
	et_store_close(m.local);
	m.local = NULL;
	if (!rc)
		rc = et_server_open(url, ET_STORE_WRITE, &m.local, err);
	if (rc == -ENOENT && m.spool)
		rc = 0;
	if (!rc)
		rc = find_ids(&m, names, o->all, central, err);
	if (!rc)
		rc = upload_all(cli, m.local, &m.in_local, o->dry_run, err);
	int spooled = rc < 0 ? 0 : deliver_spooled(cli, o, &m, central, err);
	free(m.in_local.list);
	free(m.in_spool.list);
	et_store_close(m.local);
	et_store_close(m.spool);
	return spooled ? spooled : rc;
}
