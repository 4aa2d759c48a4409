/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds all samples of an experiment by COPY. */
#include "base/hash.h"
#include "store/core/cursor.h"

/* Two names of one hash are in places that follow each other. */
static struct et_process_key *find(struct et_hash *n, const char *name, bool add)
{
	uint64_t key = et_hash_text(name);

	for (;; key++) {
		key += key == 0;
		struct et_process_key *p = et_hash_find(n, key);
		if (p && !strcmp(p->name, name))
			return p;
		if (!p && !add)
			return NULL;
		if (!p) {
			p = et_hash_put(n, key);
			snprintf(p->name, sizeof(p->name), "%s", name);
			return p;
		}
	}
}

/* Calls fn for each sample until it fails. */
typedef int sample_fn(void *ctx, const struct et_sample *sample);

static int for_each_sample(const struct et_experiment *e, sample_fn *fn, void *ctx)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < e->n_commands; i++) {
		ET_AUTO_READER struct et_sample_reader r = et_samples_read(&e->commands[i].samples);
		for (const struct et_sample *one; !rc && (one = et_sample_reader_next(&r));)
			rc = fn(ctx, one);
	}
	return rc;
}

/* --- samples --- */

struct adding {
	struct et_store *s;
	struct et_cursor c;
	struct et_hash names; /* of culprits: struct et_process_key by the hash of the name */
	size_t culprits;
};

static int add_sample(void *ctx, const struct et_sample *sample)
{
	struct adding *a = ctx;
	int rc = et_store_check_place(a->s, sample, a->c.err);

	if (rc)
		return rc;
	ET_BIND_INTS(&a->c, a->s->key, sample->place.command);
	et_bind_columns(&a->c, &et_columns_sample, sample);
	et_bind_columns(&a->c, &et_columns_removal, &sample->ruling.removal);
	rc = et_cursor_add(&a->c);
	a->s->uncounted += !rc && !sample->place.warmup;
	for (size_t i = 0; i < sample->measured.n_culprits; i++) {
		const struct et_culprit *culprit = &sample->measured.culprits[i];
		if (strnlen(culprit->name, sizeof(culprit->name)) < sizeof(culprit->name))
			find(&a->names, culprit->name, true);
		a->culprits++;
	}
	return rc;
}

/* --- names of processes --- */

static int compare(const void *a, const void *b)
{
	const struct et_process_key *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Sorted: two sessions that add the same names in another order would wait for each other. */
static char *array_of(const struct et_hash *n)
{
	struct et_process_key **list = et_calloc(n->n + 1, sizeof(struct et_process_key *));
	struct et_process_key *p;
	size_t count = 0, at = 0;

	while ((p = et_hash_next(n, &at)))
		list[count++] = p;
	qsort(list, count, sizeof(struct et_process_key *), compare);
	/* At most two bytes for each of a name, two quotes and a comma. */
	char *text = et_alloc(count * (2 * sizeof(p->name) + 3) + 3), *end = text;
	*end++ = '{';
	for (size_t i = 0; i < count; i++) {
		if (i)
			*end++ = ',';
		*end++ = '"';
		for (const char *c = list[i]->name; *c; c++) {
			if (*c == '"' || *c == '\\')
				*end++ = '\\';
			*end++ = *c;
		}
		*end++ = '"';
	}
	*end++ = '}';
	*end = '\0';
	free(list);
	return text;
}

static int read_keys(struct et_store *s, struct et_hash *n, const char *array, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_FIND_PROCESSES, err);
	int rc;

	et_bind_text(&c, "names", array);
	while ((rc = et_cursor_step(&c)) == 1) {
		char name[sizeof(((struct et_process_key *)0)->name)];
		int64_t key;
		struct et_process_key *p = NULL;
		if (et_row_int(&c, INT64_MIN, INT64_MAX, &key) &&
			et_row_chars(&c, name, sizeof(name)))
			p = find(n, name, false);
		if (!p)
			return et_store_damaged(s, err, "the name of a process");
		p->key = key;
	}
	return rc;
}

/* Adds the names that are new, and reads the keys of all. */
static int know_names(struct et_store *s, struct et_hash *n, struct et_error *err)
{
	if (!n->n)
		return 0;
	ET_AUTO_FREE char *array = array_of(n);
	int rc = ET_EXECUTE(s, ET_SQL_ADD_PROCESSES, err, et_sql_text(array));

	return rc ? rc : read_keys(s, n, array, err);
}

/* --- culprits --- */

static int add_culprits(void *ctx, const struct et_sample *sample)
{
	struct adding *a = ctx;
	int rc = 0;

	for (size_t i = 0; !rc && i < sample->measured.n_culprits; i++) {
		const struct et_culprit *culprit = &sample->measured.culprits[i];
		bool whole = strnlen(culprit->name, sizeof(culprit->name)) < sizeof(culprit->name);
		const struct et_process_key *p =
			whole ? find(&a->names, culprit->name, false) : NULL;

		if (!p)
			return et_fail(a->c.err, EINVAL, ET_EXIT_OUTSIDE,
				"%s: the name of a process is too long", a->s->db->name);
		ET_BIND_INTS(&a->c, a->s->key, sample->place.order, sample->place.command,
			(int64_t)i, p->key);
		et_bind_columns(&a->c, &et_columns_culprit, culprit);
		rc = et_cursor_add(&a->c);
	}
	return rc;
}

static int add_all(struct adding *a, const struct et_experiment *e, struct et_error *err)
{
	a->c = et_cursor_bulk(a->s, ET_SQL_ADD_SAMPLE, err);
	int rc = et_cursor_finish(&a->c, for_each_sample(e, add_sample, a));
	if (rc || !a->culprits)
		return rc;
	rc = know_names(a->s, &a->names, err);
	if (rc)
		return rc;
	a->c = et_cursor_bulk(a->s, ET_SQL_ADD_INTERFERENCE, err);
	return et_cursor_finish(&a->c, for_each_sample(e, add_culprits, a));
}

int et_bulk_samples(struct et_store *s, const struct et_experiment *e, struct et_error *err)
{
	struct adding a = { .s = s, .names.width = sizeof(struct et_process_key) };
	int rc = add_all(&a, e, err);

	et_hash_free(&a.names);
	return rc;
}
