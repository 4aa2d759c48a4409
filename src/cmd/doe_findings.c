/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings of a designed experiment in short: after `doe run`, in `show` and in `report`. */
#include "cmd/doe_findings.h"
#include "report/doe.h"
#include "stats/doe.h"

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

int et_doe_show(const struct et_cli *cli, const struct et_stored *s,
	const struct et_text_options *o, struct et_error *err)
{
	const struct et_experiment *e = s->experiment;

	if (cli->verbosity >= 0)
		et_text_heading(e, o, stdout);
	int rc = et_doe_print_findings(cli, e, stdout, err);
	if (rc)
		return rc;
	if (cli->verbosity > 0)
		et_text_result(e, &s->judgement, o, stdout);
	if (cli->verbosity >= 0)
		printf("all effects and treatments: etalon doe analyse %s\n", e->id);
	return et_cli_close_output(stdout, "-", err);
}

int et_doe_write_page(const struct et_experiment *e, const char *path, struct et_error *err)
{
	struct et_doe_result result;
	struct et_doe_view v = { .result = &result, .experiments = &e, .n_experiments = 1 };
	struct et_output o = { 0 };
	int rc = analyse(&e, 1, &result, err);

	if (rc)
		return rc;
	rc = et_output_open(&o, path, err);
	FILE *f = rc ? NULL : et_output_begin(&o, err);
	if (f) {
		et_doe_page(&v, f);
		rc = et_output_end(&o, err);
	} else if (!rc) {
		rc = -EIO;
	}
	et_output_close(&o);
	et_doe_result_free(&result);
	return rc;
}
