/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns that relate options, and the changes that a command makes to rows of others. */
#include "base/base.h"
#include "cli/cli.h"
#include "tap.h"

#include <string.h>

enum { RUNS, UNTIL, BOUND, LABEL, RESUME, TRUST, STATUS, ROWS };

static const struct et_option shared[] = {
	[RUNS] = { .name = "runs", .help = "how many", .kind = "plan", .excludes = "until" },
	[UNTIL] = { .name = "until", .help = "how exact", .kind = "plan" },
	[BOUND] = { .name = "bound", .help = "at most", .kind = "plan", .needs = "until" },
	[LABEL] = { .name = "label", .help = "a name" },
	[RESUME] = { .name = "resume", .help = "continue", .excludes = "@plan|label" },
	[TRUST] = { .name = "trust", .help = "although", .needs = "resume|label|until" },
	[STATUS] = { .name = "status", .help = "how far", .excludes = "label|ID" },
	[ROWS] = { 0 },
};

static const struct et_option changed[] = {
	{ .name = "runs", .arg = "N", .help = "thirty", .group = "number", .excludes = "" },
	{ .name = "until" },
	{ .name = "trust", .needs = "resume" },
	{ 0 },
};

static const struct et_verb whole = { .name = "whole", .shared_options = shared },
			    other = { .name = "other",
				    .shared_options = shared,
				    .changed_options = changed },
			    some = { .name = "some",
				    .shared_options = shared,
				    .changed_options = changed,
				    .shares_few = true };

static struct et_error err;

/* Checks options a and b, and operands before and after "--"; ROWS is no option. */
static int check(const struct et_verb *v, int a, int b, size_t before, size_t after)
{
	const struct et_option *given[2] = { &shared[a], &shared[b] };
	struct et_operands ops = { .options = given,
		.n_options = b == ROWS ? 1 : 2,
		.n_before = before,
		.n_after = after };

	err = (struct et_error){ 0 };
	return et_cli_check_relations(v, NULL, &ops, &err);
}

static void test_excludes(void)
{
	ok(check(&whole, RUNS, UNTIL, 0, 0) < 0, "excludes: an option that a row names is refused");
	is_str(err.what, "--runs and --until exclude each other", "excludes: both are named");
	is_str(err.hint, "omit one of them", "excludes: the hint says what to do");
	ok(check(&whole, UNTIL, RUNS, 0, 0) < 0, "excludes: it holds in the other order, too");
	ok(check(&whole, RESUME, BOUND, 0, 0) < 0,
		"excludes: an option of an excluded kind is refused");
	is_str(err.what, "--resume and --bound exclude each other",
		"excludes: it comes before what the other one needs");
	ok(check(&whole, RESUME, LABEL, 0, 0) < 0, "excludes: a name after a kind is read");
	ok(check(&whole, RUNS, RUNS, 0, 0) == 0, "excludes: an option may be given twice");
	ok(check(&whole, RUNS, LABEL, 1, 1) == 0, "excludes: operands are free otherwise");
	ok(check(&whole, STATUS, ROWS, 1, 0) < 0, "excludes: an operand is refused");
	is_str(err.what, "--status takes no ID", "excludes: the operand is named");
	ok(check(&whole, STATUS, ROWS, 0, 1) < 0, "excludes: an operand after -- is refused");
}

static void test_needs(void)
{
	ok(check(&whole, BOUND, ROWS, 0, 0) < 0, "needs: an option alone is refused");
	is_str(err.what, "--bound needs --until", "needs: both are named");
	is_str(err.hint, "add --until, or omit --bound", "needs: the hint says what to do");
	ok(check(&whole, BOUND, UNTIL, 0, 0) == 0, "needs: the other one satisfies it");
	ok(check(&whole, TRUST, LABEL, 0, 0) == 0, "needs: one of several is enough");
	ok(check(&whole, TRUST, RUNS, 0, 0) < 0, "needs: another one is not");
	is_str(err.what, "--trust needs --resume, --label or --until", "needs: all are named");
}

static void test_changes(void)
{
	ok(check(&other, RUNS, UNTIL, 0, 0) == 0,
		"changes: a command can allow what others exclude");
	ok(check(&other, TRUST, LABEL, 0, 0) < 0, "changes: a command can need something else");
	is_str(err.what, "--trust needs --resume", "changes: the other need is named");
	struct et_option o = et_verb_changed(&other, &shared[RUNS]);
	is_str(o.help, "thirty", "changes: the help is the command's own");
	is_str(o.arg, "N", "changes: and so is the argument");
	is_str(o.group, "number", "changes: and so is the heading");
	is_str(et_verb_changed(&other, &shared[UNTIL]).help, "how exact",
		"changes: a row of a name alone changes nothing");
}

/* Counts the options of a command, up to the common ones. */
static size_t count(const struct et_verb *v, struct et_option *last)
{
	struct et_option_walk at = { 0 };
	struct et_option o;
	size_t n = 0;

	for (; et_verb_next_option(v, &at, &o) && strcmp(o.name, "help"); n++)
		*last = o;
	return n;
}

static void test_walk(void)
{
	struct et_option last;

	ok(count(&whole, &last) == ROWS, "walk: a command has all shared options");
	is_str(last.name, "status", "walk: in the order of the table");
	ok(count(&some, &last) == 3, "walk: a command that shares few has those that it names");
	is_str(last.needs, "resume", "walk: and they are changed");
}

int main(void)
{
	test_excludes();
	test_needs();
	test_changes();
	test_walk();
	return tap_done();
}
