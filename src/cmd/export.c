/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon export [ID]`: a kept experiment in a format for other tools. */
#include "cmd/kept.h"
#include "report/format.h"

#include <errno.h>

enum { OPT_FORMAT = 1, OPT_OUTPUT };

static const struct et_option options[] = {
	{ 'f', "format", "FORMAT",
		"json (the native record), hyperfine (its JSON), csv (one row a sample), markdown, "
		"asciidoc, orgmode or html (json)",
		ET_FORMAT_CHOICES, OPT_FORMAT },
	{ 'o', "output", "FILE", "where to write it (-, stdout)", "FILE", OPT_OUTPUT },
	{ 0 },
};

struct request {
	const char *format;
	const char *path;
};

static int option(void *ctx, int id, char *const *args, struct et_error *err)
{
	struct request *r = ctx;

	if (id == OPT_OUTPUT) {
		r->path = args[0];
	} else if (id == OPT_FORMAT) {
		r->format = args[0];
		if (!et_format_find(args[0]))
			return et_hint(err,
				et_fail(err, EINVAL, ET_EXIT_USAGE, "--format: unknown format '%s'",
					args[0]),
				"one of " ET_FORMAT_CHOICES);
	}
	return 0;
}

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_export = {
	.name = "export",
	.operands = "KEPT",
	.summary = "write a kept experiment as JSON, CSV or a table",
	.usage = "[options] [ID|LABEL|last]",
	.about = "The native record (json) holds everything and can be imported again.",
	.examples = "  etalon export -o result.json\n"
		    "  etalon export --format csv last\n"
		    "  etalon export --format markdown\n",
	.options = options,
	.uses_store = true,
	.run = run,
};

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_operands ops;
	struct et_error err = { 0 };
	struct et_kept kept = { 0 };
	struct request r = { .format = "json", .path = "-" };

	int status = et_cli_parse(cli, &et_verb_export, argc, argv, option, &r, &ops);
	if (status >= 0)
		return status;
	int rc = et_kept_load(cli, &ops, &kept, &err);
	et_operands_free(&ops);
	if (rc == 0)
		rc = et_kept_write(&kept, r.format, r.path, &err);
	et_kept_free(&kept);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
