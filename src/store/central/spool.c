/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/central/spool.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "store/core/cursor.h"
#include "store/core/machines.h"

#include <errno.h>
#include <string.h>

char *et_spool_destination(const char *url)
{
	static const char scheme[] = "sqlite:";
	const char *path = !strncmp(url, scheme, strlen(scheme)) ? url + strlen(scheme) : url;

	/* postgres:// is another name of the same scheme. */
	if (et_store_url_is_server(url)) {
		ET_AUTO_FREE char *shown = et_store_url_without_secrets(url);
		return et_asprintf("postgresql%s", strstr(shown, "://"));
	}
	/* The file need not exist yet, so realpath(3) would not do. */
	ET_AUTO_FREE char *here = *path == '/' ? NULL : get_current_dir_name();
	return here ? et_asprintf("%s%s/%s", scheme, here, path)
		    : et_asprintf("%s%s", scheme, path);
}

void et_queued_add(struct et_queued *q, const char *id)
{
	if (et_queued_has(q, id))
		return;
	ET_GROW(q->ids, q->n, q->room);
	snprintf(q->ids[q->n++], sizeof(*q->ids), "%s", id);
}

bool et_queued_has(const struct et_queued *q, const char *id)
{
	size_t i = 0;

	while (i < q->n && strcmp(q->ids[i], id) != 0)
		i++;
	return i < q->n;
}

int et_spool_open(const char *path, enum et_store_mode mode, const char *destination,
	struct et_queued *queued, struct et_store **out, struct et_error *err)
{
	ET_AUTO_FREE char *url = et_asprintf("sqlite:%s", path);
	struct et_store *s = NULL;
	int rc = et_store_open(url, mode, &s, err);

	if (rc)
		return rc;
	s->destination = destination ? et_spool_destination(destination) : NULL;
	s->queued = queued;
	*out = s;
	return 0;
}

static bool read_entry(struct et_cursor *c, struct et_outbox_entry *entry)
{
	int64_t queued, samples;
	int state;

	if (!et_row_chars(c, entry->experiment, sizeof(entry->experiment)) ||
		!et_row_text(c, &entry->destination) || !entry->destination ||
		!et_row_int(c, 0, INT64_MAX, &queued) ||
		!et_row_int(c, 0, INT64_MAX, &entry->generation) ||
		!et_row_chars(c, entry->digest, sizeof(entry->digest)))
		return false;
	entry->queued_wall_ns = (uint64_t)queued;
	/* NULL: 0 */
	int64_t delivered = 0, tried = 0;
	(void)et_row_int(c, 0, INT64_MAX, &delivered);
	(void)et_row_int(c, 0, INT64_MAX, &tried);
	entry->delivered_wall_ns = (uint64_t)delivered;
	entry->tried_wall_ns = (uint64_t)tried;
	if (!et_row_text(c, &entry->error) || !et_row_text(c, &entry->label) ||
		!et_row_name(c, et_state_names, &state) || !et_row_int(c, 0, INT64_MAX, &samples))
		return false;
	entry->state = (enum et_state)state;
	entry->n_samples = (uint64_t)samples;
	return true;
}

static void free_entry(struct et_outbox_entry *entry)
{
	free(entry->destination);
	free(entry->error);
	free(entry->label);
}

void et_outbox_free(struct et_outbox *o)
{
	for (size_t i = 0; i < o->n; i++)
		free_entry(&o->list[i]);
	free(o->list);
	*o = (struct et_outbox){ 0 };
}

int et_outbox_read(struct et_store *spool, struct et_outbox *out, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(spool, ET_SQL_GET_OUTBOX, err);
	struct et_outbox all = { 0 };
	size_t room = 0;
	int rc;

	while ((rc = et_cursor_step(&c)) == 1) {
		ET_GROW(all.list, all.n, room);
		struct et_outbox_entry *entry = &all.list[all.n++];
		memset(entry, 0, sizeof(*entry));
		if (!read_entry(&c, entry)) {
			rc = et_hint(err,
				et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
					"%s: the outbox is not as etalon writes it",
					spool->db->name),
				"the spool was damaged or changed by hand");
			break;
		}
	}
	if (rc)
		et_outbox_free(&all);
	else
		*out = all;
	return rc;
}

static int set_delivered(struct et_store *spool, const struct et_outbox_entry *entry,
	const char *digest, struct et_error *err)
{
	int rc = et_store_transact(spool, err);

	if (rc)
		return rc;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(spool, ET_SQL_SET_DELIVERED, err);
	et_bind_text(&c, "digest", digest);
	et_bind_count(&c, "delivered_ns", et_clock_real.wall_ns(NULL));
	et_bind_text(&c, "id", entry->experiment);
	et_bind_text(&c, "destination", entry->destination);
	et_bind_int(&c, entry->generation); /* continued meanwhile: it waits again */
	return et_store_conclude(spool, et_cursor_step(&c), err);
}

int et_outbox_fail(struct et_store *spool, const struct et_outbox_entry *entry, const char *why,
	struct et_error *err)
{
	int rc = et_store_transact(spool, err);

	if (rc)
		return rc;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(spool, ET_SQL_SET_UNDELIVERED, err);
	et_bind_count(&c, "tried_ns", et_clock_real.wall_ns(NULL));
	et_bind_text(&c, "error", why);
	et_bind_text(&c, "id", entry->experiment);
	et_bind_text(&c, "destination", entry->destination);
	return et_store_conclude(spool, et_cursor_step(&c), err);
}

/* Whether it is being measured: a killed etalon holds no claim. */
static int check_idle(struct et_store *spool, const char *id, struct et_error *err)
{
	int rc = et_store_claim(spool, id, err);

	if (!rc)
		et_store_release(spool);
	return rc;
}

/*
 * The row and the facts of the machine, once per connection. Nothing comes back: other users may
 * have changed facts in a central store, and cutoffs decide which samples are removed. The user
 * takes them by sync --from.
 */
static int deliver_facts(
	struct et_store *spool, struct et_store *central, const char *machine, struct et_error *err)
{
	if (!*machine || !strcmp(central->copied, machine))
		return 0;
	int rc = et_store_copy_machine(spool, central, machine, err);
	if (!rc)
		snprintf(central->copied, sizeof(central->copied), "%s", machine);
	return rc;
}

static int deliver(struct et_store *spool, struct et_store *central,
	const struct et_outbox_entry *entry, enum et_delivered *out, struct et_error *err)
{
	struct et_experiment *e = NULL;
	char digest[ET_DIGEST_SIZE];
	int rc = et_store_load(spool, entry->experiment, &e, err);

	if (rc)
		return rc;
	et_experiment_digest(e, digest);
	rc = deliver_facts(spool, central, e->machine, err);
	if (!rc)
		rc = et_store_deliver(central, e, out, err);
	et_experiment_free(e);
	if (!rc)
		return set_delivered(spool, entry, *out == ET_DELIVERED_STALE ? NULL : digest, err);
	/* The first error is the one that counts. */
	(void)!et_outbox_fail(spool, entry, err ? err->what : "", NULL);
	return rc;
}

int et_outbox_deliver(struct et_store *spool, struct et_store *central,
	const struct et_outbox_entry *entry, enum et_delivered *out, struct et_error *err)
{
	ET_AUTO_FREE char *claim = et_asprintf("%s deliver", entry->experiment);
	int rc = check_idle(spool, entry->experiment, err);

	/* Not the claim of the experiment itself: a slow server must not hold up --resume. */
	if (!rc)
		rc = et_store_claim(spool, claim, err);
	if (rc)
		return rc;
	rc = deliver(spool, central, entry, out, err);
	et_store_release(spool);
	return rc;
}

static int change_destination(
	struct et_store *spool, const char *id, const char *destination, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor old = et_cursor_open(spool, ET_SQL_REDIRECT, err);

	et_bind_text(&old, "id", id);
	et_bind_text(&old, "destination", destination);
	int rc = et_cursor_step(&old);
	if (rc)
		return rc;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(spool, ET_SQL_ENQUEUE, err);
	et_bind_text(&c, "id", id);
	et_bind_text(&c, "destination", destination);
	et_bind_count(&c, "queued_ns", et_clock_real.wall_ns(NULL));
	return et_cursor_step(&c);
}

int et_outbox_redirect(
	struct et_store *spool, const char *id, const char *destination, struct et_error *err)
{
	ET_AUTO_FREE char *shown = et_spool_destination(destination);
	int rc = et_store_transact(spool, err);

	return rc ? rc : et_store_conclude(spool, change_destination(spool, id, shown, err), err);
}

int et_outbox_prune(struct et_store *spool, const char *id, struct et_error *err)
{
	/* Nobody continues it from now on. */
	int rc = et_store_claim(spool, id, err);

	if (rc)
		return rc;
	rc = et_store_transact(spool, err);
	if (rc) {
		et_store_release(spool);
		return rc;
	}
	rc = et_store_drop(spool, id, err);
	if (!rc) {
		ET_AUTO_CURSOR struct et_cursor c =
			et_cursor_open(spool, ET_SQL_DROP_FROM_OUTBOX, err);
		et_bind_text(&c, "id", id);
		rc = et_cursor_step(&c);
	}
	rc = et_store_conclude(spool, rc, err);
	et_store_release(spool);
	return rc;
}
