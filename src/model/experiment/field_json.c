/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes structs as JSON by the tables of their fields. */
#include "model/experiment/field.h"

#include <assert.h>

/* Is the value not 0, not NaN and not empty, and at least `least`? */
static bool is_given(const struct et_field *f, const void *base)
{
	const struct et_field at = { .kind = f->given.kind, .offset = f->given.offset };

	switch (at.kind) {
	case ET_FIELD_DOUBLE:
		return et_field_double(&at, base) > 0;
	case ET_FIELD_CHARS:
		return *et_field_text(&at, base);
	case ET_FIELD_STRING:
		return et_field_text(&at, base);
	default:
		return et_field_int(&at, base) >= (f->least ? f->least : 1);
	}
}

static void write_bits(struct et_json *j, const struct et_field *f, const void *base)
{
	et_json_flat_array(j, f->name);
	for (int i = 0; f->names[i]; i++) {
		if (et_field_int(f, base) & (1 << i))
			et_json_string(j, NULL, f->names[i]);
	}
	et_json_end(j);
}

static double scaled(const struct et_field *f, double x)
{
	return f->scale != 0 ? f->scale * x : x;
}

static void write_span(
	struct et_json *j, const struct et_field *f, const char *key, double lo, double hi)
{
	if (f->nullable && isnan(lo) && isnan(hi)) {
		et_json_null(j, key);
		return;
	}
	et_json_flat_array(j, key);
	et_json_double(j, NULL, scaled(f, lo));
	et_json_double(j, NULL, scaled(f, hi));
	et_json_end(j);
}

static void write_object(struct et_json *j, const char *key, const struct et_field *f,
	const void *base, const char *unit)
{
	(f->flat ? et_json_flat_object : et_json_object)(j, key);
	et_fields_write_in(j, f->fields, base, unit);
	et_json_end(j);
}

static void write_elements(struct et_json *j, const char *key, const struct et_field *f,
	const char *list, size_t n, const char *unit)
{
	const struct et_field element = { .kind = f->element, .scale = f->scale };

	(f->fields ? et_json_array : et_json_flat_array)(j, key);
	for (size_t i = 0; i < n; i++) {
		const char *at = list + i * f->size + f->inner;
		if (f->fields)
			write_object(j, NULL, f, at, unit);
		else if (element.kind == ET_FIELD_DOUBLE)
			et_json_double(j, NULL, scaled(f, et_field_double(&element, at)));
		else if (element.kind == ET_FIELD_STRING)
			et_json_string(j, NULL, et_field_text(&element, at));
		else
			et_json_int(j, NULL, et_field_int(&element, at));
	}
	et_json_end(j);
}

static size_t count(const struct et_field *f, const void *base)
{
	return f->length ? f->length
			 : *(const size_t *)(const void *)((const char *)base + f->count);
}

/* The kinds that only results have. */
static void write_part(struct et_json *j, const struct et_field *f, const char *key,
	const void *base, const char *unit)
{
	const void *at = (const char *)base + f->offset;

	switch (f->kind) {
	case ET_FIELD_SPAN:
		write_span(j, f, key, *(const double *)at,
			*(const double *)(const void *)((const char *)base + f->upper));
		break;
	case ET_FIELD_OBJECT:
		write_object(j, key, f, at, unit);
		break;
	case ET_FIELD_LIST:
		write_elements(j, key, f, *(char *const *)at, count(f, base), unit);
		break;
	case ET_FIELD_ARRAY:
		write_elements(j, key, f, at, count(f, base), unit);
		break;
	default:
		assert(f->kind == ET_FIELD_MADE);
		f->write(j, key, at);
	}
}

static void write_value(struct et_json *j, const struct et_field *f, const char *key,
	const void *base, const char *unit)
{
	switch (f->kind) {
	case ET_FIELD_BOOL:
		if (f->names)
			et_json_string(j, key, f->names[et_field_int(f, base)]);
		else
			et_json_bool(j, key, et_field_int(f, base));
		break;
	case ET_FIELD_BITS:
		write_bits(j, f, base);
		break;
	case ET_FIELD_DOUBLE:
		et_json_double(j, key, scaled(f, f->of ? f->of(base) : et_field_double(f, base)));
		break;
	case ET_FIELD_ENUM:
	case ET_FIELD_STRING:
	case ET_FIELD_CHARS:
		et_json_string(j, key, et_field_text(f, base));
		break;
	case ET_FIELD_U64:
		et_json_u64(j, key, (uint64_t)et_field_int(f, base));
		break;
	case ET_FIELD_U32:
	case ET_FIELD_I32:
	case ET_FIELD_I64:
		et_json_int(j, key, et_field_int(f, base));
		break;
	default:
		write_part(j, f, key, base, unit);
	}
}

static const char *key_of(const struct et_field *f, const char *unit, char buf[64])
{
	if (!f->in_unit || !unit)
		return f->name;
	snprintf(buf, 64, "%s_%s", f->name, unit);
	return buf;
}

/* Writes fields of a struct whose values are not known. */
static void write_absent(struct et_json *j, const struct et_field *fields, const char *unit)
{
	char buf[64];

	for (const struct et_field *f = fields; f->name; f++) {
		if (f->kind == ET_FIELD_SPAN)
			write_span(j, f, key_of(f, unit, buf), NAN, NAN);
		else if (!f->omitted)
			et_json_null(j, key_of(f, unit, buf));
	}
}

static void write_field(
	struct et_json *j, const struct et_field *f, const void *base, const char *unit)
{
	char buf[64];
	const char *key = key_of(f, unit, buf);

	bool known = f->given.set              ? is_given(f, base) != f->unless
		     : f->kind >= ET_FIELD_I64 ? true
					       : !et_field_is_missing(f, base);
	if (known && !*f->name)
		et_fields_write_in(j, f->fields, (const char *)base + f->offset, unit);
	else if (known)
		write_value(j, f, key, base, unit);
	else if (!*f->name && !f->omitted)
		write_absent(j, f->fields, unit);
	else if (!f->omitted)
		et_json_null(j, key);
}

void et_fields_write_in(
	struct et_json *j, const struct et_field *fields, const void *base, const char *unit)
{
	for (const struct et_field *f = fields; f->name; f++)
		write_field(j, f, base, unit);
}

void et_fields_write(struct et_json *j, const struct et_field *fields, const void *base)
{
	et_fields_write_in(j, fields, base, NULL);
}

void et_fields_object(
	struct et_json *j, const char *key, const struct et_field *fields, const void *base)
{
	write_object(j, key, &(struct et_field){ .fields = fields }, base, NULL);
}

void et_fields_flat(
	struct et_json *j, const char *key, const struct et_field *fields, const void *base)
{
	write_object(j, key, &(struct et_field){ .fields = fields, .flat = true }, base, NULL);
}

void et_fields_span(struct et_json *j, const char *key, double lo, double hi)
{
	const struct et_field f = { .nullable = true };

	write_span(j, &f, key, lo, hi);
}

void et_fields_list(struct et_json *j, const char *key, const struct et_field *fields,
	const void *list, size_t n, size_t size)
{
	const struct et_field f = { .size = size, .flat = true, .fields = fields };

	write_elements(j, key, &f, list, n, NULL);
}
