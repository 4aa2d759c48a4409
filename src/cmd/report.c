/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon report [ID]`: a kept experiment as a page with pictures. */
#include "cmd/kept.h"

enum { OPT_OUTPUT = 1 };

static const struct et_option options[] = {
	{ 'o', "output", "FILE", "where to write it (-, stdout)", "FILE", OPT_OUTPUT },
	{ 0 },
};

static int option(void *ctx, int id, char *const *args, struct et_error *err)
{
	(void)err;
	if (id == OPT_OUTPUT)
		*(const char **)ctx = args[0];
	return 0;
}

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_report = {
	.name = "report",
	.operands = "KEPT",
	.summary = "a kept experiment as a page with pictures",
	.usage = "[options] [ID|LABEL|last]",
	.about = "One HTML file that stands alone: it fetches nothing and needs no script.",
	.examples = "  etalon report -o result.html\n  etalon report last >result.html\n",
	.options = options,
	.uses_store = true,
	.run = run,
};

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_operands ops;
	struct et_error err = { 0 };
	struct et_kept kept = { 0 };
	const char *path = "-";

	int status = et_cli_parse(cli, &et_verb_report, argc, argv, option, &path, &ops);
	if (status >= 0)
		return status;
	int rc = et_kept_load(cli, &ops, &kept, &err);
	et_operands_free(&ops);
	if (rc == 0)
		rc = et_kept_write(&kept, "html", path, &err);
	et_kept_free(&kept);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
