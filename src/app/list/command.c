/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon list`: the stored experiments, the newest first. */
#include "app/compare/machines.h"
#include "base/clock.h"
#include "base/display.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/server.h"
#include "draw/table.h"
#include "model/experiment/experiment.h"
#include "report/listing.h"
#include "source/kind.h"
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

/* The campaigns of the store, the newest first. */
static int list_campaigns(const struct et_cli *cli, bool json, struct et_error *err)
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

struct config {
	bool json, machines, campaigns;
	uint64_t limit;
};

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of a table", et_set_true, ET_FILLS(config, json) },
	{ 'n', "limit", "N", "list only the newest N (all)", et_set_u64, ET_FILLS(config, limit),
		.lo = 1, .hi = INT64_MAX },
	{ 0, "machines", NULL, "list the machines that measured, and how fast they are",
		et_set_true, ET_FILLS(config, machines), .excludes = "campaigns|limit" },
	{ 0, "campaigns", NULL, "list the experiments on several machines, and how far they are",
		et_set_true, ET_FILLS(config, campaigns), .excludes = "limit" },
	{ 0 },
};

/* Where the entries of the store go: into JSON at once, or into a table. */
struct sink {
	const struct et_cli *cli;
	struct et_json *json; /* NULL: a table */
	struct et_listing table;
	bool missing; /* there is no store yet */
};

static int take(void *ctx, const struct et_summary *s)
{
	struct sink *sink = ctx;

	if (sink->json)
		et_listing_json(s, sink->json);
	else
		et_listing_add(&sink->table, s, et_stored_mark(sink->cli, s));
	return 0;
}

/* A store that does not exist yet is an empty list. */
static int read_store(const char *url, uint64_t limit, struct sink *sink, struct et_error *err)
{
	struct et_store *store = NULL;
	int rc = et_server_open(url, ET_STORE_READ, &store, err);

	sink->missing = rc == -ENOENT;
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	rc = et_store_list(store, limit, take, sink, err);
	et_store_close(store);
	return rc;
}

static void print_empty(const struct et_cli *cli, const char *url, bool missing)
{
	ET_AUTO_FREE char *shown = et_store_url_without_secrets(url);
	ET_AUTO_FREE char *clean = et_clean(shown, "");
	ET_AUTO_FREE char *cure = et_server_cure_missing(cli, missing ? clean : "");

	et_say(stderr, "nothing is stored yet in %s\nhint: %s\n", clean, cure);
}

static int list(const struct et_cli *cli, const struct config *config, struct et_error *err)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct sink sink = { .cli = cli, .table.now_wall_ns = et_clock_read_ns(CLOCK_REALTIME) };
	struct et_json json;
	ET_AUTO_FREE char *url = et_cli_store_url(cli);

	et_json_init(&json, stdout, 2);
	if (config->json) {
		et_json_array(&json, NULL);
		sink.json = &json;
	}
	int rc = read_store(url, config->limit, &sink, err);
	if (config->json)
		et_json_end(&json);
	else if (sink.table.table.n_cells)
		et_listing_text(&sink.table, &page);
	else if (!rc && cli->verbosity >= 0)
		print_empty(cli, url, sink.missing);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_list = {
	.name = "list",
	.summary = "list the stored experiments, the newest first",
	.usage = "[options]",
	.about = "SAMPLES does not count warm-up. An experiment that is 'running' may also have\n"
		 "been killed; 'etalon run --resume ID' continues it, and 'etalon profile --resume "
		 "ID'\n"
		 "a profile, which [p] marks. 'etalon doe run PLAN' continues one of [doe].",
	.examples = "  etalon list\n  etalon list -n 5\n  etalon list --json\n"
		    "  etalon list --machines\n  etalon list --campaigns\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_operands ops;
	struct config config = { 0 };
	struct et_error err;
	int rc, status = et_cli_parse(cli, &et_verb_list, argc, argv, &config, &ops);

	if (status >= 0)
		return status;
	if (ops.n_before || ops.n_after)
		rc = et_refuse(
			&err, "use 'etalon show ID' for one experiment", "list takes no operands");
	else if (config.campaigns)
		rc = list_campaigns(cli, config.json, &err);
	else if (config.machines)
		rc = et_fleet_list(cli, config.json, &err);
	else
		rc = list(cli, &config, &err);
	et_operands_free(&ops);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
