/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hash.h"
#include "model/experiment/experiment.h"

/* The totals so far, found by name. */
struct totals {
	struct et_culprit_total *list;
	size_t *last; /* per total: the index of the last sample in which it was seen */
	size_t n, room, last_room;
	struct et_hash by_name; /* from the hash of a name to a total, from 1 */
};

static int by_time(const void *a, const void *b)
{
	const struct et_culprit_total *x = a, *y = b;

	return ET_ORDER(y->cpu_ns, x->cpu_ns) ?: strncmp(x->name, y->name, sizeof(x->name));
}

/* Finds the total of a name, or adds one. */
static size_t total_of(struct totals *t, const char name[16])
{
	size_t length = strnlen(name, sizeof(t->list->name));
	uint64_t key = et_hash_bytes(name, length) | 1, *place;

	while (*(place = et_hash_put(&t->by_name, key)) &&
		strncmp(t->list[*place - 1].name, name, sizeof(t->list->name)))
		key += 2;
	if (!*place) {
		ET_GROW(t->list, t->n, t->room);
		ET_GROW(t->last, t->n, t->last_room);
		t->list[t->n] = (struct et_culprit_total){ 0 };
		memcpy(t->list[t->n].name, name, length);
		t->last[t->n] = 0;
		*place = ++t->n;
	}
	return *place - 1;
}

static void add_up(struct totals *t, const struct et_sample *s, const struct et_culprit *who)
{
	bool taken = who->on_our_cpu_ns && who->on_our_cpu_ns != ET_UNKNOWN;

	if (who->cpu_ns == ET_UNKNOWN || (!who->cpu_ns && !taken))
		return;
	size_t i = total_of(t, who->name);
	t->list[i].cpu_ns += who->cpu_ns;
	if (taken && et_sample_counts(s))
		t->list[i].taken_ns += who->on_our_cpu_ns;
	t->list[i].samples += t->last[i] != s->place.index;
	t->last[i] = s->place.index;
}

struct et_culprit_total *et_command_culprits(const struct et_command *c, size_t *n)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read(&c->samples);
	struct totals t = { .by_name = { .width = sizeof(uint64_t) } };
	bool all_tell =
		true; /* every sample that counts has a ledger; partial sums would mislead */

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		all_tell =
			all_tell && !(et_sample_counts(s) && s->measured.others_ns == ET_UNKNOWN);
		for (size_t k = 0; !s->place.warmup && k < s->measured.n_culprits; k++)
			add_up(&t, s, &s->measured.culprits[k]);
	}
	for (size_t i = 0; i < t.n; i++) {
		t.list[i].name[sizeof(t.list->name) - 1] = '\0';
		t.list[i].taken_ns = all_tell ? t.list[i].taken_ns : 0;
	}
	if (t.n)
		qsort(t.list, t.n, sizeof(*t.list), by_time);
	free(t.last);
	et_hash_free(&t.by_name);
	*n = t.n;
	return t.list ? t.list : et_calloc(1, sizeof(*t.list));
}
