/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists campaigns, and removes them. */
#include "base/alloc.h"
#include "base/parse.h"
#include "store/central/campaign.h"
#include "store/core/cursor.h"

#include <errno.h>

/* A store from elsewhere may have any number of rows. */
enum { MOST = 1000000 };

static int damaged(const struct et_store *s, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
			"%s: the list of campaigns is not as etalon writes it", s->db->name),
		"the store was damaged or changed by hand");
}

static bool read_count(struct et_cursor *c, size_t *out)
{
	int64_t value;

	if (!et_row_int(c, 0, UINT32_MAX, &value))
		return false;
	*out = (size_t)value;
	return true;
}

static bool read_summary(struct et_cursor *c, struct et_campaign_summary *out)
{
	int kind;
	int64_t created;

	if (!et_row_chars(c, out->id, sizeof(out->id)) || !et_row_text(c, &out->label) ||
		!et_row_name(c, et_campaign_kind_names, &kind) || !et_row_text(c, &out->engine) ||
		!out->engine || !et_row_int(c, 0, INT64_MAX, &created) ||
		!et_row_text(c, &out->owner) || !read_count(c, &out->parts) ||
		!read_count(c, &out->done) || !read_count(c, &out->running) ||
		!read_count(c, &out->failed) || !read_count(c, &out->machines))
		return false;
	out->kind = (enum et_campaign_kind)kind;
	out->created_wall_ns = (uint64_t)created;
	return true;
}

void et_campaign_list_free(struct et_campaign_summary *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].label);
		free(list[i].engine);
		free(list[i].owner);
	}
	free(list);
}

int et_campaign_list(
	struct et_store *s, struct et_campaign_summary **out, size_t *n, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_LIST_CAMPAIGNS, err);
	struct et_campaign_summary *list = NULL;
	size_t used = 0, room = 0;
	int rc;

	s->texts = ET_STORE_MOST_TEXT;
	c.budget = &s->texts;
	while ((rc = et_cursor_step(&c)) == 1) {
		ET_GROW(list, used, room);
		list[used] = (struct et_campaign_summary){ 0 };
		if (!read_summary(&c, &list[used++]) || used > MOST) {
			rc = damaged(s, err);
			break;
		}
	}
	if (rc) {
		et_campaign_list_free(list, used);
		return rc;
	}
	*out = list;
	*n = used;
	return 0;
}

int et_campaign_remove(struct et_store *s, const char *id, struct et_error *err)
{
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_REMOVE_CAMPAIGN, err);
	et_bind_text(&c, "id", id);
	return et_store_conclude(s, et_cursor_step(&c), err);
}
