/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `etalon daemons learn`: many short samples and some long ones of `etalon put inc`. Both series
 * are ordinary experiments, so that every sample is durable and an interrupted learn can be
 * resumed.
 */
#include "app/daemons/daemons.h"
#include "app/daemons/view.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/display.h"
#include "base/parse.h"
#include "cli/signals.h"
#include "conduct/measuring.h"
#include "measure/observe/snapshot.h"
#include "protocol/daemon_run.h"
#include "protocol/daemons.h"
#include "protocol/lshape.h"
#include "source/stored.h"
#include "stats/series/warnings.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const double SLOWER = 1.5; /* than planned: the forecast is corrected */

struct learner {
	struct et_cli *cli;
	struct et_learn_options o;
	struct et_interrupt *interrupt;
	struct et_here here;
	char exe[4096];
};

static int check_plan(const struct et_learning_plan *o, struct et_error *err)
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

/* The command line that continues the learning. The caller frees it. */
static char *resumption_of(const struct et_learn_options *o)
{
	bool usual = !strcmp(o->label, ET_LEARN_LABEL);
	char **words = et_strv_of(
		"etalon", "daemons", "learn", "--resume", usual ? NULL : "--label", o->label, NULL);
	char *line = et_join_words(words);

	et_strv_free(words);
	return line;
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
	ET_AUTO_FREE char *resumption = resumption_of(&l->o);

	return et_measure(l->cli, l->interrupt, e, NULL, resumption, out, err);
}

/* Runs, continues or loads one of the two experiments, which the caller frees. */
static int stage(struct learner *l, const char *which, uint64_t runs, uint64_t ns,
	struct et_experiment **out, struct et_error *err)
{
	ET_AUTO_FREE char *label = et_learn_stage(&l->o, which);
	struct et_experiment *stored = NULL;

	int rc = l->o.resume ? et_learn_fetch(l->cli, &l->o, which, &stored, err) : -ENOENT;
	if (rc == 0 && stored->state == ET_STATE_DONE) {
		*out = stored;
		return 0;
	}
	if (rc == 0) {
		ET_AUTO_FREE char *resumption = resumption_of(&l->o);
		rc = et_measure(l->cli, l->interrupt, NULL, stored->id, resumption, out, err);
	} else if (rc == -ENOENT) {
		*err = (struct et_error){ 0 };
		rc = run_new(l, label, runs, ns, out, err);
	}
	et_experiment_free(stored);
	return rc;
}

static void print_plan(const struct learner *l)
{
	const struct et_learning_plan *o = &l->o.plan;
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
	et_observation_warn(short_run, &w);
	r.has_long = long_run != NULL;
	r.snapshots_ms = et_snapshots_cost_ms("");
	et_daemon_record_settle(&r);
	int rc = et_daemons_analyse(&r, l->o.label, &f, err);
	bool drop = rc == 0 && et_learn_was_busy(&l->o, short_run, long_run) && !l->o.busy;
	if (rc == 0) {
		if (!drop)
			rc = et_daemons_store(l->cli, &r, &f,
				&(struct et_learned_from){ .here = &l->here,
					.short_id = short_run->id,
					.long_id = long_run ? long_run->id : "",
					.tuned = l->o.tuned,
					.factors = l->o.factors,
					.unseen = w.n > 0 },
				err);
		if (rc == 0 && out)
			rc = et_daemons_report(l->cli, &r, &f, l->o.label, out, err);
		et_daemon_findings_free(&f);
	}
	et_daemon_record_free(&r);
	et_cli_warn(&w);
	return rc == 0 && drop ? et_learn_refuse_busy(&l->o, long_run != NULL, err) : rc;
}

/* Corrects the forecast by the time that the short run took. */
static void print_forecast(const struct learner *l, const struct et_experiment *short_run)
{
	const struct et_learning_plan *p = &l->o.plan;
	struct et_daemon_record r = { 0 };
	char left[ET_FIGURE];

	et_daemon_run_fill(&r, &r.short_run, &short_run->commands[0]);
	double factor = 1e9 * r.short_run.sample_seconds / (double)p->short_ns;
	et_daemon_record_free(&r);
	if (factor > SLOWER && l->cli->verbosity >= 0)
		et_say(stderr,
			"etalon: the short run took %.1f times as long as planned; the long run "
			"will "
			"take about %s\n",
			factor,
			et_format_span(
				factor * 1e-9 * (double)p->long_runs * (double)p->long_ns, left));
}

static int learn(struct learner *l, struct et_daemons_output *out, struct et_error *err)
{
	struct et_experiment *short_run = NULL, *long_run = NULL;

	const struct et_learning_plan *p = &l->o.plan;
	int rc = stage(l, "short", p->short_runs, p->short_ns, &short_run, err);
	if (rc == 0 && p->long_runs)
		print_forecast(l, short_run);
	if (rc == 0 && p->long_runs)
		rc = stage(l, "long", p->long_runs, p->long_ns, &long_run, err);
	if (rc == 0)
		rc = conclude(l, short_run, long_run, out, err);
	et_experiment_free(short_run);
	et_experiment_free(long_run);
	return rc;
}

int et_learn(struct et_cli *cli, const struct et_learn_options *o, struct et_daemons_output *out,
	struct et_error *err)
{
	struct learner l = { .cli = cli, .o = *o, .interrupt = et_signals_install() };

	int rc = et_cli_own_path(l.exe, sizeof(l.exe), err);
	if (!o->resume)
		l.o.begun_wall_ns = et_clock_read_ns(CLOCK_REALTIME);
	if (rc == 0 && !o->resume)
		rc = et_learn_keep_plan(cli, &l.o, err);
	if (rc)
		return rc;
	et_here_read(&l.here);
	print_plan(&l);
	return learn(&l, out, err);
}

int et_daemons_learn(struct et_cli *cli, const struct et_learn_options *given,
	struct et_daemons_output *out, int *status, struct et_error *err)
{
	struct et_interrupt *interrupt = et_signals_install();
	struct et_learn_options o = *given;
	struct et_tuning tuning = { 0 };

	cli->measures = true;
	int rc = o.resume ? et_learn_load_plan(cli, &o, err) : check_plan(&o.plan, err);
	if (rc)
		return rc;
	rc = et_learn_check_load(&o, err);
	if (rc)
		return rc;
	o.tuned = o.env;
	rc = et_learn_choose_factors(&o, err);
	if (rc)
		return rc;
	/* A learn that an earlier version began applied all of them. */
	rc = et_tuning_begin(&tuning, cli,
		&(struct et_env_wish){ .apply = o.env, .only = *o.factors ? o.factors : NULL },
		NULL, stderr, err);
	if (rc == 0)
		rc = et_learn(cli, &o, out, err);
	et_tuning_end(&tuning, cli);
	if (rc != -EINTR)
		return rc;
	ET_AUTO_FREE char *resumption = resumption_of(&o);
	et_say(stderr,
		"etalon: interrupted; every finished sample is stored\n"
		"hint: run '%s' to continue\n",
		resumption);
	*status = 128 + interrupt->signal;
	return 0;
}
