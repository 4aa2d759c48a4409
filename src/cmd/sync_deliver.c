/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sync`: delivers what waits, or what the user names, and prunes the spool. */
#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/delivery.h"
#include "cmd/sync.h"
#include "report/progress.h"
#include "report/terminal.h"

#include <errno.h>
#include <string.h>

/* --- results --- */

struct sink {
	const struct et_cli *cli;
	struct et_progress progress;
	size_t done, total;
	uint64_t began_ns;
	char last[512]; /* an error is printed once, not for every experiment */
};

static struct sink make_sink(const struct et_cli *cli, size_t total)
{
	return (struct sink){ .cli = cli,
		.progress = { .out = cli->progress ? stderr : NULL, .width = cli->columns },
		.total = total,
		.began_ns = et_clock_read_ns(CLOCK_MONOTONIC) };
}

static void draw(struct sink *s, const char *id)
{
	uint64_t now = et_clock_read_ns(CLOCK_MONOTONIC);
	const struct et_progress_state state = {
		.name = id, .done = ++s->done, .total = s->total, .elapsed_ns = now - s->began_ns
	};

	et_progress_draw(&s->progress, &state, now);
}

static const char *const outcomes[] = {
	[ET_DELIVERED_NEW] = "delivered",
	[ET_DELIVERED_GROWN] = "delivered a later state",
	[ET_DELIVERED_BEFORE] = "was delivered before",
	[ET_DELIVERED_STALE] = "not stored: another attempt did this part of the campaign",
};

static void print_outcome(struct sink *s, const char *id, int rc, enum et_delivered how,
	const char *destination, const struct et_error *err)
{
	ET_AUTO_FREE char *url = et_clean(destination, "");

	et_progress_erase(&s->progress);
	if (rc == 0 && s->cli->verbosity >= 0) {
		printf("%s: %s%s%s\n", id, outcomes[how], how == ET_DELIVERED_STALE ? "" : " to ",
			how == ET_DELIVERED_STALE ? "" : url);
	} else if (rc == -EBUSY && s->cli->verbosity >= 0) {
		printf("%s: it is being measured or delivered by another etalon\n", id);
	} else if (rc && rc != -EBUSY && strcmp(s->last, err->what) != 0) {
		ET_AUTO_FREE char *what = et_clean(err->what, "");
		ET_AUTO_FREE char *hint = et_clean(err->hint, "");
		fprintf(stderr, "etalon: %s: not delivered: %s\n", id, what);
		if (*hint)
			fprintf(stderr, "hint: %s\n", hint);
		snprintf(s->last, sizeof(s->last), "%s", err->what);
	}
	draw(s, id);
}

static void done(void *ctx, const struct et_outbox_entry *entry, int rc, enum et_delivered how,
	const struct et_error *err)
{
	print_outcome(ctx, entry->experiment, rc, how, entry->destination, err);
}

/* Says how many are left, and returns the exit status. */
static int conclude(struct sink *s, size_t failed, enum et_exit why)
{
	et_progress_erase(&s->progress);
	if (!failed)
		return ET_EXIT_DONE;
	fprintf(stderr, "etalon: %zu experiment%s could not be delivered\n", failed,
		failed == 1 ? "" : "s");
	return why == ET_EXIT_ENVIRONMENT ? ET_EXIT_ENVIRONMENT : ET_EXIT_OUTSIDE;
}

/* --- the spool --- */

static bool waits(const struct et_outbox_entry *entry, const char *destination)
{
	return !entry->delivered_wall_ns &&
	       (!destination || !strcmp(destination, entry->destination));
}

static int count_waiting(struct et_store *spool, const char *destination, bool print, size_t *out,
	struct et_error *err)
{
	struct et_outbox all = { 0 };
	int rc = et_outbox_read(spool, &all, err);

	*out = 0;
	for (size_t i = 0; i < all.n; i++) {
		if (!waits(&all.list[i], destination))
			continue;
		++*out;
		if (print) {
			ET_AUTO_FREE char *url = et_clean(all.list[i].destination, "");
			printf("%s: would be delivered to %s\n", all.list[i].experiment, url);
		}
	}
	et_outbox_free(&all);
	return rc;
}

int et_sync_deliver(const struct et_cli *cli, const struct et_sync *o, struct et_error *err)
{
	const char *url = et_sync_central(cli);
	ET_AUTO_FREE char *destination = url && cli->store ? et_spool_destination(url) : NULL;
	struct et_delivery d = { .destination = destination, .done = done };
	struct et_store *spool = NULL;
	size_t n = 0;
	int rc = et_sync_open_spool(&spool, err);

	if (rc == -ENOENT)
		rc = 0;
	if (!rc && spool)
		rc = count_waiting(spool, destination, o->dry_run, &n, err);
	struct sink sink = make_sink(cli, n);
	d.ctx = &sink;
	d.url = destination ? url : NULL;
	if (!rc && n && !o->dry_run)
		rc = et_delivery_run(spool, &d, err);
	et_store_close(spool);
	if (!rc && !n && cli->verbosity >= 0)
		printf("nothing waits to be delivered\n");
	return rc ? rc : conclude(&sink, d.failed, d.first.exit);
}

/* --- pruning --- */

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

/* Connects to the destination, unless *central is connected to it. */
static int reach(const char *destination, struct et_store **central, struct et_error *err)
{
	if (*central && !strcmp(et_store_url(*central), destination))
		return 0;
	et_store_close(*central);
	*central = NULL;
	return et_store_open(destination, ET_STORE_READ, central, err);
}

/* Whether no entry of the experiment waits, and each destination has it. */
static int is_delivered(const struct et_outbox *all, size_t at, struct et_store **central,
	bool *out, struct et_error *err)
{
	const char *id = all->list[at].experiment;
	int rc = 0;

	*out = all->list[at].state == ET_STATE_DONE || all->list[at].state == ET_STATE_FAILED;
	for (size_t i = 0; !rc && *out && i < all->n; i++) {
		const struct et_outbox_entry *entry = &all->list[i];

		if (strcmp(entry->experiment, id) != 0)
			continue;
		*out = entry->delivered_wall_ns;
		/* Without a digest, another attempt did the part: it is not wanted. */
		if (!*out || !entry->digest[0])
			continue;
		rc = reach(entry->destination, central, err);
		if (!rc)
			rc = is_there(*central, entry, out, err);
	}
	return rc;
}

static bool is_first(const struct et_outbox *all, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (!strcmp(all->list[i].experiment, all->list[at].experiment))
			return false;
	}
	return true;
}

static int prune_all(struct et_store *spool, const struct et_outbox *all, const struct et_cli *cli,
	bool dry_run, struct et_error *err)
{
	struct et_store *central = NULL;
	size_t pruned = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < all->n; i++) {
		const char *id = all->list[i].experiment;
		bool delivered = false;

		if (is_first(all, i))
			rc = is_delivered(all, i, &central, &delivered, err);
		if (rc || !delivered)
			continue;
		pruned++;
		if (!dry_run)
			rc = et_outbox_prune(spool, id, err);
		if (!rc && cli->verbosity >= 0)
			printf("%s: %s\n", id, dry_run ? "would be removed" : "removed");
	}
	et_store_close(central);
	if (!rc && !pruned && cli->verbosity >= 0)
		printf("nothing can be removed from the spool\n");
	return rc;
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
