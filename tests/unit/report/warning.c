/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of warnings: every row is whole and renders with arguments of its kinds. */
#include "report/warning.h"
#include "base/base.h"
#include "tap.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>

static bool kebab(const char *name)
{
	for (const char *p = name; *p; p++) {
		if (!islower((unsigned char)*p) && (*p != '-' || p == name || p[1] == '-' || !p[1]))
			return false;
	}
	return *name;
}

static struct et_warning_arg sample_arg(char kind, bool one)
{
	switch (kind) {
	case ET_ARG_COUNT:
		return et_arg_count(one ? 1 : 27);
	case ET_ARG_NUMBER:
		return et_arg_number(0.456);
	case ET_ARG_SHARE:
		return et_arg_share(0.123);
	case ET_ARG_CHANGE:
		return et_arg_change(one ? 0.0123 : -0.0456);
	case ET_ARG_P_VALUE:
		return et_arg_p_value(one ? 0 : 0.0031);
	case ET_ARG_VALUE:
		return et_arg_value(12.345e6, ET_UNIT_NS);
	case ET_ARG_FLAG:
		return et_arg_flag(one);
	default:
		return et_arg_text(one ? "kworker/0:1" : "");
	}
}

/* A warning with arguments of the kinds that its row names. */
static struct et_warnings warning_of(enum et_warning_code code, bool one)
{
	struct et_warnings w = { 0 };
	struct et_warning_arg args[ET_WARNING_ARGS] = { 0 };
	const char *kinds = et_warning_rows[code].args;

	for (size_t i = 0; kinds[i]; i++)
		args[i] = sample_arg(kinds[i], one);
	et_warnings_add(&w, code, args);
	return w;
}

static char *rendered(enum et_warning_code code, bool one)
{
	struct et_warnings w = warning_of(code, one);
	char *text = et_warning_text(&w.list[0]);

	et_warnings_free(&w);
	return text;
}

/* Lines on a page of 80 columns. */
static int lines_of(enum et_warning_code code, bool one)
{
	struct et_warnings w = warning_of(code, one);
	char *page = NULL;
	size_t size;
	FILE *out = open_memstream(&page, &size);
	int lines = 0;

	et_warnings_text(&(struct et_page){ .out = out, .width = 80 }, 2, &w);
	fclose(out);
	for (const char *p = page; *p; p++)
		lines += *p == '\n';
	free(page);
	et_warnings_free(&w);
	return lines;
}

/* Does the text use each argument, and no other? */
static bool uses_its_args(const struct et_warning_row *row)
{
	size_t n = strlen(row->args);

	for (size_t i = 0; i < 10; i++) {
		char plain[] = { '{', (char)('0' + i), '}', 0 },
		     choice[] = { '{', (char)('0' + i), ':', 0 };
		bool used = strstr(row->text, plain) || strstr(row->text, choice);
		if (used != (i < n))
			return false;
	}
	return true;
}

static void check_row(enum et_warning_code code)
{
	const struct et_warning_row *row = &et_warning_rows[code];
	bool unique = true;

	if (!ok(row->name && row->text && row->args && strlen(row->args) <= ET_WARNING_ARGS,
		    "warning %d has a name, kinds of arguments and a text", code))
		return;
	for (int i = 0; i < (int)code; i++)
		unique = unique && strcmp(row->name, et_warning_rows[i].name);
	ok(unique && kebab(row->name), "%s: the name is unique and in kebab case", row->name);
	ok(row->severity == ET_SEVERITY_NOTE || row->severity == ET_SEVERITY_WARNING,
		"%s: there is a severity", row->name);
	ok(uses_its_args(row), "%s: the text uses each of its arguments", row->name);
	for (int one = 0; one < 2; one++) {
		ET_AUTO_FREE char *text = rendered(code, one);
		ok(*text && !strpbrk(text, "{}|") && !strstr(text, "  ") && !strstr(text, "nan"),
			"%s: no placeholder is left: %s", row->name, text);
		ok(lines_of(code, one) <= 2, "%s: two lines of 80 columns hold it", row->name);
	}
}

static void test_arguments(void)
{
	struct et_warnings w = { 0 };

	et_warn(&w, ET_WARN_NO_LEDGER, et_arg_text("a {0} | b"));
	ET_AUTO_FREE char *text = et_warning_text(&w.list[0]);
	is_str(text, "cannot tell which processes take CPU time from the program: a {0} | b",
		"arguments: braces in a text are no placeholders");
	et_warn(&w, ET_WARN_FEW_VALUES, et_arg_count(1));
	ET_AUTO_FREE char *single = et_warning_text(&w.list[1]);
	ok(!strncmp(single, "there is only 1 value, ", 23), "arguments: a count of 1 is singular");
	et_warn(&w, ET_WARN_FEW_VALUES, et_arg_count(3));
	ET_AUTO_FREE char *several = et_warning_text(&w.list[2]);
	ok(!strncmp(several, "there are only 3 values, ", 25), "arguments: a count of 3 is plural");
	et_warn(&w, ET_WARN_SEVERAL_MODES, et_arg_value(12.3e6, ET_UNIT_NS),
		et_arg_value(0.5, ET_UNIT_S), et_arg_p_value(0));
	ET_AUTO_FREE char *modes = et_warning_text(&w.list[3]);
	ok(strstr(modes, "near 12.30 ms and 500.0 ms") != NULL,
		"arguments: values are printed in a fitting unit");
	ok(strstr(modes, "p < 0.00001") != NULL, "arguments: a p-value of 0 is printed as a bound");
	et_warn(&w, ET_WARN_WAITED_FOR_CPU, et_arg_share(0.854), et_arg_text(NULL),
		et_arg_flag(false), et_arg_text("etalon trace -- sort data"));
	ET_AUTO_FREE char *waited = et_warning_text(&w.list[4]);
	is_str(waited,
		"85 % of the elapsed time was waiting for a CPU that others used; see: etalon "
		"trace -- sort data",
		"arguments: an empty text and a flag omit their parts");
	et_warn(&w, ET_WARN_SECOND_CHECK, et_arg_count(7), et_arg_change(-0.0487));
	ET_AUTO_FREE char *fell = et_warning_text(&w.list[5]);
	is_str(fell,
		"EMP's second check removed 7 runs by their own time, which changed the mean by "
		"-4.9 %; use etalon run --protocol cause",
		"arguments: a change that is a decrease has its sign");
	et_warn(&w, ET_WARN_SECOND_CHECK, et_arg_count(1), et_arg_change(0.02));
	ET_AUTO_FREE char *rose = et_warning_text(&w.list[6]);
	ok(strstr(rose, "1 run by its own time, which changed the mean by +2.0 %;") != NULL,
		"arguments: a change that is an increase has its sign");
	et_warnings_free(&w);
}

static void test_lists(void)
{
	struct et_warnings w = { 0 }, copy = { 0 };
	char *text = NULL, *record = NULL;
	size_t size;

	for (int i = 0; i < 100; i++)
		et_warn(&w, ET_WARN_CLOCK_SOURCE, et_arg_text("hpet"));
	et_warn(&w, ET_WARN_TRACE_CUT, et_arg_count(3));
	et_warnings_append(&copy, &w);
	et_warnings_free(&w);
	ok(copy.n == 101, "list: no warning is dropped (%zu of 101)", copy.n);
	ok(et_warnings_have(&copy, ET_WARN_TRACE_CUT) && !et_warnings_have(&copy, ET_WARN_DRIFT),
		"list: a code is found");
	FILE *out = open_memstream(&text, &size);
	et_warnings_text(&(struct et_page){ .out = out, .width = 80 }, 2, &copy);
	fclose(out);
	ok(!strncmp(text, "  warning: the kernel's clock source is hpet", 44),
		"text: a warning is introduced as one");
	ok(strstr(text, "\n  note: only the beginning") != NULL,
		"text: a note is introduced as one");
	free(text);
	out = open_memstream(&record, &size);
	struct et_json j;
	et_json_init(&j, out, 2);
	et_json_object(&j, NULL);
	et_warnings_json(&j, &copy);
	et_json_end(&j);
	fclose(out);
	json_t *root = json_loads(record, 0, NULL);
	const json_t *list = json_object_get(root, "warnings"), *last = json_array_get(list, 100);
	ok(json_array_size(list) == 101, "JSON: every warning is in the list");
	is_str(json_string_value(json_object_get(last, "code")), "trace-cut", "JSON: code");
	is_str(json_string_value(json_object_get(last, "severity")), "note", "JSON: severity");
	is_str(json_string_value(json_object_get(last, "text")),
		"only the beginning is shown: the trace has more than 3 records", "JSON: text");
	json_decref(root);
	free(record);
	et_warnings_free(&copy);
}

int main(void)
{
	for (int code = 0; code < ET_WARNING_CODES; code++)
		check_row((enum et_warning_code)code);
	test_arguments();
	test_lists();
	return tap_done();
}
