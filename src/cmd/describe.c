/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon describe [FILE]`: what does this series of numbers say? */
#include "report/describe.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "cmd/gather.h"

#include <errno.h>
#include <unistd.h>

enum { OPT_JSON = 1, OPT_LEVEL, OPT_BOOTSTRAP, OPT_SEED, OPT_LAG };

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of text", NULL, OPT_JSON },
	{ 0, "level", "P", "coverage of the intervals (0.95)", NULL, OPT_LEVEL },
	{ 0, "bootstrap", "N", "replicates of the bootstrap, 0: none (9999; fewer of long series)",
		NULL, OPT_BOOTSTRAP },
	{ 0, "seed", "N", "of the bootstrap: the same seed gives the same figures (1)", NULL,
		OPT_SEED },
	{ 0, "lag", "N", "lags of the autocorrelation and of Ljung-Box (10; a fifth of n)", NULL,
		OPT_LAG },
	ET_GATHER_OPTIONS,
	{ 0 },
};

struct request {
	bool json, details;
	struct et_describe_options describe;
	struct et_gather gather;
};

static int option(void *ctx, int id, char *const *args, struct et_error *err)
{
	struct request *r = ctx;
	uint64_t n = 0;
	int rc;

	switch (id) {
	case OPT_JSON:
		r->json = true;
		return 0;
	case OPT_LEVEL:
		return et_parse_probability("--level", args[0], &r->describe.level, err);
	case OPT_BOOTSTRAP:
		rc = et_parse_u64("--bootstrap", args[0], 0, 100000000, &n, err);
		r->describe.replicates = n;
		r->describe.replicates_free = false;
		return rc;
	case OPT_SEED:
		return et_parse_u64("--seed", args[0], 0, UINT64_MAX, &r->describe.seed, err);
	case OPT_LAG:
		rc = et_parse_u64("--lag", args[0], 1, 10000, &n, err);
		r->describe.lags = n;
		return rc;
	default:
		return et_gather_option(&r->gather, id, args[0], err);
	}
}

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_describe = {
	.name = "describe",
	.operands = "KEPT",
	.summary = "what does this series of numbers say?",
	.usage = "[options] [FILE|ID|LABEL]",
	.about = "FILE (or the standard input) holds one number a line (# begins a comment), CSV\n"
		 "with --column, or a record of etalon's or hyperfine's; a kept experiment is "
		 "named\n"
		 "by its id or label. Each command of a record is a series of its own.",
	.examples = "  seq 1 20 | etalon describe\n"
		    "  printf 'a,b\\n1,2\\n3,4\\n5,9\\n' | etalon describe --column b --json\n"
		    "  etalon describe last --metric et\n",
	.options = options,
	.uses_store = true,
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

	int status = et_cli_parse(cli, &et_verb_describe, argc, argv, option, &r, &ops);
	if (status >= 0)
		return status;
	r.details = cli->verbosity > 0;
	struct et_gather_view view = { "-", 2, "a spread needs", r.json, each, &r };
	return et_gather_show(cli, &r.gather, &ops, &view);
}
