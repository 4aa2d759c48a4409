/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon env apply` and `etalon env restore`. */
#include "app/env/env.h"
#include "base/alloc.h"
#include "conduct/tuning.h"

#include <errno.h>
#include <string.h>

struct et_page et_env_page(const struct et_cli *cli)
{
	return (struct et_page){ .out = stdout, .width = cli->columns, .color = cli->color };
}

/* --- apply --- */

static int failure(const struct et_results *r, const char *what, struct et_error *err)
{
	size_t n = et_results_count(r, ET_OUTCOME_FAILED);
	const struct et_result *one = r->list;

	if (!n)
		return 0;
	while (one->outcome != ET_OUTCOME_FAILED)
		one++;
	return et_hint(err,
		et_fail(err, EPERM, ET_EXIT_ENVIRONMENT,
			"%zu changes could not be %s, %s for one: %s", n, what, one->change.target,
			one->note ? one->note : "?"),
		geteuid() ? "run as root: only root may change them"
			  : "see the lines marked FAILED; run 'etalon env restore' to restore the "
			    "rest");
}

/* Sets *j to the open journal also if it fails after opening it. */
static int apply_now(struct et_machine *m, const bool *selected, struct et_journal **j,
	struct et_results *r, struct et_error *err)
{
	ET_AUTO_FREE char *path = et_cli_journal();
	struct et_results stale = { 0 };

	int rc = et_journal_open(path, true, j, err);
	if (rc)
		return rc;
	et_rescue_begin(m, *j, ET_STALE_RUNS);
	et_environment_restore(m, &et_env_ops_real, *j, ET_STALE_RUNS, &stale);
	et_results_free(&stale);
	et_machine_refresh(m);
	et_journal_begin(*j, ET_OWNER_APPLY, m->boot_id, m->wall_ns);
	et_rescue_begin(m, *j, (int64_t)(*j)->n_sessions);
	return et_environment_apply(m, &et_env_ops_real, *j, selected, r, err);
}

int et_env_apply(struct et_call *call, struct et_error *err)
{
	const struct et_cli *cli = call->cli;
	const struct et_env_options *c = call->ctx;
	ET_AUTO_FREE bool *selected = et_env_select(&c->wish, true, err);
	struct et_page page = et_env_page(cli);
	struct et_results r = { 0 };
	struct et_journal *j = NULL;
	struct et_machine m;

	if (!selected)
		return -EINVAL;
	int rc = 0;
	et_cli_machine(&m);
	if (c->dry_run)
		et_environment_preview(&m, selected, &r);
	else
		rc = apply_now(&m, selected, &j, &r, err);
	if (cli->verbosity >= 0) {
		et_results_print(&r, &page, false);
		if (!r.n && rc == 0)
			printf("nothing to change\n");
		else if (!c->dry_run && et_results_count(&r, ET_OUTCOME_MADE))
			printf("\nrun 'etalon env restore' to restore it\n");
		fflush(stdout);
	}
	if (rc == 0)
		rc = failure(&r, "made", err);
	et_rescue_end();
	et_journal_close(j);
	et_results_free(&r);
	et_machine_free(&m);
	return rc;
}

/* --- restore --- */

/* A user's own journal does not show the changes that root has made. */
static const char *by_root(const char *path)
{
	bool hidden = geteuid() && strcmp(path, ET_ROOT_JOURNAL) && !access(ET_ROOT_JOURNAL, F_OK);

	return hidden ? "; root has changed this machine: run 'sudo etalon env restore'" : "";
}

int et_env_restore(struct et_call *call, struct et_error *err)
{
	const struct et_cli *cli = call->cli;
	const struct et_env_options *c = call->ctx;
	ET_AUTO_FREE char *path = et_cli_journal();
	struct et_page page = et_env_page(cli);
	struct et_results r = { 0 };
	struct et_journal *j = NULL;
	struct et_machine m;
	bool busy;

	int rc = c->dry_run ? et_journal_peek(path, &busy, &j, err)
			    : et_journal_open(path, false, &j, err);
	if (rc && rc != -ENOENT)
		return rc;
	rc = 0;
	et_cli_machine(&m);
	size_t damaged = j ? j->damaged : 0;
	if (j && c->dry_run) {
		et_environment_pending(j, &r);
	} else if (j) {
		et_rescue_begin(&m, j, ET_ALL_SESSIONS);
		et_environment_restore(&m, &et_env_ops_real, j, ET_ALL_SESSIONS, &r);
		et_rescue_end();
	}
	et_journal_close(j);
	if (cli->verbosity >= 0) {
		et_results_print(&r, &page, true);
		if (!r.n && !damaged)
			printf("nothing to restore%s\n", by_root(path));
		fflush(stdout);
	}
	rc = failure(&r, "restored", err);
	if (rc == 0 && damaged)
		rc = et_hint(err,
			et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
				"%s: %zu damaged lines; the changes of all others were restored",
				path, damaged),
			"look for the damaged lines in %s.damaged", path);
	et_results_free(&r);
	et_machine_free(&m);
	return rc;
}
