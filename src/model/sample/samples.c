/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/sample/samples.h"
#include "model/experiment/field.h"

#include <assert.h>
#include <endian.h>

/* --- packed records --- */

/*
 * Records in little memory, derived from a table of fields. Records are stored by columns: each
 * column has its smallest value and, per record, the difference from it in as few bytes as the
 * largest difference of the column needs. A column whose values are all equal takes no bytes per
 * record, and every record can be read without reading others. Members that are not in the table
 * of fields are lost.
 */
enum { NAME = 16, WORD = sizeof(uint64_t) };

struct column {
	uint64_t least;
	uint64_t at : 48;    /* where its differences begin in the data */
	uint64_t width : 8;  /* bytes per difference; 0 if all values are equal */
	uint64_t number : 8; /* of its field */
};

/* After the columns follow the names, then the data and WORD bytes that loads may run into. */
struct packed {
	uint32_t n_columns;
	size_t data;             /* offset of the data in this struct */
	struct column columns[]; /* those that vary come first */
};

struct source {
	const struct et_field *fields;
	const char *records;
	size_t stride, n;
	char (*names)[NAME]; /* all texts of the records, sorted, each once */
	size_t n_names;
};

/* --- texts: the number of a name in a sorted list --- */

static int compare_names(const void *a, const void *b)
{
	return memcmp(a, b, NAME);
}

/* Bytes after the NUL do not count. */
static void read_name(const struct et_field *f, const void *record, char name[NAME])
{
	const char *text = (const char *)record + f->offset;

	assert(f->size == NAME);
	memset(name, 0, NAME);
	memcpy(name, text, strnlen(text, NAME));
}

static void collect_names(struct source *s)
{
	size_t room = 0, kept = 0;

	for (const struct et_field *f = s->fields; f->name; f++) {
		for (size_t i = 0; f->kind == ET_FIELD_CHARS && i < s->n; i++) {
			ET_GROW(s->names, s->n_names, room);
			read_name(f, s->records + i * s->stride, s->names[s->n_names++]);
		}
	}
	if (!s->n_names)
		return;
	qsort(s->names, s->n_names, NAME, compare_names);
	for (size_t i = 1; i < s->n_names; i++) {
		if (compare_names(s->names[i], s->names[kept]))
			memcpy(s->names[++kept], s->names[i], NAME);
	}
	s->n_names = kept + 1;
}

/* --- values as numbers --- */

/* ET_UNKNOWN and -1 become 0, next to the small numbers among which they occur. */
static uint64_t read_value(const struct source *s, const struct et_field *f, size_t i)
{
	const char *record = s->records + i * s->stride;
	char name[NAME], (*found)[NAME];
	uint64_t bits;

	switch (f->kind) {
	case ET_FIELD_CHARS:
		read_name(f, record, name);
		found = bsearch(name, s->names, s->n_names, NAME, compare_names);
		return (uint64_t)(found - s->names);
	case ET_FIELD_DOUBLE:
		memcpy(&bits, record + f->offset, sizeof(bits));
		return bits;
	default:
		return (uint64_t)et_field_int(f, record) + 1;
	}
}

static void write_value(
	const struct packed *p, const struct et_field *f, uint64_t value, char *record)
{
	char *to = record + f->offset;
	const char *names = (const char *)&p->columns[p->n_columns];
	uint32_t word;

	switch (f->kind) {
	case ET_FIELD_CHARS:
		memcpy(to, names + value * NAME, NAME);
		return;
	case ET_FIELD_DOUBLE:
		memcpy(to, &value, sizeof(value));
		return;
	case ET_FIELD_U64:
		value--;
		memcpy(to, &value, sizeof(value));
		return;
	case ET_FIELD_BOOL:
		*(bool *)to = value != 1;
		return;
	default:
		word = (uint32_t)(value - 1);
		memcpy(to, &word, sizeof(word));
	}
}

/* --- packing --- */

static struct column measure(const struct source *s, uint8_t number)
{
	struct column c = { .number = number, .least = UINT64_MAX };
	uint64_t most = 0;

	assert(s->fields[number].kind != ET_FIELD_STRING);
	for (size_t i = 0; i < s->n; i++) {
		uint64_t value = read_value(s, &s->fields[number], i);
		c.least = value < c.least ? value : c.least;
		most = value > most ? value : most;
	}
	for (uint64_t rest = most - c.least; rest; rest >>= 8)
		c.width++;
	return c;
}

/* Returns the number of columns; those that vary come first, with their places in the data. */
static uint32_t plan_columns(const struct source *s, struct column *out, size_t *bytes)
{
	uint8_t n_fields = 0;
	uint32_t front = 0;

	while (s->fields[n_fields].name)
		n_fields++;
	uint32_t back = n_fields;
	*bytes = 0;
	for (uint8_t k = 0; k < n_fields; k++) {
		struct column c = measure(s, k);
		c.at = *bytes;
		*bytes += c.width * s->n;
		out[c.width ? front++ : --back] = c;
	}
	return n_fields;
}

static void write_column(const struct source *s, const struct column *c, char *data)
{
	char *to = data + c->at;

	for (size_t i = 0; i < s->n; i++, to += c->width) {
		uint64_t more = htole64(read_value(s, &s->fields[c->number], i) - c->least);
		memcpy(to, &more, c->width);
	}
}

/* Packs n records that are stride bytes apart, of all fields but ET_FIELD_STRING. Caller frees. */
static struct packed *pack(
	const struct et_field *fields, const void *records, size_t stride, size_t n)
{
	struct source s = { .fields = fields, .records = records, .stride = stride, .n = n };
	struct column columns[UINT8_MAX];
	size_t bytes;

	assert(n);
	collect_names(&s);
	uint32_t n_columns = plan_columns(&s, columns, &bytes);
	size_t data = sizeof(struct packed) + n_columns * sizeof(*columns) + s.n_names * NAME;
	struct packed *p = et_alloc(data + bytes + WORD);
	*p = (struct packed){ .n_columns = n_columns, .data = data };
	memcpy(p->columns, columns, n_columns * sizeof(*columns));
	if (s.n_names)
		memcpy(&p->columns[n_columns], s.names, s.n_names * NAME);
	memset((char *)p + data + bytes, 0, WORD);
	for (uint32_t k = 0; k < n_columns && columns[k].width; k++)
		write_column(&s, &columns[k], (char *)p + data);
	free(s.names);
	return p;
}

/* --- unpacking --- */

/* Writes the fields of record i that vary: the struct holds another record of p. */
static void unpack_next(
	const struct packed *p, const struct et_field *fields, size_t i, void *record)
{
	const char *data = (const char *)p + p->data;

	for (uint32_t k = 0; k < p->n_columns && p->columns[k].width; k++) {
		const struct column *c = &p->columns[k];
		uint64_t more;
		memcpy(&more, data + c->at + i * c->width, sizeof(more));
		more = le64toh(more) & (UINT64_MAX >> (64 - 8 * c->width));
		write_value(p, &fields[c->number], c->least + more, record);
	}
}

/* Writes all fields of record i. */
static void unpack(const struct packed *p, const struct et_field *fields, size_t i, void *record)
{
	for (uint32_t k = p->n_columns; k > 0 && !p->columns[k - 1].width; k--) {
		const struct column *c = &p->columns[k - 1];
		write_value(p, &fields[c->number], c->least, record);
	}
	unpack_next(p, fields, i, record);
}

/* --- chunks --- */

/* ET_SAMPLES_CHUNK samples. */
struct et_sample_chunk {
	struct packed *samples, *removals;
	/* The culprits of all of them, and where those of each begin; NULL if there are none. */
	struct packed *culprits, *begins;
};

static const struct et_field begin_fields[] = { { .name = "begin", .kind = ET_FIELD_U64 }, { 0 } };

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
	c->begins = pack(begin_fields, begins, sizeof(*begins), ET_LENGTH(begins));
	c->culprits = pack(et_culprit_fields, all, sizeof(*all), n);
}

static struct et_sample_chunk pack_chunk(const struct et_sample *list)
{
	struct et_sample_chunk c = { 0 };

	c.samples = pack(et_sample_fields, list, sizeof(*list), ET_SAMPLES_CHUNK);
	c.removals =
		pack(et_removal_fields, &list->ruling.removal, sizeof(*list), ET_SAMPLES_CHUNK);
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
	unpack(c->begins, begin_fields, i, &begin);
	unpack(c->begins, begin_fields, i + 1, &end);
	*n = end - begin;
	return begin;
}

static void unpack_culprits(
	const struct et_sample_chunk *c, size_t from, size_t n, struct et_culprit *out)
{
	for (size_t i = 0; i < n; i++)
		unpack(c->culprits, et_culprit_fields, from + i, &out[i]);
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

struct et_sample *et_samples_add(struct et_samples *all, const struct et_sample *s)
{
	assert(!all->n || all->command == s->place.command);
	all->command = s->place.command;
	/* Not before the next sample, so that the last one can be returned. */
	if (tail_length(all) == ET_SAMPLES_CHUNK) {
		ET_GROW(all->chunks, all->n_chunks, all->room);
		all->chunks[all->n_chunks++] = pack_chunk(all->tail);
		free_list(all->tail, ET_SAMPLES_CHUNK);
	}
	ET_GROW(all->tail, tail_length(all), all->tail_room);
	struct et_sample *kept = &all->tail[tail_length(all)];
	et_sample_copy(kept, s);
	kept->place.index = (uint32_t)++all->n;
	return kept;
}

static void unpack_place(const struct et_samples *all, size_t i, struct et_sample *s)
{
	s->place.command = all->command;
	s->place.index = (uint32_t)i + 1;
}

static void open_chunk(struct et_samples *all, size_t chunk)
{
	const struct et_sample_chunk *c = &all->chunks[chunk];

	if (all->open) {
		struct et_sample_chunk *last = &all->chunks[all->open_chunk];
		chunk_free(last);
		*last = pack_chunk(all->open);
		free_list(all->open, ET_SAMPLES_CHUNK);
	} else {
		all->open = et_calloc(ET_SAMPLES_CHUNK, sizeof(*all->open));
	}
	for (size_t i = 0; i < ET_SAMPLES_CHUNK; i++) {
		struct et_sample *s = &all->open[i];
		size_t n, from = find_culprits(c, i, &n);
		*s = (struct et_sample){ 0 };
		unpack_place(all, chunk * ET_SAMPLES_CHUNK + i, s);
		unpack(c->samples, et_sample_fields, i, s);
		unpack(c->removals, et_removal_fields, i, &s->ruling.removal);
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

	return ET_ORDER(x->order, y->order) ?: ET_ORDER(x->at, y->at);
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
	bool next = r->chunk == chunk + 1 && r->changes == r->all->changes;

	(next ? unpack_next : unpack)(c->samples, et_sample_fields, at, s);
	(next ? unpack_next : unpack)(c->removals, et_removal_fields, at, &s->ruling.removal);
	r->chunk = chunk + 1;
	r->changes = r->all->changes;
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
