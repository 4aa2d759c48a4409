/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon fit SERIES…`: finds how time grows with the size of the input. */
#include "app/fit/fit.h"
#include "base/alloc.h"
#include "base/parse.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int add_predictions(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_fit_request *r = ctx;
	ET_AUTO_FREE char *list = et_strdup(args[0]);
	char *rest = list, *word;

	(void)o;
	while ((word = strsep(&rest, ","))) {
		if (r->n_predict == ET_FIT_PREDICTIONS)
			return et_fail(err, EINVAL, ET_EXIT_USAGE, "--predict: more than %d sizes",
				ET_FIT_PREDICTIONS);
		int rc = et_parse_double("--predict", word, &r->predict[r->n_predict++], err);
		if (rc)
			return rc;
	}
	return 0;
}

static int set_expected(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return et_parse_double("--expect", args[0], et_option_target(o, ctx), err);
}

static const char *const unit_names[] = { "auto", "s", "ms", "us", "ns", NULL };

static const struct et_option options[] = {
	{ 0, "predict", "N,N…", "predict the time at these sizes, up to 10 times the largest one",
		.set = add_predictions },
	{ 0, "parameter", "NAME", "the parameter of an experiment that is the size (the only one)",
		et_set_text, ET_FILLS(et_fit_request, parameter) },
	{ 0, "size", "NAME|N", "the column of a table that holds the sizes (the first)",
		et_set_text, ET_FILLS(et_fit_request, size) },
	{ 0, "unit", "auto|s|ms|us|ns",
		"unit of the times of a table (by its heading, such as time_ms; else seconds)",
		et_set_choice, ET_FILLS(et_fit_request, unit), .names = unit_names },
	{ 0, "line", NULL, "fit a straight line through the means instead, of any numbers",
		et_set_true, ET_FILLS(et_fit_request, line), .excludes = "svg|report" },
	{ 0, "expect", "Y", "does Y agree with the line at the X of --predict X?", set_expected,
		ET_FILLS(et_fit_request, expect), .needs = "line" },
	{ 0, "level", "P", "coverage of the intervals (0.95)", et_set_probability,
		ET_FILLS(et_fit_request, level) },
	{ 0, "json", NULL, "print JSON instead of text", et_set_true,
		ET_FILLS(et_fit_request, json) },
	{ 0, "svg", "FILE", "also draw the curves", et_set_text, ET_FILLS(et_fit_request, svg),
		.values = "FILE" },
	{ 0, "report", "FILE", "also write a page (HTML)", et_set_text,
		ET_FILLS(et_fit_request, report), .values = "FILE" },
	ET_GATHER_OPTIONS(et_fit_request, gather),
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_fit = {
	.name = "fit",
	.operands = "STORED",
	.summary = "how does time grow with the size of the input?",
	.usage = "[options] [SERIES…]",
	.about =
		"A SERIES is the id or label of an experiment whose parameter is the size\n"
		"(etalon run -L n 1000,2000,4000,8000 'program {n}'; without one: the last), or a\n"
		"file: a table of sizes and times with one run per line, or a record of etalon\n"
		"or hyperfine. It chooses among 1, log n, n, n log n, n², n² log n, n³, 2ⁿ and\n"
		"n^c, and reports which are possible and how sure a prediction is.",
	.examples = "  seq 1 12 | awk '{ print $1 * 100, 0.01 + $1 * $1 / 1000 }' | etalon fit -\n"
		    "  etalon run -L n 500,1000,2000,4000 --label sort 'etalon put sort --size "
		    "{n}'\n"
		    "  etalon fit sort --predict 8000,16000\n"
		    "  seq 2 5 | awk '{ print $1, 9*$1 + $1%2 }' | etalon fit --line "
		    "--predict 1 -\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

static int add_operand(const struct et_cli *cli, const struct et_fit_request *r,
	const char *operand, struct et_points_set *set, struct et_error *err)
{
	size_t before = set->n;
	int rc = et_fit_add(cli, r, operand, set, err);

	if (rc == 0 && set->n > ET_FIT_SERIES)
		return et_fail(
			err, E2BIG, ET_EXIT_USAGE, "fit takes at most %d series", ET_FIT_SERIES);
	for (size_t i = before; rc == 0 && i < set->n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (strcmp(set->list[k].name, set->list[i].name))
				continue;
			char *name = et_asprintf("%s (%s)", set->list[i].name, operand);
			free(set->list[i].name);
			set->list[i].name = name;
		}
	}
	return rc;
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_fit_request r = { .level = 0.95, .expect = NAN };
	struct et_points_set set = { 0 };
	struct et_error err = { 0 };
	struct et_operands ops;

	int status = et_cli_parse(cli, &et_verb_fit, argc, argv, &r, &ops);
	if (status >= 0)
		return status;
	size_t n = ops.n_before + ops.n_after;
	int rc = n ? 0 : add_operand(cli, &r, "last", &set, &err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const char *name = i < ops.n_before ? ops.before[i] : ops.after[i - ops.n_before];
		rc = add_operand(cli, &r, name, &set, &err);
	}
	if (rc == 0)
		rc = r.line ? et_fit_lines(cli, &r, &set, &err)
			    : et_fit_growth(cli, &r, &set, &err);
	et_operands_free(&ops);
	et_points_set_free(&set);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
