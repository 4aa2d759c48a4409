/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon daemons learn|show|analyse`: which background processes spoil samples. */
#include "cmd/daemons.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/parse.h"
#include "cmd/input.h"
#include "cmd/kept.h"
#include "cmd/run_sanity.h"
#include "host/host.h"
#include "protocol/daemons.h"
#include "protocol/lshape.h"
#include "report/daemons.h"
#include "store/cutoffs.h"
#include "store/daemons.h"

#include <errno.h>
#include <string.h>

enum {
	OPT_JSON = 1,
	OPT_REPORT,
	OPT_KEEP,
	OPT_SHORT_RUNS,
	OPT_SHORT_SECONDS,
	OPT_LONG_RUNS,
	OPT_LONG_SECONDS,
	OPT_LABEL,
	OPT_RESUME,
};

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of text", NULL, OPT_JSON },
	{ 0, "report", "FILE", "write a page (HTML) with pictures; - is stdout", "FILE",
		OPT_REPORT },
	{ 0, "keep", NULL, "analyse: keep the cutoffs for this machine", NULL, OPT_KEEP },
	{ 0, "short-runs", "N", "learn: samples of the short run (300)", NULL, OPT_SHORT_RUNS },
	{ 0, "short-seconds", "DUR", "learn: length of each (1s)", NULL, OPT_SHORT_SECONDS },
	{ 0, "long-runs", "N", "learn: samples of the long run, 0 for none (40)", NULL,
		OPT_LONG_RUNS },
	{ 0, "long-seconds", "DUR", "learn: length of each (8s)", NULL, OPT_LONG_SECONDS },
	{ 0, "label", "TEXT", "learn: name of the two experiments (daemons)", NULL, OPT_LABEL },
	{ 0, "resume", NULL, "learn: go on where an interrupted one was", NULL, OPT_RESUME },
	{ 0 },
};

struct request {
	struct et_daemons_output out;
	bool keep;
	struct et_learn_options learn;
	bool learn_given; /* an option of learn was */
};

static int learn_option(struct request *r, int id, const char *arg, struct et_error *err)
{
	struct et_learn_options *o = &r->learn;

	r->learn_given = true;
	o->given = o->given || (id != OPT_LABEL && id != OPT_RESUME);
	switch (id) {
	case OPT_SHORT_RUNS:
		return et_parse_u64(
			"--short-runs", arg, ET_LSHAPE_LEAST, 1000000, &o->short_runs, err);
	case OPT_LONG_RUNS:
		return et_parse_u64("--long-runs", arg, 0, 1000000, &o->long_runs, err);
	case OPT_SHORT_SECONDS:
		return et_parse_duration("--short-seconds", arg, &o->short_ns, err);
	case OPT_LONG_SECONDS:
		return et_parse_duration("--long-seconds", arg, &o->long_ns, err);
	case OPT_LABEL:
		o->label = arg;
		return 0;
	default:
		o->resume = true;
		return 0;
	}
}

static int option(void *ctx, int id, char *const *args, struct et_error *err)
{
	struct request *r = ctx;

	if (id == OPT_JSON)
		r->out.json = true;
	else if (id == OPT_REPORT)
		r->out.page = args[0];
	else if (id == OPT_KEEP)
		r->keep = true;
	else
		return learn_option(r, id, args[0], err);
	return 0;
}

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_daemons = {
	.name = "daemons",
	.operands = "learn|show|analyse",
	.summary = "which background processes spoil samples, and from when on?",
	.usage = "learn [options]\nshow [options]\nanalyse [options] FILE|-",
	.about = "learn takes many samples of a fixed program, short and long ones, finds those "
		 "that\n"
		 "a seldom daemon hit, and keeps how long each daemon may run before a sample is\n"
		 "removed; show prints what is kept; analyse does the same with a record (JSON).",
	.examples = "  etalon daemons learn # takes minutes\n"
		    "  etalon daemons learn --short-runs 20 --short-seconds 10ms --long-runs 0\n"
		    "  etalon daemons show\n"
		    "  etalon daemons analyse daemons.json\n"
		    "  etalon daemons analyse --json daemons.json\n"
		    "  etalon daemons analyse --report daemons.html daemons.json\n",
	.options = options,
	.uses_store = true,
	.run = run,
};

static int analyse(
	const struct et_cli *cli, struct request *r, const char *path, struct et_error *err)
{
	const char *name = strcmp(path, "-") ? path : "standard input";
	ET_AUTO_FREE char *data = NULL;
	struct et_daemon_record record;
	struct et_daemon_findings found;
	size_t size;

	int rc = et_input_read(path, ET_DAEMONS_MOST_BYTES, &data, &size, err);
	if (rc == 0)
		rc = et_daemon_record_read(data, size, name, &record, err);
	if (rc)
		return rc;
	rc = et_daemons_analyse(&record, name, &found, err);
	if (rc == 0) {
		rc = et_daemons_report(cli, &record, &found, name, &r->out, err);
		if (rc == 0 && r->keep)
			rc = et_daemons_keep(cli, &record, &found, err);
		et_daemon_findings_free(&found);
	}
	et_daemon_record_free(&record);
	return rc;
}

static int show(const struct et_cli *cli, struct request *r, struct et_error *err)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	uint64_t now = et_clock_read_ns(CLOCK_REALTIME);
	struct et_warnings doubts = { 0 };
	struct et_cutoffs cutoffs;
	struct et_store *store;
	struct et_host host;
	bool there = false;

	et_host_read("", &host);
	int rc = et_kept_open(cli, ET_STORE_READ, &store, err);
	if (rc)
		return rc;
	rc = et_cutoffs_load(store, host.name, &cutoffs, &there, err);
	et_store_close(store);
	if (rc == 0 && !there)
		rc = et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE, "no cutoffs are kept for this machine"),
			"etalon daemons learn");
	if (rc)
		return rc;
	et_cutoffs_doubt(&cutoffs, &host, now, &doubts);
	if (et_daemons_talks(&r->out))
		et_cutoffs_show(&cutoffs, now, &doubts, r->out.json, &page);
	rc = et_cli_close_output(stdout, "-", err);
	if (rc == 0 && r->out.page) {
		FILE *f = et_output_begin(&r->out.output, err);
		if (f)
			et_cutoffs_page(&cutoffs, now, &doubts, f);
		rc = f ? et_output_end(&r->out.output, err) : -EIO;
	}
	et_warnings_free(&doubts);
	et_cutoffs_free(&cutoffs);
	return rc;
}

static int refuse(const char *what, const struct et_operands *ops, struct et_error *err)
{
	if (!strcmp(what, "analyse"))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "daemons analyse: name one file"),
			"etalon daemons analyse FILE; - is the standard input");
	const char *odd = !strcmp(what, "learn") || !strcmp(what, "show")
				  ? (ops->n_before > 1 ? ops->before[1] : "--")
				  : what;
	int rc = *odd ? et_fail(err, EINVAL, ET_EXIT_USAGE, "daemons: what is '%s'?", odd)
		      : et_fail(err, EINVAL, ET_EXIT_USAGE, "daemons: say what to do");
	return et_hint(err, rc,
		"etalon daemons learn, etalon daemons show or etalon daemons analyse FILE");
}

static int dispatch(struct et_cli *cli, struct request *r, const struct et_operands *ops,
	int *status, struct et_error *err)
{
	const char *what = ops->n_before ? ops->before[0] : "";
	bool alone = ops->n_before == 1 && !ops->n_after;

	*status = ET_EXIT_DONE;
	if (r->learn_given && strcmp(what, "learn"))
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "daemons: that option is learn's");
	if (r->keep && strcmp(what, "analyse"))
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "daemons: --keep is analyse's");
	if (!strcmp(what, "learn") && alone)
		return et_daemons_learn(cli, &r->learn, &r->out, status, err);
	if (!strcmp(what, "show") && alone)
		return show(cli, r, err);
	if (!strcmp(what, "analyse") && ops->n_before == 2 && !ops->n_after)
		return analyse(cli, r, ops->before[1], err);
	return refuse(what, ops, err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .out.output.fd = -1,
		.learn = { .short_runs = 300,
			.short_ns = 1000000000,
			.long_runs = 40,
			.long_ns = 8000000000,
			.label = "daemons" } };
	struct et_operands ops;
	struct et_error err = { 0 };

	int status = et_cli_parse(cli, &et_verb_daemons, argc, argv, option, &r, &ops);
	if (status >= 0)
		return status;
	int rc = et_daemons_output_open(&r.out, &err);
	if (rc == 0)
		rc = dispatch(cli, &r, &ops, &status, &err);
	et_output_close(&r.out.output);
	et_operands_free(&ops);
	return rc ? et_cli_fail(&err) : status;
}
