/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe export`: the runs as CSV, or a script for R that repeats the analysis. */
#include "base/alloc.h"
#include "cmd/doe.h"
#include "report/doe.h"

#include <errno.h>

static int write_output(
	const struct et_doe_request *r, struct et_experiment **list, size_t n, struct et_error *err)
{
	const struct et_experiment *const *all = (const struct et_experiment *const *)list;
	const char *path = r->output ? r->output : "-";
	struct et_output out = { 0 };
	int rc = et_output_open(&out, path, err);
	FILE *f = rc == 0 ? et_output_begin(&out, err) : NULL;

	if (f) {
		if (r->r_script)
			et_doe_r(all, n, r->data ? r->data : "data.csv", f);
		else
			et_doe_csv(all, n, f);
		rc = et_output_end(&out, err);
	} else if (rc == 0) {
		rc = -EIO;
	}
	et_output_close(&out);
	return rc;
}

int et_doe_export(struct et_cli *cli, const struct et_doe_request *r, char *const *operands,
	size_t n, int *status, struct et_error *err)
{
	struct et_experiment **list = NULL;
	size_t found = 0;

	(void)n;
	(void)status;
	if (r->data && !r->r_script)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "doe export: --data needs --r"),
			"use --r --data FILE, or -o FILE for the data");
	int rc = et_doe_load(cli, operands[0], &list, &found, err);
	if (rc)
		return rc;
	rc = write_output(r, list, found, err);
	for (size_t i = 0; i < found; i++)
		et_experiment_free(list[i]);
	free(list);
	return rc;
}
