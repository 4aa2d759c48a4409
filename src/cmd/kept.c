/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/kept.h"
#include "cmd/outputs.h"
#include "stats/judge.h"
#include "store/store.h"

#include <errno.h>

int et_kept_open(const struct et_cli *cli, enum et_store_mode mode, struct et_store **out,
	struct et_error *err)
{
	ET_AUTO_FREE char *url = et_cli_store_url(cli);

	if (mode == ET_STORE_WRITE && !et_cli_store_given(cli))
		mode = ET_STORE_CREATE_PATH;
	return et_store_open(url, mode, out, err);
}

int et_kept_fetch(const struct et_cli *cli, const char *name, struct et_experiment **out,
	struct et_error *err)
{
	struct et_store *store;
	char id[40];

	int rc = et_kept_open(cli, ET_STORE_READ, &store, err);
	if (rc)
		return rc;
	rc = et_store_find(store, name, id, err);
	if (rc == 0)
		rc = et_store_load(store, id, out, err);
	et_store_close(store);
	return rc;
}

int et_kept_load(const struct et_cli *cli, const struct et_operands *ops, struct et_kept *out,
	struct et_error *err)
{
	size_t n = ops->n_before + ops->n_after;
	char **names = ops->n_before ? ops->before : ops->after;

	if (n > 1)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "'%s': name one experiment only",
			ops->n_before > 1 ? ops->before[1] : ops->after[n - 1 - ops->n_before]);
	int rc = et_kept_fetch(cli, n ? names[0] : "last", &out->experiment, err);
	if (rc == 0)
		et_judge(out->experiment, &out->judgement);
	return rc;
}

int et_kept_write(const struct et_kept *k, const struct et_format *format, const char *path,
	struct et_error *err)
{
	struct et_outputs out = { 0 };

	int rc = et_outputs_add(&out, format, path, err);
	if (rc == 0)
		rc = et_outputs_open(&out, err);
	if (rc == 0)
		rc = et_outputs_write(&out, k->experiment, &k->judgement, err);
	et_outputs_close(&out);
	return rc;
}

void et_kept_free(struct et_kept *k)
{
	et_judgement_free(&k->judgement);
	et_experiment_free(k->experiment);
}
