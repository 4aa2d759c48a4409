/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon report [ID]`: a stored experiment as a page with pictures. */
#include "cmd/stored.h"
#include "report/format.h"

#include <errno.h>
#include <string.h>

struct request {
	const char *path;
};

static const struct et_option options[] = {
	{ 'o', "output", "FILE", "where to write it; - is stdout (-)", et_set_text,
		ET_FILLS(request, path), .values = "FILE" },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_report = {
	.name = "report",
	.operands = "STORED",
	.summary = "write a stored experiment as a page with pictures",
	.usage = "[options] [ID|LABEL|last]",
	.about = "The page is one HTML file: it fetches nothing and needs no script.",
	.examples = "  etalon report -o result.html\n  etalon report last >result.html\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

static int write_page(
	const struct et_cli *cli, const struct et_stored *s, const void *ctx, struct et_error *err)
{
	const struct request *r = ctx;

	(void)cli;
	if (!strcmp(r->path, "-") && isatty(STDOUT_FILENO))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "a page is not for a terminal"),
			"write it to a file: etalon report -o result.html");
	return et_stored_write(s, et_format_find("html"), r->path, err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .path = "-" };

	return et_stored_run(cli, &et_verb_report, argc, argv, &r, write_page);
}
