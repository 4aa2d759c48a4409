/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of JSON that is parsed in parts: jansson, which parses the whole text, must come to the
 * same values, and must refuse the same texts.
 */
#include "base/base.h"
#include "store/import/importer.h"
#include "tap.h"

static struct et_error err;
static const struct et_import_options options = { .name = "file" };

static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

/* --- texts --- */

static void write_value(FILE *out, int depth);

static void write_list(FILE *out, int depth, size_t n)
{
	fputs(draw(3) ? "[" : "[\n", out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? (draw(2) ? "," : " ,\n") : "", out);
		write_value(out, depth - 1);
	}
	fputs(draw(3) ? "]" : " ]", out);
}

static void write_value(FILE *out, int depth)
{
	static const char *const plain[] = { "1", "-2.5e3", "true", "null", "\"\"", "\"a]}{[,\"",
		"\"\\\"\\\\\"", "\"\\u00e9,\\n\"", "[]", "{}", "[ ]", "123456789" };

	if (depth > 0 && draw(30) == 0) {
		write_list(out, depth, draw(20) ? draw(40) : draw(4000));
	} else if (depth > 0 && draw(30) == 0) {
		fputs("{\"a\":", out);
		write_value(out, depth - 1);
		fputs(", \"b]\" : ", out);
		write_value(out, depth - 1);
		fputs("}", out);
	} else {
		fputs(plain[draw(ET_LENGTH(plain))], out);
	}
}

/* An object with lists of all lengths in it. */
static char *make_text(size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	fputs("{\"first\":", out);
	write_list(out, 3, 3000);
	fputs(",\"lists\":{\"x\":", out);
	write_list(out, 2, 20000);
	fputs("},\n\"last\":", out);
	write_list(out, 2, 30);
	fputs("}", out);
	fclose(out);
	return text;
}

/* --- comparing --- */

static bool same(struct et_importer *in, const json_t *part, const json_t *whole);

static bool same_list(struct et_importer *in, const json_t *part, const json_t *whole)
{
	ET_AUTO_LIST struct et_list l = et_list_open(in, part);
	const json_t *element;
	size_t n = 0;

	if (!et_is_list(in, part) || et_list_size(in, part) != json_array_size(whole))
		return false;
	while ((element = et_list_next(&l))) {
		if (l.at != n || !same(in, element, json_array_get(whole, n++)))
			return false;
	}
	return in->failed == 0 && n == json_array_size(whole);
}

static bool same(struct et_importer *in, const json_t *part, const json_t *whole)
{
	const char *key;
	json_t *value;

	if (json_is_array(whole))
		return same_list(in, part, whole);
	if (!json_is_object(whole))
		return json_equal(part, whole) && et_is_string(in, part) == json_is_string(whole);
	if (!json_is_object(part) || json_object_size(part) != json_object_size(whole))
		return false;
	json_object_foreach((json_t *)whole, key, value)
	{
		if (!same(in, json_object_get(part, key), value))
			return false;
	}
	return true;
}

/* Reads all that there is; false if a part of it cannot be read. */
static bool readable(struct et_importer *in, const json_t *value)
{
	const char *key;
	json_t *member;

	if (et_is_list(in, value)) {
		ET_AUTO_LIST struct et_list l = et_list_open(in, value);
		const json_t *element;
		while ((element = et_list_next(&l))) {
			if (!readable(in, element))
				return false;
		}
		return in->failed == 0;
	}
	json_object_foreach((json_t *)value, key, member)
	{
		if (!readable(in, member))
			return false;
	}
	return true;
}

/* Do both ways agree about the text? */
static bool agree(const char *text, size_t size)
{
	struct et_importer in = { .options = &options, .err = &err };
	json_t *whole = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
	bool good = et_outline_load(&in, text, size) == 0;

	if (whole)
		good = good && same(&in, in.outline.root, whole);
	else
		good = !good || !readable(&in, in.outline.root);
	json_decref(whole);
	et_outline_free(&in);
	return good;
}

static void whole_texts(void)
{
	size_t size, longest = 0, good = 0;

	for (int i = 0; i < 10; i++) {
		ET_AUTO_FREE char *text = make_text(&size);
		ET_AUTO_FREE char *exact = et_alloc(size);
		memcpy(exact, text, size); /* without a NUL after it: ASan finds a read beyond it */
		longest = size > longest ? size : longest;
		good += agree(exact, size);
	}
	ok(good == 10 && longest > 200000,
		"outline: parsed in parts, texts of up to %zu bytes have the same values", longest);
}

static void damaged_texts(void)
{
	size_t size, good = 0;
	ET_AUTO_FREE char *text = make_text(&size);

	for (int i = 0; i < 60; i++) {
		static const char bytes[] = "[]{},:\"\\ 1x\n";
		ET_AUTO_FREE char *other = et_alloc(size);
		memcpy(other, text, size);
		other[draw(size)] = bytes[draw(sizeof(bytes) - 1)];
		size_t length = draw(4) ? size : draw(size);
		good += agree(other, length);
		if (good != (size_t)i + 1) {
			printf("# text %d: %s\n", i, err.what);
			good = (size_t)i + 1;
			ok(false, "outline: damaged text %d is refused as jansson refuses it", i);
		}
	}
	ok(good == 60, "outline: 60 damaged texts are refused, or have the same values");
}

/* --- errors --- */

/* {"list":[1,\n1,\n … X,\n 1]}, with X as element number at */
static const char *error_of(const char *x, size_t at, size_t n)
{
	struct et_importer in = { .options = &options, .err = &err };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("{\"list\":[", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%s", i ? ",\n" : "", i == at ? x : "1");
	fputs("]}", out);
	fclose(out);
	err.what[0] = '\0';
	if (et_outline_load(&in, text, size) == 0)
		readable(&in, in.outline.root);
	et_outline_free(&in);
	free(text);
	return err.what;
}

static void errors(void)
{
	ok(strstr(error_of("x", 50000, 90000), "line 50001, column "),
		"errors: a wrong element is found in its line: %s", err.what);
	ok(strstr(error_of("", 89999, 90000), "line 90000, column "),
		"errors: a comma before the end is found: %s", err.what);
	ok(strstr(error_of("[[", 70000, 90000), "bracket"), "errors: an open bracket is found: %s",
		err.what);
	ok(strstr(error_of("}", 70000, 90000), "line 70001"),
		"errors: a bracket too many is found: %s", err.what);
	ok(strstr(error_of("\"", 70000, 90000), "line 70001"),
		"errors: an open string is found: %s", err.what);
	is_str(error_of("2", 70000, 90000), "", "errors: a text without one has none");
}

static void too_much(void)
{
	struct et_importer in = { .options = &options, .err = &err };
	size_t size = 4000000;
	ET_AUTO_FREE char *text = et_alloc(size);

	memset(text, '[', size);
	memcpy(text, "{\"a\":", 5);
	ok(et_outline_load(&in, text, size) < 0 && strstr(err.what, "nested too deeply"),
		"limits: brackets without end are refused: %s", err.what);
	et_outline_free(&in);
	memset(text, ' ', size);
	text[0] = '{';
	for (size_t i = 1; i + 8 < size; i += 7)
		memcpy(text + i, "\"a\":{},", 7);
	text[size - 1] = '}';
	ok(et_outline_load(&in, text, size) < 0 && strstr(err.what, "more than"),
		"limits: many small values are refused: %s", err.what);
	et_outline_free(&in);
	memset(text, ' ', size);
	memcpy(text, "{\"a\":[", 6);
	memcpy(text + size - 2, "]}", 2);
	ok(et_outline_load(&in, text, size) == 0 &&
			et_list_size(&in, json_object_get(in.outline.root, "a")) == 0 &&
			readable(&in, in.outline.root),
		"limits: a long list of blanks is empty");
	et_outline_free(&in);
}

int main(void)
{
	whole_texts();
	damaged_texts();
	errors();
	too_much();
	return tap_done();
}
