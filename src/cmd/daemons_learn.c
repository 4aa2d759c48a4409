/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `etalon daemons learn`: many short samples and some long ones of `etalon put inc`. Both series
 * are ordinary experiments, so that every sample is durable and an interrupted learn can be
 * resumed.
 */
#include "base/alloc.h"
#include "base/parse.h"
#include "cmd/daemons.h"
#include "cmd/measuring.h"
#include "cmd/signals.h"
#include "cmd/stored.h"
#include "protocol/daemon_run.h"
#include "protocol/daemons.h"
#include "protocol/lshape.h"
#include "report/daemons.h"
#include "stats/warnings.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct learner {
	struct et_cli *cli;
	struct et_learn_options o;
	struct et_interrupt *interrupt;
	char exe[4096];
};

/* The key of the plan in the store, where --resume finds it. */
static char *plan_key(const struct et_learn_options *o)
{
	return et_asprintf("daemons-learn %s", o->label);
}

static int store_plan(const struct learner *l, struct et_error *err)
{
	const struct et_learn_options *o = &l->o;
	ET_AUTO_FREE char *key = plan_key(o);
	ET_AUTO_FREE char *text = et_asprintf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
		o->short_runs, o->short_ns, o->long_runs, o->long_ns);
	struct et_store *store;

	int rc = et_stored_open(l->cli, ET_STORE_WRITE, &store, err);
	if (rc)
		return rc;
	rc = et_store_set_fact(store, key, text, err);
	et_store_close(store);
	return rc;
}

static int read_plan(struct et_learn_options *o, const char *text, struct et_error *err)
{
	uint64_t *const values[] = { &o->short_runs, &o->short_ns, &o->long_runs, &o->long_ns };
	char **words;

	int rc = et_split_words(text, &words, err);
	if (rc)
		return rc;
	if (et_strv_length(words) != ET_LENGTH(values))
		rc = et_fail(err, EINVAL, ET_EXIT_OUTSIDE, "the plan stored for '%s' is damaged",
			o->label);
	for (size_t i = 0; rc == 0 && i < ET_LENGTH(values); i++)
		rc = et_parse_u64("the stored plan", words[i], 0, UINT64_MAX, values[i], err);
	et_strv_free(words);
	return rc;
}

static int load_plan(struct learner *l, struct et_error *err)
{
	ET_AUTO_FREE char *key = plan_key(&l->o);
	ET_AUTO_FREE char *text = NULL;
	struct et_store *store;

	if (l->o.given)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--resume continues the recorded runs and takes no other plan"),
			"omit the other options of learn");
	int rc = et_stored_open(l->cli, ET_STORE_READ, &store, err);
	if (rc)
		return rc;
	rc = et_store_get_fact(store, key, &text, err);
	et_store_close(store);
	if (rc == 0 && !text)
		rc = et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE,
				"there is nothing to continue under the label '%s'", l->o.label),
			"omit --resume");
	return rc ? rc : read_plan(&l->o, text, err);
}

static int check_plan(const struct et_learn_options *o, struct et_error *err)
{
	if (o->long_runs && o->long_runs < ET_LSHAPE_LEAST)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--long-runs: %" PRIu64 " are too few to see an L-shape; use 0 or at least "
			"%d",
			o->long_runs, ET_LSHAPE_LEAST);
	if (o->long_runs && o->long_ns <= o->short_ns)
		return et_fail(
			err, EINVAL, ET_EXIT_USAGE, "--long-seconds is not above --short-seconds");
	return 0;
}

static int run_new(struct learner *l, const char *label, uint64_t runs, uint64_t ns,
	struct et_experiment **out, struct et_error *err)
{
	struct et_experiment *e = et_experiment_new();
	ET_AUTO_FREE char *length = et_asprintf("%" PRIu64 "ns", ns);

	e->protocol = ET_PROTOCOL_RAW;
	e->plan.keep_all = true;
	e->plan.runs = (uint32_t)runs;
	e->label = et_strdup(label);
	et_experiment_add_command(
		e, et_strdup(label), et_strv_of(l->exe, "put", "inc", "--seconds", length, NULL));
	return et_measure(l->cli, l->interrupt, e, NULL, out, err);
}

/* Runs, continues or loads one of the two experiments, which the caller frees. */
static int stage(struct learner *l, const char *which, uint64_t runs, uint64_t ns,
	struct et_experiment **out, struct et_error *err)
{
	ET_AUTO_FREE char *label = et_asprintf("%s-%s", l->o.label, which);
	struct et_experiment *stored = NULL;

	int rc = l->o.resume ? et_stored_fetch(l->cli, label, &stored, err) : -ENOENT;
	if (rc == 0 && stored->state == ET_STATE_DONE) {
		*out = stored;
		return 0;
	}
	if (rc == 0)
		rc = et_measure(l->cli, l->interrupt, NULL, stored->id, out, err);
	else if (rc == -ENOENT)
		rc = run_new(l, label, runs, ns, out, err);
	et_experiment_free(stored);
	return rc;
}

static void print_plan(const struct learner *l)
{
	const struct et_learn_options *o = &l->o;
	double short_s = 1e-9 * (double)o->short_runs * (double)o->short_ns;
	double long_s = 1e-9 * (double)o->long_runs * (double)o->long_ns;
	double seen = short_s > long_s ? short_s : long_s;
	char all[ET_FIGURE], once[ET_FIGURE], twice[ET_FIGURE];

	if (l->cli->verbosity < 0)
		return;
	struct et_page page = { .out = stderr, .width = l->cli->columns };
	ET_AUTO_FREE char *plan =
		et_asprintf("%" PRIu64 " short and %" PRIu64 " long samples, about %s in all",
			o->short_runs, o->long_runs, et_format_span(short_s + long_s, all));
	ET_AUTO_FREE char *reach = et_asprintf(
		"daemons that run at least once every %s are seen, and periods of up to %s are "
		"found; less frequent ones are seen only by chance",
		et_format_span(seen, once), et_format_span(seen / 2, twice));
	et_page_paragraph(&page, 0, "", NULL, plan, NULL);
	et_page_paragraph(&page, 0, "", NULL, reach, NULL);
}

static int conclude(const struct learner *l, const struct et_experiment *short_run,
	const struct et_experiment *long_run, struct et_daemons_output *out, struct et_error *err)
{
	struct et_daemon_record r = { 0 };
	struct et_daemon_findings f;
	struct et_warnings w = { 0 };

	et_daemon_run_fill(&r, &r.short_run, &short_run->commands[0]);
	if (long_run)
		et_daemon_run_fill(&r, &r.long_run, &long_run->commands[0]);
	r.has_long = long_run != NULL;
	et_daemon_record_settle(&r);
	int rc = et_daemons_analyse(&r, l->o.label, &f, err);
	if (rc == 0) {
		rc = et_daemons_store(l->cli, &r, &f, err);
		if (rc == 0)
			rc = et_daemons_report(l->cli, &r, &f, l->o.label, out, err);
		et_daemon_findings_free(&f);
	}
	et_daemon_record_free(&r);
	if (rc == 0)
		et_observation_warn(short_run, &w);
	et_cli_warn(&w);
	return rc;
}

static int learn(struct learner *l, struct et_daemons_output *out, struct et_error *err)
{
	struct et_experiment *short_run = NULL, *long_run = NULL;

	int rc = stage(l, "short", l->o.short_runs, l->o.short_ns, &short_run, err);
	if (rc == 0 && l->o.long_runs)
		rc = stage(l, "long", l->o.long_runs, l->o.long_ns, &long_run, err);
	if (rc == 0)
		rc = conclude(l, short_run, long_run, out, err);
	et_experiment_free(short_run);
	et_experiment_free(long_run);
	return rc;
}

int et_daemons_learn(struct et_cli *cli, const struct et_learn_options *o,
	struct et_daemons_output *out, int *status, struct et_error *err)
{
	struct learner l = { .cli = cli, .o = *o, .interrupt = et_signals_install() };

	int rc = et_cli_own_path(l.exe, sizeof(l.exe), err);
	if (rc == 0)
		rc = o->resume ? load_plan(&l, err) : check_plan(o, err);
	if (rc == 0 && !o->resume)
		rc = store_plan(&l, err);
	if (rc)
		return rc;
	print_plan(&l);
	rc = learn(&l, out, err);
	if (rc != -EINTR)
		return rc;
	fprintf(stderr,
		"etalon: interrupted; every finished sample is stored\n"
		"hint: run 'etalon daemons learn --resume%s%s' to continue\n",
		strcmp(o->label, "daemons") ? " --label " : "",
		strcmp(o->label, "daemons") ? o->label : "");
	*status = 128 + l.interrupt->signal;
	return 0;
}
