/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Actions and the relations of options, enforced for a command of this test. */
#include "base/base.h"
#include "cli/cli.h"
#include "tap.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHECK = 1, APPLY = 2, SHOW = 4 };

static int called; /* the bit of the action that ran */

static int run_action(struct et_call *call, struct et_error *err)
{
	called = (int)call->action->bit;
	if (call->n && !strcmp(call->operands[0], "fail"))
		return et_fail(err, EIO, ET_EXIT_OUTSIDE, "it failed");
	call->status = (int)call->n;
	return 0;
}

static const char *operand(size_t i)
{
	static const char *const names[] = { "turbo", "aslr", NULL };

	return names[i];
}

struct target {
	bool quick, json, wide, alone;
};

#define FLAG(flag) .set = et_set_true, ET_FILLS(target, flag)
static const struct et_option options[] = {
	{ 0, "quick", NULL, "quick", FLAG(quick), .of = APPLY },
	{ 0, "json", NULL, "json", FLAG(json), .excludes = "wide|NAME" },
	{ 0, "wide", NULL, "wide", FLAG(wide), .needs = "quick|alone" },
	{ 0, "alone", NULL, "alone", FLAG(alone), .of = APPLY | SHOW, .alone = true },
	{ 0 },
};

static const struct et_action actions[] = {
	{ .name = "check", .run = run_action, .bit = CHECK, .most = 1, .operand = operand },
	{ .name = "apply", .run = run_action, .bit = APPLY, .most = 2 },
	{ .name = "show",
		.run = run_action,
		.bit = SHOW,
		.least = 1,
		.most = 1,
		.wants = "a name",
		.hint = "name one" },
	{ 0 },
};

static const struct et_verb verb = { .name = "env",
	.summary = "x",
	.usage = "x",
	.options = options,
	.actions = actions,
	.rights = ET_RIGHTS_MACHINE };

/* The exit status of a command line; its errors are in `said`. */
static char said[2000];

static int call(const char *a, const char *b, const char *c)
{
	char *argv[] = { (char *)"env", (char *)a, (char *)b, (char *)c, NULL };
	int argc = 1 + !!a + (a && b) + (a && b && c);
	struct target target = { 0 };
	struct et_cli_targets targets = { .ctx = &target };
	struct et_cli cli = { .columns = 80 };
	struct et_call out;
	int old = dup(STDERR_FILENO), fd = memfd_create("said", MFD_CLOEXEC);

	called = 0;
	if (old < 0 || fd < 0 || dup2(fd, STDERR_FILENO) < 0)
		tap_bail("no stderr");
	int status = et_cli_call(&cli, &verb, argc, argv, &targets, &out);
	if (status < 0)
		status = et_call_run(&out);
	fflush(stderr);
	ssize_t n = pread(fd, said, sizeof(said) - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	dup2(old, STDERR_FILENO);
	close(old);
	close(fd);
	return status;
}

static void refuses(const char *a, const char *b, const char *c, const char *text)
{
	int status = call(a, b, c);

	if (!ok(status == ET_EXIT_USAGE && !called && strstr(said, text), "refused: %s %s %s",
		    a ? a : "", b ? b : "", c ? c : ""))
		printf("# %d: %s\n", status, said);
}

static void runs(int bit, int status, const char *a, const char *b, const char *c)
{
	int got = call(a, b, c);

	if (!ok(got == status && called == bit, "runs: %s %s %s", a, b ? b : "", c ? c : ""))
		printf("# %d: %s\n", got, said);
}

static void lists(void)
{
	ET_AUTO_FREE char *all = et_verb_list_actions(&verb, ~0u, "", "", " and ");
	ET_AUTO_FREE char *two = et_verb_list_actions(&verb, CHECK | SHOW, "'", "'", " or ");
	ET_AUTO_FREE char *one = et_verb_list_actions(&verb, APPLY | 64, "", "", " and ");
	ET_AUTO_FREE char *none = et_verb_list_actions(&verb, 64, "", "", " and ");

	is_str(all, "check, apply and show", "list: all actions");
	is_str(two, "'check' or 'show'", "list: two, with quotes");
	is_str(one, "apply", "list: bits of no action are ignored");
	is_str(none, "", "list: of none");
	ok(et_verb_takers(&verb, &options[0]) == APPLY && et_verb_takers(&verb, &options[1]) == 0,
		"list: the actions that take an option; 0 is all");
	char name[] = "env", quiet[] = "-q", end[] = "--", show[] = "show", check[] = "check";
	ok(et_verb_action_named(&verb, 4, (char *[]){ name, quiet, show, check, NULL }) == SHOW,
		"named: the first word that is an action");
	ok(et_verb_action_named(&verb, 3, (char *[]){ name, end, show, NULL }) == 0,
		"named: not after --");
}

int main(void)
{
	lists();
	runs(CHECK, 0, "check", NULL, NULL);
	runs(CHECK, 1, "check", "turbo", NULL);
	runs(APPLY, 2, "apply", "a", "b");
	runs(CHECK, 0, "--json", "check", NULL);
	runs(APPLY, ET_EXIT_OUTSIDE, "apply", "fail", NULL);
	refuses(NULL, NULL, NULL, "env: no action given");
	refuses("chek", NULL, NULL, "did you mean 'env check'?");
	refuses("xyzzy", NULL, NULL, "use 'env check', 'env apply' or 'env show'");
	refuses("turbo", NULL, NULL, "use 'etalon env check turbo'");
	refuses("check", "a", "b", "env check: unexpected 'b'");
	refuses("check", "--", "a", "env check: unexpected '--'");
	refuses("show", NULL, NULL, "env show: name a name");
	refuses("show", NULL, NULL, "hint: name one");
	runs(SHOW, 0, "show", "--alone", NULL);
	refuses("check", "--quick", NULL, "env check takes no --quick");
	refuses("check", "--quick", NULL, "it is an option of 'env apply'");
	refuses("check", "--alone", NULL, "it is an option of 'env apply' and 'env show'");
	refuses("apply", "--wide", NULL, "--wide needs --quick or --alone");
	runs(APPLY, 0, "apply", "--wide", "--quick");
	runs(APPLY, 0, "apply", "--wide", "--alone");
	refuses("apply", "--json", "a", "--json takes no NAME");
	return tap_done();
}
