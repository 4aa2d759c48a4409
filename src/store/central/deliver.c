/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One experiment is one transaction. If the connection is lost after the commit was sent, nobody
 * knows whether it was made: the next attempt finds the digest, or nothing.
 */
#include "store/central/deliver.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "model/experiment/campaign.h"
#include "model/experiment/figure.h"
#include "store/core/cursor.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct delivery {
	struct et_store *s;
	const struct et_experiment *e;
	struct et_error *err;
	char digest[ET_DIGEST_SIZE];
	enum et_delivered result;
	int64_t campaign; /* the key of the row of its campaign; 0: it is no part of one */
	bool overtaken;   /* another process has added the experiment at this moment */
};

/* --- earlier states --- */

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static bool same_words(char *const *a, char *const *b)
{
	if (!a || !b)
		return a == b;
	for (; *a && *b; a++, b++) {
		if (strcmp(*a, *b) != 0)
			return false;
	}
	return *a == *b;
}

/* A later check may change the marks of a sample, but not the figures. */
static bool same_sample(const struct et_sample *a, const struct et_sample *b)
{
	for (const struct et_field *f = et_sample_fields; f->name; f++) {
		if (!strcmp(f->name, "marks"))
			continue;
		bool equal =
			f->kind == ET_FIELD_DOUBLE
				? memcmp(&(double){ et_field_double(f, a) },
					  &(double){ et_field_double(f, b) }, sizeof(double)) == 0
				: et_field_int(f, a) == et_field_int(f, b);
		if (!equal)
			return false;
	}
	return a->measured.n_culprits == b->measured.n_culprits;
}

/* Whether all samples of `few` are among `many`. Both are in order of execution. */
static bool contains(const struct et_samples *many, const struct et_samples *few)
{
	ET_AUTO_READER struct et_sample_reader all = et_samples_read(many);
	ET_AUTO_READER struct et_sample_reader some = et_samples_read(few);
	const struct et_sample *a, *b;

	if (few->n > many->n)
		return false;
	while ((b = et_sample_reader_next(&some))) {
		do {
			a = et_sample_reader_next(&all);
		} while (a && a->place.order < b->place.order);
		if (!a || !same_sample(a, b))
			return false;
	}
	return true;
}

static bool same_experiment(const struct et_experiment *a, const struct et_experiment *b)
{
	if (a->n_commands != b->n_commands || a->started_wall_ns != b->started_wall_ns ||
		strcmp(a->machine, b->machine) != 0 || a->plan.seed != b->plan.seed)
		return false;
	for (size_t i = 0; i < a->n_commands; i++) {
		if (!same_text(a->commands[i].name, b->commands[i].name) ||
			!same_text(a->commands[i].text, b->commands[i].text) ||
			!same_words(a->commands[i].argv, b->commands[i].argv))
			return false;
	}
	return true;
}

/* Figures do not grow: they are written with the experiment. */
static bool same_figures(const struct et_experiment *a, const struct et_experiment *b)
{
	bool same = a->n_figures == b->n_figures;

	for (size_t i = 0; same && i < a->n_figures; i++) {
		const struct et_figure *x = &a->figures[i], *y = &b->figures[i];
		same = !strcmp(x->name, y->name) && x->load == y->load &&
		       x->length_ns == y->length_ns &&
		       (x->value == y->value || (isnan(x->value) && isnan(y->value)));
	}
	return same;
}

/* Whether `earlier` is a state that `later` had before, or the same with other rulings. */
static bool is_state_of(const struct et_experiment *earlier, const struct et_experiment *later)
{
	if (!same_experiment(earlier, later) || !same_figures(earlier, later))
		return false;
	for (size_t i = 0; i < later->n_commands; i++) {
		if (!contains(&later->commands[i].samples, &earlier->commands[i].samples))
			return false;
	}
	return true;
}

/* --- the transaction --- */

static int conflict(const struct delivery *d, const char *why, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, EEXIST, ET_EXIT_OUTSIDE,
			"experiment %s is in %s already, %s; neither was changed", d->e->id,
			d->s->db->name, why),
		"compare both: 'etalon show %s' and 'etalon show --store %s %s'", d->e->id,
		et_store_url(d->s), d->e->id);
}

/*
 * The central store has something of that id with another digest. An etalon of another version may
 * have computed that digest, so the contents are compared. Sets result; BEFORE: nothing to do.
 */
static int judge_stored(struct delivery *d)
{
	struct et_experiment *stored = NULL;
	char digest[ET_DIGEST_SIZE];
	int rc = et_store_load(d->s, d->e->id, &stored, d->err);

	if (rc)
		return rc;
	et_experiment_digest(stored, digest);
	bool grown = is_state_of(stored, d->e);
	bool finished = stored->state == ET_STATE_DONE && d->e->state != ET_STATE_DONE;
	if (!strcmp(digest, d->digest))
		d->result = ET_DELIVERED_BEFORE;
	else if (is_state_of(d->e, stored) && (!grown || finished))
		d->result = ET_DELIVERED_BEFORE; /* an old copy of what was delivered */
	else if (grown)
		d->result = ET_DELIVERED_GROWN;
	else
		rc = conflict(d, "with other contents", d->err);
	et_experiment_free(stored);
	return rc;
}

/* Sets result by what the central store has of that id. */
static int look(struct delivery *d)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(d->s, ET_SQL_GET_DELIVERED, d->err);
	const char *digest, *owner;
	int64_t mine = 0;

	d->result = ET_DELIVERED_NEW;
	et_bind_text(&c, "id", d->e->id);
	int rc = et_cursor_step(&c);
	if (rc <= 0)
		return rc;
	if (!et_row_peek(&c, &digest) || !et_row_int(&c, 0, 1, &mine))
		mine = 0;
	if (digest && !strcmp(digest, d->digest)) {
		d->result = ET_DELIVERED_BEFORE;
		return 0;
	}
	if (!mine) {
		if (!et_row_peek(&c, &owner) || !owner)
			owner = "another user";
		ET_AUTO_FREE char *why = et_asprintf("delivered by %s", owner);
		return conflict(d, why, d->err);
	}
	et_cursor_close(&c);
	return judge_stored(d);
}

/*
 * Locks the part that the experiment belongs to and compares the fence: STALE if another attempt
 * did the part, or has begun. A campaign that is not in this store fences nothing.
 */
static int check_fence(struct delivery *d)
{
	const struct et_member *m = &d->e->member;

	if (!m->campaign[0])
		return 0;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(d->s, ET_SQL_LOCK_PART, d->err);
	char experiment[sizeof(d->e->id)];
	int64_t attempt;
	int state;

	et_bind_text(&c, "campaign", m->campaign);
	et_bind_int(&c, m->part);
	int rc = et_cursor_step(&c);
	if (rc <= 0)
		return rc;
	if (!et_row_int(&c, INT64_MIN, INT64_MAX, &d->campaign) ||
		!et_row_name(&c, et_part_state_names, &state) ||
		!et_row_int(&c, 0, UINT32_MAX, &attempt) ||
		!et_row_chars(&c, experiment, sizeof(experiment)))
		return et_hint(d->err,
			et_fail(d->err, EBADMSG, ET_EXIT_OUTSIDE,
				"%s: part %u of campaign %s is not as etalon writes it",
				d->s->db->name, m->part, m->campaign),
			"the store was damaged or changed by hand");
	bool done_by_other = state == ET_PART_DONE && strcmp(experiment, d->e->id) != 0;
	if (done_by_other || attempt > m->attempt)
		d->result = ET_DELIVERED_STALE;
	return 0;
}

/* An unfinished part is delivered, but stays to be done. */
static int set_part_done(struct delivery *d)
{
	const struct et_member *m = &d->e->member;
	int64_t changed = 0;

	if (!d->campaign || d->e->state != ET_STATE_DONE)
		return 0;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(d->s, ET_SQL_SET_PART_DONE, d->err);
	et_bind_int(&c, m->attempt);
	et_bind_text(&c, "experiment", d->e->id);
	et_bind_text(&c, "node", m->node[0] ? m->node : NULL);
	et_bind_count(&c, "changed_ns", et_clock_real.wall_ns(NULL));
	et_bind_int(&c, d->campaign);
	et_bind_int(&c, m->part);
	return et_cursor_change(&c, &changed);
}

static int write_all(struct delivery *d)
{
	int rc = d->result == ET_DELIVERED_GROWN ? et_store_drop(d->s, d->e->id, d->err) : 0;

	d->s->digest = d->digest;
	if (!rc)
		rc = et_store_put(d->s, d->e, d->err);
	d->s->digest = NULL;
	d->overtaken = rc == -EEXIST;
	return rc;
}

static int transact(struct delivery *d)
{
	d->result = ET_DELIVERED_NEW;
	int rc = check_fence(d);

	if (rc || d->result == ET_DELIVERED_STALE)
		return rc;
	rc = look(d);
	if (!rc && d->result != ET_DELIVERED_BEFORE)
		rc = write_all(d);
	return rc ? rc : set_part_done(d);
}

static int run_transaction(struct delivery *d)
{
	d->overtaken = false;
	int rc = et_store_transact(d->s, d->err);

	return rc ? rc : et_store_conclude(d->s, transact(d), d->err);
}

int et_store_deliver(struct et_store *central, const struct et_experiment *e,
	enum et_delivered *out, struct et_error *err)
{
	struct delivery d = { .s = central, .e = e, .err = err };

	et_experiment_digest(e, d.digest);
	int rc = run_transaction(&d);
	if (rc && d.overtaken)
		rc = run_transaction(&d);
	if (!rc)
		*out = d.result;
	return rc;
}
