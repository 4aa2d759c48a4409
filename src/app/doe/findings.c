/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The findings of a designed experiment in short, after `doe run`; and how `show`, `export` and
 * `report` write one that is stored.
 */
#include "app/doe/findings.h"
#include "app/doe/view.h"
#include "source/kind.h"
#include "stats/doe/doe.h"

#include <errno.h>

static int analyse(const struct et_experiment *const *e, size_t n, struct et_doe_result *out,
	struct et_error *err)
{
	const struct et_doe_options o = {
		.alpha = 0.05, .level = (*e)->plan.level > 0 ? (*e)->plan.level : 0.95, .method = -1
	};

	return et_doe_analyse(e, n, &o, out, err);
}

int et_doe_print_all_findings(const struct et_cli *cli, const struct et_experiment *const *list,
	size_t n, FILE *out, struct et_error *err)
{
	struct et_page page = {
		.out = out, .width = cli->columns, .color = cli->color && out == stdout
	};
	struct et_doe_result result;
	struct et_doe_view v = { .result = &result, .experiments = list, .n_experiments = n };
	int rc = analyse(list, n, &result, err);

	if (rc)
		return rc;
	et_doe_print_short(&v, &page);
	et_doe_result_free(&result);
	return 0;
}

int et_doe_print_findings(
	const struct et_cli *cli, const struct et_experiment *e, FILE *out, struct et_error *err)
{
	return et_doe_print_all_findings(cli, &e, 1, out, err);
}

static int print(const struct et_cli *cli, const struct et_stored *s,
	const struct et_text_options *o, size_t *left, struct et_error *err)
{
	const struct et_experiment *e = s->experiment;

	/* The user asked for the samples that the checks remove. */
	if (s->rejudged)
		return et_stored_plain.print(cli, s, o, left, err);
	*left = 0;
	int rc = et_doe_print_findings(cli, e, stdout, err);
	if (rc)
		return rc;
	if (cli->verbosity > 0)
		et_text_result(e, &s->judgement, o, stdout);
	if (cli->verbosity >= 0)
		printf("all effects and treatments: etalon doe analyse %s\n", e->id);
	return 0;
}

static int write_page(
	const struct et_stored *s, const char *format, FILE *out, struct et_error *err)
{
	const struct et_experiment *e = s->experiment;
	struct et_doe_result result;
	struct et_doe_view v = { .result = &result, .experiments = &e, .n_experiments = 1 };
	int rc = analyse(&e, 1, &result, err);

	(void)format;
	if (rc)
		return rc;
	et_doe_page(&v, out);
	et_doe_result_free(&result);
	return 0;
}

static int refuse(const struct et_experiment *e, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"experiment %s belongs to the plan '%s' of 'etalon doe'", e->id,
			e->design->name),
		"run 'etalon doe run PLAN' to continue it");
}

const struct et_stored_kind et_kind_designed = {
	.design = true,
	.more = true, /* with a function as response it is a profile, too */
	.mark = "[doe] ",
	.page = true,
	.formats = (const char *const[]){ "html", NULL },
	.write = write_page,
	.print = print,
	/* The plan file belongs to it: `doe run` compares it and applies the treatments. */
	.resumed_by = (const char *const[]){ NULL },
	.refuse = refuse,
};
