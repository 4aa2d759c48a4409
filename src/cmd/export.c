/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon export [ID]`: a stored experiment in a format for other tools. */
#include "cmd/stored.h"
#include "report/format.h"

struct request {
	int format; /* place in the table of formats */
	const char *path;
};

#define SHOWN(name, summary, ...) name " (" summary "), "

static const struct et_option options[] = {
	{ 'f', "format", "FORMAT", ET_FORMATS(SHOWN) "by default json", et_set_choice,
		ET_FILLS(request, format), .names = et_format_names },
	{ 'o', "output", "FILE", "where to write it; - is stdout (-)", et_set_text,
		ET_FILLS(request, path), .values = "FILE" },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_export = {
	.name = "export",
	.operands = "STORED",
	.summary = "write a stored experiment as JSON, CSV or a table",
	.usage = "[options] [ID|LABEL|last]",
	.about = "The native record (json) holds everything and can be imported again.",
	.examples = "  etalon export -o result.json\n"
		    "  etalon export --format csv last\n"
		    "  etalon export --format markdown\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

static int write_format(
	const struct et_cli *cli, const struct et_stored *s, const void *ctx, struct et_error *err)
{
	const struct request *r = ctx;

	(void)cli;
	return et_stored_write(s, &et_formats[r->format], r->path, err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .path = "-" };

	return et_stored_run(cli, &et_verb_export, argc, argv, &r, NULL, write_format);
}
