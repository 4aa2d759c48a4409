/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon import FILE`: stores a record made elsewhere as an experiment. */
#include "base/clock.h"
#include "base/display.h"
#include "source/input.h"
#include "source/stored.h"
#include "store/core/store.h"
#include "store/import/import.h"

#include <sys/random.h>

static const struct et_option options[] = {
	{ 0, "label", "TEXT", "name the experiment", et_set_text,
		ET_FILLS(et_import_options, label) },
	{ 0, "format", "FORMAT",
		"native, hyperfine, libetalon, google-benchmark or csv (auto: by contents)",
		et_set_choice, ET_FILLS(et_import_options, format),
		.names = et_import_format_names },
	{ 0, "column", "NAME", "the column of a CSV file that holds the times", et_set_text,
		ET_FILLS(et_import_options, column) },
	{ 0, "copy", NULL, "give a native record a new id", et_set_true,
		ET_FILLS(et_import_options, copy) },
	{ 0 },
};

static int store_record(
	const struct et_cli *cli, const struct et_experiment *e, struct et_error *err)
{
	int rc = et_stored_keep(cli, e, err);

	return rc == -EEXIST ? et_hint(err, rc, "use --copy to store it under a new id") : rc;
}

static void report(const struct et_cli *cli, const struct et_experiment *e, size_t omitted)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n_commands; i++)
		n += e->commands[i].samples.n;
	if (cli->verbosity < 0)
		printf("%s\n", e->id);
	else
		printf("imported %s: %zu sample%s of %zu %s%s\n", e->id, n, n == 1 ? "" : "s",
			e->n_commands, et_experiment_of_functions(e) ? "function" : "command",
			e->n_commands == 1 ? "" : "s");
	if (omitted)
		et_say(stderr, "etalon: %zu function%s that failed %s omitted\n", omitted,
			omitted == 1 ? "" : "s", omitted == 1 ? "was" : "were");
}

static int import(
	const struct et_cli *cli, const struct et_import_options *given, struct et_error *err)
{
	struct et_import_options o = *given;
	struct et_experiment *e = NULL;
	ET_AUTO_FREE char *data = NULL;
	size_t size, omitted = 0;
	int rc = et_input_read(o.name, ET_IMPORT_MOST_BYTES, &data, &size, err);

	if (rc)
		return rc;
	if (!strcmp(o.name, "-"))
		o.name = "standard input";
	o.omitted = &omitted;
	o.wall_ns = et_clock_read_ns(CLOCK_REALTIME);
	if (getrandom(&o.random, sizeof(o.random), 0) < 0)
		o.random = o.wall_ns;
	rc = et_import(data, size, &o, &e, err);
	if (!rc)
		rc = store_record(cli, e, err);
	if (!rc)
		report(cli, e, omitted);
	et_experiment_free(e);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_import = {
	.name = "import",
	.summary = "store a record made elsewhere",
	.usage = "[options] FILE|-",
	.about = "FILE is a native record (etalon export, run --json), hyperfine's JSON, the JSON\n"
		 "of a benchmark program (libetalon's --json, or Google Benchmark's), or CSV:\n"
		 "with the columns of etalon's own export, or any with one column of times, in\n"
		 "seconds unless its name ends in _ms, _us or _ns. A list of numbers is CSV, too.\n"
		 "A native record keeps its id; if that id is stored already, the record is\n"
		 "refused unless --copy gives it a new one. CPU time that a record does not\n"
		 "contain stays unknown. -q prints the id only.",
	.examples = "  etalon import --label before before.json\n"
		    "  etalon import --column seconds times.csv\n"
		    "  seq 10 20 | etalon import -\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_operands ops;
	struct et_import_options o = { 0 };
	struct et_error err;
	int rc, status = et_cli_parse(cli, &et_verb_import, argc, argv, &o, &ops);

	if (status >= 0)
		return status;
	if (ops.n_before != 1 || ops.n_after) {
		rc = et_refuse(&err, "use 'etalon import FILE', or - for standard input",
			"import: expected one file");
	} else {
		o.name = ops.before[0];
		rc = import(cli, &o, &err);
	}
	et_operands_free(&ops);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
