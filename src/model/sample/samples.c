/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/sample/samples.h"
#include "base/alloc.h"
#include "model/sample/packed.h"

#include <assert.h>
#include <string.h>

/* ET_SAMPLES_CHUNK samples. */
struct et_sample_chunk {
	struct et_packed *samples, *removals;
	/* The culprits of all of them, and where those of each begin; NULL if there are none. */
	struct et_packed *culprits, *begins;
};

static const struct et_field begin_fields[] = { { .name = "begin", .kind = ET_FIELD_U64 }, { 0 } };

/* --- chunks --- */

static void pack_culprits(struct et_sample_chunk *c, const struct et_sample *list)
{
	uint64_t begins[ET_SAMPLES_CHUNK + 1] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < ET_SAMPLES_CHUNK; i++) {
		n += list[i].measured.n_culprits;
		begins[i + 1] = n;
	}
	if (!n)
		return;
	ET_AUTO_FREE struct et_culprit *all = et_calloc(n, sizeof(*all));
	for (size_t i = 0; i < ET_SAMPLES_CHUNK; i++) {
		if (list[i].measured.n_culprits)
			memcpy(&all[begins[i]], list[i].measured.culprits,
				list[i].measured.n_culprits * sizeof(*all));
	}
	c->begins = et_pack(begin_fields, begins, sizeof(*begins), ET_LENGTH(begins));
	c->culprits = et_pack(et_culprit_fields, all, sizeof(*all), n);
}

static struct et_sample_chunk pack_chunk(const struct et_sample *list)
{
	struct et_sample_chunk c = { 0 };

	c.samples = et_pack(et_sample_fields, list, sizeof(*list), ET_SAMPLES_CHUNK);
	c.removals =
		et_pack(et_removal_fields, &list->ruling.removal, sizeof(*list), ET_SAMPLES_CHUNK);
	pack_culprits(&c, list);
	return c;
}

static void chunk_free(struct et_sample_chunk *c)
{
	free(c->samples);
	free(c->removals);
	free(c->culprits);
	free(c->begins);
}

/* Returns where the culprits of sample i begin among those of the chunk, and their number. */
static size_t find_culprits(const struct et_sample_chunk *c, size_t i, size_t *n)
{
	uint64_t begin, end;

	*n = 0;
	if (!c->culprits)
		return 0;
	et_unpack(c->begins, begin_fields, i, &begin);
	et_unpack(c->begins, begin_fields, i + 1, &end);
	*n = end - begin;
	return begin;
}

static void unpack_culprits(
	const struct et_sample_chunk *c, size_t from, size_t n, struct et_culprit *out)
{
	for (size_t i = 0; i < n; i++)
		et_unpack(c->culprits, et_culprit_fields, from + i, &out[i]);
}

/* --- adding and changing --- */

static void free_list(struct et_sample *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		et_sample_free(&list[i]);
}

static size_t tail_length(const struct et_samples *all)
{
	return all->n - all->n_chunks * ET_SAMPLES_CHUNK;
}

static void pack_tail(struct et_samples *all)
{
	ET_GROW(all->chunks, all->n_chunks, all->room);
	all->chunks[all->n_chunks] = pack_chunk(all->tail);
	free_list(all->tail, ET_SAMPLES_CHUNK);
	all->n_chunks++;
}

struct et_sample *et_samples_add(struct et_samples *all, const struct et_sample *s)
{
	assert(!all->n || all->command == s->place.command);
	all->command = s->place.command;
	/* Not before the next sample, so that the last one can be returned. */
	if (tail_length(all) == ET_SAMPLES_CHUNK)
		pack_tail(all);
	ET_GROW(all->tail, tail_length(all), all->tail_room);
	struct et_sample *kept = &all->tail[tail_length(all)];
	et_sample_copy(kept, s);
	kept->place.index = (uint32_t)++all->n;
	return kept;
}

static void close_chunk(struct et_samples *all)
{
	struct et_sample_chunk *c = &all->chunks[all->open_chunk];

	chunk_free(c);
	*c = pack_chunk(all->open);
	free_list(all->open, ET_SAMPLES_CHUNK);
}

static void unpack_place(const struct et_samples *all, size_t i, struct et_sample *s)
{
	s->place.command = all->command;
	s->place.index = (uint32_t)i + 1;
}

static void open_chunk(struct et_samples *all, size_t chunk)
{
	const struct et_sample_chunk *c = &all->chunks[chunk];

	if (all->open)
		close_chunk(all);
	else
		all->open = et_calloc(ET_SAMPLES_CHUNK, sizeof(*all->open));
	for (size_t i = 0; i < ET_SAMPLES_CHUNK; i++) {
		struct et_sample *s = &all->open[i];
		size_t n, from = find_culprits(c, i, &n);
		*s = (struct et_sample){ 0 };
		unpack_place(all, chunk * ET_SAMPLES_CHUNK + i, s);
		et_unpack(c->samples, et_sample_fields, i, s);
		et_unpack(c->removals, et_removal_fields, i, &s->ruling.removal);
		if (n)
			s->measured.culprits = et_calloc(n, sizeof(*s->measured.culprits));
		s->measured.n_culprits = n;
		unpack_culprits(c, from, n, s->measured.culprits);
	}
	all->open_chunk = chunk;
	all->changes++;
}

static bool is_open(const struct et_samples *all, size_t chunk)
{
	return all->open && all->open_chunk == chunk;
}

struct et_sample *et_samples_edit(struct et_samples *all, size_t i)
{
	size_t chunk = i / ET_SAMPLES_CHUNK, at = i % ET_SAMPLES_CHUNK;

	assert(i < all->n);
	if (chunk == all->n_chunks)
		return &all->tail[at];
	if (!is_open(all, chunk))
		open_chunk(all, chunk);
	return &all->open[at];
}

void et_samples_free(struct et_samples *all)
{
	if (all->open)
		free_list(all->open, ET_SAMPLES_CHUNK);
	free_list(all->tail, tail_length(all));
	for (size_t i = 0; i < all->n_chunks; i++)
		chunk_free(&all->chunks[i]);
	free(all->open);
	free(all->tail);
	free(all->chunks);
	*all = (struct et_samples){ 0 };
}

/* --- sorting --- */

struct key {
	uint32_t order, at;
};

static int by_order(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

void et_samples_sort(struct et_samples *all)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read(all);
	ET_AUTO_FREE struct key *keys = et_calloc(all->n, sizeof(*keys));
	struct et_samples sorted = { 0 };
	bool in_order = true;
	size_t n = 0;

	for (const struct et_sample *s; (s = et_sample_reader_next(&r)); n++) {
		keys[n] = (struct key){ s->place.order, (uint32_t)n };
		in_order = in_order && (!n || keys[n - 1].order <= keys[n].order);
	}
	if (in_order)
		return;
	qsort(keys, n, sizeof(*keys), by_order);
	for (size_t i = 0; i < n; i++)
		et_samples_add(&sorted, et_sample_reader_at(&r, keys[i].at));
	et_samples_free(all);
	*all = sorted;
}

/* --- reading --- */

struct et_sample_reader et_samples_read(const struct et_samples *all)
{
	return (struct et_sample_reader){ .all = all };
}

struct et_sample_reader et_samples_read_figures(const struct et_samples *all)
{
	return (struct et_sample_reader){ .all = all, .figures = true };
}

static void load_culprits(struct et_sample_reader *r, const struct et_sample_chunk *c, size_t at)
{
	size_t n, from = find_culprits(c, at, &n);

	if (n > r->room) {
		r->room = 2 * n;
		r->culprits = et_realloc(r->culprits, r->room, sizeof(*r->culprits));
	}
	unpack_culprits(c, from, n, r->culprits);
	r->sample.measured.culprits = n ? r->culprits : NULL;
	r->sample.measured.n_culprits = n;
}

static void load(struct et_sample_reader *r, size_t chunk, size_t at)
{
	const struct et_sample_chunk *c = &r->all->chunks[chunk];
	struct et_sample *s = &r->sample;

	if (r->chunk == chunk + 1 && r->changes == r->all->changes) {
		et_unpack_next(c->samples, et_sample_fields, at, s);
		et_unpack_next(c->removals, et_removal_fields, at, &s->ruling.removal);
	} else {
		et_unpack(c->samples, et_sample_fields, at, s);
		et_unpack(c->removals, et_removal_fields, at, &s->ruling.removal);
		r->chunk = chunk + 1;
		r->changes = r->all->changes;
	}
	unpack_place(r->all, chunk * ET_SAMPLES_CHUNK + at, s);
	if (!r->figures)
		load_culprits(r, c, at);
}

const struct et_sample *et_sample_reader_at(struct et_sample_reader *r, size_t i)
{
	const struct et_samples *all = r->all;
	size_t chunk = i / ET_SAMPLES_CHUNK, at = i % ET_SAMPLES_CHUNK;

	assert(i < all->n);
	r->next = i + 1;
	if (chunk == all->n_chunks)
		return &all->tail[at];
	if (is_open(all, chunk))
		return &all->open[at];
	load(r, chunk, at);
	return &r->sample;
}

const struct et_sample *et_sample_reader_next(struct et_sample_reader *r)
{
	return r->next < r->all->n ? et_sample_reader_at(r, r->next) : NULL;
}

void et_sample_reader_end(struct et_sample_reader *r)
{
	free(r->culprits);
	r->culprits = NULL;
	r->room = 0;
}
