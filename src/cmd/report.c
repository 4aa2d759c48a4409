/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon report [ID]`: a kept experiment as a page with pictures. */
#include "cmd/kept.h"
#include "report/format.h"

struct request {
	const char *path;
};

static const struct et_option options[] = {
	{ 'o', "output", "FILE", "where to write it (-, stdout)", et_set_text,
		ET_FILLS(request, path), .values = "FILE" },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_report = {
	.name = "report",
	.operands = "KEPT",
	.summary = "write a kept experiment as a page with pictures",
	.usage = "[options] [ID|LABEL|last]",
	.about = "The page is one HTML file: it fetches nothing and needs no script.",
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
	struct request r = { .path = "-" };

	int status = et_cli_parse(cli, &et_verb_report, argc, argv, &r, &ops);
	if (status >= 0)
		return status;
	int rc = et_kept_load(cli, &ops, &kept, &err);
	et_operands_free(&ops);
	if (rc == 0)
		rc = et_kept_write(&kept, et_format_find("html"), r.path, &err);
	et_kept_free(&kept);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
