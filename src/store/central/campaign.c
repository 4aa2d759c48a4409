/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/central/campaign.h"
#include "base/clock.h"
#include "store/core/cursor.h"

static int64_t now_ns(void)
{
	return (int64_t)et_clock_read_ns(CLOCK_REALTIME);
}

/* --- beginning --- */

static int add_part(struct et_store *s, int64_t key, const struct et_part *p, struct et_error *err)
{
	return ET_EXECUTE(s, ET_SQL_ADD_PART, err, et_sql_int(key), et_sql_int(p->number),
		et_sql_text(p->node), et_sql_int(p->first_round), et_sql_int(p->rounds),
		et_sql_int(now_ns()));
}

/* Returns the key of the new row by *key; -EEXIST if the id is taken. */
static int add_row(
	struct et_store *s, const struct et_campaign *campaign, int64_t *key, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_of_texts(s, ET_SQL_ADD_CAMPAIGN, err);

	et_bind_text(&c, "id", campaign->id);
	et_bind_text(&c, "label", campaign->label);
	et_bind_text(&c, "kind", et_campaign_kind_names[campaign->kind]);
	et_bind_text(&c, "engine", campaign->engine);
	et_bind_text(&c, "options", campaign->options);
	et_bind_count(&c, "created_ns", campaign->created_wall_ns);
	et_bind_text(&c, "record", campaign->record);
	int rc = et_cursor_step(&c);
	if (rc == 0)
		return et_fail(err, EEXIST, ET_EXIT_OUTSIDE, "%s: there is a campaign %s already",
			s->db->name, campaign->id);
	if (rc == 1 && !et_row_int(&c, INT64_MIN, INT64_MAX, key))
		return et_store_damaged(s, err, "campaign %s: its key", campaign->id);
	return rc == 1 ? 0 : rc;
}

int et_campaign_begin(struct et_store *s, const struct et_campaign *c, struct et_error *err)
{
	int64_t key = 0;
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	rc = add_row(s, c, &key, err);
	for (size_t i = 0; rc == 0 && i < c->n_parts; i++)
		rc = add_part(s, key, &c->parts[i], err);
	return et_store_conclude(s, rc, err);
}

/* --- finding --- */

int et_campaign_find(
	struct et_store *s, const char *name, bool own, char id[40], struct et_error *err)
{
	const enum et_sql ways[] = { ET_SQL_FIND_CAMPAIGN_ID,
		own ? ET_SQL_FIND_OWN_CAMPAIGN : ET_SQL_FIND_CAMPAIGN_LABEL,
		ET_SQL_FIND_CAMPAIGN_PREFIX };
	int rc = 0;

	for (size_t i = 0; rc == 0 && *name && i < ET_LENGTH(ways); i++)
		rc = et_store_find_by(s, ways[i], name, id, err);
	if (rc)
		return rc < 0 ? rc : 0;
	return et_fail_hint(err, ENOENT, ET_EXIT_USAGE,
		"begin one: etalon doe run PLAN --engine slurm",
		!strcmp(name, "last") ? "%s has no campaign%s" : "%s has no campaign%s '%s'",
		s->db->name, own ? " of yours" : "", name);
}

/* --- loading --- */

/* More parts than any scheduler takes; a store from elsewhere may have any number of rows. */
enum { MOST_ROWS = 1000000 };

static bool read_part(struct et_cursor *c, struct et_part *p)
{
	int state;

	if (!et_row_u32(c, &p->number) || !et_row_text(c, &p->node) ||
		!et_row_u32(c, &p->first_round) || !et_row_u32(c, &p->rounds) ||
		!et_row_name(c, et_part_state_names, &state) || !et_row_u32(c, &p->attempt) ||
		!et_row_u32(c, &p->generation) || !et_row_u32(c, &p->failures) ||
		!et_row_text(c, &p->job) || !et_row_text(c, &p->ran_on) ||
		!et_row_text(c, &p->error) ||
		!et_row_chars(c, p->experiment, sizeof(p->experiment)) ||
		!et_row_u64(c, &p->changed_wall_ns))
		return false;
	p->state = (enum et_part_state)state;
	return p->state != ET_PART_DONE || et_experiment_is_id(p->experiment);
}

/* The parts are numbered from 0 without gaps: the number is the place in the list. */
static int read_parts(struct et_store *s, struct et_campaign *out, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_of_texts(s, ET_SQL_GET_PARTS, err);
	size_t room = 0;
	int rc;

	et_bind_text(&c, "id", out->id);
	while ((rc = et_cursor_step(&c)) == 1) {
		ET_GROW(out->parts, out->n_parts, room);
		struct et_part *p = &out->parts[out->n_parts++];
		*p = (struct et_part){ 0 };
		if (!read_part(&c, p) || p->number != out->n_parts - 1 || out->n_parts > MOST_ROWS)
			return et_store_damaged(s, err, "campaign %s: a part", out->id);
	}
	if (rc == 0 && !out->n_parts)
		return et_store_damaged(s, err, "campaign %s: the list of its parts", out->id);
	return rc;
}

static int read_row(struct et_store *s, struct et_campaign *out, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_of_texts(s, ET_SQL_GET_CAMPAIGN, err);
	int64_t own;
	int kind;

	et_bind_text(&c, "id", out->id);
	int rc = et_cursor_step(&c);
	if (rc < 0)
		return rc;
	if (rc == 0)
		return et_fail(err, ENOENT, ET_EXIT_USAGE, "%s has no campaign '%s'", s->db->name,
			out->id);
	if (!et_row_text(&c, &out->label) || !et_row_name(&c, et_campaign_kind_names, &kind) ||
		!et_row_text(&c, &out->engine) || !out->engine || !et_row_text(&c, &out->options) ||
		!et_row_u64(&c, &out->created_wall_ns) || !et_row_text(&c, &out->owner) ||
		!et_row_int(&c, 0, 1, &own) || !et_row_text(&c, &out->record) || !out->record)
		return et_store_damaged(s, err, "campaign %s: its row", out->id);
	out->kind = (enum et_campaign_kind)kind;
	out->own = own;
	return 0;
}

int et_campaign_load(
	struct et_store *s, const char *id, struct et_campaign **out, struct et_error *err)
{
	struct et_campaign *c = et_calloc(1, sizeof(*c));

	snprintf(c->id, sizeof(c->id), "%s", id);
	int rc = read_row(s, c, err);
	if (rc == 0)
		rc = read_parts(s, c, err);
	if (rc)
		et_campaign_free(c);
	else
		*out = c;
	return rc;
}

/* Attempts change the state of parts; nobody changes what they run, and where. */
static bool same_plan(const struct et_campaign *a, const struct et_campaign *b)
{
	bool same = a->n_parts == b->n_parts;

	for (size_t i = 0; same && i < a->n_parts; i++) {
		const struct et_part *p = &a->parts[i], *q = &b->parts[i];
		same = p->first_round == q->first_round && p->rounds == q->rounds &&
		       !strcmp(p->node ? p->node : "", q->node ? q->node : "");
	}
	return same;
}

int et_campaign_refresh(struct et_store *s, struct et_campaign *c, struct et_error *err)
{
	struct et_campaign *fresh = et_calloc(1, sizeof(*fresh));

	memcpy(fresh->id, c->id, sizeof(fresh->id));
	int rc = read_parts(s, fresh, err);
	if (rc == 0 && !same_plan(fresh, c))
		rc = et_store_damaged(s, err, "campaign %s: the list of its parts", c->id);
	if (rc == 0) {
		struct et_part *old = c->parts;
		c->parts = fresh->parts;
		fresh->parts = old;
	}
	et_campaign_free(fresh);
	return rc;
}

/* --- the list --- */

static bool read_summary(struct et_cursor *c, struct et_campaign_summary *out)
{
	int kind;

	if (!et_row_chars(c, out->id, sizeof(out->id)) || !et_row_text(c, &out->label) ||
		!et_row_name(c, et_campaign_kind_names, &kind) || !et_row_text(c, &out->engine) ||
		!out->engine || !et_row_u64(c, &out->created_wall_ns) ||
		!et_row_text(c, &out->owner) || !et_row_u64(c, &out->parts) ||
		!et_row_u64(c, &out->done) || !et_row_u64(c, &out->running) ||
		!et_row_u64(c, &out->failed) || !et_row_u64(c, &out->machines))
		return false;
	out->kind = (enum et_campaign_kind)kind;
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
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_of_texts(s, ET_SQL_LIST_CAMPAIGNS, err);
	struct et_campaign_summary *list = NULL;
	size_t used = 0, room = 0;
	int rc;

	while ((rc = et_cursor_step(&c)) == 1) {
		ET_GROW(list, used, room);
		list[used] = (struct et_campaign_summary){ 0 };
		if (!read_summary(&c, &list[used++]) || used > MOST_ROWS) {
			rc = et_store_damaged(s, err, "the list of campaigns");
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
	return ET_EXECUTE_ALONE(s, ET_SQL_REMOVE_CAMPAIGN, err, et_sql_text(id));
}

/* --- submitting --- */

/* Executes a statement for each of the parts, whose number is the last of its n_values values. */
static int change_parts(struct et_store *s, enum et_sql which, struct et_value *values,
	size_t n_values, const uint32_t *parts, size_t n, struct et_error *err)
{
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		values[n_values - 1] = et_sql_int(parts[i]);
		rc = et_store_execute(s, which, values, n_values, err);
	}
	return et_store_conclude(s, rc, err);
}

int et_campaign_submit(struct et_store *s, const char *id, uint32_t generation,
	const uint32_t *parts, size_t n, struct et_error *err)
{
	struct et_value values[4] = { et_sql_int(generation), et_sql_int(now_ns()),
		et_sql_text(id) };

	return change_parts(s, ET_SQL_SUBMIT_PART, values, ET_LENGTH(values), parts, n, err);
}

int et_campaign_reset(
	struct et_store *s, const char *id, const uint32_t *parts, size_t n, struct et_error *err)
{
	struct et_value values[3] = { et_sql_int(now_ns()), et_sql_text(id) };

	return change_parts(s, ET_SQL_RESET_PART, values, ET_LENGTH(values), parts, n, err);
}

int et_campaign_set_job(struct et_store *s, const char *id, uint32_t generation,
	const uint32_t *parts, size_t n, const char *job, struct et_error *err)
{
	struct et_value values[4] = { et_sql_text(job), et_sql_text(id), et_sql_int(generation) };

	return change_parts(s, ET_SQL_SET_JOB, values, ET_LENGTH(values), parts, n, err);
}

/* --- attempts --- */

/* An attempt changed nothing: 0 if it had failed before, else the reason as an error. */
static int explain(struct et_store *s, const char *id, uint32_t part, uint32_t attempt, bool failed,
	struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_GET_PART, err);
	uint32_t fence;
	int state;

	et_bind_text(&c, "id", id);
	et_bind_int(&c, part);
	int rc = et_cursor_step(&c);
	if (rc < 0)
		return rc;
	if (rc == 0)
		return et_fail(err, ENOENT, ET_EXIT_OUTSIDE, "%s: campaign %s has no part %u",
			s->db->name, id, part);
	if (!et_row_u32(&c, &fence) || !et_row_name(&c, et_part_state_names, &state))
		return et_store_damaged(s, err, "campaign %s: a part", id);
	if (failed && state == ET_PART_FAILED && fence == attempt)
		return 0;
	if (state == ET_PART_DONE)
		return et_fail(
			err, ESTALE, ET_EXIT_OUTSIDE, "part %u of campaign %s is done", part, id);
	return et_fail(err, ESTALE, ET_EXIT_OUTSIDE,
		"attempt %u of part %u of campaign %s is out of date: attempt %u has begun",
		attempt, part, id, fence);
}

static int change_part(struct et_store *s, struct et_cursor *c, const char *id, uint32_t part,
	uint32_t attempt, bool failed)
{
	int64_t changed = 0;

	et_bind_int(c, now_ns());
	et_bind_text(c, "id", id);
	et_bind_int(c, part);
	int rc = et_cursor_change(c, &changed);
	return rc || changed ? rc : explain(s, id, part, attempt, failed, c->err);
}

int et_campaign_begin_attempt(struct et_store *s, const char *id, uint32_t part, uint32_t attempt,
	const char *node, const char *job, struct et_error *err)
{
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_BEGIN_ATTEMPT, err);
	et_bind_int(&c, attempt);
	et_bind_text(&c, "node", node);
	et_bind_text(&c, "job", job);
	return et_store_conclude(s, change_part(s, &c, id, part, attempt, false), err);
}

int et_campaign_fail_attempt(struct et_store *s, const char *id, uint32_t part, uint32_t attempt,
	const char *why, bool final, struct et_error *err)
{
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_FAIL_ATTEMPT, err);
	et_bind_int(&c, attempt);
	et_bind_text(&c, "error", why);
	et_bind_text(&c, "state", et_part_state_names[final ? ET_PART_FAILED : ET_PART_TODO]);
	return et_store_conclude(s, change_part(s, &c, id, part, attempt, true), err);
}

/* --- the experiments of parts, in a spool --- */

int et_campaign_find_member(struct et_store *s, const char *id, uint32_t part, const char *machine,
	char experiment[40], struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_FIND_MEMBER, err);

	et_bind_text(&c, "id", id);
	et_bind_int(&c, part);
	et_bind_text(&c, "machine", machine);
	int rc = et_cursor_step(&c);
	if (rc == 1 && (!et_row_chars(&c, experiment, 40) || !et_experiment_is_id(experiment)))
		return et_store_damaged(s, err, "campaign %s: an experiment's id", id);
	return rc == 1 ? 0 : rc ? rc : -ENOENT;
}

int et_campaign_set_attempt(struct et_store *s, const char *experiment, uint32_t attempt,
	const char *node, struct et_error *err)
{
	return ET_EXECUTE_ALONE(s, ET_SQL_SET_ATTEMPT, err, et_sql_int(attempt), et_sql_text(node),
		et_sql_text(experiment));
}
