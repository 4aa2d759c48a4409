/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon samplesize [SERIES]`: finds how many runs are enough. */
#include "protocol/samplesize.h"
#include "base/parse.h"
#include "cmd/gather.h"
#include "report/samplesize.h"

#include <errno.h>

struct request {
	bool json;
	double widths[ET_WIDTHS_MOST];
	size_t n_widths;
	double level;
	struct et_gather gather;
};

static int add_width(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct request *r = ctx;

	if (r->n_widths == ET_WIDTHS_MOST)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--%s is given more than %d times",
			o->name, ET_WIDTHS_MOST);
	return et_set_ratio(o, &r->widths[r->n_widths++], args, err);
}

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of text", et_set_true, ET_FILLS(request, json) },
	{ 0, "width", "REL",
		"predict how many runs make the interval of the mean this wide, e.g. 1%; up to 8 "
		"times (5%, 2%, 1%, 0.5%)",
		.set = add_width },
	{ 0, "level", "P", "coverage of the interval (0.95)", et_set_probability,
		ET_FILLS(request, level) },
	ET_GATHER_OPTIONS(request, gather),
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_samplesize = {
	.name = "samplesize",
	.summary = "how many runs are enough?",
	.usage = "[options] [FILE|ID|LABEL]",
	.about =
		"Compares a long series with its first half, its first quarter and so on, down to\n"
		"5 values. FILE (or standard input) is anything that describe reads; without it,\n"
		"in a terminal, the last experiment is used.",
	.examples = "  seq 1 40 | etalon samplesize\n"
		    "  seq 1 40 | etalon samplesize --width 10% --json\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

static void each(
	void *ctx, const struct et_series *s, struct et_json *w, const struct et_page *page)
{
	static const double usual[] = { 0.05, 0.02, 0.01, 0.005 };
	const struct request *r = ctx;
	const double *widths = r->n_widths ? r->widths : usual;
	size_t n_widths = r->n_widths ? r->n_widths : ET_LENGTH(usual);
	struct et_samplesize z;

	et_samplesize(s->values, s->n, r->level, &z);
	for (size_t k = 0; k < n_widths; k++)
		et_samplesize_width(&z, widths[k]);
	if (w)
		et_samplesize_json(w, s, &z);
	else
		et_samplesize_text(s, &z, page);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .level = 0.95 };
	struct et_operands ops;

	int status = et_cli_parse(cli, &et_verb_samplesize, argc, argv, &r, &ops);
	if (status >= 0)
		return status;
	const char *usual = isatty(STDIN_FILENO) ? "last" : "-";
	struct et_gather_view view = { usual, 2 * ET_SIZE_LEAST, "two parts of five values need",
		r.json, each, &r };
	return et_gather_show(cli, &r.gather, &ops, &view);
}
