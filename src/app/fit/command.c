/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon fit SERIES…`: finds how time grows with the size of the input. */
#include "app/fit/fit.h"
#include "base/doubles.h"
#include "base/parse.h"
#include "cli/outputs.h"

enum { LEAST = 3 }; /* points of a line with its uncertainty */

static int add_predictions(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_fit_request *r = ctx;
	ET_AUTO_FREE char *list = et_strdup(args[0]);
	char *rest = list, *word;

	(void)o;
	while ((word = strsep(&rest, ","))) {
		if (r->n_predict == ET_FIT_PREDICTIONS)
			return et_refuse(
				err, NULL, "--predict: more than %d sizes", ET_FIT_PREDICTIONS);
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

static int check_prediction(const struct et_fit_request *r, const struct et_growth *g,
	const char *name, struct et_error *err)
{
	double largest = g->points[g->n - 1].size;
	struct et_growth_value at;

	for (size_t i = 0; i < r->n_predict; i++) {
		double size = r->predict[i];

		if (!(size > 0))
			return et_refuse(err, NULL, "--predict %.6g: a size must be above 0", size);
		if (size > ET_GROWTH_FAR * largest)
			return et_hint(err,
				et_fail(err, ERANGE, ET_EXIT_USAGE,
					"--predict %.6g is more than %d times the largest size of "
					"'%.200s' (%.6g)",
					size, ET_GROWTH_FAR, name, largest),
				"measure a size of at least %.6g", size / ET_GROWTH_FAR);
		et_growth_at(g, size, &at);
		if (!(at.hi < 1e30))
			return et_fail_hint(err, ERANGE, ET_EXIT_USAGE, "predict a smaller size",
				"--predict %.6g: the time is beyond all bounds by %s", size,
				et_growth_names[g->best]);
	}
	return 0;
}

static int fit_growth(const struct et_fit_request *r, struct et_fit_view *out, struct et_error *err)
{
	const struct et_points *p = out->points;

	switch (et_growth_fit(p->x, p->y, p->n, r->level, &out->growth)) {
	case ET_GROWTH_FEW_SIZES:
		return et_hint(err,
			et_refuse(err, NULL,
				"'%.200s' has fewer than %d different sizes, too few to tell "
				"models "
				"apart",
				p->name, ET_GROWTH_SIZES_LEAST),
			"measure at least %d sizes over a wide range, each twice as large as the "
			"one before",
			ET_GROWTH_SIZES_LEAST);
	case ET_GROWTH_FEW_SAMPLES:
		return et_refuse(err, "repeat each size, or measure more sizes",
			"'%.200s' has only %zu runs, and at least %d are needed", p->name, p->n,
			ET_GROWTH_SAMPLES_LEAST);
	default:
		return check_prediction(r, &out->growth, p->name, err);
	}
}

struct pair {
	double x; /* first, for et_ascending */
	double y;
};

/* Fills out with the mean of y at each x; the caller frees x and y. */
static void average(const struct et_points *p, struct et_fit_view *out)
{
	ET_AUTO_FREE struct pair *pairs = et_calloc(p->n, sizeof(*pairs));
	size_t from = 0;
	double sum = 0;

	out->x = et_calloc(p->n, sizeof(*out->x));
	out->y = et_calloc(p->n, sizeof(*out->y));
	for (size_t i = 0; i < p->n; i++)
		pairs[i] = (struct pair){ p->x[i], p->y[i] };
	qsort(pairs, p->n, sizeof(*pairs), et_ascending);
	for (size_t i = 0; i < p->n; i++) {
		sum += pairs[i].y;
		if (i + 1 < p->n && pairs[i + 1].x == pairs[i].x)
			continue;
		out->x[out->n] = pairs[i].x;
		out->y[out->n++] = sum / (double)(i + 1 - from);
		from = i + 1;
		sum = 0;
	}
}

static int fit_line(const struct et_fit_request *r, struct et_fit_view *out, struct et_error *err)
{
	const struct et_points *p = out->points;

	if (!isnan(r->expect) && r->n_predict != 1)
		return et_refuse(
			err, "use --line --predict X --expect Y", "--expect needs one --predict");
	average(p, out);
	if (out->n < LEAST)
		return et_refuse(err, "add points at other x",
			"'%.200s' has points at %zu different x, and a line with its uncertainty "
			"needs %d",
			p->name, out->n, LEAST);
	et_line_fit(out->x, out->y, out->n, &out->line);
	if (!isfinite(out->line.slope) || !isfinite(out->line.residual_sd))
		return et_fail(err, ERANGE, ET_EXIT_USAGE,
			"'%.200s': the numbers are too large or too close to each other for a line",
			p->name);
	return 0;
}

static void show(const struct et_cli *cli, const struct et_fit_request *r,
	const struct et_fit_view *list, size_t n)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_json w;

	et_json_init(&w, stdout, 2);
	if (r->json && n > 1) {
		et_json_object(&w, NULL);
		et_json_array(&w, "series");
	}
	for (size_t i = 0; i < n; i++) {
		if (r->json)
			(r->line ? et_fit_line_json : et_fit_json)(&list[i], &w);
		else
			(r->line ? et_fit_line_text : et_fit_text)(&list[i], &page);
		if (!r->json && !r->line && n > 1)
			putchar('\n');
	}
	if (r->json && n > 1) {
		et_json_end(&w);
		et_json_end(&w);
	}
	if (!r->json && !r->line && n > 1)
		et_fit_compare_text(list, n, &page);
}

/* Fits all series of the set by models of growth, or by lines, and prints the results. */
static int fit_all(const struct et_cli *cli, const struct et_fit_request *r,
	const struct et_points_set *set, struct et_error *err)
{
	ET_AUTO_FREE struct et_fit_view *list = et_calloc(set->n, sizeof(*list));
	const struct et_fit_list all = { list, set->n };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < set->n; i++) {
		list[i] = (struct et_fit_view){ .points = &set->list[i], .r = r };
		rc = (r->line ? fit_line : fit_growth)(r, &list[i], err);
	}
	if (rc == 0)
		rc = et_output_write(r->svg, "svg", et_fit_svg, &all, err);
	if (rc == 0)
		rc = et_output_write(r->report, "report", et_fit_page, &all, err);
	if (rc == 0) {
		show(cli, r, list, set->n);
		rc = et_cli_close_output(stdout, "-", err);
	}
	for (size_t i = 0; i < set->n; i++) {
		et_growth_free(&list[i].growth);
		free(list[i].x);
		free(list[i].y);
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
		rc = fit_all(cli, &r, &set, &err);
	et_operands_free(&ops);
	et_points_set_free(&set);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
