/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon env check|apply|restore`: checks, changes and restores what disturbs timing. */
#include "app/env/env.h"
#include "base/alloc.h"
#include "host/daemons.h"

#include <errno.h>

enum { OF_CHECK = 1, OF_APPLY = 2, OF_RESTORE = 4 };

static const struct et_option options[] = {
	{ 0, "only", "LIST", "these factors, e.g. aslr,turbo (all)", et_set_text,
		ET_FILLS(et_env_options, wish.only), .of = OF_CHECK | OF_APPLY },
	{ 0, "except", "LIST", "all factors but these", et_set_text,
		ET_FILLS(et_env_options, wish.except), .of = OF_CHECK | OF_APPLY },
	{ 0, "dry-run", NULL, "print the changes and make none", et_set_true,
		ET_FILLS(et_env_options, dry_run), .of = OF_APPLY | OF_RESTORE },
	{ 0, "running", NULL, "list the processes that run instead of the factors", et_set_true,
		ET_FILLS(et_env_options, running), .of = OF_CHECK, .excludes = "only|except" },
	{ 0, "json", NULL, "print JSON instead of a table", et_set_true,
		ET_FILLS(et_env_options, json), .of = OF_CHECK },
	{ 0 },
};

static et_action_run check;
static const struct et_action actions[] = {
	{ "check", check, OF_CHECK, 0, 0, .rights = ET_RIGHTS_MACHINE },
	{ "apply", et_env_apply, OF_APPLY, 0, 0, .rights = ET_RIGHTS_MACHINE },
	{ "restore", et_env_restore, OF_RESTORE, 0, 0, .rights = ET_RIGHTS_MACHINE },
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

static int check(struct et_call *call, struct et_error *err)
{
	const struct et_cli *cli = call->cli;
	const struct et_env_options *c = call->ctx;
	ET_AUTO_FREE bool *selected = et_env_select(&c->wish, false, err);
	struct et_page page = et_env_page(cli);
	struct et_machine m;
	struct et_findings f = { 0 };

	if (!selected)
		return -EINVAL;
	if (cli->verbosity >= 0)
		et_cli_stale_notice();
	et_cli_machine(&m);
	if (!c->running)
		et_factors_check(&m, selected, &f);
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

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_env_options c = { 0 };
	struct et_call call;
	int status = et_cli_call(
		cli, &et_verb_env, argc, argv, &(struct et_cli_targets){ .ctx = &c }, &call);

	return status >= 0 ? status : et_call_run(&call);
}
