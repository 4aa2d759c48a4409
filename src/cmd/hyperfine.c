/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `etalon hyperfine`, and etalon under the name hyperfine: the command line of hyperfine 1.20. Its
 * options are those of `run`; what differs is in struct et_run_options, like_hyperfine.
 */
#include "cmd/run.h"

#include <string.h>

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_hyperfine = {
	.name = "hyperfine",
	.operands = "COMMAND",
	.summary = "run, with the command line of hyperfine",
	.usage = "[options] COMMAND…",
	.about = "Takes the options of hyperfine 1.20, and those of 'etalon run'. A COMMAND with "
		 "shell\n"
		 "syntax runs through sh, the others without a shell. etalon-hyperfine(1) lists "
		 "what\n"
		 "differs from hyperfine.",
	.examples = "  etalon hyperfine -r 5 'sleep 0.01'\n"
		    "  etalon hyperfine -w 1 -M 10 --export-json times.json 'sort data | uniq'\n",
	.options = et_run_options,
	.uses_store = true,
	.runs_programs = true,
	.exports = true,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_run_options o;

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "-V"))
			return et_cli_version();
	}
	et_run_options_init(&o);
	o.like_hyperfine = true;
	return et_run_main(cli, &et_verb_hyperfine, &o, argc, argv);
}
