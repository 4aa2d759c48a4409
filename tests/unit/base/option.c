/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/option.h"
#include "tap.h"

static const struct et_option table[] = {
	{ 'r', "runs", "N", "samples per command (10)", NULL, 1 },
	{ 'P', "parameter-scan", "VAR MIN MAX", "numbers", NULL, 2 },
	{ 0, "resume", "[ID]", "continue", NULL, 3 },
	{ 'N', "no-shell", NULL, "no shell", NULL, 4 },
	{ 0 },
};
static const struct et_option *const tables[] = { table, NULL };
static char seen[256];
static struct et_error err;

static int note(void *ctx, int id, char *const *args, struct et_error *e)
{
	size_t len = strlen(seen);

	(void)ctx;
	(void)e;
	snprintf(seen + len, sizeof(seen) - len, "%d(%s,%s,%s)", id, args[0] ? args[0] : "-",
		id == 2 ? args[1] : "-", id == 2 ? args[2] : "-");
	return 0;
}

static int parse(struct et_operands *ops, int argc, const char *const *argv)
{
	static char *copy[16];

	seen[0] = '\0';
	for (int i = 0; i < argc; i++)
		copy[i] = (char *)argv[i];
	copy[argc] = NULL;
	return et_options_parse(tables, argc, copy, note, NULL, ops, &err);
}

#define PARSE(ops, ...)                                                                            \
	parse(ops, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *),                       \
		(const char *[]){ __VA_ARGS__ })

int main(void)
{
	struct et_operands ops;

	ok(PARSE(&ops, "run", "a", "-r", "5", "b", "-P", "x", "1", "2", "--resume=q", "c") == 0,
		"options and operands may be mixed");
	is_str(seen, "1(5,-,-)2(x,1,2)3(q,-,-)", "each option is passed with its values");
	ok(ops.n_before == 3 && !strcmp(ops.before[2], "c") && !ops.after,
		"operands among options keep their order");
	et_operands_free(&ops);

	ok(PARSE(&ops, "run", "-N", "--", "ls", "-r", "--") == 0, "words after -- are accepted");
	ok(ops.n_before == 0 && ops.n_after == 3 && !strcmp(ops.after[1], "-r"),
		"words after -- are not parsed as options");
	et_operands_free(&ops);

	ok(PARSE(&ops, "run", "--resume", "x") == 0, "an optional value may be omitted");
	is_str(seen, "3(-,-,-)", "an optional value must be attached by =");
	et_operands_free(&ops);

	ok(PARSE(&ops, "run", "--rnus", "5") < 0 && strstr(err.what, "--rnus"),
		"an unknown long option is refused");
	ok(PARSE(&ops, "run", "--paramter-scan") < 0 && strstr(err.hint, "--parameter-scan"),
		"an unknown long option: the hint has the most similar one");
	ok(PARSE(&ops, "run", "-x") < 0 && strstr(err.what, "-x"), "an unknown letter is refused");
	ok(PARSE(&ops, "run", "-r") < 0 && strstr(err.what, "needs"), "a missing value is refused");
	ok(PARSE(&ops, "run", "-P", "x", "1") < 0 && strstr(err.what, "VAR MIN MAX"),
		"too few of several values are refused");
	ok(PARSE(&ops, "run", "--no-shell=1") < 0 && strstr(err.what, "takes no value"),
		"a value of an option that takes none is refused");
	return tap_done();
}
