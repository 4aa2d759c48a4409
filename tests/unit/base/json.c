/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"
#include "tap.h"

static char *written;
static size_t size;

int main(void)
{
	struct et_json j;
	FILE *f = open_memstream(&written, &size);

	et_json_init(&j, f, 0);
	et_json_object(&j, NULL);
	et_json_string(&j, "text", "a\"b\\c\n\x01\xff\xc3\xa9\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81");
	et_json_string(&j, "none", NULL);
	et_json_u64(&j, "big", UINT64_MAX - 1);
	et_json_u64(&j, "unknown", ET_UNKNOWN);
	et_json_double(&j, "nan", NAN);
	et_json_double(&j, "tenth", 0.1);
	et_json_array(&j, "list");
	et_json_int(&j, NULL, -1);
	et_json_bool(&j, NULL, true);
	et_json_array(&j, NULL);
	et_json_end(&j);
	et_json_end(&j);
	et_json_end(&j);
	fclose(f);
	is_str(written,
		"{\"text\":"
		"\"a\\\"b\\\\c\\u000a\\u0001\xef\xbf\xbd\xc3\xa9\\u009b\\u202e\\udb40\\udc41\","
		"\"none\":null,"
		"\"big\":18446744073709551614,\"unknown\":null,\"nan\":null,\"tenth\":0.1,"
		"\"list\":[-1,true,[]]}\n",
		"json: one line with escapes, nulls and nesting");
	free(written);

	f = open_memstream(&written, &size);
	et_json_init(&j, f, 2);
	et_json_object(&j, NULL);
	et_json_flat_array(&j, "a");
	et_json_int(&j, NULL, 1);
	et_json_int(&j, NULL, 2);
	et_json_end(&j);
	et_json_object(&j, "o");
	et_json_int(&j, "k", 1);
	et_json_end(&j);
	et_json_end(&j);
	fclose(f);
	is_str(written, "{\n  \"a\": [1, 2],\n  \"o\": {\n    \"k\": 1\n  }\n}\n",
		"json: indented output with a flat array");
	free(written);

	static const double doubles[] = { 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789,
		2.2250738585072011e-308 };
	char buf[32];
	for (size_t i = 0; i < ET_LENGTH(doubles); i++)
		ok(strtod(et_shortest(doubles[i], buf), NULL) == doubles[i],
			"json: %s reads back to the same double", buf);
	is_str(et_shortest(0.1, buf), "0.1", "json: 0.1 is written with one digit");
	return tap_done();
}
