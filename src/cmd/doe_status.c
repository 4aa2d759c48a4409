/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe status PLAN`: how far the experiment of a plan has come. */
#include "report/doe_status.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "cmd/campaign.h"
#include "cmd/doe.h"
#include "cmd/doe_parts.h"
#include "cmd/stored.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Whether a process runs the experiment now: it holds the claim. */
static bool is_running(struct et_cli *cli, const struct et_experiment *e)
{
	struct et_store *store;
	struct et_error ignored;

	if (e->state != ET_STATE_RUNNING || et_stored_open(cli, ET_STORE_WRITE, &store, &ignored))
		return false;
	int rc = et_store_claim(store, e->id, &ignored);
	et_store_close(store);
	return rc == -EBUSY;
}

static void show(struct et_cli *cli, const struct et_experiment *e, const char *continuation,
	struct et_json *w)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_design_progress progress;
	struct et_doe_state s = { .e = e,
		.progress = &progress,
		.running = is_running(cli, e),
		.continuation = continuation };

	et_design_progress_read(e, &progress);
	if (w)
		et_doe_status_json(&s, w);
	else
		et_doe_status_text(&s, &page);
	et_design_progress_free(&progress);
}

/* Experiments of several machines are a list. */
static void show_all(struct et_cli *cli, const struct et_doe_request *r, const char *operand,
	struct et_experiment **list, size_t n)
{
	bool is_plan = access(operand, F_OK) == 0;
	char **words = et_strv_of("etalon", "doe", "run", operand, NULL);
	ET_AUTO_FREE char *line = is_plan ? et_join_words(words) : NULL;
	struct et_json w;

	et_strv_free(words);
	et_json_init(&w, stdout, 2);
	if (r->json && n > 1)
		et_json_array(&w, NULL);
	for (size_t i = 0; i < n; i++) {
		if (!r->json && n > 1)
			printf("%s%s, on %s: ", i ? "\n" : "", list[i]->id, list[i]->host.name);
		show(cli, list[i], line, r->json ? &w : NULL);
	}
	if (r->json && n > 1)
		et_json_end(&w);
}

/* Loads the campaign that an operand means; *out stays NULL if it means none. */
static int load_campaign(
	struct et_cli *cli, const char *operand, struct et_campaign **out, struct et_error *err)
{
	struct et_plan_file plan = { 0 };
	struct et_store *store = NULL;
	struct et_error ignored = { 0 };
	bool is_plan = strcmp(operand, "-") && access(operand, F_OK) == 0;
	char id[40];
	int rc = 0;

	/* Other mistakes are reported by what looks for an experiment. */
	if ((is_plan && et_doe_read_plan(operand, &plan, &ignored)) ||
		et_stored_open(cli, ET_STORE_READ, &store, &ignored)) {
		et_plan_file_free(&plan);
		return 0;
	}
	if (et_doe_find_campaign(store, is_plan ? plan.design->name : operand, NULL, id))
		rc = et_campaign_load(store, id, out, err);
	et_store_close(store);
	et_plan_file_free(&plan);
	return rc;
}

static void show_campaign(
	const struct et_cli *cli, const struct et_doe_request *r, const struct et_campaign *c)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_json w;

	et_json_init(&w, stdout, 2);
	if (r->json)
		et_campaign_status_json(c, &w);
	else
		et_campaign_status_text(c, &page);
}

int et_doe_status(struct et_cli *cli, const struct et_doe_request *r, char *const *operands,
	size_t n, int *status, struct et_error *err)
{
	struct et_experiment **list = NULL;
	struct et_campaign *campaign = NULL;
	size_t found = 0;
	int rc = load_campaign(cli, operands[0], &campaign, err);

	(void)n;
	(void)status;
	if (campaign) {
		show_campaign(cli, r, campaign);
		et_campaign_free(campaign);
		return et_cli_close_output(stdout, "-", err);
	}
	if (rc == 0)
		rc = et_doe_load(cli, operands[0], &list, &found, err);
	if (rc)
		return rc;
	show_all(cli, r, operands[0], list, found);
	for (size_t i = 0; i < found; i++)
		et_experiment_free(list[i]);
	free(list);
	return et_cli_close_output(stdout, "-", err);
}
