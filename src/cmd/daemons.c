/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon daemons analyse`: which background processes spoil samples, and their cutoffs. */
#include "protocol/daemons.h"
#include "base/alloc.h"
#include "cmd/cli.h"
#include "cmd/input.h"
#include "report/daemons.h"
#include "store/daemons.h"

#include <errno.h>
#include <string.h>

enum { OPT_JSON = 1 };

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of text", NULL, OPT_JSON },
	{ 0 },
};

struct request {
	bool json;
};

static int option(void *ctx, int id, char *const *args, struct et_error *err)
{
	struct request *r = ctx;

	(void)args;
	(void)err;
	if (id == OPT_JSON)
		r->json = true;
	return 0;
}

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_daemons = {
	.name = "daemons",
	.summary = "which background processes spoil samples, and from when on?",
	.usage = "analyse [options] FILE|-",
	.about =
		"analyse finds in a record of many samples (JSON) those that a seldom daemon hit,\n"
		"and how long each daemon may run before a sample is removed.",
	.examples = "  etalon daemons analyse daemons.json\n"
		    "  etalon daemons analyse --json daemons.json\n",
	.options = options,
	.run = run,
};

static int analyse(
	const struct et_cli *cli, const struct request *r, const char *path, struct et_error *err)
{
	const char *name = strcmp(path, "-") ? path : "standard input";
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	ET_AUTO_FREE char *data = NULL;
	struct et_daemon_record record;
	struct et_daemon_findings found;
	struct et_json w;
	size_t size;

	int rc = et_input_read(path, ET_DAEMONS_MOST_BYTES, &data, &size, err);
	if (rc == 0)
		rc = et_daemon_record_read(data, size, name, &record, err);
	if (rc)
		return rc;
	rc = et_daemons_analyse(&record, name, &found, err);
	if (rc == 0) {
		et_json_init(&w, stdout, 2);
		if (r->json)
			et_daemons_json(&record, &found, &w);
		else
			et_daemons_text(&record, &found, &page, cli->verbosity > 0);
		rc = et_cli_close_output(stdout, "-", err);
		et_daemon_findings_free(&found);
	}
	et_daemon_record_free(&record);
	return rc;
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { 0 };
	struct et_operands ops;
	struct et_error err = { 0 };
	int rc, status = et_cli_parse(cli, &et_verb_daemons, argc, argv, option, &r, &ops);

	if (status >= 0)
		return status;
	if (ops.n_before == 2 && !ops.n_after && !strcmp(ops.before[0], "analyse"))
		rc = analyse(cli, &r, ops.before[1], &err);
	else
		rc = et_hint(&err, et_fail(&err, EINVAL, ET_EXIT_USAGE, "daemons: what to do?"),
			"etalon daemons analyse FILE");
	et_operands_free(&ops);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
