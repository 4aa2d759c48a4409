/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon env check|apply|restore`: checks, changes and restores what disturbs timing. */
#include "cmd/env.h"
#include "base/alloc.h"
#include "host/running.h"

#include <errno.h>
#include <string.h>

static const struct et_option options[] = {
	{ 0, "only", "LIST", "check, apply: these factors, e.g. aslr,turbo (all)", et_set_text,
		ET_FILLS(et_env_options, wish.only) },
	{ 0, "except", "LIST", "check, apply: all factors but these", et_set_text,
		ET_FILLS(et_env_options, wish.except) },
	{ 0, "dry-run", NULL, "apply, restore: print the changes and make none", et_set_true,
		ET_FILLS(et_env_options, dry_run) },
	{ 0, "running", NULL, "check: list the processes that run instead of the factors",
		et_set_true, ET_FILLS(et_env_options, running) },
	{ 0, "json", NULL, "check: print JSON instead of a table", et_set_true,
		ET_FILLS(et_env_options, json) },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_env = {
	.name = "env",
	.summary = "what disturbs timing on this machine: check it, change it, restore it",
	.operands = "check|apply|restore",
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

static void summarize(const struct et_findings *f, const struct et_page *page)
{
	size_t disturbs = 0, changeable = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->list[i].verdict != ET_VERDICT_DISTURBS)
			continue;
		disturbs++;
		changeable += f->list[i].changeable;
	}
	ET_AUTO_FREE char *text =
		changeable
			? et_asprintf("%zu of %zu are not as wanted, and 'etalon env apply' can "
				      "change %zu of them; -v shows why and what to do",
				  disturbs, f->n, changeable)
			: et_asprintf("%zu of %zu are not as wanted; -v shows why and what to do",
				  disturbs, f->n);
	putchar('\n');
	et_page_paragraph(page, 0, "", NULL, text, NULL);
}

static void list_running(const struct et_machine *m, bool json, const struct et_page *page)
{
	struct et_running_list r;

	et_running_read(m, &r);
	if (json)
		et_running_json(&r, stdout);
	else
		et_running_print(&r, page);
	free(r.list);
}

static int check(const struct et_cli *cli, const struct et_env_options *c, struct et_error *err)
{
	struct et_page page = et_env_page(cli);
	struct et_machine m;
	struct et_findings f = { 0 };

	if (cli->verbosity >= 0)
		et_cli_stale_notice();
	et_cli_machine(&m);
	if (!c->running)
		et_factors_check(&m, c->selected, &f);
	if (c->running) {
		list_running(&m, c->json, &page);
	} else if (c->json) {
		et_findings_json(&f, stdout);
	} else {
		et_findings_print(&f, &page, cli->verbosity > 0);
		if (cli->verbosity == 0)
			summarize(&f, &page);
	}
	et_findings_free(&f);
	et_machine_free(&m);
	return et_cli_close_output(stdout, "-", err);
}

/* --- the command --- */

static const struct {
	const char *name;
	int (*run)(const struct et_cli *cli, const struct et_env_options *c, struct et_error *err);
	bool selects, dry_run, json;
} actions[] = {
	{ "check", check, true, false, true },
	{ "apply", et_env_apply, true, true, false },
	{ "restore", et_env_restore, false, true, false },
};

static int dispatch(
	const struct et_cli *cli, const char *name, struct et_env_options *c, struct et_error *err)
{
	for (size_t i = 0; i < ET_LENGTH(actions); i++) {
		if (strcmp(actions[i].name, name))
			continue;
		if ((c->dry_run && !actions[i].dry_run) ||
			((c->json || c->running) && !actions[i].json) ||
			(c->running && (c->wish.only || c->wish.except)) ||
			((c->wish.only || c->wish.except) && !actions[i].selects))
			return et_hint(err,
				et_fail(err, EINVAL, ET_EXIT_USAGE,
					"env %s does not take that option", name),
				"run 'etalon env --help' to see which options it takes");
		c->selected = et_env_select(&c->wish, actions[i].run == et_env_apply, err);
		return c->selected ? actions[i].run(cli, c, err) : -EINVAL;
	}
	return et_hint(err, et_fail(err, EINVAL, ET_EXIT_USAGE, "env: unknown action '%s'", name),
		"use check, apply or restore");
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_env_options c = { 0 };
	struct et_operands ops;
	struct et_error err = { 0 };
	int rc, status = et_cli_parse(cli, &et_verb_env, argc, argv, &c, &ops);

	if (status >= 0)
		return status;
	if (ops.n_before != 1 || ops.after)
		rc = et_hint(&err,
			et_fail(&err, EINVAL, ET_EXIT_USAGE,
				ops.n_before ? "env: expected one action" : "env: no action given"),
			"use 'etalon env check', 'apply' or 'restore'");
	else
		rc = dispatch(cli, ops.before[0], &c, &err);
	free(c.selected);
	et_operands_free(&ops);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
