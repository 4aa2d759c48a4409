/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe init`: writes a first plan, with comments, or the schema of plans. */
#include "app/doe/doe.h"
#include "app/doe/first.h"
#include "app/run/options.h"
#include "base/alloc.h"
#include "base/memstream.h"
#include "base/outfile.h"

#include <errno.h>
#include <string.h>

/* The example runs as it is, in a few seconds. */
static const char example[] =
	"# An example: does more work take longer (it must), and does the size of the environment\n"
	"# matter (it should not)? Try it:\n"
	"#   etalon doe plan FILE       what would be run, and how long it would take\n"
	"#   etalon doe run FILE        run it; after Ctrl-C the same command continues\n"
	"#   etalon doe analyse FILE    effects, interactions, all pairs\n"
	"# etalon-plan(5) explains every key.\n"
	"\n"
	"name: work and environment size   # results are kept under this name\n"
	"\n"
	"programs:                         # one or more; {factor} becomes the level of a factor\n"
	"  - name: loop\n"
	"    command: etalon put inc --iterations {work}\n"
	"    # build: make loop OPT={opt}  # run once per combination of the levels it names\n"
	"    # input: data.txt             # standard input\n"
	"\n"
	"factors:                          # what is varied, each over two levels or more\n"
	"  - name: work\n"
	"    kind: parameter               # replaces {work}\n"
	"    levels: [40000000, 42000000]  # 5 % more\n"
	"  - name: pad\n"
	"    kind: environment-size        # bytes in a variable; all else stays the same\n"
	"    levels: [0, 512]\n"
	"\n"
	"design: full                      # all combinations: 2 x 2 treatments\n"
	"replications: 31                  # runs of each program under each treatment\n"
	"discard: 1                        # the first of them only fills caches\n"
	"order: random                     # or yates, interleaved\n"
	"seed: 5                           # the same random order every time\n"
	"response: pt                      # CPU time; or et (elapsed time), max_rss, …\n"
	"\n"
	"# run: { cpu: 1 }                 # options of 'etalon run'\n"
	"# hooks: { between: sync }        # a command between two treatments\n";

void et_doe_write_schema_line(FILE *out)
{
	if (access(ET_PLAN_SCHEMA, R_OK) == 0)
		fprintf(out, "# yaml-language-server: $schema=%s\n", ET_PLAN_SCHEMA);
}

static size_t add_options(
	const struct et_option *table, struct et_plan_schema_option *out, size_t n)
{
	for (; table->name; table++) {
		if (et_doe_refusal(table->name))
			continue;
		out[n++] = (struct et_plan_schema_option){ table->name, table->help, table->names,
			!table->arg };
	}
	return n;
}

static void write_schema(FILE *out)
{
	struct et_plan_schema_option options[128];
	size_t n = add_options(et_run_options, options, 0);

	n = add_options(et_child_options, options, n);
	et_plan_write_schema(out, &(struct et_plan_schema){ options, n });
}

static int write_text(const struct et_doe_request *r, FILE *out, struct et_error *err)
{
	if (r->schema) {
		write_schema(out);
		return 0;
	}
	if (r->from)
		return et_doe_write_first(r->from, out, err);
	et_doe_write_schema_line(out);
	fputs(example, out);
	return 0;
}

/* A plan may be the work of hours: no file is overwritten. */
static int open_new(const char *path, FILE **out, struct et_error *err)
{
	struct et_outfile o;
	int rc = et_outfile_open(&o, path, 0, ET_EXIT_USAGE, err);

	if (rc)
		return rc;
	et_cleanup_close(&o.dir);
	if (!o.created) {
		close(o.fd);
		return et_hint(err,
			et_fail(err, EEXIST, ET_EXIT_USAGE, "%s exists, and is not overwritten",
				path),
			"name another file with --output");
	}
	*out = fdopen(o.fd, "w");
	return 0;
}

/* The text is made before the file, so that an error leaves no empty file. */
static int write_file(const char *path, const char *text, struct et_error *err)
{
	FILE *out = NULL;
	int rc = open_new(path, &out, err);

	if (rc)
		return rc;
	bool written = out && fputs(text, out) >= 0;
	if (!out || fclose(out) || !written)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
	return 0;
}

int et_doe_init(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *r = call->ctx;
	struct et_memstream m;

	if (call->n)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "doe init: unexpected '%s'",
				call->operands[0]),
			"use doe init --from '%s' if that is a command, or -o FILE to name the "
			"plan",
			call->operands[0]);
	int rc = write_text(r, et_memstream_open(&m), err);
	ET_AUTO_FREE char *text = et_memstream_close(&m);
	if (rc)
		return rc;
	if (!r->output || !strcmp(r->output, "-")) {
		fputs(text, stdout);
		return 0;
	}
	rc = write_file(r->output, text, err);
	if (rc == 0 && cli->verbosity >= 0 && !r->schema)
		printf("%s: run 'etalon doe plan %s' to see what it would do\n", r->output,
			r->output);
	return rc;
}
