/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon compare SERIES…`: finds which of several series differ. */
#include "app/compare/machines.h"
#include "app/compare/view.h"
#include "base/parse.h"
#include "cli/outputs.h"
#include "report/pair.h"
#include "source/gather.h"

enum { MOST_SERIES = 200 }; /* nearly 20000 pairs */

struct request {
	double alpha;
	const char *reference, *json;
	double fail_ratio;    /* the slowdown that fails; INFINITY: none does */
	int intervals, ratio; /* as their names below */
	bool across_time;     /* also of series that were measured at different times */
	int by;               /* as its names below */
	struct et_gather gather;
};

enum { SINGLE, SIMULTANEOUS, BY_TEST = 0, BY_BOOTSTRAP, BY_SERIES = 0, BY_MACHINE };
static const char *const interval_names[] = { "single", "simultaneous", NULL };
static const char *const by_names[] = { "series", "machine", NULL };
static const char *const ratio_names[] = { "auto", "bootstrap", NULL };

static const struct et_option options[] = {
	{ 0, "alpha", "P", "chance of any false alarm in all comparisons together (0.05)",
		et_set_probability, ET_FILLS(request, alpha) },
	{ 0, "reference", "N|NAME", "compare all others with this series only (every pair)",
		et_set_text, ET_FILLS(request, reference) },
	{ 0, "intervals", "single|simultaneous",
		"each interval covers with 1 - alpha, or all together by Sidak (single)",
		et_set_choice, ET_FILLS(request, intervals), .names = interval_names },
	{ 0, "ratio", "auto|bootstrap",
		"ratio of independent series: that of their test, or of the means by the bootstrap "
		"(auto)",
		et_set_choice, ET_FILLS(request, ratio), .names = ratio_names },
	{ 0, "json", "FILE", "write JSON (-: stdout, the text then goes to stderr)", et_set_text,
		ET_FILLS(request, json), .values = "FILE" },
	{ 0, "fail-on-regression", "[PCT]",
		"exit 5 if a series is surely slower than the reference, or the first, by more "
		"than PCT % (0)",
		et_set_percent, ET_FILLS(request, fail_ratio) },
	{ 0, "across-time", NULL,
		"let --fail-on-regression judge series of different experiments, too", et_set_true,
		ET_FILLS(request, across_time) },
	{ 0, "by", "series|machine",
		"compare the machines on which experiments of this label, or campaign, ran "
		"(series)",
		et_set_choice, ET_FILLS(request, by), .names = by_names },
	ET_GATHER_OPTIONS(request, gather),
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_compare = {
	.name = "compare",
	.operands = "STORED",
	.summary = "which of these series differ?",
	.usage = "[options] SERIES SERIES…\n[options] EXPERIMENT\n--by machine [options] LABEL…",
	.about = "A SERIES is a file that describe reads, or the id or label of a stored\n"
		 "experiment, which means all of its commands. Runs that were measured in pairs\n"
		 "are compared in pairs; other series by t tests if both may be normal, else by\n"
		 "ranks (Nogueira and Matias). Holm's correction covers all comparisons together.\n"
		 "Of files of benchmark programs, functions of the same name are compared.",
	.examples = "  etalon compare last\n"
		    "  etalon compare <(seq 101 120) <(seq 121 140)\n"
		    "  etalon compare --fail-on-regression=5 <(seq 1001 1020) "
		    "<(seq 1002 1021)\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

static int find_reference(
	const struct et_series_set *set, const char *text, size_t *out, struct et_error *err)
{
	uint64_t number;

	for (*out = 0; *out < set->n; ++*out) {
		if (!strcmp(set->list[*out].name, text))
			return 0;
	}
	if (et_parse_u64("", text, 1, set->n, &number, NULL))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--reference: '%s' is neither a series nor a number from 1 to %zu", text,
			set->n);
	*out = number - 1;
	return 0;
}

static int gather(const struct et_cli *cli, const struct request *r, const struct et_operands *ops,
	struct et_series_set *set, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ops->n_before + ops->n_after; i++)
		rc = et_gather_add(cli, &r->gather,
			i < ops->n_before ? ops->before[i] : ops->after[i - ops->n_before], set,
			err);
	if (rc)
		return rc;
	et_gather_agree(&r->gather, set);
	if (set->n < 2)
		return et_refuse(err,
			"use 'etalon compare BEFORE AFTER', or 'etalon describe' for one series",
			"compare needs at least two series");
	if (set->n > MOST_SERIES)
		return et_fail(
			err, E2BIG, ET_EXIT_USAGE, "compare takes at most %d series", MOST_SERIES);
	et_gather_omit_short(set);
	rc = et_gather_enough(set, ET_SHAPIRO_LEAST, "the test of normality needs", err);
	return rc ? rc : et_gather_names(set, err);
}

static int print(const struct et_cli *cli, const struct request *r, const struct et_series_set *set,
	const struct et_comparison *c, struct et_error *err)
{
	bool standard = r->json && !strcmp(r->json, "-");
	struct et_page page = { standard ? stderr : stdout, cli->columns, cli->color,
		cli->full_names };
	int rc = 0;

	et_compare_text(set->list, c, &page, cli->verbosity > 0);
	if (!standard)
		rc = et_cli_close_output(stdout, "-", err);
	if (rc || !r->json)
		return rc;
	struct et_output out;
	FILE *f = et_output_start(&out, r->json, err);
	if (f)
		et_compare_json(set->list, c, f);
	return et_output_finish(&out, 0, err);
}

/* A machine that changed between two experiments would close the gate. */
static int check_times(const struct request *r, const struct et_series_set *set, size_t reference,
	struct et_error *err)
{
	const struct et_experiment *e = set->list[reference].experiment;

	for (size_t i = 0; isfinite(r->fail_ratio) && !r->across_time && i < set->n; i++) {
		if (!e || !set->list[i].experiment || set->list[i].experiment == e)
			continue;
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--fail-on-regression: the experiments were measured at different times, "
			"and the machine may have changed");
		if (et_experiment_of_functions(e))
			return et_hint(err, -EINVAL,
				"run the new program with --against OLD, or use --across-time");
		ET_AUTO_FREE char *in_one = et_compare_in_one(&set->list[reference], &set->list[i]);
		return et_hint(
			err, -EINVAL, "measure both at once by %s, or use --across-time", in_one);
	}
	return 0;
}

/* Says what --fail-on-regression decided, by intervals that hold for all comparisons together. */
static bool fails(const struct et_series_set *set, struct et_compare_options o, double limit)
{
	ET_AUTO_FREE const char **names = et_calloc(set->n, sizeof(*names));
	const size_t first = 0;
	struct et_comparison c;

	o.simultaneous = true;
	o.reference = o.by_name || o.reference ? o.reference : &first;
	et_compare(set->list, set->n, &o, &c);
	struct et_gate gate = { .contrasts = c.pairs,
		.n = c.n_pairs,
		.reference = o.by_name ? ET_GATE_ALL : (uint32_t)*o.reference,
		.limit = limit };
	for (size_t i = 0; i < set->n; i++)
		names[i] = set->list[i].name;
	bool found = et_gate_print(&gate, names, "etalon: ", stderr) == ET_GATE_REGRESSED;
	et_comparison_free(&c);
	return found;
}

static int judge(const struct et_cli *cli, const struct request *r, const struct et_series_set *set,
	bool *regressed, struct et_error *err)
{
	struct et_compare_options o = { .alpha = r->alpha,
		.simultaneous = r->intervals == SIMULTANEOUS,
		.bootstrap = r->ratio == BY_BOOTSTRAP };
	struct et_comparison c;
	size_t reference = 0;
	int rc = r->reference ? find_reference(set, r->reference, &reference, err) : 0;

	if (rc || (rc = check_times(r, set, reference, err)))
		return rc;
	if (r->reference)
		o.reference = &reference;
	else
		o.by_name = et_compare_functions(set->list, set->n);
	et_compare(set->list, set->n, &o, &c);
	rc = print(cli, r, set, &c, err);
	if (rc == 0 && isfinite(r->fail_ratio))
		*regressed = fails(set, o, r->fail_ratio);
	et_comparison_free(&c);
	return rc;
}

static int by_machine(const struct et_cli *cli, const struct request *r,
	const struct et_operands *ops, bool *regressed, struct et_error *err)
{
	const struct et_by_machine o = { r->alpha, r->reference, r->json, r->fail_ratio,
		.metric = r->gather.metric_given ? r->gather.metric : ET_METRIC_AUTO };

	if (o.metric == ET_METRIC_PEAK_MEMORY)
		return et_refuse(err, "omit --by machine, or use another --metric",
			"--by machine compares how fast machines are, but --metric memory judges "
			"peak memory");
	if (r->gather.column || r->intervals || r->ratio)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--column, --intervals and --ratio are not valid with --by machine");
	return et_compare_machines(cli, &o, ops, regressed, err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .alpha = 0.05, .fail_ratio = INFINITY };
	struct et_series_set set = { 0 };
	struct et_error err = { 0 };
	struct et_operands ops;
	bool regressed = false;

	int status = et_cli_parse(cli, &et_verb_compare, argc, argv, &r, &ops);
	if (status >= 0)
		return status;
	int rc = r.by == BY_MACHINE ? by_machine(cli, &r, &ops, &regressed, &err)
				    : gather(cli, &r, &ops, &set, &err);
	if (rc == 0 && r.by == BY_SERIES)
		rc = judge(cli, &r, &set, &regressed, &err);
	et_operands_free(&ops);
	et_series_set_free(&set);
	if (rc)
		return et_cli_fail(&err);
	return regressed ? ET_EXIT_REGRESSION : ET_EXIT_DONE;
}
