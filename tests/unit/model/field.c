/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of fields: every row is sound, and no value outside its range gets into a struct. */
#include "model/experiment/field.h"
#include "base/base.h"
#include "model/result/warning.h"
#include "tap.h"

#include <limits.h>

/* Larger than each of the structs, aligned for any member. */
static union {
	struct et_sample sample;
	struct et_culprit culprit;
	struct et_removal removal;
	struct et_plan plan;
	struct et_child_spec child;
	struct et_host host;
	struct et_factor factor;
	char bytes[4096];
} any;

static const struct table {
	const char *name;
	const struct et_field *fields;
	size_t size;
} tables[] = {
	{ "sample", et_sample_fields, sizeof(struct et_sample) },
	{ "culprit", et_culprit_fields, sizeof(struct et_culprit) },
	{ "removal", et_removal_fields, sizeof(struct et_removal) },
	{ "plan", et_plan_fields, sizeof(struct et_plan) },
	{ "child", et_child_fields, sizeof(struct et_child_spec) },
	{ "host", et_host_fields, sizeof(struct et_host) },
	{ "factor", et_factor_fields, sizeof(struct et_factor) },
};

static size_t size_of(const struct et_field *f)
{
	switch (f->kind) {
	case ET_FIELD_U64:
		return sizeof(uint64_t);
	case ET_FIELD_BOOL:
		return sizeof(bool);
	case ET_FIELD_DOUBLE:
		return sizeof(double);
	case ET_FIELD_STRING:
		return sizeof(char *);
	case ET_FIELD_CHARS:
		return f->size;
	default:
		return sizeof(uint32_t);
	}
}

/* A field that may be null is so when it was missing, and then may be written. */
static bool missing_is_null(const struct et_field *f)
{
	et_field_set_missing(f, &any);
	return et_field_is_missing(f, &any) == f->nullable &&
	       (!f->nullable || et_field_is_valid(f, &any));
}

static void check_table(const struct table *t)
{
	bool unique = true, inside = true, disjoint = true, ranges = true, named = true;
	bool missing = true;

	for (const struct et_field *f = t->fields; f->name; f++) {
		for (const struct et_field *g = t->fields; g != f; g++) {
			unique = unique && strcmp(f->name, g->name);
			disjoint = disjoint && (f->offset + size_of(f) <= g->offset ||
						       g->offset + size_of(g) <= f->offset);
		}
		inside = inside && f->offset + size_of(f) <= t->size;
		ranges = ranges && f->lo <= f->hi;
		named = named && (f->names != NULL) ==
					 (f->kind == ET_FIELD_ENUM || f->kind == ET_FIELD_BITS);
		missing = missing && missing_is_null(f);
		ok(et_field_find(t->fields, f->name) == f, "%s.%s: it is found by its name",
			t->name, f->name);
	}
	ok(unique, "%s: no name occurs twice", t->name);
	ok(inside && disjoint, "%s: fields are within the struct and do not overlap", t->name);
	ok(ranges && named, "%s: ranges are not empty, enums and bits have names", t->name);
	ok(missing, "%s: a field that may be null is valid when it is missing", t->name);
	ok(!et_field_find(t->fields, "nosuch"), "%s: an unknown name is not found", t->name);
}

/* Both ends of a range are accepted, the next values are not and change nothing. */
static void check_ends(const struct table *t)
{
	for (const struct et_field *f = t->fields; f->name; f++) {
		if (f->kind >= ET_FIELD_DOUBLE || f->kind == ET_FIELD_ENUM)
			continue;
		bool low = et_field_set_int(f, &any, f->lo) && et_field_int(f, &any) == f->lo;
		bool high = et_field_set_int(f, &any, f->hi) && et_field_int(f, &any) == f->hi &&
			    et_field_is_valid(f, &any);
		bool below = f->lo == INT64_MIN || !et_field_set_int(f, &any, f->lo - 1);
		bool above = f->hi == INT64_MAX || !et_field_set_int(f, &any, f->hi + 1);
		ok(low && high && below && above && et_field_int(f, &any) == f->hi,
			"%s.%s: its range is kept", t->name, f->name);
	}
}

static void test_numbers(void)
{
	const struct et_field *order = et_field_find(et_sample_fields, "order");
	const struct et_field *level = et_field_find(et_plan_fields, "level");
	const struct et_field *nice = et_field_find(et_child_fields, "nice");
	const struct et_field *time = et_field_find(et_sample_fields, "et_ns");

	ok(et_field_set_double(order, &any, 5) && et_field_int(order, &any) == 5,
		"numbers: a whole number may come as a double");
	ok(!et_field_set_double(order, &any, 5.5) && !et_field_set_double(order, &any, NAN) &&
			!et_field_set_double(time, &any, 9223372036854775808.0) &&
			!et_field_set_double(order, &any, 0) && et_field_int(order, &any) == 5,
		"numbers: a double that is not whole or out of range is rejected");
	ok(et_field_set_double(level, &any, 0.95) && et_field_double(level, &any) == 0.95 &&
			!et_field_set_double(level, &any, 1.01),
		"numbers: a ratio above its range is rejected");
	ok(et_field_set_int(nice, &any, -20) && !et_field_set_int(nice, &any, 25),
		"numbers: nice 25 is rejected");
	any.child.nice = 25;
	ok(!et_field_is_valid(nice, &any), "numbers: a value out of range is not valid");
	any.sample.measured.elapsed_ns = (uint64_t)-5;
	ok(et_field_is_missing(time, &any), "numbers: a time below 0 is unknown");
}

static void test_names(void)
{
	const struct et_field *arrangement = et_field_find(et_sample_fields, "arrangement");
	const struct et_field *marks = et_field_find(et_sample_fields, "marks");

	ok(et_field_set_text(arrangement, &any, "duet") &&
			any.sample.place.arrangement == ET_DUET &&
			!strcmp(et_field_text(arrangement, &any), "duet"),
		"names: an enum is set by its name");
	ok(!et_field_set_text(arrangement, &any, "trio") &&
			!et_field_set_int(arrangement, &any, 3) &&
			any.sample.place.arrangement == ET_DUET,
		"names: an unknown name or number is rejected");
	any.sample.place.arrangement = 3;
	ok(!et_field_is_valid(arrangement, &any), "names: a number without a name is not valid");
	ok(et_field_set_text(marks, &any, "stopped leftovers") &&
			any.sample.ruling.marks == (ET_MARK_STOPPED | ET_MARK_LEFTOVERS),
		"names: bits are set by their names");
	ok(!et_field_set_text(marks, &any, "stopped nosuch") &&
			any.sample.ruling.marks == (ET_MARK_STOPPED | ET_MARK_LEFTOVERS),
		"names: bits with an unknown name are rejected");
	ok(et_field_set_text(marks, &any, "") && !any.sample.ruling.marks,
		"names: an empty list has no bits");
}

static void test_texts(void)
{
	const struct et_field *kernel = et_field_find(et_host_fields, "kernel");
	const struct et_field *user = et_field_find(et_child_fields, "user");
	char longest[sizeof(any.host.kernel) + 1];

	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 2] = '\0';
	ok(et_field_set_text(kernel, &any, longest) && !strcmp(any.host.kernel, longest),
		"texts: a text that just fits is accepted");
	longest[sizeof(longest) - 2] = 'x';
	longest[sizeof(longest) - 1] = '\0';
	ok(!et_field_set_text(kernel, &any, longest) && et_field_is_valid(kernel, &any),
		"texts: a longer one is rejected");
	memset(any.host.kernel, 'x', sizeof(any.host.kernel));
	ok(!et_field_is_valid(kernel, &any), "texts: one without an end is not valid");
	memset(&any, 0, sizeof(any));
	ok(et_field_is_missing(user, &any), "texts: a null pointer is missing");
	ok(et_field_set_text(user, &any, "nobody") && !strcmp(et_field_text(user, &any), "nobody"),
		"texts: an owned text is copied");
	et_field_set_missing(user, &any);
	ok(!any.child.user, "texts: an owned text is freed");
	ok(!et_field_set_int(user, &any, 1) && !et_field_set_double(user, &any, 1),
		"texts: a number is rejected");
}

static void test_wants(void)
{
	char buf[96];

	is_str(et_field_wants(et_field_find(et_child_fields, "nice"), buf),
		"a whole number from -20 to 19", "wants: a whole number");
	is_str(et_field_wants(et_field_find(et_plan_fields, "level"), buf), "a number from 0 to 1",
		"wants: a number");
	is_str(et_field_wants(et_field_find(et_sample_fields, "arrangement"), buf),
		"one of solo, duet, paced", "wants: one of the names");
	is_str(et_field_wants(et_field_find(et_sample_fields, "warmup"), buf), "true or false",
		"wants: a truth value");
}

static void test_marks(void)
{
	bool whole = true;

	for (int i = 0; i < ET_MARKS; i++)
		whole = whole && (int)et_mark_rows[i].bit == 1 << i && et_mark_rows[i].name &&
			!strcmp(et_mark_rows[i].name, et_mark_names[i]) &&
			et_mark_rows[i].warning < ET_WARNING_CODES;
	ok(whole && !et_mark_names[ET_MARKS], "marks: row i has bit i and its name");
	for (int i = 0; i < ET_MARKS; i++) {
		int code = et_mark_rows[i].warning;
		ok(code < 0 || !strcmp(et_warning_rows[code].args, "c"),
			"marks: the warning of %s takes the number of runs", et_mark_rows[i].name);
	}
}

int main(void)
{
	for (size_t i = 0; i < ET_LENGTH(tables); i++) {
		memset(&any, 0, sizeof(any));
		check_table(&tables[i]);
		memset(&any, 0, sizeof(any));
		check_ends(&tables[i]);
	}
	memset(&any, 0, sizeof(any));
	test_numbers();
	test_names();
	test_texts();
	test_wants();
	test_marks();
	return tap_done();
}
