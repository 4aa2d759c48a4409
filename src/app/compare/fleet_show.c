/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/compare/fleet_show.h"
#include "app/compare/fleet.h"
#include "app/compare/view_machines.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/display.h"
#include "cli/outputs.h"
#include "cli/server.h"
#include "source/stored.h"

#include <errno.h>
#include <unistd.h>

/* A store that does not exist yet has no machines. */
static int load(const struct et_cli *cli, struct et_fleet *out, struct et_error *err)
{
	struct et_store *s;
	int rc = et_stored_open(cli, ET_STORE_READ, &s, err);

	if (rc)
		return rc;
	rc = et_fleet_load(s, out, err);
	et_store_close(s);
	return rc;
}

static void print(const struct et_cli *cli, const struct et_fleet *f)
{
	struct et_page page = { .out = stdout,
		.width = cli->columns,
		.color = cli->color,
		.full_names = cli->full_names };
	ET_AUTO_FREE char *cure = et_server_cure_missing(cli, "");

	if (f->n)
		et_machines_table(f, et_clock_read_ns(CLOCK_REALTIME), false, &page);
	else if (cli->verbosity >= 0)
		et_say(stderr, "no machine is in the store yet\nhint: %s\n", cure);
}

int et_fleet_list(const struct et_cli *cli, bool json, struct et_error *err)
{
	struct et_fleet fleet = { 0 };
	struct et_json w;
	int rc = load(cli, &fleet, err);

	if (rc == -ENOENT)
		rc = 0;
	if (rc == 0 && json) {
		et_json_init(&w, stdout, 2);
		et_machines_json(&fleet, NULL, &w);
	} else if (rc == 0) {
		print(cli, &fleet);
	}
	et_fleet_free(&fleet);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}

int et_fleet_report(const struct et_cli *cli, const char *path, struct et_error *err)
{
	struct et_fleet fleet = { 0 };
	struct et_output out;
	int rc = load(cli, &fleet, err);

	if (rc)
		return rc;
	FILE *f = et_output_start(&out, path, err);
	if (f)
		et_machines_page(&fleet, et_clock_read_ns(CLOCK_REALTIME), f);
	et_fleet_free(&fleet);
	return et_output_finish(&out, 0, err);
}
