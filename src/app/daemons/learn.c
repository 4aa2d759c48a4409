/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon daemons learn`: many short samples and some long ones, kept as ordinary experiments. */
#include "app/daemons/daemons.h"
#include "base/clock.h"
#include "base/display.h"
#include "base/parse.h"
#include "cli/ask.h"
#include "cli/environment.h"
#include "cli/signals.h"
#include "conduct/measuring.h"
#include "host/host.h"
#include "measure/observe/snapshot.h"
#include "model/experiment/machine_id.h"
#include "protocol/daemons.h"
#include "protocol/lshape.h"
#include "source/stored.h"
#include "stats/series/warnings.h"

static const double SLOWER = 1.5; /* than planned: the forecast is corrected */

/* --- the plan in the store: how an interrupted learning is found and continued --- */

/* The experiment "short" or "long" of a learning. */
static char *label_of(const struct et_learn_options *o, const char *which)
{
	return et_asprintf("%s-%s", o->label, which);
}

/* Loads that experiment, which the caller frees. -ENOENT: this learning has none yet. */
static int fetch(const struct et_cli *cli, const struct et_learn_options *o, const char *which,
	struct et_experiment **out, struct et_error *err)
{
	ET_AUTO_FREE char *name = label_of(o, which);
	struct et_experiment *e;

	int rc = et_stored_fetch(cli, name, &e, err);
	if (rc)
		return rc;
	if (e->started_wall_ns < o->begun_wall_ns) {
		et_experiment_free(e);
		return -ENOENT;
	}
	*out = e;
	return 0;
}

/* Writes the plan under the label of o, or reads it into *text, which may become NULL. */
static int access_plan(const struct et_cli *cli, const struct et_learn_options *o,
	enum et_store_mode mode, char **text, struct et_error *err)
{
	ET_AUTO_FREE char *key = et_asprintf("daemons-learn %s", o->label);
	char machine[ET_MACHINE_SIZE];
	struct et_store *store;

	et_host_identity("", machine, sizeof(machine));
	int rc = et_stored_open(cli, mode, &store, err);
	if (rc)
		return rc;
	rc = mode == ET_STORE_WRITE ? et_store_set_fact(store, machine, key, *text, err)
				    : et_store_get_fact(store, machine, key, text, err);
	et_store_close(store);
	return rc;
}

int et_learn_keep_plan(
	const struct et_cli *cli, const struct et_learn_options *o, struct et_error *err)
{
	const struct et_learning_plan *p = &o->plan;
	ET_AUTO_FREE char *text = et_asprintf(
		"%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %" PRIu64 " %s", p->short_runs,
		p->short_ns, p->long_runs, p->long_ns, o->tuned, o->begun_wall_ns, o->factors);

	return access_plan(cli, o, ET_STORE_WRITE, &text, err);
}

/* Earlier versions had four words: they did not change the environment. */
static int read_plan(struct et_learn_options *o, const char *text, struct et_error *err)
{
	enum { LEAST = 4 };
	uint64_t tuned = 0;
	uint64_t *const values[] = { &o->plan.short_runs, &o->plan.short_ns, &o->plan.long_runs,
		&o->plan.long_ns, &tuned, &o->begun_wall_ns };
	char **words;

	int rc = et_split_words(text, &words, err);
	if (rc)
		return rc;
	size_t n = et_strv_length(words);
	if (n == ET_LENGTH(values) + 1)
		snprintf(o->factors, sizeof(o->factors), "%s", words[--n]);
	if (n < LEAST || n > ET_LENGTH(values))
		rc = et_fail(err, EINVAL, ET_EXIT_OUTSIDE, "the plan stored for '%s' is damaged",
			o->label);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = et_parse_u64("the stored plan", words[i], 0, UINT64_MAX, values[i], err);
	et_strv_free(words);
	o->tuned = tuned != 0;
	return rc;
}

/* Sets *there to whether the store has a plan under the label of o, and reads it into o. */
static int find_plan(
	const struct et_cli *cli, struct et_learn_options *o, bool *there, struct et_error *err)
{
	ET_AUTO_FREE char *text = NULL;
	int rc = access_plan(cli, o, ET_STORE_READ, &text, err);

	*there = rc == 0 && text;
	return *there ? read_plan(o, text, err) : rc;
}

int et_learn_load_plan(const struct et_cli *cli, struct et_learn_options *o, struct et_error *err)
{
	bool there, env = o->env;

	int rc = find_plan(cli, o, &there, err);
	if (rc == 0 && !there)
		rc = et_fail_hint(err, ENOENT, ET_EXIT_USAGE, "omit --resume",
			"there is nothing to continue under the label '%s'", o->label);
	if (rc == 0 && env && !o->tuned)
		rc = et_refuse(err, "omit --env, or omit --resume to begin anew",
			"--resume continues a learn that began without --env");
	if (rc == 0 && o->tuned && !env && cli->verbosity >= 0)
		et_say(stderr,
			"etalon: the environment is applied again, as when this learn began\n");
	o->env = o->tuned;
	return rc;
}

/* Sets *state to that of the experiment, if it was measured here with this kernel. */
static int find_stage(const struct et_cli *cli, const struct et_learn_options *o, const char *which,
	const struct et_here *here, enum et_state *state, struct et_error *err)
{
	struct et_experiment *e;

	int rc = fetch(cli, o, which, &e, err);
	if (rc)
		return rc;
	if (e->origin == ET_ORIGIN_IMPORTED || !et_machine_same(e->machine, here->machine) ||
		strcmp(e->host.kernel, here->host.kernel))
		rc = -ENOENT;
	else
		*state = e->state;
	et_experiment_free(e);
	return rc;
}

/* That there is nothing to find is no error. */
static int forgive(int rc, struct et_error *err)
{
	if (rc != -ENOENT)
		return rc;
	*err = (struct et_error){ 0 };
	return 0;
}

int et_learn_find(const struct et_cli *cli, const char *label, const struct et_here *here,
	struct et_learn_options *out, bool *there, struct et_error *err)
{
	struct et_learn_options o = { .label = label, .resume = true };
	enum et_state first, second = ET_STATE_DONE;
	bool plan = false;

	*there = false;
	int rc = find_plan(cli, &o, &plan, err);
	if (rc || !plan)
		return forgive(rc, err);
	rc = find_stage(cli, &o, "short", here, &first, err);
	if (rc)
		return forgive(rc, err);
	if (first == ET_STATE_DONE && o.plan.long_runs) {
		second = ET_STATE_INTERRUPTED; /* if there is none */
		rc = forgive(find_stage(cli, &o, "long", here, &second, err), err);
	}
	*there = rc == 0 && (first != ET_STATE_DONE || second != ET_STATE_DONE);
	*out = o;
	return rc;
}

/* --- a busy machine: daemons cannot be distinguished from other work that has the CPU --- */

char *et_learn_load_text(void)
{
	struct et_machine m;

	et_cli_machine(&m);
	double load = et_host_load(m.root); /* of one minute */
	unsigned cpus = m.host.cpus ? m.host.cpus : 1;
	et_machine_free(&m);
	/* No CPU is left quiet; false for NaN. */
	return load >= (cpus > 1 ? cpus / 2.0 : 0.5)
		       ? et_asprintf(
				 "the load of this machine is %.1f on %u CPU%s: daemons can hardly "
				 "be distinguished from the other work, and learning takes longer",
				 load, cpus, cpus == 1 ? "" : "s")
		       : NULL;
}

/* Asks the user, or warns, if the load is high. -EBUSY: the user does not want to learn then. */
static int check_load(const struct et_learn_options *o, struct et_error *err)
{
	ET_AUTO_FREE char *text = et_learn_load_text();

	if (!text)
		return 0;
	if (o->busy || !et_can_ask()) {
		et_say(stderr, "etalon: warning: %s%s\n", text,
			o->busy ? "" : "; if others take the CPU, the cutoffs are not kept");
		return 0;
	}
	if (et_ask(text, "Learn nevertheless?"))
		return 0;
	return et_fail_hint(err, EBUSY, ET_EXIT_ENVIRONMENT, "try again when the machine is quiet",
		"nothing is learned: the machine is busy");
}

/* Warns if others had the CPU for too large a part of a learning; long_run may be NULL. */
static bool was_busy(const struct et_learn_options *o, const struct et_experiment *short_run,
	const struct et_experiment *long_run)
{
	double taken = et_learning_taken(&short_run->commands[0]);

	if (long_run)
		taken = fmax(taken, et_learning_taken(&long_run->commands[0]));
	if (!(taken > ET_LEARNING_BUSY))
		return false;
	et_say(stderr,
		"etalon: warning: other processes had the CPU for %.0f %% of the learning: daemons "
		"may hide in it; %s\n",
		100 * taken,
		o->busy ? "its cutoffs are kept (--busy)" : "its cutoffs are not kept");
	return true;
}

/* The cutoffs of such a learning are not kept. */
static int refuse_busy(const struct et_learn_options *o, bool has_long, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, EBUSY, ET_EXIT_ENVIRONMENT,
			"the cutoffs are not kept: the machine was busy while it learned"),
		"learn when the machine is quiet, or keep them with 'etalon daemons analyse --keep "
		"%s-short%s%s%s'",
		o->label, has_long ? " " : "", has_long ? o->label : "", has_long ? "-long" : "");
}

/* --- the learning --- */

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
		return et_refuse(err, NULL,
			"--long-runs: %" PRIu64 " are too few to see an L-shape; use 0 or at least "
			"%d",
			o->long_runs, ET_LSHAPE_LEAST);
	if (o->long_runs && o->long_ns <= o->short_ns)
		return et_refuse(err, NULL, "--long-seconds is not above --short-seconds");
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

/* Runs, continues or loads one of the two experiments, which the caller frees. */
static int stage(struct learner *l, const char *which, uint64_t runs, uint64_t ns,
	struct et_experiment **out, struct et_error *err)
{
	ET_AUTO_FREE char *label = label_of(&l->o, which);
	ET_AUTO_FREE char *length = et_asprintf("%" PRIu64 "ns", ns);
	ET_AUTO_FREE char *resumption = resumption_of(&l->o);
	struct et_experiment *stored = NULL;

	int rc = l->o.resume ? fetch(l->cli, &l->o, which, &stored, err) : -ENOENT;
	if (rc == 0 && stored->state == ET_STATE_DONE) {
		*out = stored;
		return 0;
	}
	if (rc == 0) {
		rc = et_measure(l->cli, l->interrupt, NULL, stored->id, resumption, out, err);
	} else if (rc == -ENOENT) {
		struct et_experiment *e = et_experiment_new();
		*err = (struct et_error){ 0 };
		e->protocol = ET_PROTOCOL_RAW;
		e->plan.keep_all = true;
		e->plan.runs = (uint32_t)runs;
		e->label = et_strdup(label);
		et_experiment_add_command(e, et_strdup(label),
			et_strv_of(l->exe, "put", "inc", "--seconds", length, NULL));
		rc = et_measure(l->cli, l->interrupt, e, NULL, resumption, out, err);
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

	if (l->cli->verbosity < 0)
		return;
	struct et_page page = { .out = stderr, .width = l->cli->columns };
	et_page_say(&page, 0, "", NULL, NULL,
		"%" PRIu64 " short and %" PRIu64 " long samples, about %s in all", o->short_runs,
		o->long_runs, et_format_span(short_s + long_s, ET_BUF));
	et_page_say(&page, 0, "", NULL, NULL,
		"daemons that run at least once every %s are seen, and periods of up to %s are "
		"found; less frequent ones are seen only by chance",
		et_format_span(seen, ET_BUF), et_format_span(seen / 2, ET_BUF));
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
	bool drop = rc == 0 && was_busy(&l->o, short_run, long_run) && !l->o.busy;
	if (rc == 0) {
		if (!drop)
			rc = et_learned_store(l->cli, &r, &f,
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
	return rc == 0 && drop ? refuse_busy(&l->o, long_run != NULL, err) : rc;
}

/* Corrects the forecast by the time that the short run took. */
static void print_forecast(const struct learner *l, const struct et_experiment *short_run)
{
	const struct et_learning_plan *p = &l->o.plan;
	struct et_daemon_record r = { 0 };

	et_daemon_run_fill(&r, &r.short_run, &short_run->commands[0]);
	double factor = 1e9 * r.short_run.sample_seconds / (double)p->short_ns;
	et_daemon_record_free(&r);
	if (factor > SLOWER && l->cli->verbosity >= 0)
		et_say(stderr,
			"etalon: the short run took %.1f times as long as planned; the long run "
			"will take about %s\n",
			factor,
			et_format_span(
				factor * 1e-9 * (double)p->long_runs * (double)p->long_ns, ET_BUF));
}

int et_learn(struct et_cli *cli, const struct et_learn_options *o, struct et_daemons_output *out,
	struct et_error *err)
{
	struct learner l = { .cli = cli, .o = *o, .interrupt = et_signals_install() };
	const struct et_learning_plan *p = &l.o.plan;
	struct et_experiment *short_run = NULL, *long_run = NULL;

	int rc = et_cli_own_path(l.exe, sizeof(l.exe), err);
	if (!o->resume)
		l.o.begun_wall_ns = et_clock_read_ns(CLOCK_REALTIME);
	if (rc == 0 && !o->resume)
		rc = et_learn_keep_plan(cli, &l.o, err);
	if (rc)
		return rc;
	et_here_read(&l.here);
	print_plan(&l);
	rc = stage(&l, "short", p->short_runs, p->short_ns, &short_run, err);
	if (rc == 0 && p->long_runs) {
		print_forecast(&l, short_run);
		rc = stage(&l, "long", p->long_runs, p->long_ns, &long_run, err);
	}
	if (rc == 0)
		rc = conclude(&l, short_run, long_run, out, err);
	et_experiment_free(short_run);
	et_experiment_free(long_run);
	return rc;
}

/* Fills the factors that --env changes: those of EMP, or those that the user chose. */
static int choose_factors(struct et_learn_options *o, struct et_error *err)
{
	if (!o->env || o->resume)
		return 0;
	ET_AUTO_FREE char *names =
		et_env_names(&(struct et_env_wish){ .only = o->only ? o->only : ET_EMP_FACTORS,
				     .except = o->except },
			err);
	if (!names)
		return -EINVAL;
	snprintf(o->factors, sizeof(o->factors), "%s", names);
	return 0;
}

int et_daemons_learn(struct et_cli *cli, const struct et_learn_options *given,
	struct et_daemons_output *out, int *status, struct et_error *err)
{
	struct et_interrupt *interrupt = et_signals_install();
	struct et_learn_options o = *given;
	struct et_tuning tuning = { 0 };

	cli->measures = true;
	int rc = o.resume ? et_learn_load_plan(cli, &o, err) : check_plan(&o.plan, err);
	if (rc == 0)
		rc = check_load(&o, err);
	o.tuned = o.env;
	if (rc == 0)
		rc = choose_factors(&o, err);
	if (rc)
		return rc;
	/* A learn that an earlier version began applied all of them. */
	rc = et_tuning_begin(&tuning, cli,
		&(struct et_env_wish){ .apply = o.env, .only = *o.factors ? o.factors : NULL },
		NULL, stderr, err);
	rc = rc ?: et_learn(cli, &o, out, err);
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
