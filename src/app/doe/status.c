/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe status PLAN`: how far the experiment of a plan has come. */
#include "app/doe/doe.h"
#include "app/doe/parts.h"
#include "app/doe/view_status.h"
#include "base/alloc.h"
#include "base/display.h"
#include "base/parse.h"
#include "campaign/campaign.h"
#include "source/stored.h"

#include <errno.h>
#include <string.h>

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
static void show_all(
	struct et_cli *cli, const struct et_doe_request *r, const struct et_doe_loaded *l)
{
	char **words = et_strv_of("etalon", "doe", "run", l->plan, NULL);
	ET_AUTO_FREE char *line = l->plan ? et_join_words(words) : NULL;
	struct et_json w;

	et_strv_free(words);
	et_json_init(&w, stdout, 2);
	if (r->json && l->n > 1)
		et_json_array(&w, NULL);
	for (size_t i = 0; i < l->n; i++) {
		if (!r->json && l->n > 1)
			et_say(stdout, "%s%s, on %s: ", i ? "\n" : "", l->list[i]->id,
				l->list[i]->host.name);
		show(cli, l->list[i], line, r->json ? &w : NULL);
	}
	if (r->json && l->n > 1)
		et_json_end(&w);
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

int et_doe_status(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *r = call->ctx;
	struct et_doe_loaded l = { .whole = true };
	int rc = et_doe_load(cli, call->operands[0], &l, err);

	if (rc == 0 && l.campaign)
		show_campaign(cli, r, l.campaign);
	else if (rc == 0)
		show_all(cli, r, &l);
	et_doe_loaded_free(&l);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}
