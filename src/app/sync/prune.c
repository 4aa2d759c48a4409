/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sync --prune`: removes from the spool what the central stores have. */
#include "app/sync/sync.h"
#include "base/alloc.h"
#include "base/display.h"
#include "cli/server.h"
#include "draw/terminal.h"

#include <errno.h>
#include <string.h>

/* Sets *there to whether the central store has the experiment with the digest of the outbox. */
static int is_there(struct et_store *central, const struct et_outbox_entry *entry, bool *there,
	struct et_error *err)
{
	struct et_pull_item item = { 0 };
	enum et_delivered state = ET_DELIVERED_NEW;

	snprintf(item.id, sizeof(item.id), "%s", entry->experiment);
	snprintf(item.digest, sizeof(item.digest), "%s", entry->digest);
	int rc = et_pull_check(central, &item, &state, err);
	*there = rc == 0 && state == ET_DELIVERED_BEFORE;
	return rc;
}

struct pruning {
	struct et_store *central;
	const char *only; /* the destination that the user named, or NULL */
	const char *lost; /* a destination that could not be reached */
	size_t pruned, failed;
};

static void print_lost(struct pruning *p, const struct et_error *err)
{
	ET_AUTO_FREE char *what = et_clean(err->what, "");
	ET_AUTO_FREE char *hint = et_clean(err->hint, "");

	et_say(stderr, "etalon: %s\n", what);
	if (*hint)
		et_say(stderr, "hint: %s\n", hint);
	et_store_close(p->central);
	p->central = NULL;
}

/* Whether it is connected to the destination. A failure is printed once. */
static bool reach(struct pruning *p, const char *destination)
{
	struct et_error err = { 0 };

	if (p->central && !strcmp(et_store_url(p->central), destination))
		return true;
	if (p->lost && !strcmp(p->lost, destination))
		return false;
	et_store_close(p->central);
	p->central = NULL;
	if (et_server_open(destination, ET_STORE_READ, &p->central, &err) == 0)
		return true;
	p->lost = destination;
	print_lost(p, &err);
	return false;
}

/* Whether the user means the experiment: it is for the store that --store names. */
static bool is_meant(const struct pruning *p, const struct et_outbox *all, size_t at)
{
	bool meant = !p->only;

	for (size_t i = 0; !meant && i < all->n; i++)
		meant = !strcmp(all->list[i].experiment, all->list[at].experiment) &&
			!strcmp(all->list[i].destination, p->only);
	return meant;
}

/* Whether no entry of the experiment waits, and each destination has it. */
static bool is_delivered(struct pruning *p, const struct et_outbox *all, size_t at)
{
	const char *id = all->list[at].experiment;
	struct et_error err = { 0 };
	bool good = all->list[at].state == ET_STATE_DONE || all->list[at].state == ET_STATE_FAILED;

	for (size_t i = 0; good && i < all->n; i++) {
		const struct et_outbox_entry *entry = &all->list[i];

		if (strcmp(entry->experiment, id) != 0)
			continue;
		good = entry->delivered_wall_ns;
		/* Without a digest, another attempt did the part: it is not wanted. */
		if (!good || !entry->digest[0])
			continue;
		bool reached = reach(p, entry->destination);
		good = reached && is_there(p->central, entry, &good, &err) == 0 && good;
		p->failed += !reached || err.what[0];
		if (err.what[0])
			print_lost(p, &err);
	}
	return good;
}

static bool is_first(const struct et_outbox *all, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (!strcmp(all->list[i].experiment, all->list[at].experiment))
			return false;
	}
	return true;
}

static int prune_one(struct pruning *p, struct et_store *spool, const char *id,
	const struct et_cli *cli, bool dry_run, struct et_error *err)
{
	int rc = dry_run ? 0 : et_outbox_prune(spool, id, err);

	if (rc == -EBUSY)
		return 0;
	p->pruned++;
	if (!rc && cli->verbosity >= 0)
		printf("%s: %s\n", id, dry_run ? "would be removed" : "removed");
	return rc;
}

/* Returns the exit status, or -errno if the spool itself fails. */
static int prune_all(struct et_store *spool, const struct et_outbox *all, const struct et_cli *cli,
	bool dry_run, struct et_error *err)
{
	const char *url = cli->store ? et_sync_central(cli) : NULL;
	ET_AUTO_FREE char *only = url ? et_spool_destination(url) : NULL;
	struct pruning p = { .only = only };
	int rc = 0;

	for (size_t i = 0; !rc && i < all->n; i++) {
		if (is_first(all, i) && is_meant(&p, all, i) && is_delivered(&p, all, i))
			rc = prune_one(&p, spool, all->list[i].experiment, cli, dry_run, err);
	}
	et_store_close(p.central);
	if (!rc && !p.pruned && cli->verbosity >= 0)
		printf("nothing can be removed from the spool\n");
	return rc ? rc : p.failed ? ET_EXIT_OUTSIDE : ET_EXIT_DONE;
}

int et_sync_prune(const struct et_cli *cli, const struct et_sync *o, struct et_error *err)
{
	struct et_outbox all = { 0 };
	struct et_store *spool = NULL;
	int rc = et_sync_open_spool(&spool, err);

	if (rc == -ENOENT)
		rc = 0;
	if (!rc && spool)
		rc = et_outbox_read(spool, &all, err);
	if (!rc)
		rc = prune_all(spool, &all, cli, o->dry_run, err);
	et_outbox_free(&all);
	et_store_close(spool);
	return rc;
}
