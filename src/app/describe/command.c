/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon describe [FILE]`: summarises a series of numbers. */
#include "report/text.h"
#include "source/gather.h"

struct request {
	bool json, details;
	struct et_describe_options describe;
	struct et_gather gather;
};

/* A number of replicates that the user gave is not reduced for a long series. */
static int set_replicates(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct request *r = ctx;

	r->describe.replicates_free = false;
	return et_set_size(o, ctx, args, err);
}

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of text", et_set_true, ET_FILLS(request, json) },
	{ 0, "level", "P", "coverage of the intervals (0.95)", et_set_probability,
		ET_FILLS(request, describe.level) },
	{ 0, "bootstrap", "N", "replicates of the bootstrap, 0: none (9999; fewer of long series)",
		set_replicates, ET_FILLS(request, describe.replicates), .hi = 100000000 },
	{ 0, "seed", "N", "seed of the bootstrap: the same seed gives the same figures (1)",
		et_set_u64, ET_FILLS(request, describe.seed) },
	{ 0, "lag", "N", "lags of the autocorrelation and of Ljung-Box (10; a fifth of n)",
		et_set_size, ET_FILLS(request, describe.lags), .lo = 1, .hi = 10000 },
	ET_GATHER_OPTIONS(request, gather),
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_describe = {
	.name = "describe",
	.operands = "STORED",
	.summary = "summarise a series of numbers",
	.usage = "[options] [FILE|ID|LABEL]",
	.about = "FILE (or standard input) holds one number per line (# begins a comment), CSV\n"
		 "with --column, or a record of etalon or hyperfine; a stored experiment is\n"
		 "given by its id or label. Each command of a record is a series of its own.",
	.examples = "  seq 1 20 | etalon describe\n"
		    "  printf 'a,b\\n1,2\\n3,4\\n5,9\\n' | etalon describe --column b --json\n"
		    "  etalon describe last --metric elapsed\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

static void each(
	void *ctx, const struct et_series *s, struct et_json *w, const struct et_page *page)
{
	const struct request *r = ctx;
	struct et_description d;

	et_describe(s->values, s->n, s->unit, &r->describe, &d);
	if (w)
		et_describe_json(w, s, &d);
	else
		et_describe_text(s, &d, page, r->details);
	et_description_free(&d);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct request r = { .describe = { .level = 0.95,
				     .replicates = ET_DESCRIBE_REPLICATES,
				     .replicates_free = true,
				     .seed = 1,
				     .threads = cpus > 0 ? (unsigned)cpus : 1 } };
	struct et_operands ops;

	int status = et_cli_parse(cli, &et_verb_describe, argc, argv, &r, &ops);
	if (status >= 0)
		return status;
	r.details = cli->verbosity > 0;
	struct et_gather_view view = { "-", 2, "a spread needs", r.json, each, &r };
	return et_gather_show(cli, &r.gather, &ops, &view);
}
