/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe export`: the runs as CSV, or a script for R that repeats the analysis. */
#include "app/doe/doe.h"
#include "app/doe/parts.h"

static int write_output(
	const struct et_doe_request *r, const struct et_doe_loaded *l, struct et_error *err)
{
	const struct et_experiment *const *all = (const struct et_experiment *const *)l->list;
	const char *path = r->output ? r->output : "-";
	struct et_output out;
	FILE *f = et_output_start(&out, path, err);

	if (f && r->r_script)
		et_doe_r(all, l->n, r->data ? r->data : "data.csv", f);
	else if (f)
		et_doe_csv(all, l->n, f);
	return et_output_finish(&out, 0, err);
}

int et_doe_export(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *r = call->ctx;
	struct et_doe_loaded loaded = { 0 };

	int rc = et_doe_load(cli, call->operands[0], &loaded, err);
	if (rc == 0)
		rc = write_output(r, &loaded, err);
	et_doe_loaded_free(&loaded);
	return rc;
}
