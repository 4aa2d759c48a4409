/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon export [ID]`: a stored experiment in a format for other tools. */
#include "cmd/stored.h"
#include "report/format.h"

#include <errno.h>
#include <string.h>

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

/* The formats of both kinds that a profile has: everything, and a row per run. */
static bool suits_profiles(const struct et_format *f)
{
	return !strcmp(f->name, "json") || !strcmp(f->name, "csv");
}

static int refuse(const char *id, const char *name, bool profile, struct et_error *err)
{
	et_fail(err, EINVAL, ET_EXIT_USAGE,
		profile ? "%s is a profile, which has no format '%s'"
			: "%s is not a profile, so it has no format '%s'",
		id, name);
	return et_hint(err, -EINVAL, "%s",
		profile ? "use json, csv, profile, profile-csv, folded, speedscope, flame or html"
			: "use json, hyperfine, csv, summary, markdown, asciidoc, orgmode or html");
}

static int write_format(
	const struct et_cli *cli, const struct et_stored *s, const void *ctx, struct et_error *err)
{
	const struct request *r = ctx;
	const char *name = names[r->format];
	const struct et_format *format = et_format_find(name);
	const struct et_profile_format *own = et_profile_format_find(name);
	const struct et_profile *profile = s->experiment->profile;

	(void)cli;
	if (profile && own)
		return et_stored_write_profile(s, own, r->path, err);
	if (!format || (profile && !suits_profiles(format)))
		return refuse(s->experiment->id, name, profile, err);
	return et_stored_write(s, format, r->path, err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .path = "-" };

	return et_stored_run(cli, &et_verb_export, argc, argv, &r, NULL, write_format);
}
