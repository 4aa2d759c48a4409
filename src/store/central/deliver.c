/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One experiment is one transaction. If the connection is lost after the commit was sent, nobody
 * knows whether it was made: the next attempt finds the digest, or nothing. The digest is SHA-256
 * over all values that a store keeps of an experiment, in the order in which they are written. The
 * origin is not among them, because every store decides it by itself.
 */
#include "base/clock.h"
#include "base/sha256.h"
#include "model/design/json.h"
#include "model/experiment/campaign.h"
#include "model/experiment/figure.h"
#include "model/sample/profile.h"
#include "store/central/spool.h"
#include "store/core/cursor.h"

/* --- the digest --- */

/* Every value has its kind before it, and texts their length: values cannot run together. */
static void add_number(struct et_sha256 *h, char kind, uint64_t value)
{
	unsigned char bytes[9] = { (unsigned char)kind };

	for (int i = 0; i < 8; i++)
		bytes[1 + i] = (unsigned char)(value >> (8 * i));
	et_sha256_add(h, bytes, sizeof(bytes));
}

static void add_int(struct et_sha256 *h, uint64_t value)
{
	add_number(h, 'i', value);
}

static void add_real(struct et_sha256 *h, double value)
{
	uint64_t bits;

	value += 0.0; /* no negative zero */
	memcpy(&bits, &value, sizeof(bits));
	add_number(h, 'r', bits);
}

static void add_text(struct et_sha256 *h, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	if (!text) {
		et_sha256_add(h, "n", 1);
		return;
	}
	add_number(h, 't', n);
	et_sha256_add(h, text, n);
}

static void add_columns(struct et_sha256 *h, const struct et_columns *columns, const void *base)
{
	for (const struct et_field *f = et_columns_next(columns, columns->fields); f;
		f = et_columns_next(columns, f + 1)) {
		struct et_value value = et_value_of(f, base);

		if (value.kind == ET_VALUE_INT)
			add_int(h, (uint64_t)value.integer);
		else if (value.kind == ET_VALUE_REAL)
			add_real(h, value.real);
		else
			add_text(h, value.kind == ET_VALUE_TEXT ? value.bytes : NULL);
	}
}

static void add_head(struct et_sha256 *h, const struct et_experiment *e)
{
	ET_AUTO_FREE char *design = e->design ? et_design_text(e->design, true) : NULL;

	add_text(h, e->id);
	add_text(h, e->label);
	add_int(h, e->started_wall_ns);
	add_int(h, e->finished_wall_ns);
	add_text(h, et_state_names[e->state]);
	add_text(h, et_protocol_names[e->protocol]);
	add_text(h, et_metric_options[e->metric_auto ? ET_METRIC_AUTO : e->metric]);
	add_text(h, et_order_names[e->plan.order]);
	add_int(h, e->plan.seed);
	add_text(h, e->snapshot_source);
	add_text(h, e->machine);
	add_text(h, design);
	add_columns(h, &et_columns_plan, &e->plan);
	add_columns(h, &et_columns_child, &e->child);
	add_columns(h, &et_columns_host, &e->host);
	add_columns(h, &et_columns_first_check, &e->first_check);
	add_columns(h, &et_columns_member, &e->member);
	if (et_member_kind(&e->member) == ET_MEMBER_STUDY)
		add_columns(h, &et_columns_study, &e->member);
	add_int(h, e->n_environment);
	for (size_t i = 0; i < e->n_environment; i++)
		add_columns(h, &et_columns_factor, &e->environment[i]);
}

static void add_sample(struct et_sha256 *h, const struct et_sample *s)
{
	add_columns(h, &et_columns_sample, s);
	add_columns(h, &et_columns_removal, &s->ruling.removal);
	add_int(h, s->measured.n_culprits);
	for (size_t i = 0; i < s->measured.n_culprits; i++) {
		add_text(h, s->measured.culprits[i].name);
		add_columns(h, &et_columns_culprit, &s->measured.culprits[i]);
	}
}

static void add_command(struct et_sha256 *h, const struct et_command *c)
{
	const char *const texts[] = { c->name ? c->name : "", c->text ? c->text : "", c->prepare,
		c->conclude, c->setup, c->cleanup };

	for (size_t i = 0; i < ET_LENGTH(texts); i++)
		add_text(h, texts[i]);
	for (size_t i = 0; c->argv && c->argv[i]; i++)
		add_text(h, c->argv[i]);
	add_int(h, c->n_parameters);
	for (size_t i = 0; i < c->n_parameters; i++) {
		add_text(h, c->parameters[i].name);
		add_text(h, c->parameters[i].value);
	}
	add_int(h, c->samples.n);
	ET_AUTO_READER struct et_sample_reader r = et_samples_read(&c->samples);
	for (const struct et_sample *s; (s = et_sample_reader_next(&r));)
		add_sample(h, s);
}

static void add_run(struct et_sha256 *h, const struct et_profile_run *run)
{
	add_int(h, run->order);
	add_int(h, run->command);
	add_columns(h, &et_columns_profile_run, run);
	add_int(h, run->n_counts);
	for (size_t i = 0; i < run->n_counts; i++) {
		add_int(h, run->counts[i].node);
		add_int(h, run->counts[i].samples);
		add_int(h, run->counts[i].at_entry);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct et_profile_calls *x = a, *y = b;

	return ET_ORDER(x->command, y->command) ?: ET_ORDER(x->function, y->function);
}

/* A store returns them sorted; in memory they are in the sequence in which they were counted. */
static void add_calls(struct et_sha256 *h, const struct et_profile *p)
{
	ET_AUTO_FREE struct et_profile_calls *sorted = et_calloc(p->n_calls + 1, sizeof(*sorted));

	if (p->n_calls)
		memcpy(sorted, p->calls, p->n_calls * sizeof(*sorted));
	qsort(sorted, p->n_calls, sizeof(*sorted), by_place);
	add_int(h, p->n_calls);
	for (size_t i = 0; i < p->n_calls; i++) {
		add_int(h, sorted[i].command);
		add_int(h, sorted[i].function);
		add_real(h, sorted[i].calls);
	}
}

static void add_profile(struct et_sha256 *h, const struct et_profile *p)
{
	add_columns(h, &et_columns_profile_plan, &p->plan);
	add_columns(h, &et_columns_profile, p);
	add_int(h, p->n_functions);
	for (size_t i = 0; i < p->n_functions; i++)
		add_columns(h, &et_columns_profile_function, &p->functions[i]);
	add_int(h, p->n_nodes);
	for (size_t i = 0; i < p->n_nodes; i++) {
		add_int(h, p->nodes[i].parent);
		add_int(h, p->nodes[i].function);
	}
	add_int(h, p->n_runs);
	for (size_t i = 0; i < p->n_runs; i++)
		add_run(h, &p->runs[i]);
	add_calls(h, p);
}

void et_experiment_digest(const struct et_experiment *e, char out[ET_DIGEST_SIZE])
{
	struct et_sha256 h;

	et_sha256_begin(&h);
	add_head(&h, e);
	add_int(&h, e->n_commands);
	for (size_t i = 0; i < e->n_commands; i++)
		add_command(&h, &e->commands[i]);
	if (e->profile)
		add_profile(&h, e->profile);
	for (size_t i = 0; i < e->n_figures; i++)
		add_columns(&h, &et_columns_figure, &e->figures[i]);
	et_sha256_end(&h, out);
}

/* --- earlier states --- */

struct delivery {
	struct et_store *s;
	const struct et_experiment *e;
	struct et_error *err;
	char digest[ET_DIGEST_SIZE];
	enum et_delivered result;
	int64_t campaign; /* the key of the row of its campaign; 0: it is no part of one */
	bool overtaken;   /* another process has added the experiment at this moment */
};

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
static bool same_fields(const struct et_field *fields, const void *a, const void *b)
{
	bool same = true;

	for (const struct et_field *f = fields; same && f->name; f++) {
		if (f->kind == ET_FIELD_DOUBLE) {
			double x = et_field_double(f, a), y = et_field_double(f, b);
			same = x == y || (isnan(x) && isnan(y));
		} else if (f->kind == ET_FIELD_STRING) {
			same = same_text(et_field_text(f, a), et_field_text(f, b));
		} else if (strcmp(f->name, "marks") != 0) {
			same = et_field_int(f, a) == et_field_int(f, b);
		}
	}
	return same;
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
		if (!a || !same_fields(et_sample_fields, a, b) ||
			a->measured.n_culprits != b->measured.n_culprits)
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

	for (size_t i = 0; same && i < a->n_figures; i++)
		same = same_fields(et_figure_fields, &a->figures[i], &b->figures[i]);
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
	uint32_t attempt;
	int state;

	et_bind_text(&c, "campaign", m->campaign);
	et_bind_int(&c, m->part);
	int rc = et_cursor_step(&c);
	if (rc <= 0)
		return rc;
	if (!et_row_int(&c, INT64_MIN, INT64_MAX, &d->campaign) ||
		!et_row_name(&c, et_part_state_names, &state) || !et_row_u32(&c, &attempt) ||
		!et_row_chars(&c, experiment, sizeof(experiment)))
		return et_store_damaged(
			d->s, d->err, "part %u of campaign %s", m->part, m->campaign);
	bool done_by_other = state == ET_PART_DONE && strcmp(experiment, d->e->id) != 0;
	if (done_by_other || attempt > m->attempt)
		d->result = ET_DELIVERED_STALE;
	return 0;
}

/* An unfinished part is delivered, but stays to be done. */
static int set_part_done(struct delivery *d)
{
	const struct et_member *m = &d->e->member;

	if (!d->campaign || d->e->state != ET_STATE_DONE)
		return 0;
	return ET_EXECUTE(d->s, ET_SQL_SET_PART_DONE, d->err, et_sql_int(m->attempt),
		et_sql_text(d->e->id), et_sql_text(m->node[0] ? m->node : NULL),
		et_sql_int((int64_t)et_clock_real.wall_ns(NULL)), et_sql_int(d->campaign),
		et_sql_int(m->part));
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
