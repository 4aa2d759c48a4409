/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/environment.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/rescue.h"
#include "report/environment.h"
#include "report/terminal.h"

#include <errno.h>
#include <string.h>

static const char *sysroot(void)
{
	const char *root = getenv("ETALON_SYSROOT");

	return root ? root : "";
}

/* A captured tree has no service manager unless a test names one. */
static const char *systemctl(void)
{
	static const char *const places[] = { "/usr/bin/systemctl", "/bin/systemctl" };
	const char *program = getenv("ETALON_SYSTEMCTL");

	if (program && *program)
		return program;
	for (size_t i = 0; !*sysroot() && i < ET_LENGTH(places); i++) {
		if (access(places[i], X_OK) == 0)
			return places[i];
	}
	return NULL;
}

void et_cli_machine(struct et_machine *m)
{
	et_machine_read(m, sysroot(), systemctl(), et_clock_real.wall_ns(NULL));
}

char *et_cli_journal(void)
{
	const char *path = getenv("ETALON_JOURNAL"), *state = getenv("XDG_STATE_HOME");

	if (path && *path)
		return et_strdup(path);
	if (geteuid() == 0)
		return et_strdup(ET_ROOT_JOURNAL);
	if (state && state[0] == '/')
		return et_asprintf("%s/etalon/env.journal", state);
	return et_asprintf("%s/.local/state/etalon/env.journal", et_cli_home());
}

void et_cli_stale_notice(void)
{
	ET_AUTO_FREE char *path = et_cli_journal();
	struct et_warnings w = { 0 };
	struct et_journal *j = NULL;
	bool busy = false;

	if (et_journal_peek(path, &busy, &j, NULL))
		return;
	size_t n = busy ? 0 : et_journal_pending(j, ET_OWNER_RUN);
	if (n)
		et_warn(&w, ET_WARN_CHANGES_PENDING, et_arg_count(n));
	et_cli_warn(&w);
	et_journal_close(j);
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

/* A factor that the user names and etalon cannot change is an error. */
static int refuse_fixed(const bool *selected, struct et_error *err)
{
	const struct et_factor_row *asked = NULL;

	for (size_t i = 0; i < et_factors_count(); i++) {
		const struct et_factor_row *row = &et_factor_rows[i];
		if (!selected[i])
			continue;
		if (!row->plan)
			return et_hint(err,
				et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
					"%s cannot be changed by etalon", row->name),
				"%s", row->fix);
		/* time-daemon stops what time-sync, the row after it, starts. */
		if (asked && asked + 1 == row)
			return et_hint(err,
				et_fail(err, EINVAL, ET_EXIT_USAGE,
					"%s and %s contradict each other", asked->name, row->name),
				"name one of them");
		asked = row->flags & ET_FACTOR_ON_REQUEST ? row : NULL;
	}
	return 0;
}

bool *et_env_select(const struct et_env_wish *wish, bool changing, struct et_error *err)
{
	bool *selected = et_calloc(et_factors_count(), sizeof(*selected));
	ET_AUTO_FREE bool *excepted = et_calloc(et_factors_count(), sizeof(*excepted));

	int rc = et_factors_select("--only", wish->only, selected, err);
	if (rc == 0 && wish->except)
		rc = et_factors_select("--except", wish->except, excepted, err);
	for (size_t i = 0; i < et_factors_count(); i++)
		selected[i] = selected[i] && !excepted[i];
	if (rc == 0 && changing && wish->only)
		rc = refuse_fixed(selected, err);
	if (rc) {
		free(selected);
		return NULL;
	}
	return selected;
}

static int apply(struct et_tuning *t, const struct et_cli *cli, const struct et_env_wish *wish,
	FILE *out, struct et_error *err)
{
	ET_AUTO_FREE char *path = et_cli_journal();
	ET_AUTO_FREE bool *selected = et_env_select(wish, true, err);
	struct et_results results = { 0 };

	if (!selected)
		return -EINVAL;
	int rc = et_journal_open(path, true, &t->journal, err);
	if (rc)
		return rc;
	/*
	 * While we hold the lock on the journal no other run is alive, so changes that are still in
	 * it come from a run that was killed: they are restored first.
	 */
	et_rescue_begin(&t->machine, t->journal, ET_STALE_RUNS);
	et_environment_restore(&t->machine, &et_env_ops_real, t->journal, ET_STALE_RUNS, &results);
	if (results.n && cli->verbosity >= 0)
		fprintf(stderr, "etalon: restored the changes of a killed run first\n");
	et_results_free(&results);
	et_journal_begin(t->journal, ET_OWNER_RUN, t->machine.boot_id, t->machine.wall_ns);
	t->session = (uint32_t)t->journal->n_sessions;
	et_machine_refresh(&t->machine);
	rc = et_environment_apply(
		&t->machine, &et_env_ops_real, t->journal, selected, &results, err);
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

int et_tuning_begin(struct et_tuning *t, const struct et_cli *cli, const struct et_env_wish *wish,
	struct et_experiment *e, FILE *out, struct et_error *err)
{
	struct et_findings findings;

	if (!wish->apply && (wish->only || wish->except))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "--%s needs --env",
				wish->only ? "only" : "except"),
			"add --env, or omit it");
	et_cli_machine(&t->machine);
	int rc = wish->apply ? apply(t, cli, wish, out, err) : 0;
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

	if (t->journal) {
		et_environment_restore(
			&t->machine, &et_env_ops_real, t->journal, t->session, &results);
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
