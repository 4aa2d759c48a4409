/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/core/profile.h"

#include <float.h>

/*
 * Of the texts of all functions together. Names of C++ templates may be thousands of bytes long,
 * and a large program has 100,000 of them. A database counts characters, which have up to 4 bytes.
 */
enum { MOST_CHARACTERS = 256 << 20 };
static const size_t MOST_BYTES = (size_t)4 * MOST_CHARACTERS;

/* --- the counts of a run --- */

/*
 * Numbers of seven bits per byte, the lowest first; the eighth bit says that more follow. For each
 * node: its distance from the node before it, its samples, and those at the function's entry.
 */
struct bytes {
	unsigned char *list;
	size_t n, room;
};

static void put(struct bytes *b, uint64_t value)
{
	for (; value > 0x7f; value >>= 7) {
		ET_GROW(b->list, b->n, b->room);
		b->list[b->n++] = (unsigned char)(value | 0x80);
	}
	ET_GROW(b->list, b->n, b->room);
	b->list[b->n++] = (unsigned char)value;
}

static struct bytes encode(const struct et_profile_run *run)
{
	struct bytes b = { 0 };
	uint32_t before = 0;

	ET_GROW(b.list, b.n, b.room);
	for (size_t i = 0; i < run->n_counts; i++) {
		const struct et_profile_count *count = &run->counts[i];
		put(&b, count->node - before);
		put(&b, count->samples);
		put(&b, count->at_entry);
		before = count->node;
	}
	return b;
}

/* Returns false at the end of the bytes, and for a number that put() would not have written. */
static bool get(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
	*value = 0;
	for (int shift = 0; *at < end && shift < 63; shift += 7) {
		unsigned char byte = *(*at)++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return byte || !shift;
	}
	return false;
}

/* Whether the nodes ascend, and the sum of the counts is the number of samples. */
static bool is_sound(const struct et_profile *p, const struct et_profile_run *run)
{
	uint64_t sum = 0;
	uint32_t before = 0;

	for (size_t i = 0; i < run->n_counts; i++) {
		const struct et_profile_count *count = &run->counts[i];
		if (count->node <= before || count->node >= p->n_nodes ||
			count->at_entry > count->samples || count->samples > INT64_MAX - sum)
			return false;
		before = count->node;
		sum += count->samples;
	}
	return sum == run->samples;
}

/* Fills in the counts. */
static bool decode(struct et_profile_rows *r, const unsigned char *at, size_t size)
{
	const unsigned char *end = at + size;
	struct et_profile_run *run = &r->run;
	uint32_t node = 0;

	run->n_counts = 0;
	while (at < end) {
		uint64_t step;

		ET_GROW(run->counts, run->n_counts, r->room);
		struct et_profile_count *count = &run->counts[run->n_counts++];
		if (!get(&at, end, &step) || !get(&at, end, &count->samples) ||
			!get(&at, end, &count->at_entry) || step > UINT32_MAX - node)
			return false;
		count->node = node += (uint32_t)step;
	}
	return is_sound(r->e->profile, run);
}

/* --- writing --- */

static int refuse(const struct et_store *s, const char *what, struct et_error *err)
{
	return et_fail_hint(err, EINVAL, ET_EXIT_OUTSIDE,
		"this is a defect of etalon; please report it", "%s: experiment %s: cannot keep %s",
		s->db->name, s->id, what);
}

int et_profile_write_plan(
	struct et_store *s, int64_t key, const struct et_profile *p, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_ADD_PROFILE, err);

	et_bind_int(&c, key);
	et_bind_columns(&c, &et_columns_profile_plan, &p->plan);
	et_bind_columns(&c, &et_columns_profile, p);
	return et_cursor_step(&c);
}

/* The event and the way may be known with the first run only. */
static int write_used(struct et_store *s, const struct et_profile *p, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_SET_PROFILE, err);
	int64_t changed = 0;

	et_bind_columns(&c, &et_columns_profile, p);
	et_bind_int(&c, s->key);
	int rc = et_cursor_change(&c, &changed);
	return rc || changed ? rc : refuse(s, "a profile that was not begun", err);
}

/* Asks the store how many functions and nodes it has, unless that is known. */
static int know_size(struct et_store *s, const struct et_profile *p, struct et_error *err)
{
	if (s->profile.known)
		return 0;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_SIZE_PROFILE, err);
	et_bind_int(&c, s->key);
	int rc = et_cursor_step(&c);
	if (rc < 0)
		return rc;
	int64_t characters;
	if (rc == 0 || !et_row_int(&c, 0, (int64_t)p->n_functions, &s->profile.functions) ||
		!et_row_int(&c, 0, (int64_t)p->n_nodes - 1, &s->profile.nodes) ||
		!et_row_int(&c, 0, MOST_CHARACTERS, &characters))
		return et_fail_hint(err, EBADMSG, ET_EXIT_OUTSIDE,
			"make sure that no other etalon runs the same experiment",
			"%s: experiment %s has more functions than its profile", s->db->name,
			s->id);
	s->profile.texts = (size_t)(MOST_CHARACTERS - characters);
	s->profile.known = true;
	return 0;
}

static int write_functions(struct et_store *s, const struct et_profile *p, struct et_error *err)
{
	int rc = 0;

	if (s->profile.functions >= (int64_t)p->n_functions)
		return 0;
	struct et_cursor c = et_cursor_bulk(s, ET_SQL_ADD_FUNCTION, err);
	c.budget = &s->profile.texts;
	while (!rc && s->profile.functions < (int64_t)p->n_functions) {
		ET_BIND_INTS(&c, s->key, s->profile.functions);
		et_bind_columns(
			&c, &et_columns_profile_function, &p->functions[s->profile.functions]);
		rc = et_cursor_add(&c);
		s->profile.functions += rc == 0;
	}
	return et_cursor_finish(&c, rc);
}

/* The root has the number 0, and no row. */
static int write_nodes(struct et_store *s, const struct et_profile *p, struct et_error *err)
{
	int rc = 0;

	if (s->profile.nodes + 1 >= (int64_t)p->n_nodes)
		return 0;
	struct et_cursor c = et_cursor_bulk(s, ET_SQL_ADD_NODE, err);
	while (!rc && s->profile.nodes + 1 < (int64_t)p->n_nodes) {
		const struct et_profile_node *node = &p->nodes[s->profile.nodes + 1];

		ET_BIND_INTS(&c, s->key, s->profile.nodes + 1, node->parent, node->function);
		rc = et_cursor_add(&c);
		s->profile.nodes += rc == 0;
	}
	return et_cursor_finish(&c, rc);
}

static int write_tree(struct et_store *s, const struct et_profile *p, struct et_error *err)
{
	int rc = know_size(s, p, err);

	if (!rc)
		rc = write_functions(s, p, err);
	return rc ? rc : write_nodes(s, p, err);
}

static int add_run(struct et_cursor *c, const struct et_store *s, uint32_t order, uint32_t command,
	const struct et_profile_run *run)
{
	struct bytes counts = encode(run);

	ET_BIND_INTS(c, s->key, order, command);
	et_bind_columns(c, &et_columns_profile_run, run);
	et_bind_blob(c, counts.list, counts.n);
	int rc = et_cursor_add(c);
	free(counts.list);
	return rc;
}

int et_profile_write_run(struct et_store *s, const struct et_profile *p, uint32_t order,
	uint32_t command, const struct et_profile_run *run, struct et_error *err)
{
	if (!p || !is_sound(p, run))
		return refuse(s, "the counts of a profile", err);
	int rc = write_used(s, p, err);
	if (!rc)
		rc = write_tree(s, p, err);
	if (rc)
		return rc;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_ADD_PROFILE_RUN, err);
	return add_run(&c, s, order, command, run);
}

static int write_runs(struct et_store *s, const struct et_profile *p, struct et_error *err)
{
	struct et_cursor c = et_cursor_bulk(s, ET_SQL_ADD_PROFILE_RUN, err);
	int rc = 0;

	for (size_t i = 0; !rc && i < p->n_runs; i++) {
		const struct et_profile_run *run = &p->runs[i];

		rc = is_sound(p, run) ? add_run(&c, s, run->order, run->command, run)
				      : refuse(s, "the counts of a profile", err);
	}
	return et_cursor_finish(&c, rc);
}

int et_profile_write_all(struct et_store *s, const struct et_profile *p, struct et_error *err)
{
	int rc = p->n_runs ? write_used(s, p, err) : 0;

	if (!rc && p->n_runs)
		rc = write_tree(s, p, err);
	if (!rc && p->n_runs)
		rc = write_runs(s, p, err);
	return rc ? rc : et_profile_write_calls(s, p, err);
}

int et_profile_write_calls(struct et_store *s, const struct et_profile *p, struct et_error *err)
{
	int rc = write_tree(s, p, err);

	for (size_t i = 0; !rc && i < p->n_calls; i++) {
		if (!(p->calls[i].calls >= 0) || p->calls[i].calls > DBL_MAX ||
			p->calls[i].command >= s->n_commands ||
			p->calls[i].function >= p->n_functions)
			return refuse(s, "a number of calls", err);
		ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_ADD_CALLS, err);

		ET_BIND_INTS(&c, s->key, p->calls[i].command, p->calls[i].function);
		et_bind_real(&c, p->calls[i].calls);
		rc = et_cursor_step(&c);
	}
	return rc;
}

/* --- reading --- */

static int read_functions(struct et_cursor *c, const struct et_experiment *e)
{
	struct et_profile *p = e->profile;
	size_t texts = MOST_BYTES;
	int rc;

	c->budget = &texts; // cppcheck-suppress autoVariables
	while ((rc = et_cursor_step(c)) == 1) {
		struct et_profile_function f = { 0 };
		int64_t number;
		bool good = et_row_int(c, 0, ET_PROFILE_NONE - 1, &number) &&
			    (size_t)number == p->n_functions &&
			    !et_row_columns(c, &et_columns_profile_function, &f) && f.name &&
			    f.module;
		/* The same function twice would get its first number again. */
		if (good)
			good = et_profile_function_of(p, f.name, f.module, f.space, f.unnamed) ==
			       (uint32_t)number;
		free(f.name);
		free(f.module);
		if (!good) {
			rc = -EBADMSG;
			break;
		}
	}
	c->budget = NULL;
	return rc;
}

static int read_nodes(struct et_cursor *c, const struct et_experiment *e)
{
	struct et_profile *p = e->profile;
	int rc;

	while ((rc = et_cursor_step(c)) == 1) {
		int64_t number, parent, function;

		if (!et_row_int(c, 1, UINT32_MAX - 1, &number) || (size_t)number != p->n_nodes ||
			!et_row_int(c, 0, number - 1, &parent) ||
			!et_row_int(c, 0, (int64_t)p->n_functions - 1, &function))
			return -EBADMSG;
		if (et_profile_node_of(p, (uint32_t)parent, (uint32_t)function) != number)
			return -EBADMSG;
	}
	return rc;
}

static int read_calls(struct et_cursor *c, const struct et_experiment *e)
{
	struct et_profile *p = e->profile;
	int64_t before = -1;
	int rc;

	while ((rc = et_cursor_step(c)) == 1) {
		int64_t command, function;
		double calls;

		if (!et_row_int(c, 0, (int64_t)e->n_commands - 1, &command) ||
			!et_row_int(c, 0, (int64_t)p->n_functions - 1, &function) ||
			!et_row_real(c, 0, DBL_MAX, &calls))
			return -EBADMSG;
		/* They ascend, so a forged tree without end is noticed. */
		int64_t place = command << 32 | function;
		if (place <= before)
			return -EBADMSG;
		before = place;
		et_profile_set_calls(p, (uint32_t)command, (uint32_t)function, calls);
	}
	return rc;
}

/* Returns 1 if there is a profile. */
static int read_plan(struct et_store *s, int64_t key, struct et_profile **out, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_rows(s, ET_SQL_GET_PROFILE, key, err);
	struct et_profile_plan plan = { 0 };
	int rc = et_cursor_step(&c);

	if (rc != 1)
		return rc;
	if (et_row_columns(&c, &et_columns_profile_plan, &plan))
		return -EBADMSG;
	*out = et_profile_new(&plan);
	return et_row_columns(&c, &et_columns_profile, *out) ? -EBADMSG : 1;
}

int et_profile_read(struct et_store *s, int64_t key, bool plan_only, struct et_experiment *e,
	struct et_error *err)
{
	static const struct {
		enum et_sql which;
		const char *what;
		int (*read)(struct et_cursor *c, const struct et_experiment *e);
	} parts[] = {
		{ ET_SQL_GET_FUNCTIONS, "a function of the profile", read_functions },
		{ ET_SQL_GET_NODES, "a calling context of the profile", read_nodes },
		{ ET_SQL_GET_CALLS, "a number of calls of the profile", read_calls },
	};
	const char *what = "the plan of the profile";
	int rc = read_plan(s, key, &e->profile, err);
	bool more = rc == 1 && !plan_only;

	for (size_t i = 0; more && i < ET_LENGTH(parts); i++) {
		ET_AUTO_CURSOR struct et_cursor c = et_cursor_rows(s, parts[i].which, key, err);
		what = parts[i].what;
		rc = parts[i].read(&c, e);
		more = rc == 0;
	}
	return rc == -EBADMSG ? et_store_damaged_part(s, e, what, err) : rc < 0 ? rc : 0;
}

int et_profile_rows_begin(struct et_profile_rows *r)
{
	int rc = et_cursor_step(&r->c);

	r->row = rc == 1;
	if (r->row && (!r->e->profile || !et_row_int(&r->c, 0, UINT32_MAX, &r->order) ||
			      !et_row_int(&r->c, 0, UINT32_MAX, &r->command)))
		return et_store_damaged_part(r->s, r->e, "a run of the profile", r->c.err);
	return rc < 0 ? rc : 0;
}

int et_profile_rows_take(struct et_profile_rows *r, struct et_sample *sample)
{
	const unsigned char *counts;
	size_t size;

	if (!r->row || r->order != sample->place.order || r->command != sample->place.command)
		return 0;
	if (et_row_columns(&r->c, &et_columns_profile_run, &r->run) ||
		!et_row_blob(&r->c, &counts, &size) || !decode(r, counts, size))
		return et_store_damaged_part(
			r->s, r->e, "the table of counts of the profile", r->c.err);
	sample->measured.profile = &r->run;
	return et_profile_rows_begin(r);
}

void et_profile_rows_end(struct et_profile_rows *r)
{
	et_cursor_close(&r->c);
	free(r->run.counts);
}
