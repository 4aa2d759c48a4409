/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/trusted.h"
#include "report/review.h"
#include "source/stored.h"

const char *et_trusted_list(void)
{
	static char *path;
	ET_AUTO_FREE char *folder = path ? NULL : et_cli_state_dir();

	if (!path && folder)
		path = et_asprintf("%s/begun", folder);
	else if (!path)
		path = et_asprintf("%s/.local/state/etalon/begun", et_cli_home());
	return path;
}

/* On stderr: standard output may be the record. */
static void review(void *ctx, const struct et_experiment *e)
{
	const struct et_cli *cli = ctx;
	struct et_page page = { .out = stderr, .width = cli->columns };

	et_review_print(e, &page);
}

struct et_trust et_trusted(const struct et_cli *cli, bool given)
{
	const char *spool = getenv("ETALON_SPOOL");

	return (struct et_trust){ .list = et_trusted_list(),
		.own_place =
			et_stored_is_spooled(cli) ? !spool || !*spool : !et_cli_store_given(cli),
		.given = given,
		.review = review,
		.ctx = (void *)cli };
}
