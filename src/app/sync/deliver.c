/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sync`: delivers what waits, or what the user names, and prunes the spool. */
#include "app/sync/sync.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/display.h"
#include "conduct/delivery.h"
#include "draw/progress.h"
#include "draw/terminal.h"

#include <errno.h>
#include <string.h>

/* --- results --- */

struct sink {
	const struct et_cli *cli;
	struct et_progress progress;
	size_t done, total;
	uint64_t began_ns;
	bool named;     /* the user named the experiments and the store */
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
	bool busy = rc == -EBUSY && !s->named, brief = how == ET_DELIVERED_STALE || s->named;

	et_progress_erase(&s->progress);
	if (rc == 0 && s->cli->verbosity >= 0) {
		printf("%s: %s%s%s\n", id, outcomes[how], brief ? "" : " to ", brief ? "" : url);
	} else if (busy && s->cli->verbosity >= 0) {
		printf("%s: it is being measured or delivered by another etalon\n", id);
	} else if (rc && !busy && strcmp(s->last, err->what) != 0) {
		ET_AUTO_FREE char *what = et_clean(err->what, "");
		ET_AUTO_FREE char *hint = et_clean(err->hint, "");
		et_say(stderr, "etalon: %s: not delivered: %s\n", id, what);
		if (*hint)
			et_say(stderr, "hint: %s\n", hint);
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
	et_say(stderr, "etalon: %zu experiment%s could not be delivered\n", failed,
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
	ET_AUTO_FREE char *destination =
		url && (cli->store || o->all) ? et_spool_destination(url) : NULL;
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

int et_sync_send(const struct et_cli *cli, struct et_store *from, const struct et_outbox *all,
	et_deliverer *deliver)
{
	struct sink sink = make_sink(cli, all->n);
	struct et_delivery d = { .url = et_sync_central(cli), .done = done, .ctx = &sink };

	sink.named = true;
	et_delivery_send(from, all, deliver, &d);
	return conclude(&sink, d.failed + d.busy, d.first.exit);
}
