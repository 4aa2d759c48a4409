/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon show [ID]`: a kept experiment as a person reads it. */
#include "cmd/kept.h"
#include "report/native.h"
#include "report/text.h"

struct request {
	bool json;
};

static const struct et_option options[] = {
	{ 0, "json", NULL, "print the native record instead of text", et_set_true,
		ET_FILLS(request, json) },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_show = {
	.name = "show",
	.operands = "KEPT",
	.summary = "print the result of a kept experiment",
	.usage = "[options] [ID|LABEL|last]",
	.about = "ID may be shortened as long as it is unambiguous; a LABEL means the newest\n"
		 "experiment of that label; without either the last one is shown.\n"
		 "-v adds intervals, removed samples, the culprits, and a histogram.",
	.examples = "  etalon show\n  etalon show -v last\n  etalon show --json\n",
	.options = options,
	.uses_store = true,
	.run = run,
};

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_operands ops;
	struct et_error err = { 0 };
	struct et_kept kept = { 0 };
	struct request r = { 0 };

	int status = et_cli_parse(cli, &et_verb_show, argc, argv, &r, &ops);
	if (status >= 0)
		return status;
	int rc = et_kept_load(cli, &ops, &kept, &err);
	et_operands_free(&ops);
	if (rc == 0 && r.json) {
		et_native_write(kept.experiment, &kept.judgement, stdout);
	} else if (rc == 0) {
		struct et_text_options o = {
			.width = cli->columns, .color = cli->color, .verbose = cli->verbosity > 0
		};
		if (cli->verbosity >= 0)
			et_text_heading(kept.experiment, &o, stdout);
		et_text_result(kept.experiment, &kept.judgement, &o, stdout);
	}
	if (rc == 0)
		rc = et_cli_close_output(stdout, "-", &err);
	et_kept_free(&kept);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
