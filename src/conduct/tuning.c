/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "conduct/tuning.h"
#include "base/display.h"
#include "cli/confine.h"
#include "draw/terminal.h"
#include "measure/child/cgroup.h"
#include "report/environment.h"

/* --- when memory runs out --- */

static struct rescue {
	const struct et_machine *machine;
	struct et_journal *journal;
	int64_t session;
	pid_t pid;
} scope;

/*
 * Memory is scarce here: no results are collected, and stdio is not used. A child that was forked
 * and has not called execve must not restore what its parent still needs.
 */
static void restore(void)
{
	static const char hint[] = "hint: run 'etalon env restore' to restore the environment\n";

	if (getpid() != scope.pid)
		return;
	et_confine_raise(); /* programs may be running */
	bool whole = et_environment_restore(scope.machine, scope.journal, scope.session, NULL);
	ssize_t n = whole ? 0 : write(STDERR_FILENO, hint, strlen(hint));

	(void)n; /* the journal keeps the rest for the next restore */
	et_journal_close(scope.journal);
}

void et_rescue_begin(const struct et_machine *m, struct et_journal *j, int64_t session)
{
	scope = (struct rescue){ m, j, session, getpid() };
	et_alloc_set_rescue(restore);
}

void et_rescue_end(void)
{
	et_alloc_set_rescue(NULL);
}

/* --- before and after the runs --- */

void et_leftovers_end(const struct et_cli *cli)
{
	struct et_sweep sweep = { 0 };

	et_cgroup_sweep_all("", &sweep);
	ET_AUTO_FREE char *names = et_clean(sweep.names, "");
	if (sweep.ended && cli->verbosity >= 0)
		et_say(stderr,
			"etalon: ended %zu process%s that an earlier, interrupted etalon left "
			"running%s%s\n",
			sweep.ended, sweep.ended == 1 ? "" : "es", *names ? ": " : "", names);
	if (sweep.left)
		et_say(stderr,
			"etalon: warning: %zu process%s that an earlier, interrupted etalon left "
			"running cannot be ended%s%s%s; they disturb what is measured now\n",
			sweep.left, sweep.left == 1 ? "" : "es", *names ? " (" : "", names,
			*names ? ")" : "");
}

/* If no change could be made at all, the run would not be the one that the user asked for. */
static int nothing_done(const struct et_results *r, struct et_error *err)
{
	const struct et_result *first = NULL;

	for (size_t i = 0; i < r->n && !first; i++) {
		if (r->list[i].outcome == ET_OUTCOME_FAILED)
			first = &r->list[i];
	}
	if (!first || et_results_count(r, ET_OUTCOME_MADE) || et_results_count(r, ET_OUTCOME_AGAIN))
		return 0;
	return et_hint(err,
		et_fail(err, EPERM, ET_EXIT_ENVIRONMENT,
			"--env: nothing could be changed, %s for one: %s", first->change.target,
			first->note ? first->note : "?"),
		geteuid() ? "run as root, with --user to run the program as yourself"
			  : "run 'etalon env check -v' to see what you can do");
}

static void print(
	const struct et_results *r, const struct et_cli *cli, bool color, bool restoring, FILE *out)
{
	struct et_page page = { .out = out, .width = cli->columns, .color = color };

	et_results_print(r, &page, restoring);
}

/* One line: which settings are changed while the programs run. */
static void print_changes(const struct et_results *r, const struct et_cli *cli, FILE *out)
{
	ET_AUTO_FREE char *all = NULL;

	for (size_t i = 0; i < r->n; i++) {
		const char *name = strrchr(r->list[i].change.target, '/');
		if (r->list[i].outcome == ET_OUTCOME_MADE)
			et_append(&all, ", ", "%s", name ? name + 1 : r->list[i].change.target);
	}
	if (!all)
		return;
	ET_AUTO_FREE char *line = et_asprintf(
		"%zu changed for these runs: %s", et_results_count(r, ET_OUTCOME_MADE), all);
	ET_AUTO_FREE char *clean = et_clean(line, "");
	ET_AUTO_FREE char *fitted =
		cli->full_names ? et_strdup(clean) : et_shorten(clean, cli->columns);
	fprintf(out, "%s\n", fitted);
}

/* Opens the journal and begins a session of changes that end with this run. */
static int begin_session(struct et_tuning *t, const struct et_cli *cli, struct et_error *err)
{
	ET_AUTO_FREE char *path = et_cli_journal();
	struct et_results results = { 0 };
	int rc = et_journal_open(path, true, &t->journal, err);

	if (rc)
		return rc;
	/*
	 * While we hold the lock on the journal no other run is alive, so changes that are still in
	 * it come from a run that was killed: they are restored first.
	 */
	et_rescue_begin(&t->machine, t->journal, ET_STALE_RUNS);
	et_environment_restore(&t->machine, t->journal, ET_STALE_RUNS, &results);
	if (results.n && cli->verbosity >= 0)
		et_say(stderr, "etalon: restored the changes of a killed run first\n");
	et_results_free(&results);
	et_journal_begin(t->journal, ET_OWNER_RUN, t->machine.boot_id, t->machine.wall_ns);
	t->session = (uint32_t)t->journal->n_sessions;
	et_machine_refresh(&t->machine);
	return 0;
}

static int apply(struct et_tuning *t, const struct et_cli *cli, const struct et_env_wish *wish,
	FILE *out, struct et_error *err)
{
	ET_AUTO_FREE bool *selected = et_env_select(wish, true, err);
	struct et_results results = { 0 };

	if (!selected)
		return -EINVAL;
	int rc = begin_session(t, cli, err);
	if (rc)
		return rc;
	rc = et_environment_apply(&t->machine, t->journal, selected, &results, err);
	if (rc == 0)
		rc = nothing_done(&results, err);
	if (rc == 0 && cli->verbosity > 0)
		print(&results, cli, cli->color, false, out);
	else if (rc == 0 && cli->verbosity == 0)
		print_changes(&results, cli, out);
	et_results_free(&results);
	et_machine_refresh(&t->machine);
	return rc;
}

int et_tuning_vary(struct et_tuning *t, const struct et_cli *cli, const struct et_design *d,
	struct et_error *err)
{
	int rc = 0;

	if (!et_levels_needed(d))
		return 0;
	if (!t->journal)
		rc = begin_session(t, cli, err);
	if (rc)
		return rc;
	return et_levels_open(&t->machine, t->journal, d, &t->levels, err);
}

/* Programs have ended, so rights that they must not meet can be raised for a moment. */
int et_tuning_treat(struct et_tuning *t, uint32_t command, bool profiles, struct et_error *err)
{
	if (!t->levels || !et_levels_differ(t->levels, command))
		return 0;
	et_confine_raise();
	int rc = et_levels_set(t->levels, command, err);
	et_confine_lower(profiles);
	return rc;
}

int et_tuning_begin(struct et_tuning *t, const struct et_cli *cli, const struct et_env_wish *wish,
	struct et_experiment *e, FILE *out, struct et_error *err)
{
	struct et_findings findings;

	et_cli_machine(&t->machine);
	int rc = wish->apply ? apply(t, cli, wish, out, err) : 0;
	ET_AUTO_FREE char *names = rc == 0 && wish->apply ? et_env_names(wish, err) : NULL;
	snprintf(t->factors, sizeof(t->factors), "%s", names ? names : "");
	t->place = (struct et_learning_place){
		.tuned = wish->apply, .factors = t->factors, .services = ""
	};
	if (rc || !e)
		return rc;
	et_factors_check(&t->machine, NULL, &findings);
	e->n_environment = et_factors_record(&findings, &e->environment);
	et_findings_free(&findings);
	return 0;
}

void et_tuning_end(struct et_tuning *t, const struct et_cli *cli)
{
	struct et_results results = { 0 };
	struct et_warnings w = { 0 };

	et_levels_close(t->levels);
	t->levels = NULL;
	if (t->journal) {
		et_environment_restore(&t->machine, t->journal, t->session, &results);
		if (cli->verbosity > 0 || et_results_count(&results, ET_OUTCOME_FAILED) ||
			et_results_count(&results, ET_OUTCOME_FOREIGN))
			print(&results, cli, false, true, stderr);
		if (et_results_count(&results, ET_OUTCOME_FAILED))
			et_warn(&w, ET_WARN_NOT_RESTORED);
		et_cli_warn(&w);
		et_rescue_end();
		et_journal_close(t->journal);
		t->journal = NULL;
	}
	et_results_free(&results);
	et_machine_free(&t->machine);
}
