/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Target: the command line of `run`, one word per line, up to the experiment that it makes; and the
 * list of factors of `env`.
 */
#include "app/run/options.h"
#include "cli/cli.h"
#include "fuzz.h"
#include "host/factors.h"

#include <string.h>

enum { MOST_WORDS = 200 };

void __wrap_et_cli_warn(struct et_warnings *w);

/* Warnings are not printed. */
void __wrap_et_cli_warn(struct et_warnings *w)
{
	et_warnings_free(w);
}

/* Every command's help is made from the same kind of table. */
static void print_help(const struct et_verb *verb)
{
	FILE *out = fopen("/dev/null", "we");
	struct et_option_walk at = { 0 };
	struct et_option one[] = { { 0 }, { 0 } };

	while (et_verb_next_option(verb, &at, &one[0]))
		et_options_help(one, out, 80);
	fclose(out);
}

static int fuzz_options(const uint8_t *data, size_t size)
{
	ET_AUTO_FREE char *text = fuzz_text(data, size);
	char *rest = text, *argv[MOST_WORDS + 2] = { (char[]){ "etalon run" } };
	struct et_run_options o;
	struct et_operands ops;
	struct et_experiment *e = NULL;
	struct et_error err;
	int argc = 1, accepted = 0;
	bool selected[64];

	FUZZ_CHECK(et_factors_count() <= ET_LENGTH(selected));
	(void)!et_factors_select("--only", text, selected, &err);
	while (rest && argc <= MOST_WORDS)
		argv[argc++] = strsep(&rest, "\n");
	et_run_options_init(&o);
	const struct et_option_table tables[] = {
		{ .rows = et_run_options, .ctx = &o, .given = &o.given },
		{ .rows = et_child_options, .ctx = &o, .given = &o.given }, { 0 }
	};
	if (et_options_parse(tables, argc, argv, &ops, &err) == 0) {
		if (et_run_options_finish(&o, &ops, &e, &err) == 0) {
			FUZZ_CHECK(e->n_commands > 0 && e->commands[0].argv[0]);
			et_experiment_free(e);
			accepted = 1;
		}
		et_operands_free(&ops);
	}
	if (size == 0)
		print_help(et_verb_find("run"));
	et_run_options_free(&o);
	return accepted;
}

static const char *const option_tokens[] = { "\n", "--", "-", "\n--", "--runs", "--until", "0.5%",
	"--cpu", "0-1023", "--time-limit", "1d", "-P", "-L", "-D", "{n}", "{", "}", "--resume",
	"--order", "duet", "--protocol", "kbest", "--pace", "-n", "--prepare", "--sched",
	"fifo:", "--reference", "=", "-wrm", "--label", "'", "\"", "\\", NULL };

FUZZ_TARGET(options) = { "options", fuzz_options, 5000, .tokens = option_tokens,
	.input = "the command line of 'run', up to the experiment",
	.holds = "a command has a program" };
