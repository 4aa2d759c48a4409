/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon export [ID]`: a stored experiment in a format for other tools. */
#include "app/profile/view.h"
#include "record/format.h"
#include "source/kind.h"

/* The kinds of experiments decide which of these formats they have. */
struct request {
	int format; /* place in `names` */
	const char *path;
};

#define SHOWN(name, summary, ...) name " (" summary "), "
#define NAME(name, ...) name,
static const char *const names[] = { ET_FORMATS(NAME) ET_PROFILE_ONLY_FORMATS(NAME) NULL };

static const struct et_option options[] = {
	{ 'f', "format", "FORMAT",
		ET_FORMATS(SHOWN) "of a profile " ET_PROFILE_ONLY_FORMATS(SHOWN) "by default json",
		et_set_choice, ET_FILLS(request, format), .names = names },
	{ 'o', "output", "FILE", "where to write it; - is stdout (-)", et_set_text,
		ET_FILLS(request, path), .values = "FILE" },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_export = {
	.name = "export",
	.operands = "STORED",
	.summary = "write a stored experiment as JSON, CSV or a table",
	.usage = "[options] [FILE|ID|LABEL|last]",
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

	return et_stored_write(cli, s, names[r->format], r->path, err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .path = "-" };

	return et_stored_run(cli, &et_verb_export, argc, argv, &r, NULL, write_format);
}
