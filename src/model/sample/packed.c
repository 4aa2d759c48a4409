/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/sample/packed.h"
#include "base/alloc.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

enum { NAME = 16, WORD = sizeof(uint64_t) };

struct column {
	uint64_t least;
	uint64_t at : 48;    /* where its differences begin in the data */
	uint64_t width : 8;  /* bytes per difference; 0 if all values are equal */
	uint64_t number : 8; /* of its field */
};

/* After the columns follow the names, then the data and WORD bytes that loads may run into. */
struct et_packed {
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

static uint64_t number_of_name(const struct source *s, const char name[NAME])
{
	const char(*found)[NAME] = bsearch(name, s->names, s->n_names, NAME, compare_names);

	return (uint64_t)(found - (const char(*)[NAME])s->names);
}

/* --- values as numbers --- */

/* ET_UNKNOWN and -1 become 0, next to the small numbers among which they occur. */
static uint64_t read_value(const struct source *s, const struct et_field *f, size_t i)
{
	const char *record = s->records + i * s->stride;
	char name[NAME];
	uint64_t bits;

	switch (f->kind) {
	case ET_FIELD_CHARS:
		read_name(f, record, name);
		return number_of_name(s, name);
	case ET_FIELD_DOUBLE:
		memcpy(&bits, record + f->offset, sizeof(bits));
		return bits;
	default:
		return (uint64_t)et_field_int(f, record) + 1;
	}
}

static void write_value(
	const struct et_packed *p, const struct et_field *f, uint64_t value, char *record)
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

static uint8_t bytes_for(uint64_t largest)
{
	uint8_t width = 0;

	for (; largest; largest >>= 8)
		width++;
	return width;
}

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
	c.width = bytes_for(most - c.least);
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

struct et_packed *et_pack(
	const struct et_field *fields, const void *records, size_t stride, size_t n)
{
	struct source s = { .fields = fields, .records = records, .stride = stride, .n = n };
	struct column columns[UINT8_MAX];
	size_t bytes;

	assert(n);
	collect_names(&s);
	uint32_t n_columns = plan_columns(&s, columns, &bytes);
	size_t data = sizeof(struct et_packed) + n_columns * sizeof(*columns) + s.n_names * NAME;
	struct et_packed *p = et_alloc(data + bytes + WORD);
	*p = (struct et_packed){ .n_columns = n_columns, .data = data };
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

void et_unpack_next(
	const struct et_packed *p, const struct et_field *fields, size_t i, void *record)
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

void et_unpack(const struct et_packed *p, const struct et_field *fields, size_t i, void *record)
{
	for (uint32_t k = p->n_columns; k > 0 && !p->columns[k - 1].width; k--) {
		const struct column *c = &p->columns[k - 1];
		write_value(p, &fields[c->number], c->least, record);
	}
	et_unpack_next(p, fields, i, record);
}
