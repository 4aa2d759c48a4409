/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as JSON by the tables of their fields: every kind of row, and values that are not known.
 */
#include "base/base.h"
#include "model/experiment/field_rows.h"
#include "tap.h"

#include <math.h>

struct part {
	double value;
	const char *name;
};

enum colour { RED, GREEN };

struct whole {
	size_t n;
	uint32_t k;
	int level;
	int64_t offset;
	uint64_t seed;
	bool good;
	enum colour colour;
	double mean, sd, lo, hi;
	char id[8];
	const char *why;
	struct part best, halves[2], *parts;
	size_t n_parts;
	double *values;
	size_t n_values;
	const char **names;
	size_t n_names;
	double pair[2];
};

static const char *const colours[] = { "red", "green", NULL };
static struct part parts[] = { { 1, "a" }, { NAN, NULL } };
static double values[] = { 1, NAN, 0.5 };
static const char *names[] = { "x", "y" };

static const struct whole known = { .n = 3,
	.k = 2,
	.level = -4,
	.offset = INT64_MIN,
	.seed = UINT64_MAX - 1,
	.good = true,
	.colour = GREEN,
	.mean = 1.5,
	.sd = 0.25,
	.lo = 1,
	.hi = 2,
	.id = "an id",
	.why = "no \"reason\"",
	.best = { 7, "best" },
	.halves = { { 1, "one" }, { 2, "two" } },
	.parts = parts,
	.n_parts = 2,
	.values = values,
	.n_values = 3,
	.names = names,
	.n_names = 2,
	.pair = { 3, 4 } };
static const struct whole unknown = {
	.seed = ET_UNKNOWN, .mean = NAN, .sd = INFINITY, .lo = NAN, .hi = NAN, .pair = { NAN, NAN }
};

static double twice(const void *base)
{
	return 2 * ((const struct whole *)base)->mean;
}

static void shout(struct et_json *j, const char *key, const void *at)
{
	ET_AUTO_FREE char *text = et_asprintf("%s!", *(const char *const *)at);

	et_json_string(j, key, text);
}

static const struct et_field part_fields[] = {
	ET_KEYS(part, value, name),
	{ 0 },
};

static void writes(const struct et_field *fields, const struct whole *w, const char *unit,
	const char *want, const char *label)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct et_json j;

	et_json_init(&j, out, 0);
	et_json_object(&j, NULL);
	et_fields_write_in(&j, fields, w, unit);
	et_json_end(&j);
	fclose(out);
	is_str(text, want, "%s", label);
	free(text);
}

static void test_numbers(void)
{
	static const struct et_field fields[] = {
		ET_KEYS(whole, n, k, level, offset, seed, good, mean, id, why),
		ET_KEY(whole, "sd_percent", sd, .scale = 100),
		{ 0 },
	};

	writes(fields, &known, NULL,
		"{\"n\":3,\"k\":2,\"level\":-4,\"offset\":-9223372036854775808,"
		"\"seed\":18446744073709551614,\"good\":true,\"mean\":1.5,\"id\":\"an id\","
		"\"why\":\"no \\\"reason\\\"\",\"sd_percent\":25}\n",
		"result fields: numbers and texts of every kind are written by their type");
	writes(fields, &unknown, NULL,
		"{\"n\":0,\"k\":0,\"level\":0,\"offset\":0,\"seed\":null,\"good\":false,"
		"\"mean\":null,\"id\":\"\",\"why\":null,\"sd_percent\":null}\n",
		"result fields: NaN, infinity, ET_UNKNOWN and NULL are null");
}

static void test_units(void)
{
	static const struct et_field fields[] = {
		ET_KEYS_IN_UNIT(whole, mean, sd),
		ET_KEY_SPAN(whole, "interval", lo, hi, .in_unit = true),
		ET_KEYS_NS(whole, mean),
		{ 0 },
	};

	writes(fields, &known, "kib",
		"{\"mean_kib\":1.5,\"sd_kib\":0.25,\"interval_kib\":[1,2],\"mean_ns\":1.5}\n",
		"result fields: the unit that the writer is given ends keys in the unit");
	writes(fields, &known, NULL,
		"{\"mean\":1.5,\"sd\":0.25,\"interval\":[1,2],\"mean_ns\":1.5}\n",
		"result fields: without a unit keys are plain");
}

static const struct et_field named_fields[] = {
	ET_KEY_NAME(whole, "colour", colour, colours),
	ET_KEY_WORD(whole, "quality", good, "bad", "good"),
	ET_KEY_OF("twice", twice),
	ET_KEY(whole, "many", n, ET_GIVEN(whole, n), .least = 4, .omitted = true),
	ET_KEY_BY(whole, "why", why, shout, ET_GIVEN(whole, why)),
	{ 0 },
};

static void test_names(void)
{
	writes(named_fields, &known, NULL,
		"{\"colour\":\"green\",\"quality\":\"good\",\"twice\":3,"
		"\"why\":\"no \\\"reason\\\"!\"}\n",
		"result fields: enums and bools by name, computed and written by functions");
	writes(named_fields, &unknown, NULL,
		"{\"colour\":\"red\",\"quality\":\"bad\",\"twice\":null,\"why\":null}\n",
		"result fields: a function that writes is not called without its condition");
}

static void test_parts(void)
{
	static const struct et_field fields[] = {
		ET_KEY_OBJECT(whole, "best", best, part_fields, ET_GIVEN(whole, best.value)),
		ET_KEY_FLAT(whole, "flat", best, part_fields, ET_GIVEN(whole, k), .omitted = true),
		ET_KEYS_OF(whole, best, part_fields),
		ET_KEY_ARRAY(whole, "halves", halves, part_fields),
		ET_KEY_LIST(whole, "parts", parts, n_parts, part_fields),
		ET_KEY_VALUES(whole, "values", values, n_values),
		ET_KEY_VALUES(whole, "names", names, n_names, ET_GIVEN(whole, n_names)),
		{ 0 },
	};

	writes(fields, &known, NULL,
		"{\"best\":{\"value\":7,\"name\":\"best\"},\"flat\":{\"value\":7,\"name\":\"best\"}"
		","
		"\"value\":7,\"name\":\"best\","
		"\"halves\":[{\"value\":1,\"name\":\"one\"},{\"value\":2,\"name\":\"two\"}],"
		"\"parts\":[{\"value\":1,\"name\":\"a\"},{\"value\":null,\"name\":null}],"
		"\"values\":[1,null,0.5],\"names\":[\"x\",\"y\"]}\n",
		"result fields: objects, arrays and lists have the rows of their own tables");
	writes(fields, &unknown, NULL,
		"{\"best\":null,\"value\":0,\"name\":null,"
		"\"halves\":[{\"value\":0,\"name\":null},{\"value\":0,\"name\":null}],"
		"\"parts\":[],\"values\":[],\"names\":null}\n",
		"result fields: what is not given is null, or omitted if its row says so");
}

static void test_absent(void)
{
	static const struct et_field figures[] = {
		ET_KEYS_IN_UNIT(whole, mean),
		ET_KEY_SPAN(whole, "interval", lo, hi),
		ET_KEY_SPAN(whole, "pair", pair[0], pair[1], .nullable = true),
		{ 0 },
	};
	static const struct et_field fields[] = {
		ET_KEYS(whole, n),
		ET_KEYS_IN(figures, ET_GIVEN(whole, n)),
		ET_KEYS_GIVEN(whole, sd, id),
		{ 0 },
	};

	writes(fields, &known, "ns",
		"{\"n\":3,\"mean_ns\":1.5,\"interval\":[1,2],\"pair\":[3,4],\"sd\":0.25,"
		"\"id\":\"an id\"}\n",
		"result fields: rows of another table join the object");
	writes(fields, &unknown, "ns",
		"{\"n\":0,\"mean_ns\":null,\"interval\":[null,null],\"pair\":null,\"sd\":null,"
		"\"id\":null}\n",
		"result fields: without their condition all of them are null");
}

static void test_lines(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct et_json j;

	et_json_init(&j, out, 1);
	et_json_object(&j, NULL);
	et_fields_object(&j, "a", part_fields, &parts[0]);
	et_fields_flat(&j, "b", part_fields, &parts[0]);
	et_fields_list(&j, "c", part_fields, parts, 2, sizeof(parts[0]));
	et_json_end(&j);
	fclose(out);
	is_str(text,
		"{\n \"a\": {\n  \"value\": 1,\n  \"name\": \"a\"\n },\n"
		" \"b\": {\"value\": 1, \"name\": \"a\"},\n"
		" \"c\": [\n  {\"value\": 1, \"name\": \"a\"},\n"
		"  {\"value\": null, \"name\": null}\n ]\n}\n",
		"result fields: flat objects, and those of a list, are on one line");
	free(text);
}

int main(void)
{
	test_numbers();
	test_units();
	test_names();
	test_parts();
	test_absent();
	test_lines();
	return tap_done();
}
