/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon report [ID…]`: stored experiments as a page with pictures. */
#include "app/compare/machines.h"
#include "cli/field_option.h"
#include "cli/outputs.h"
#include "report/experiment_page.h"
#include "session/removal.h"
#include "source/kind.h"
#include "source/operand.h"
#include "stats/compare/judge.h"

enum { MOST = 16, AS_MEASURED = ET_METRIC_AUTO + 1 };

struct request {
	const char *path;
	int metric; /* enum et_metric, ET_METRIC_AUTO or AS_MEASURED */
	bool align, rejudge, machines;
};

static const struct et_option options[] = {
	{ 'o', "output", "FILE", "where to write it; - is stdout (-)", et_set_text,
		ET_FILLS(request, path), .values = "FILE" },
	{ 0, "metric", "NAME",
		"what is judged and drawn: cpu, elapsed, memory or auto (as measured)",
		et_set_metric, ET_FILLS(request, metric), .names = et_metric_words },
	{ 0, "rejudge", NULL,
		"apply the sanity checks again, with the cutoffs that are stored now; by protocol "
		"emp if its own has none",
		et_set_true, ET_FILLS(request, rejudge) },
	{ 0, "machines", NULL, "a page of all machines of the store, one row per machine",
		et_set_true, ET_FILLS(request, machines) },
	{ 0, "align", NULL, "draw the samples of all commands on the same axes", et_set_true,
		ET_FILLS(request, align) },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_report = {
	.name = "report",
	.operands = "STORED",
	.summary = "write stored experiments as a page with pictures",
	.usage = "[options] [FILE|ID|LABEL|last …]",
	.about = "The page is one HTML file: it fetches nothing and needs no script.",
	.examples = "  etalon report -o result.html\n  etalon report last >result.html\n"
		    "  etalon report --metric elapsed --align -o result.html\n"
		    "  etalon report --machines -o fleet.html\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

struct stored {
	struct et_stored list[MOST];
	size_t n;
};

/* With --rejudge the checks are applied to the experiment in memory; the store keeps its rulings.
 */
static int rejudge(const struct et_cli *cli, struct et_stored *s, struct et_error *err)
{
	static const struct et_rejudging how = { .protocol = -1, .metric = -1 };
	int rc = et_stored_check_rejudge(cli, s, err);

	s->rejudged = true;
	return rc ? rc : et_session_rejudge(s->store, s->experiment, &how, NULL, err);
}

static int load(const struct et_cli *cli, const struct request *r, const char *name,
	struct stored *all, struct et_error *err)
{
	if (all->n == MOST)
		return et_fail(
			err, E2BIG, ET_EXIT_USAGE, "report takes at most %d experiments", MOST);
	struct et_stored *s = &all->list[all->n++];
	int rc = name ? et_operand_load(cli, name, s, err) : et_stored_load(cli, "last", s, err);
	if (rc)
		return rc;
	if (r->metric != AS_MEASURED)
		s->experiment->metric_auto = r->metric == ET_METRIC_AUTO;
	if (r->metric < ET_METRIC_AUTO)
		s->experiment->metric = (enum et_metric)r->metric;
	if (r->rejudge)
		rc = rejudge(cli, s, err);
	et_store_close(s->store); /* sixteen are too many for a server */
	s->store = NULL;
	et_judge(s->experiment, &s->judgement);
	return rc;
}

static int load_all(const struct et_cli *cli, const struct request *r,
	const struct et_operands *ops, struct stored *all, struct et_error *err)
{
	size_t n = ops->n_before + ops->n_after;
	int rc = n ? 0 : load(cli, r, NULL, all, err);

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = load(cli, r,
			i < ops->n_before ? ops->before[i] : ops->after[i - ops->n_before], all,
			err);
	return rc;
}

static int write_page(const struct request *r, const struct stored *all, struct et_error *err)
{
	struct et_pictures how = et_default_pictures;
	struct et_judged list[MOST];
	struct et_output out;

	if (r->metric < ET_METRIC_AUTO)
		how.pairs = (enum et_metric)r->metric;
	for (size_t i = 0; i < all->n; i++) {
		const struct et_judgement *j = &all->list[i].judgement;
		list[i] = (struct et_judged){ all->list[i].experiment, j };
		for (size_t k = 0; r->align && k < j->n_commands; k++)
			et_pictures_stretch(&how, &j->commands[k]);
	}
	FILE *f = et_output_start(&out, r->path, err);
	if (f)
		et_experiment_pages(list, all->n, &how, f);
	return et_output_finish(&out, 0, err);
}

static int report(const struct et_cli *cli, const struct request *r, const struct et_operands *ops,
	struct et_error *err)
{
	struct stored all = { 0 };
	bool own = false;

	if (!strcmp(r->path, "-") && isatty(STDOUT_FILENO))
		return et_refuse(err, "write it to a file: etalon report -o result.html",
			"a page is not for a terminal");
	if (r->machines && ops->n_before + ops->n_after)
		return et_refuse(err, "use 'etalon compare --by machine LABEL' for one experiment",
			"report --machines takes no operands");
	if (r->machines)
		return et_fleet_report(cli, r->path, err);
	int rc = load_all(cli, r, ops, &all, err);
	if (rc == 0)
		rc = et_stored_choose_page(cli, all.list, all.n, &own, err);
	if (rc == 0)
		rc = own ? et_stored_write(cli, &all.list[0], "html", r->path, err)
			 : write_page(r, &all, err);
	for (size_t i = 0; i < all.n; i++)
		et_stored_free(&all.list[i]);
	return rc;
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .path = "-", .metric = AS_MEASURED };
	struct et_operands ops;
	struct et_error err = { 0 };
	int status = et_cli_parse(cli, &et_verb_report, argc, argv, &r, &ops);

	if (status >= 0)
		return status;
	int rc = report(cli, &r, &ops, &err);
	et_operands_free(&ops);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
