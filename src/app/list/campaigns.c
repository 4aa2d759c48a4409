/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/list/campaigns.h"
#include "base/alloc.h"
#include "base/json.h"
#include "draw/table.h"
#include "model/experiment/experiment.h"
#include "source/stored.h"
#include "store/central/campaign.h"

static const char *state_of(const struct et_campaign_summary *c)
{
	if (c->done == c->parts)
		return "done";
	if (c->running)
		return "running";
	return c->failed ? "failed" : "waiting";
}

static void write_json(const struct et_campaign_summary *list, size_t n)
{
	struct et_json w;
	char when[32];

	et_json_init(&w, stdout, 2);
	et_json_array(&w, NULL);
	for (const struct et_campaign_summary *c = list; c < list + n; c++) {
		et_json_object(&w, NULL);
		et_json_string(&w, "id", c->id);
		et_json_string(&w, "label", c->label);
		et_json_string(&w, "kind", et_campaign_kind_names[c->kind]);
		et_json_string(&w, "engine", c->engine);
		et_json_string(&w, "created", et_format_rfc3339(c->created_wall_ns, when));
		et_json_string(&w, "owner", c->owner);
		et_json_string(&w, "state", state_of(c));
		et_json_u64(&w, "parts", c->parts);
		et_json_u64(&w, "done", c->done);
		et_json_u64(&w, "running", c->running);
		et_json_u64(&w, "failed", c->failed);
		et_json_u64(&w, "machines", c->machines);
		et_json_end(&w);
	}
	et_json_end(&w);
}

static void write_text(const struct et_campaign_summary *list, size_t n, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "ID"),
		ET_COLUMN(TEXT, "STATE"), ET_COLUMN(NUMBER, "PARTS", .drop = 4),
		ET_COLUMN(NUMBER, "MACHINES", .drop = 2), ET_COLUMN(TEXT, "KIND", .drop = 1),
		ET_COLUMN(NAME, "ENGINE", .drop = 3), ET_COLUMN(NAME, "LABEL") };
	struct et_table t = { ET_COLUMNS(columns) };

	for (const struct et_campaign_summary *c = list; c < list + n; c++) {
		et_table_name(&t, c->id, NULL);
		et_table_add(&t, "%s\t%zu/%zu\t%zu\t%s", state_of(c), c->done, c->parts,
			c->machines, et_campaign_kind_names[c->kind]);
		et_table_name(&t, c->engine, NULL);
		et_table_name(&t, c->label, NULL);
	}
	et_table_print(&t, page);
}

int et_list_campaigns(const struct et_cli *cli, bool json, struct et_error *err)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_campaign_summary *list = NULL;
	struct et_store *store = NULL;
	size_t n = 0;
	int rc = et_stored_open(cli, ET_STORE_READ, &store, err);

	if (!rc)
		rc = et_campaign_list(store, &list, &n, err);
	et_store_close(store);
	if (rc)
		return rc;
	if (json)
		write_json(list, n);
	else if (n)
		write_text(list, n, &page);
	else if (cli->verbosity >= 0)
		fputs("no experiment of this store runs on several machines\n"
		      "hint: begin one: etalon doe run PLAN --engine slurm\n",
			stderr);
	et_campaign_list_free(list, n);
	return et_cli_close_output(stdout, "-", err);
}
