/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sync`: delivers what waits, or what the user names, and prunes the spool. */
#include "app/sync/sync.h"
#include "base/clock.h"
#include "base/display.h"
#include "cli/server.h"
#include "draw/progress.h"
#include "store/core/machines.h"

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

static void print_outcome(void *ctx, const struct et_outbox_entry *entry, int rc,
	enum et_delivered how, const struct et_error *err)
{
	struct sink *s = ctx;
	const char *id = entry->experiment;
	ET_AUTO_FREE char *url = et_clean(entry->destination, "");
	bool busy = rc == -EBUSY && !s->named, brief = how == ET_DELIVERED_STALE || s->named;

	et_progress_erase(&s->progress);
	if (rc == 0 && s->cli->verbosity >= 0) {
		printf("%s: %s%s%s\n", id, outcomes[how], brief ? "" : " to ", brief ? "" : url);
	} else if (busy && s->cli->verbosity >= 0) {
		printf("%s: it is being measured or delivered by another etalon\n", id);
	} else if (rc && !busy && strcmp(s->last, err->what) != 0) {
		et_sync_print_failure(id, "not delivered: ", err);
		snprintf(s->last, sizeof(s->last), "%s", err->what);
	}
	draw(s, id);
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
	struct et_delivery d = { .destination = destination, .done = print_outcome };
	struct et_store *spool = NULL;
	size_t n = 0;
	int rc = et_sync_open_spool(&spool, err);

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

/* Delivers a list of experiments to the store that the user named. Returns the exit status. */
static int send_all(const struct et_cli *cli, struct et_store *from, const struct et_outbox *all,
	et_deliverer *deliver)
{
	struct sink sink = make_sink(cli, all->n);
	struct et_delivery d = { .url = et_sync_central(cli), .done = print_outcome, .ctx = &sink };

	sink.named = true;
	et_delivery_send(from, all, deliver, &d);
	return conclude(&sink, d.failed + d.busy, d.first.exit);
}

/* --- experiments that the user names --- */

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
	int status = send_all(cli, m->local, &m->in_local.all, upload);
	int spooled = deliver_spooled(cli, o, m, url, err);
	return spooled ? spooled : status;
}

int et_sync_upload(
	const struct et_cli *cli, const struct et_sync *o, char *const *names, struct et_error *err)
{
	ET_AUTO_FREE char *url = et_sync_local_url(o);
	const char *central = et_sync_central(cli);

	if (!central)
		return et_refuse(
			err, "name it with --store postgresql://…", "no central store is named");
	ET_AUTO_FREE char *destination = et_spool_destination(central);
	struct meant m = { .in_local.destination = destination,
		.in_spool.destination = destination };
	int rc = et_sync_open_spool(&m.spool, err);
	if (!rc)
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

/* --- pruning --- */

struct pruning {
	struct et_store *central;
	const char *only; /* the destination that the user named, or NULL */
	const char *lost; /* a destination that could not be reached */
	size_t pruned, failed;
};

static void print_lost(struct pruning *p, const struct et_error *err)
{
	(void)!et_cli_fail(err);
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
		enum et_delivered state = ET_DELIVERED_NEW;
		bool reached = reach(p, entry->destination);
		good = reached && et_pull_check(p->central, id, entry->digest, &state, &err) == 0 &&
		       state == ET_DELIVERED_BEFORE;
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

	if (!rc && spool)
		rc = et_outbox_read(spool, &all, err);
	if (!rc)
		rc = prune_all(spool, &all, cli, o->dry_run, err);
	et_outbox_free(&all);
	et_store_close(spool);
	return rc;
}
