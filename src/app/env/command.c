/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon env check|apply|restore`: checks, changes and restores what disturbs timing. */
#include "cli/environment.h"
#include "conduct/tuning.h"
#include "host/daemons.h"
#include "report/environment.h"

struct request {
	struct et_env_wish wish; /* --only, --except */
	bool dry_run, json, running;
};

enum { OF_CHECK = 1, OF_APPLY = 2, OF_RESTORE = 4 };

static const struct et_option options[] = {
	{ 0, "only", "LIST", "these factors, e.g. aslr,turbo (all)", et_set_text,
		ET_FILLS(request, wish.only), .of = OF_CHECK | OF_APPLY },
	{ 0, "except", "LIST", "all factors but these", et_set_text, ET_FILLS(request, wish.except),
		.of = OF_CHECK | OF_APPLY },
	{ 0, "dry-run", NULL, "print the changes and make none", et_set_true,
		ET_FILLS(request, dry_run), .of = OF_APPLY | OF_RESTORE },
	{ 0, "running", NULL, "list the processes that run instead of the factors", et_set_true,
		ET_FILLS(request, running), .of = OF_CHECK, .excludes = "only|except" },
	{ 0, "json", NULL, "print JSON instead of a table", et_set_true, ET_FILLS(request, json),
		.of = OF_CHECK },
	{ 0 },
};

static et_action_run check, apply, restore;
static const struct et_action actions[] = {
	{ "check", check, OF_CHECK, 0, 0, .rights = ET_RIGHTS_MACHINE },
	{ "apply", apply, OF_APPLY, 0, 0, .rights = ET_RIGHTS_MACHINE },
	{ "restore", restore, OF_RESTORE, 0, 0, .rights = ET_RIGHTS_MACHINE },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_env = {
	.name = "env",
	.summary = "what disturbs timing on this machine: check it, change it, restore it",
	.actions = actions,
	.usage = "check [--only LIST] [--json]\ncheck --running [--json]\napply [--only LIST] "
		 "[--dry-run]\nrestore",
	.about = "check shows each factor; -v adds why it matters and what to do. apply changes\n"
		 "what can be restored exactly, and writes the old values to a journal on disk\n"
		 "first. restore puts them back, also after a crash. apply needs root.",
	.examples = "  etalon env check\n"
		    "  etalon env check -v --only aslr,turbo\n"
		    "  etalon env check --running\n"
		    "  etalon env apply --dry-run\n",
	.options = options,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

/* --- check --- */

static struct et_page page_of(const struct et_cli *cli)
{
	return (struct et_page){ .out = stdout, .width = cli->columns, .color = cli->color };
}

static void summarize(const struct et_findings *f, const struct et_page *page)
{
	size_t disturbs = 0, changeable = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->list[i].verdict != ET_VERDICT_DISTURBS)
			continue;
		disturbs++;
		changeable += f->list[i].changeable;
	}
	ET_AUTO_FREE char *text = et_asprintf("%zu of %zu are not as wanted", disturbs, f->n);
	if (changeable)
		et_append(&text, ", ", "and 'etalon env apply' can change %zu of them", changeable);
	et_append(&text, "; ", "-v shows why and what to do");
	putchar('\n');
	et_page_paragraph(page, 0, "", NULL, text, NULL);
}

static int check(struct et_call *call, struct et_error *err)
{
	const struct et_cli *cli = call->cli;
	const struct request *c = call->ctx;
	ET_AUTO_FREE bool *selected = et_env_select(&c->wish, false, err);
	struct et_page page = page_of(cli);
	struct et_machine m;
	struct et_findings f = { 0 };
	struct et_running_list r = { 0 };

	if (!selected)
		return -EINVAL;
	if (cli->verbosity >= 0)
		et_cli_stale_notice();
	et_cli_machine(&m);
	if (c->running)
		et_running_read(&m, &r);
	else
		et_factors_check(&m, selected, &f);
	if (c->running && c->json) {
		et_running_json(&r, stdout);
	} else if (c->running) {
		et_running_print(&r, &page);
	} else if (c->json) {
		et_findings_json(&f, stdout);
	} else {
		et_findings_print(&f, &page, cli->verbosity > 0);
		if (cli->verbosity == 0)
			summarize(&f, &page);
	}
	free(r.list);
	et_findings_free(&f);
	et_machine_free(&m);
	return et_cli_close_output(stdout, "-", err);
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
	et_environment_restore(m, *j, ET_STALE_RUNS, &stale);
	et_results_free(&stale);
	et_machine_refresh(m);
	et_journal_begin(*j, ET_OWNER_APPLY, m->boot_id, m->wall_ns);
	et_rescue_begin(m, *j, (int64_t)(*j)->n_sessions);
	return et_environment_apply(m, *j, selected, r, err);
}

static int apply(struct et_call *call, struct et_error *err)
{
	const struct et_cli *cli = call->cli;
	const struct request *c = call->ctx;
	ET_AUTO_FREE bool *selected = et_env_select(&c->wish, true, err);
	struct et_page page = page_of(cli);
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

static int restore(struct et_call *call, struct et_error *err)
{
	const struct et_cli *cli = call->cli;
	const struct request *c = call->ctx;
	ET_AUTO_FREE char *path = et_cli_journal();
	struct et_page page = page_of(cli);
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
		et_environment_restore(&m, j, ET_ALL_SESSIONS, &r);
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

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request c = { 0 };
	struct et_call call;
	int status = et_cli_call(
		cli, &et_verb_env, argc, argv, &(struct et_cli_targets){ .ctx = &c }, &call);

	return status >= 0 ? status : et_call_run(&call);
}
