/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets: what a user types, and text for a terminal. */
#include "base/base.h"
#include "base/json.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "draw/terminal.h"
#include "draw/xml.h"
#include "fuzz.h"
#include "protocol/parameters.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/* Words that are split, joined and split again are the same words. */
static int fuzz_words(const uint8_t *data, size_t size)
{
	ET_AUTO_FREE char *text = fuzz_text(data, size);
	struct et_error err;
	char **words, **again;

	if (et_split_words(text, &words, &err))
		return 0;
	ET_AUTO_FREE char *line = et_join_words(words);
	FUZZ_CHECK(et_split_words(line, &again, &err) == 0);
	FUZZ_CHECK(et_strv_length(words) == et_strv_length(again));
	for (size_t i = 0; words[i]; i++)
		FUZZ_CHECK(!strcmp(words[i], again[i]));
	et_strv_free(words);
	et_strv_free(again);
	return 1;
}

static const char *const word_tokens[] = { "'", "\"", "\\", " ", "\t", "\n", "\\\n", "''", "$x",
	"`", "#", "\x7f", "\xff", NULL };

FUZZ_TARGET(words) = { "words", fuzz_words, 20000, .tokens = word_tokens,
	.input = "command lines that are split as a shell does",
	.holds = "split, joined and split again: the same words" };

/* A CPU list that is parsed, formatted and parsed again is the same set. */
static int fuzz_cpus(const uint8_t *data, size_t size)
{
	ET_AUTO_FREE char *text = fuzz_text(data, size);
	struct et_error err;
	cpu_set_t set, again;
	char list[8192], small[8];

	if (et_parse_cpus("--cpu", text, &set, &err))
		return 0;
	et_format_cpus(&set, list, sizeof(list));
	et_format_cpus(&set, small, sizeof(small));
	FUZZ_CHECK(strlen(small) < sizeof(small) && !strncmp(list, small, strlen(small) / 2));
	FUZZ_CHECK(et_parse_cpus("--cpu", list, &again, &err) == 0);
	FUZZ_CHECK(CPU_EQUAL(&set, &again));
	(void)!et_check_cpus(&set, &again, &err);
	return 1;
}

static const char *const number_tokens[] = { "-", "+", ".", "e", "%", "ns", "us", "ms", "s", "m",
	"h", "d", ",", "0x", "inf", "nan", " ", "0-3", "1023", "1024", "1e-320", "1e308", NULL };

FUZZ_TARGET(cpus) = { "cpus", fuzz_cpus, 20000, .tokens = number_tokens, .input = "lists of CPUs",
	.holds = "parsed, formatted and parsed again: the same set" };

static int check_whole(const char *text)
{
	char printed[32];
	struct et_error err;
	uint64_t u, u2;
	int64_t i, i2;
	int accepted = 0;

	if (et_parse_u64("x", text, 0, UINT64_MAX, &u, &err) == 0) {
		snprintf(printed, sizeof(printed), "%" PRIu64, u);
		FUZZ_CHECK(et_parse_u64("x", printed, u, u, &u2, &err) == 0 && u == u2);
		accepted = 1;
	}
	if (et_parse_i64("x", text, INT64_MIN, INT64_MAX, &i, &err) == 0) {
		snprintf(printed, sizeof(printed), "%" PRId64, i);
		FUZZ_CHECK(et_parse_i64("x", printed, i, i, &i2, &err) == 0 && i == i2);
		accepted = 1;
	}
	return accepted;
}

/* A number that is parsed, printed and parsed again is the same number. */
static int fuzz_numbers(const uint8_t *data, size_t size)
{
	ET_AUTO_FREE char *text = fuzz_text(data, size);
	char printed[64];
	struct et_error err;
	uint64_t ns, ns2;
	double x, y;
	int accepted = check_whole(text);

	if (et_parse_double("x", text, &x, &err) == 0) {
		FUZZ_CHECK(isfinite(x));
		et_shortest(x, printed);
		FUZZ_CHECK(et_parse_double("x", printed, &y, &err) == 0 && x == y);
		accepted = 1;
	}
	if (et_parse_duration("x", text, &ns, &err) == 0) {
		FUZZ_CHECK(ns > 0);
		snprintf(printed, sizeof(printed), "%" PRIu64 ".%09" PRIu64 "s", ns / 1000000000,
			ns % 1000000000);
		FUZZ_CHECK(et_parse_duration("x", printed, &ns2, &err) == 0);
		FUZZ_CHECK(fabs((double)ns - (double)ns2) <= 1e-15 * (double)ns);
		accepted = 1;
	}
	if (et_parse_ratio("x", text, &x, &err) == 0) {
		FUZZ_CHECK(x > 0 && isfinite(x));
		accepted = 1;
	}
	if (et_parse_percent("x", text, &x, &err) == 0) {
		FUZZ_CHECK(x >= 0 && isfinite(x));
		accepted = 1;
	}
	if (et_parse_probability("x", text, &x, &err) == 0) {
		FUZZ_CHECK(x > 0 && x < 1);
		accepted = 1;
	}
	return accepted;
}

FUZZ_TARGET(numbers) = { "numbers", fuzz_numbers, 20000, .tokens = number_tokens,
	.input = "whole numbers, decimals, durations, proportions",
	.holds = "parsed, printed and parsed again: the same number" };

static bool is_valid_utf8(const char *text)
{
	for (size_t n; *text; text += n) {
		n = et_utf8_length(text);
		if (!n)
			return false;
	}
	return true;
}

/* A JSON string can be read back, and is unchanged if it was valid. */
static void check_json_string(const char *text)
{
	char *json = NULL;
	size_t size;
	struct et_json w;
	FILE *out = open_memstream(&json, &size);

	et_json_init(&w, out, 0);
	et_json_array(&w, NULL);
	et_json_string(&w, NULL, text);
	et_json_end(&w);
	fclose(out);
	json_t *read = json_loads(json, 0, NULL);
	FUZZ_CHECK(read != NULL);
	if (is_valid_utf8(text))
		FUZZ_CHECK(!strcmp(json_string_value(json_array_get(read, 0)), text));
	json_decref(read);
	free(json);
}

/* Cleaned text has no control characters, is valid, and is not changed by cleaning it again. */
static int fuzz_utf8(const uint8_t *data, size_t size)
{
	ET_AUTO_FREE char *text = fuzz_text(data, size);
	ET_AUTO_FREE char *clean = et_clean(text, "");
	ET_AUTO_FREE char *again = et_clean(clean, "");
	ET_AUTO_FREE char *printed = NULL;
	size_t n = 0;

	FUZZ_CHECK(is_valid_utf8(clean));
	for (const char *p = clean; *p; p++)
		FUZZ_CHECK((unsigned char)*p >= ' ' && *p != 0x7f);
	FUZZ_CHECK(!strstr(clean, "\xc2\x9b"));
	FUZZ_CHECK(!strcmp(clean, again));
	for (int width = 1; width < 80; width = width * 2 + 1) {
		ET_AUTO_FREE char *shortened = et_shorten(clean, width);
		FUZZ_CHECK(is_valid_utf8(shortened) && et_columns(shortened) <= width);
	}
	check_json_string(text);
	struct et_page page = { .out = open_memstream(&printed, &n), .width = 40 };
	et_page_paragraph(&page, 4, "lead", NULL, text, NULL);
	et_xml_text(page.out, text);
	fclose(page.out);
	FUZZ_CHECK(!memchr(printed, '\x1b', n));
	return is_valid_utf8(text);
}

static const char *const utf8_tokens[] = { "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
	"\xe2\x80\xae", "\xcc\x81", "\xf0\x9f\x91\xa9", "\xe2\x80\x8d", "\x1b[31m", "\x1b]0;",
	"\x07", "\x9b", "\xc2\x9b", "\xef\xbb\xbf", "\xef\xbf\xbd", "\xff", NULL };

FUZZ_TARGET(utf8) = { "utf8", fuzz_utf8, 10000, .tokens = utf8_tokens,
	.input = "any text for a terminal, JSON, HTML",
	.holds = "no control characters; valid; cleaning it again changes nothing" };

static void free_parameters(struct et_parameter *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(p[i].name);
		free(p[i].value);
	}
	free(p);
}

/* Lines: a name, then its values or MIN, MAX and STEP; the last line is the text to fill. */
static int fuzz_parameters(const uint8_t *data, size_t size)
{
	ET_AUTO_FREE char *text = fuzz_text(data, size);
	struct et_ranges ranges = { 0 };
	struct et_parameter *p;
	struct et_error err;
	char *rest = text, *line, *filled;
	int accepted = 0;

	while ((line = strsep(&rest, "\n")) && rest) {
		const char *name = strsep(&line, " "), *a = strsep(&line, " ");
		const char *b = strsep(&line, " "), *c = strsep(&line, " ");
		int rc = c   ? et_ranges_add_scan(&ranges, name, a, b, c, &err)
			 : a ? et_ranges_add_list(&ranges, name, a, &err)
			     : -1;
		accepted += rc == 0;
	}
	size_t product = et_ranges_product(&ranges);
	FUZZ_CHECK(product > 0);
	for (size_t k = 0; k < product && k < 8; k++) {
		et_ranges_pick(&ranges, product - 1 - k, &p);
		if (et_parameters_fill(line ? line : "", p, ranges.n, &filled, &err) == 0)
			free(filled);
		free_parameters(p, ranges.n);
	}
	et_ranges_free(&ranges);
	return accepted > 0;
}

static const char *const name_tokens[] = { "{", "}", "{n}", "{ n }", "{{", "\n", ",", "0.1", "1e5",
	"-", "name", NULL };

FUZZ_TARGET(parameters) = { "parameters", fuzz_parameters, 1000, .tokens = name_tokens,
	.input = "'-L', '-P' and '{name}'", .holds = "at least one combination" };
