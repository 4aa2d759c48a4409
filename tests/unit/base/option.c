/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/option.h"
#include "tap.h"

enum kind { FIRST, SECOND, THIRD };
static const char *const kind_names[] = { "first", "second", "third", NULL };

static struct filled {
	uint64_t runs, duration_ns;
	uint32_t small;
	bool flag;
	int kind;
	double ratio;
	const char *text;
} filled;
static char seen[256];
static unsigned given;
static struct et_error err;

/* Notes its name and arguments. */
static int note(const struct et_option *o, void *ctx, char *const *args, struct et_error *e)
{
	size_t len = strlen(seen);
	int arity = et_option_arity(o);

	(void)ctx;
	(void)e;
	snprintf(seen + len, sizeof(seen) - len, "%s(%s,%s,%s)", o->name, args[0] ? args[0] : "-",
		arity == 3 ? args[1] : "-", arity == 3 ? args[2] : "-");
	return 0;
}

static const struct et_option table[] = {
	{ 'r', "runs", "N", "samples per command (10)", note, .bit = 1 },
	{ 'P', "parameter-scan", "VAR MIN MAX", "numbers", note, .bit = 2 },
	{ 0, "resume", "[ID]", "continue", note, .bit = 4 },
	{ 'N', "no-shell", NULL, "no shell", note, .bit = 8 },
	{ 0 },
};

static const struct et_option typed[] = {
	{ 0, "number", "N", "from 2 to 5", et_set_u64, ET_FILLS(filled, runs), .lo = 2, .hi = 5 },
	{ 0, "small", "N", "any", et_set_u32, ET_FILLS(filled, small) },
	{ 0, "flag", NULL, "on", et_set_true, ET_FILLS(filled, flag) },
	{ 0, "kind", "NAME", "one of three", et_set_choice, ET_FILLS(filled, kind),
		.names = kind_names },
	{ 0, "for", "DUR", "500ms to 1h", et_set_duration, ET_FILLS(filled, duration_ns),
		.lo = 500000000, .hi = 3600000000000 },
	{ 0, "ratio", "REL", "a ratio", et_set_ratio, ET_FILLS(filled, ratio) },
	{ 0, "text", "TEXT", "a text", et_set_text, ET_FILLS(filled, text) },
	{ 0 },
};
static const struct et_option_table tables[] = { { .rows = table, .given = &given },
	{ .rows = typed, .ctx = &filled }, { 0 } };

static int parse(struct et_operands *ops, int argc, const char *const *argv)
{
	static char *copy[16];

	seen[0] = '\0';
	given = 0;
	for (int i = 0; i < argc; i++)
		copy[i] = (char *)argv[i];
	copy[argc] = NULL;
	return et_options_parse(tables, argc, copy, ops, &err);
}

#define PARSE(ops, ...)                                                                            \
	parse(ops, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *),                       \
		(const char *[]){ __VA_ARGS__ })

/* Of rows of one name the action's is used; without an action, or with another, the first. */
static void test_namesakes(void)
{
	static const struct et_option rows[] = {
		{ 0, "json", NULL, "instead of text", et_set_true, ET_FILLS(filled, flag),
			.of = 1 | 2 },
		{ 0, "json", "FILE", "to a file", et_set_text, ET_FILLS(filled, text), .of = 4 },
		{ 0 },
	};
	struct et_option_table one[] = { { .rows = rows, .ctx = &filled, .action = 4 }, { 0 } };
	char *argv[] = { (char[]){ "x" }, (char[]){ "--json" }, (char[]){ "word" }, NULL };
	struct et_operands ops;

	ok(et_options_parse(one, 3, argv, &ops, &err) == 0 && !ops.n_before,
		"namesakes: the row of the action takes its argument");
	ok(ops.n_options == 1 && ops.options[0] == &rows[1],
		"namesakes: the row that was used is reported");
	et_operands_free(&ops);
	one[0].action = 2;
	ok(et_options_parse(one, 3, argv, &ops, &err) == 0 && ops.n_before == 1 &&
			ops.options[0] == &rows[0],
		"namesakes: another action has the other row");
	et_operands_free(&ops);
	one[0].action = 0;
	ok(et_options_parse(one, 3, argv, &ops, &err) == 0 && ops.options[0] == &rows[0],
		"namesakes: without an action the first row is used");
	et_operands_free(&ops);
}

static void test_setters(void)
{
	struct et_operands ops;

	ok(PARSE(&ops, "x", "--number", "3", "--small", "7", "--flag", "--kind", "second", "--for",
		   "2s", "--ratio", "5%", "--text", "abc") == 0,
		"setters: valid values of every type are taken");
	et_operands_free(&ops);
	ok(filled.runs == 3 && filled.small == 7 && filled.flag, "setters: numbers and a flag");
	ok(filled.kind == SECOND, "setters: a choice becomes its place in the list of names");
	ok(filled.duration_ns == 2000000000 && filled.ratio == 0.05 && !strcmp(filled.text, "abc"),
		"setters: a duration, a ratio and a text");

	ok(PARSE(&ops, "x", "--number", "6") < 0 && strstr(err.what, "--number"),
		"setters: a number above the row's range is refused by the option's name");
	ok(PARSE(&ops, "x", "--small", "4294967296") < 0,
		"setters: a number that the type cannot hold is refused");
	ok(PARSE(&ops, "x", "--kind", "fourth") < 0 && strstr(err.hint, "first, second, third"),
		"setters: an unknown choice is refused with the list of choices");
	ok(PARSE(&ops, "x", "--for", "1ms") < 0 && strstr(err.what, "500ms"),
		"setters: a duration below the row's range names the limit");
	ok(PARSE(&ops, "x", "--for", "2h") < 0 && strstr(err.what, "1h"),
		"setters: a duration above the row's range names the limit");
	ok(filled.runs == 3 && filled.duration_ns == 2000000000,
		"setters: a refused value changes nothing");
}

int main(void)
{
	struct et_operands ops;

	ok(PARSE(&ops, "run", "a", "-r", "5", "b", "-P", "x", "1", "2", "--resume=q", "c") == 0,
		"parse: options are found among operands");
	is_str(seen, "runs(5,-,-)parameter-scan(x,1,2)resume(q,-,-)",
		"parse: each option gets its values");
	ok(given == 7, "parse: the bits of given options are collected");
	ok(ops.n_before == 3 && !strcmp(ops.before[2], "c") && !ops.after,
		"parse: operands keep their order");
	et_operands_free(&ops);

	ok(PARSE(&ops, "run", "-N", "--", "ls", "-r", "--") == 0,
		"parse: words after -- are accepted");
	ok(ops.n_before == 0 && ops.n_after == 3 && !strcmp(ops.after[1], "-r"),
		"parse: words after -- are not taken for options");
	et_operands_free(&ops);

	ok(PARSE(&ops, "run", "--resume", "x") == 0,
		"parse: an optional value needs an equals sign");
	is_str(seen, "resume(-,-,-)", "parse: an optional value without one is absent");
	et_operands_free(&ops);

	ok(PARSE(&ops, "run", "--rnus", "5") < 0 && strstr(err.what, "--rnus"),
		"parse: an unknown option is refused");
	ok(PARSE(&ops, "run", "--paramter-scan") < 0 && strstr(err.hint, "--parameter-scan"),
		"parse: the hint names a similar option");
	ok(PARSE(&ops, "run", "-x") < 0 && strstr(err.what, "-x"),
		"parse: an unknown letter is refused");
	ok(PARSE(&ops, "run", "-r") < 0 && strstr(err.what, "needs"),
		"parse: a missing value is refused");
	ok(PARSE(&ops, "run", "-P", "x", "1") < 0 && strstr(err.what, "VAR MIN MAX"),
		"parse: too few values are refused");
	ok(PARSE(&ops, "run", "--no-shell=1") < 0 && strstr(err.what, "takes no value"),
		"parse: a value for an option without one is refused");
	test_namesakes();
	test_setters();
	return tap_done();
}
