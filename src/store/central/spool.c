/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/central/spool.h"
#include "base/clock.h"
#include "base/folder.h"
#include "store/core/cursor.h"
#include "store/core/machines.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* --- where it is --- */

/* File systems of several machines: the numbers that linux/magic.h lacks are in their sources. */
static const unsigned long shared_systems[] = {
	NFS_SUPER_MAGIC, AFS_SUPER_MAGIC, AFS_FS_MAGIC, CODA_SUPER_MAGIC, V9FS_MAGIC,
	SMB_SUPER_MAGIC, CEPH_SUPER_MAGIC, OCFS2_SUPER_MAGIC,
	FUSE_SUPER_MAGIC, /* sshfs, glusterfs and others; local ones are rare */
	0xff534d42,       /* cifs */
	0xfe534d42,       /* smb2 */
	0x0bd00bd0,       /* lustre */
	0x47504653,       /* gpfs */
	0x19830326,       /* beegfs */
	0x01161970,       /* gfs2 */
	0xa501fcf5,       /* vxfs */
};

/* Of the nearest folder that exists. A folder that cannot be asked is not local. */
static bool is_local(const char *folder)
{
	ET_AUTO_FREE char *path = et_strdup(folder);
	struct statfs fs;

	while (statfs(path, &fs)) {
		if (errno != ENOENT || !strcmp(path, "/") || !strcmp(path, "."))
			return false;
		char *above = et_folder_of(path);
		free(path);
		path = above;
	}
	for (size_t i = 0; i < ET_LENGTH(shared_systems); i++) {
		if ((unsigned long)fs.f_type == shared_systems[i])
			return false;
	}
	return true;
}

/* Another user can have made a folder of that name in /var/tmp before us. */
static int check_folder(const char *folder, struct et_error *err)
{
	struct stat st;

	if (mkdir(folder, 0700) && errno != EEXIST)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, folder);
	if (lstat(folder, &st))
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, folder);
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IRWXG | S_IRWXO)))
		return 0;
	return et_fail_hint(err, EPERM, ET_EXIT_OUTSIDE,
		"remove it, or name another file on a local disk with ETALON_SPOOL",
		"%s: the spool must be in a folder that only this user can enter", folder);
}

int et_spool_path(const char *given, const char *folder, char **out, struct et_error *err)
{
	if (given && *given) {
		*out = et_strdup(given);
		return 0;
	}
	if (is_local(folder)) {
		*out = et_asprintf("%s/spool.db", folder);
		return 0;
	}
	ET_AUTO_FREE char *own = et_asprintf("/var/tmp/etalon-%u", (unsigned)geteuid());
	int rc = check_folder(own, err);
	if (!rc)
		*out = et_asprintf("%s/spool.db", own);
	return rc;
}

/* --- the outbox --- */

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
	int state;

	if (!et_row_chars(c, entry->experiment, sizeof(entry->experiment)) ||
		!et_row_text(c, &entry->destination) || !entry->destination ||
		!et_row_u64(c, &entry->queued_wall_ns) ||
		!et_row_int(c, 0, INT64_MAX, &entry->generation) ||
		!et_row_chars(c, entry->digest, sizeof(entry->digest)))
		return false;
	entry->delivered_wall_ns = et_row_count_or_zero(c); /* NULL: 0 */
	entry->tried_wall_ns = et_row_count_or_zero(c);
	if (!et_row_text(c, &entry->error) || !et_row_text(c, &entry->label) ||
		!et_row_name(c, et_state_names, &state) || !et_row_u64(c, &entry->n_samples))
		return false;
	entry->state = (enum et_state)state;
	return true;
}

void et_outbox_free(struct et_outbox *o)
{
	for (size_t i = 0; i < o->n; i++) {
		free(o->list[i].destination);
		free(o->list[i].error);
		free(o->list[i].label);
	}
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
			rc = et_store_damaged(spool, err, "the outbox");
			break;
		}
	}
	if (rc)
		et_outbox_free(&all);
	else
		*out = all;
	return rc;
}

static struct et_value now(void)
{
	return et_sql_int((int64_t)et_clock_real.wall_ns(NULL));
}

/* If it was continued meanwhile, its generation is another one: it waits again. */
static int set_delivered(struct et_store *spool, const struct et_outbox_entry *entry,
	const char *digest, struct et_error *err)
{
	return ET_EXECUTE_ALONE(spool, ET_SQL_SET_DELIVERED, err, et_sql_text(digest), now(),
		et_sql_text(entry->experiment), et_sql_text(entry->destination),
		et_sql_int(entry->generation));
}

int et_outbox_fail(struct et_store *spool, const struct et_outbox_entry *entry, const char *why,
	struct et_error *err)
{
	return ET_EXECUTE_ALONE(spool, ET_SQL_SET_UNDELIVERED, err, now(), et_sql_text(why),
		et_sql_text(entry->experiment), et_sql_text(entry->destination));
}

/* Whether it is being measured: a killed etalon holds no claim. */
static int check_idle(struct et_store *spool, const char *id, struct et_error *err)
{
	int rc = et_store_claim(spool, id, err);

	if (!rc)
		et_store_release(spool);
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
	/*
	 * Nothing comes back: other users may have changed facts in a central store, and cutoffs
	 * decide which samples are removed. The user takes them by sync --from.
	 */
	rc = et_store_copy_machine(spool, central, e->machine, err);
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
	int rc = ET_EXECUTE(spool, ET_SQL_REDIRECT, err, et_sql_text(id), et_sql_text(destination));

	return rc ? rc
		  : ET_EXECUTE(spool, ET_SQL_ENQUEUE, err, et_sql_text(id),
			    et_sql_text(destination), now());
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
	if (!rc) {
		rc = et_store_drop(spool, id, err);
		if (!rc)
			rc = ET_EXECUTE(spool, ET_SQL_DROP_FROM_OUTBOX, err, et_sql_text(id));
		rc = et_store_conclude(spool, rc, err);
	}
	et_store_release(spool);
	return rc;
}

/* --- experiments that others measured --- */

int et_pull_list(struct et_store *central, const struct et_pull_filter *filter, struct et_pull *out,
	struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(central, ET_SQL_LIST_TO_PULL, err);
	struct et_pull all = { 0 };
	size_t room = 0;
	int rc;

	et_bind_text(&c, "label", filter->label ? filter->label : "");
	et_bind_text(&c, "machine", filter->machine ? filter->machine : "");
	et_bind_count(&c, "since", filter->since_wall_ns);
	et_bind_int(&c, filter->limit ? (int64_t)filter->limit : INT64_MAX);
	while ((rc = et_cursor_step(&c)) == 1) {
		ET_GROW(all.list, all.n, room);
		struct et_pull_item *item = &all.list[all.n++];
		memset(item, 0, sizeof(*item));
		if (!et_row_chars(&c, item->id, sizeof(item->id)) ||
			!et_experiment_is_id(item->id) ||
			!et_row_chars(&c, item->digest, sizeof(item->digest)) ||
			!et_row_chars(&c, item->machine, sizeof(item->machine))) {
			rc = et_store_damaged(central, err, "the list of experiments");
			break;
		}
	}
	if (rc)
		et_pull_free(&all);
	else
		*out = all;
	return rc;
}

void et_pull_free(struct et_pull *p)
{
	free(p->list);
	*p = (struct et_pull){ 0 };
}

int et_pull_check(struct et_store *local, const char *id, const char *digest,
	enum et_delivered *out, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(local, ET_SQL_GET_DELIVERED, err);
	const char *here = NULL;

	et_bind_text(&c, "id", id);
	int rc = et_cursor_step(&c);
	if (rc < 0)
		return rc;
	*out = rc == 0 ? ET_DELIVERED_NEW : ET_DELIVERED_GROWN;
	if (rc == 1 && et_row_peek(&c, &here) && here && !strcmp(here, digest))
		*out = ET_DELIVERED_BEFORE;
	return 0;
}

/* The local store has something of that id: sets *same, or refuses what was measured here. */
static int compare_local(
	struct et_store *local, const struct et_experiment *e, bool *same, struct et_error *err)
{
	struct et_experiment *here = NULL;
	char a[ET_DIGEST_SIZE], b[ET_DIGEST_SIZE];
	int rc = et_store_load(local, e->id, &here, err);

	if (rc)
		return rc;
	et_experiment_digest(here, a);
	et_experiment_digest(e, b);
	*same = !strcmp(a, b);
	if (!*same && here->origin != ET_ORIGIN_IMPORTED)
		rc = et_hint(err,
			et_fail(err, EEXIST, ET_EXIT_OUTSIDE,
				"experiment %s is in %s with other contents; it was not changed",
				e->id, local->db->name),
			"to take the other one, remove it first with 'etalon rm %s'", e->id);
	et_experiment_free(here);
	return rc;
}

int et_pull_one(struct et_store *central, struct et_store *local, const struct et_pull_item *item,
	enum et_delivered *out, struct et_error *err)
{
	struct et_experiment *e = NULL;
	enum et_delivered state;
	bool same = false;
	int rc = et_pull_check(local, item->id, item->digest, &state, err);

	if (!rc && state == ET_DELIVERED_BEFORE)
		same = true;
	else if (!rc)
		rc = et_store_load(central, item->id, &e, err);
	if (!rc && state == ET_DELIVERED_GROWN)
		rc = compare_local(local, e, &same, err);
	if (!rc && same) {
		*out = ET_DELIVERED_BEFORE;
	} else if (!rc) {
		e->origin = ET_ORIGIN_IMPORTED;
		rc = et_store_copy_machine(central, local, e->machine, err);
		if (!rc)
			rc = et_store_deliver(local, e, out, err);
	}
	et_experiment_free(e);
	return rc;
}
