/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon samplesize [SERIES…]`: finds how many runs are enough. */
#include "app/samplesize/view.h"
#include "base/display.h"
#include "base/parse.h"
#include "protocol/samplesize.h"
#include "session/removal.h"
#include "source/gather.h"
#include "source/stored.h"
#include "store/core/cutoffs.h"

struct request {
	bool json, csv;
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
	{ 0, "csv", NULL, "print CSV instead of text: a row per series, metric and size",
		et_set_true, ET_FILLS(request, csv), .excludes = "json" },
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
	.usage = "[options] [FILE|ID|LABEL...]",
	.about =
		"Divides a long series as EMPv6 does: 800 values into the first 400, 200, 100, "
		"40,\n"
		"30, 20 and 10, 300 into 150, 75, 40, 20, 10 and 5, 40 into 25, 10 and 5. It\n"
		"removes the outliers of each part by both sanity checks, and compares the rest\n"
		"with the whole. FILE (or standard input) is anything that describe reads; "
		"without\n"
		"it, in a terminal, the last experiment is used. Several series, or an experiment\n"
		"of several commands, make a matrix; -v adds the table of each.",
	.examples = "  seq 1 40 | etalon samplesize\n"
		    "  seq 1 40 | etalon samplesize --width 10% --json\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

/* --- the sizes of a series --- */

/* Finds the sizes by one metric. x are the values that count, as the experiment was judged. */
static void add_metric(const struct request *r, const struct et_sizing *all, const double *x,
	size_t n, const struct et_metric_row *metric, struct et_sized *out)
{
	static const double usual[] = { 0.05, 0.02, 0.01, 0.005 };
	const double *widths = r->n_widths ? r->widths : usual;
	size_t n_widths = r->n_widths ? r->n_widths : ET_LENGTH(usual);
	struct et_samplesize *z = &out->by[out->n].size;

	out->by[out->n++].metric = metric;
	if (n < 2)
		et_samplesize_checked(all, all->x, all->n, r->level, z);
	else
		et_samplesize_checked(all, x, n, r->level, z);
	for (size_t k = 0; k < n_widths; k++)
		et_samplesize_width(z, widths[k]);
}

static int check_enough(const char *name, size_t n, struct et_error *err)
{
	if (n >= 2 * ET_SIZE_LEAST)
		return 0;
	return et_fail(err, EINVAL, ET_EXIT_USAGE,
		"'%.200s' has only %zu value%s: two parts of five values need at least %d", name, n,
		n == 1 ? "" : "s", 2 * ET_SIZE_LEAST);
}

/* The judged metric, then the other one if it was measured. */
static int size_command(const struct request *r, const struct et_series *s, struct et_sized *out,
	struct et_error *err)
{
	const struct et_experiment *e = s->experiment;
	const struct et_command *c = &e->commands[s->command];
	enum et_metric other = e->metric == ET_METRIC_CPU ? ET_METRIC_ELAPSED : ET_METRIC_CPU;
	struct et_sizing all = et_sizing_of(c, e->metric);
	int rc = check_enough(s->name, all.n, err);

	if (rc == 0)
		add_metric(r, &all, s->values, s->n, &et_metrics[e->metric], out);
	et_sizing_free(&all);
	if (rc)
		return rc;
	if (!et_metric_is_time(e->metric))
		return 0;
	all = et_sizing_of(c, other);
	size_t n;
	ET_AUTO_FREE double *x = et_command_values(c, other, et_command_arrangement(c), &n);
	if (all.n >= 2 * ET_SIZE_LEAST)
		add_metric(r, &all, x, n, &et_metrics[other], out);
	et_sizing_free(&all);
	return 0;
}

static int size_series(const struct request *r, const struct et_series *s, struct et_sized *out,
	struct et_error *err)
{
	*out = (struct et_sized){ .name = s->name, .unit = s->unit };
	if (s->experiment) {
		enum et_first_check_state state = s->experiment->first_check.state;
		out->first_check =
			state == ET_FIRST_CHECK_DONE || state == ET_FIRST_CHECK_WITHDRAWN;
		return size_command(r, s, out, err);
	}
	struct et_sizing all = { .x = s->values, .n = s->n };
	int rc = check_enough(s->name, s->n, err);
	if (rc == 0)
		add_metric(r, &all, s->values, s->n, NULL, out);
	return rc;
}

/* Applies check I with the cutoffs of today, if they fit; the values that count stay as judged. */
static int check_again(
	const struct et_cli *cli, const struct et_series_set *set, struct et_error *err)
{
	struct et_store *store = NULL;
	int rc = set->n_experiments ? et_stored_open(cli, ET_STORE_READ, &store, err) : 0;

	/* A record in a file needs no store, and an experiment in the spool no server. */
	if (rc && rc != -ENOENT && cli->verbosity >= 0)
		et_say(stderr, "etalon: no cutoffs are known: %s\n", err->what);
	if (rc)
		return 0;
	for (size_t i = 0; rc == 0 && i < set->n_experiments; i++) {
		struct et_experiment *e = set->experiments[i];
		struct et_rejudging how = { .protocol = ET_PROTOCOL_EMP, .metric = (int)e->metric };
		struct et_cutoffs cutoffs = { 0 };
		bool there = false;

		rc = et_session_cutoffs(store, e, &cutoffs, &there, err);
		et_cutoffs_free(&cutoffs);
		if (rc == 0 && there)
			rc = et_session_rejudge(store, e, &how, NULL, err);
	}
	et_store_close(store);
	return rc;
}

/* --- the command --- */

static void show(
	const struct et_cli *cli, const struct request *r, const struct et_sized *list, size_t n)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_json w;

	if (r->json) {
		et_json_init(&w, stdout, 2);
		if (n > 1) {
			et_json_object(&w, NULL);
			et_json_array(&w, "series");
		}
		for (size_t i = 0; i < n; i++)
			et_samplesize_json(&w, &list[i]);
		if (n > 1) {
			et_json_end(&w);
			et_json_end(&w);
		}
		return;
	}
	if (r->csv) {
		et_samplesize_csv(list, n, stdout);
		return;
	}
	if (n > 1)
		et_samplesize_matrix(list, n, &page);
	for (size_t i = 0; (n == 1 || cli->verbosity > 0) && i < n; i++) {
		if (n > 1)
			putchar('\n');
		et_samplesize_text(&list[i], &page);
	}
}

static int size_all(const struct et_cli *cli, const struct request *r, struct et_series_set *set,
	struct et_error *err)
{
	ET_AUTO_FREE struct et_sized *list = et_calloc(set->n + 1, sizeof(*list));
	int rc = et_gather_names(set, err) ?: check_again(cli, set, err);

	for (size_t i = 0; rc == 0 && i < set->n; i++)
		rc = size_series(r, &set->list[i], &list[i], err);
	if (rc)
		return rc;
	show(cli, r, list, set->n);
	return et_cli_close_output(stdout, "-", err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .level = 0.95 };
	struct et_series_set set = { 0 };
	struct et_error err = { 0 };
	struct et_operands ops;

	int status = et_cli_parse(cli, &et_verb_samplesize, argc, argv, &r, &ops);
	if (status >= 0)
		return status;
	size_t n = ops.n_before + ops.n_after;
	int rc = n ? 0
		   : et_gather_add(cli, &r.gather, isatty(STDIN_FILENO) ? "last" : "-", &set, &err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const char *name = i < ops.n_before ? ops.before[i] : ops.after[i - ops.n_before];
		rc = et_gather_add(cli, &r.gather, name, &set, &err);
	}
	rc = rc ?: size_all(cli, &r, &set, &err);
	et_operands_free(&ops);
	et_series_set_free(&set);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
