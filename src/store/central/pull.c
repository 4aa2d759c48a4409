/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/central/pull.h"
#include "base/alloc.h"
#include "store/core/cursor.h"
#include "store/core/machines.h"

#include <errno.h>
#include <string.h>

static int damaged(const struct et_store *s, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
			"%s: the list of experiments is not as etalon writes it", s->db->name),
		"the store was damaged or changed by hand");
}

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
			rc = damaged(central, err);
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

int et_pull_check(struct et_store *local, const struct et_pull_item *item, enum et_delivered *out,
	struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(local, ET_SQL_GET_DELIVERED, err);
	const char *digest = NULL;

	et_bind_text(&c, "id", item->id);
	int rc = et_cursor_step(&c);
	if (rc < 0)
		return rc;
	*out = rc == 0 ? ET_DELIVERED_NEW : ET_DELIVERED_GROWN;
	if (rc == 1 && et_row_peek(&c, &digest) && digest && !strcmp(digest, item->digest))
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

static int copy_machine(
	struct et_store *central, struct et_store *local, const char *machine, struct et_error *err)
{
	if (!*machine || !strcmp(local->copied, machine))
		return 0;
	int rc = et_store_copy_machine(central, local, machine, err);
	if (!rc)
		snprintf(local->copied, sizeof(local->copied), "%s", machine);
	return rc;
}

int et_pull_one(struct et_store *central, struct et_store *local, const struct et_pull_item *item,
	enum et_delivered *out, struct et_error *err)
{
	struct et_experiment *e = NULL;
	enum et_delivered state;
	bool same = false;
	int rc = et_pull_check(local, item, &state, err);

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
		rc = copy_machine(central, local, e->machine, err);
		if (!rc)
			rc = et_store_deliver(local, e, out, err);
	}
	et_experiment_free(e);
	return rc;
}
