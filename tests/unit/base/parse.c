/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/parse.h"
#include "base/base.h"
#include "tap.h"

static struct et_error err;

static void numbers(void)
{
	uint64_t u = 7;
	int64_t i;
	double d;

	ok(et_parse_u64("-r", "12", 1, 100, &u, &err) == 0 && u == 12, "u64: 12");
	static const char *const bad[] = { "", " 1", "-1", "1e99", "0x10", "1 ", "0", "101",
		"99999999999999999999999" };
	for (size_t k = 0; k < ET_LENGTH(bad); k++)
		ok(et_parse_u64("-r", bad[k], 1, 100, &u, &err) < 0 && u == 12 &&
				err.exit == ET_EXIT_USAGE && strstr(err.what, "-r"),
			"u64: '%s' is refused, and the error names the option", bad[k]);
	ok(et_parse_i64("-n", "-20", -20, 19, &i, &err) == 0 && i == -20, "i64: -20");
	ok(et_parse_i64("-n", "-21", -20, 19, &i, &err) < 0, "i64: -21 is out of range");
	ok(et_parse_double("x", "1.5e3", &d, &err) == 0 && d == 1500, "double: 1.5e3");
	static const char *const not_numbers[] = { "nan", "inf", "0x1p3", "", "1,5", "-", "1e999",
		"-nan", "+inf" };
	for (size_t k = 0; k < ET_LENGTH(not_numbers); k++)
		ok(et_parse_double("x", not_numbers[k], &d, &err) < 0, "double: '%s' is refused",
			not_numbers[k]);
}

static void durations(void)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = { { "1", 1000000000 }, { "200ms", 200000000 }, { "0.5s", 500000000 },
		{ "20us", 20000 }, { "7ns", 7 }, { "2m", 120000000000 }, { "1h", 3600000000000 } };
	static const char *const bad[] = { "0", "-1s", "5 s", "5x", "s", "1e30s", "" };
	uint64_t ns;
	double r;

	for (size_t k = 0; k < ET_LENGTH(good); k++)
		ok(et_parse_duration("d", good[k].text, &ns, &err) == 0 && ns == good[k].ns,
			"duration: %s", good[k].text);
	for (size_t k = 0; k < ET_LENGTH(bad); k++)
		ok(et_parse_duration("d", bad[k], &ns, &err) < 0, "duration: '%s' is refused",
			bad[k]);
	ok(et_parse_ratio("u", "0.5%", &r, &err) == 0 && fabs(r - 0.005) < 1e-12, "ratio: 0.5%%");
	ok(et_parse_ratio("u", "0.005", &r, &err) == 0 && r == 0.005, "ratio: 0.005");
	ok(et_parse_ratio("u", "0", &r, &err) < 0, "ratio: 0 is refused");
	ok(et_parse_ratio("u", "1%%", &r, &err) < 0, "ratio: 1%%%% is refused");
	ok(et_parse_percent("p", "5%", &r, &err) == 0 && r == 0.05, "percent: 5%%");
	ok(et_parse_percent("p", NULL, &r, &err) == 0 && r == 0, "percent: an omitted value is 0");
	ok(et_parse_percent("p", "-1", &r, &err) < 0 && et_parse_percent("p", "", &r, &err) < 0,
		"percent: negative and empty values are refused");
}

static void cpus(void)
{
	cpu_set_t set;
	char buf[64];
	static const char *const bad[] = { "", "a", "1-", "3-1", "1,", ",1", "1-2-3", "99999",
		"-1" };

	ok(et_parse_cpus("--cpu", "0-2,5,7-8", &set, &err) == 0,
		"cpus: a list of numbers and ranges is accepted");
	is_str(et_format_cpus(&set, buf, sizeof(buf)), "0-2,5,7-8",
		"cpus: the list is formatted as it was parsed");
	for (size_t k = 0; k < ET_LENGTH(bad); k++)
		ok(et_parse_cpus("--cpu", bad[k], &set, &err) < 0, "cpus: '%s' is refused", bad[k]);
	cpu_set_t allowed = set;
	CPU_CLR(5, &allowed);
	ok(et_check_cpus(&allowed, &set, &err) == 0,
		"cpus: a list of allowed CPUs passes the check");
	ok(et_check_cpus(&set, &allowed, &err) < 0 && strstr(err.what, "CPU 5"),
		"cpus: a CPU that is not allowed is named");
	is_str(err.hint, "use CPUs of this list: 0-2,7-8", "cpus: the hint has the allowed ones");
}

static void words(void)
{
	static const struct {
		const char *text, *joined;
	} good[] = {
		{ "a b  c", "a b c" },
		{ "a 'b c' \"d e\"", "a 'b c' 'd e'" },
		{ "a\\ b", "'a b'" },
		{ "x=\"1\"'2'3", "x=123" },
		{ "'' \"\"", "'' ''" },
		{ "\"a\\\"b\\n\"", "'a\"b\\n'" },
		{ "it\\'s", "'it'\\''s'" },
	};
	char **argv, **again;

	for (size_t k = 0; k < ET_LENGTH(good); k++) {
		if (!ok(et_split_words(good[k].text, &argv, &err) == 0, "words: %s is split",
			    good[k].text))
			continue;
		char *line = et_join_words(argv);
		is_str(line, good[k].joined, "words: joined with the quotes that are needed");
		ok(et_split_words(line, &again, &err) == 0 &&
				et_strv_length(again) == et_strv_length(argv),
			"words: the joined line splits into as many words");
		free(line);
		et_strv_free(argv);
		et_strv_free(again);
	}
	ok(et_split_words("a 'b", &argv, &err) < 0 && strstr(err.what, "unbalanced"),
		"words: unbalanced quotes are refused");
	ok(et_split_words("  ", &argv, &err) < 0, "words: a blank line is refused");
}

int main(void)
{
	numbers();
	durations();
	cpus();
	words();
	return tap_done();
}
