/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon show [ID]`: prints the result of a stored experiment. */
#include "cmd/stored.h"
#include "report/native.h"
#include "report/text.h"

struct request {
	bool json;
	enum et_sort sort;
	enum et_time_unit unit;
};

static const struct et_option options[] = {
	{ 0, "json", NULL, "print the native record instead of text", et_set_true,
		ET_FILLS(request, json) },
	{ 'u', "time-unit", "UNIT",
		"unit of the table: second, millisecond, microsecond or nanosecond (auto)",
		et_set_choice, ET_FILLS(request, unit), .names = et_time_unit_names },
	{ 0, "sort", "ORDER",
		"order of the table: command, mean-time or auto (by time from four commands on)",
		et_set_choice, ET_FILLS(request, sort), .names = et_sort_names },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_show = {
	.name = "show",
	.operands = "STORED",
	.summary = "print the result of a stored experiment",
	.usage = "[options] [ID|LABEL|last]",
	.about = "ID may be shortened to its beginning or its last six characters; a LABEL means\n"
		 "the newest experiment with that label; without either the last experiment is\n"
		 "shown. -v adds all figures of each command, a histogram, and all warnings.",
	.examples = "  etalon show\n  etalon show -v last\n  etalon show --json\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

static int write_result(
	const struct et_cli *cli, const struct et_stored *s, const void *ctx, struct et_error *err)
{
	const struct request *r = ctx;
	struct et_text_options o = et_cli_text(cli);

	o.sort = r->sort;
	o.unit = r->unit;

	if (r->json) {
		et_native_write(s->experiment, &s->judgement, stdout);
	} else {
		if (cli->verbosity >= 0)
			et_text_heading(s->experiment, &o, stdout);
		size_t left = et_text_result(s->experiment, &s->judgement, &o, stdout);
		if (left)
			printf("%zu more note%s: etalon show -v\n", left, left == 1 ? "" : "s");
	}
	return et_cli_close_output(stdout, "-", err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { 0 };

	return et_stored_run(cli, &et_verb_show, argc, argv, &r, write_result);
}
