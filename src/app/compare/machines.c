/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/compare/machines.h"
#include "app/compare/fleet.h"
#include "app/compare/view.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/display.h"
#include "base/figure.h"
#include "cli/outputs.h"
#include "cli/server.h"
#include "report/warning.h"
#include "source/chosen.h"
#include "source/stored.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int fetch(const struct et_cli *cli, const struct et_operands *ops, struct et_chosen *c,
	struct et_error *err)
{
	size_t n = ops->n_before + ops->n_after;
	int rc = 0;

	if (!n)
		return et_refuse(err, "run 'etalon list' to see the labels",
			"compare --by machine needs a label, a campaign or experiments");
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = et_chosen_add(c, cli,
			i < ops->n_before ? ops->before[i] : ops->after[i - ops->n_before], err);
	return rc;
}

/* --- printing --- */

static void write_json(const struct et_by_machine *o, const struct et_fleet *f, FILE *out)
{
	ET_AUTO_FREE char *verdict = et_machines_verdict(f);
	struct et_json w;

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "by", "machine");
	et_json_double(&w, "alpha", o->alpha);
	et_json_string(&w, "reference", f->reference);
	et_json_u64(&w, "programs", f->n_programs);
	et_json_u64(&w, "programs_by_cpu_time", f->n_cpu);
	et_json_string(&w, "verdict", verdict);
	et_json_bool(&w, "between_sessions", f->between_sessions);
	et_warnings_json(&w, &f->warnings);
	et_machines_json(f, "machines", &w);
	et_json_end(&w);
}

static struct et_page page_of(const struct et_cli *cli, FILE *out)
{
	return (struct et_page){ out, cli->columns, cli->color, cli->full_names };
}

static int print(const struct et_cli *cli, const struct et_by_machine *o, const struct et_fleet *f,
	struct et_error *err)
{
	bool standard = o->json && !strcmp(o->json, "-");
	struct et_page page = page_of(cli, standard ? stderr : stdout);
	struct et_output out;

	et_machines_text(f, et_clock_read_ns(CLOCK_REALTIME), &page);
	int rc = standard ? 0 : et_cli_close_output(stdout, "-", err);
	if (rc || !o->json)
		return rc;
	FILE *file = et_output_start(&out, o->json, err);
	if (file)
		write_json(o, f, file);
	return et_output_finish(&out, 0, err);
}

/* One line per machine that is surely slower than allowed, or one that there is none. */
static bool fails(const struct et_fleet *f, double limit)
{
	const char *than = f->reference ? f->reference : "the fleet";
	char allowed[ET_FIGURE];
	bool any = false;

	et_format_percent(limit, allowed);
	for (size_t i = 0; i < f->n; i++) {
		const struct et_fleet_machine *m = &f->list[i];
		if (!m->differs || !(m->lo > 1 + limit))
			continue;
		any = true;
		et_say(stderr, "etalon: REGRESSION: %s is slower than %s by %s, limit %s\n",
			m->name, than, et_format_change_span(m->ratio, m->lo, m->hi, ET_BUF),
			allowed);
	}
	if (!any && !f->between_sessions)
		et_say(stderr, "etalon: undecided: no machine was measured twice, limit %s\n",
			allowed);
	else if (!any)
		et_say(stderr,
			"etalon: no regression: no machine is slower than %s by more than %s\n",
			than, allowed);
	return any;
}

int et_compare_machines(const struct et_cli *cli, const struct et_by_machine *o,
	const struct et_operands *ops, bool *regressed, struct et_error *err)
{
	struct et_chosen c = { 0 };
	struct et_fleet f = { 0 };
	int rc = fetch(cli, ops, &c, err);

	if (rc == 0)
		rc = et_fleet_of_experiments(
			c.list, c.n_list, o->alpha, o->metric, o->reference, &f, err);
	if (rc == 0 && f.n < 2)
		rc = et_refuse(err, "run 'etalon list --machines' to see the machines of the store",
			"compare --by machine needs experiments of at least two machines");
	if (rc == 0)
		rc = print(cli, o, &f, err);
	if (rc == 0 && isfinite(o->fail_ratio))
		*regressed = fails(&f, o->fail_ratio);
	et_fleet_free(&f);
	et_chosen_free(&c);
	return rc;
}

void et_compare_campaign(const struct et_cli *cli, struct et_store *s, const char *id, FILE *out)
{
	struct et_page page = page_of(cli, out);
	struct et_chosen c = { 0 };
	struct et_fleet f = { 0 };

	if (et_chosen_add_parts(&c, s, id, NULL) == 0 &&
		et_fleet_of_experiments(c.list, c.n_list, 0.05, ET_METRIC_AUTO, NULL, &f, NULL) ==
			0 &&
		f.n > 1)
		et_machines_text(&f, et_clock_read_ns(CLOCK_REALTIME), &page);
	et_fleet_free(&f);
	et_chosen_free(&c);
}

/* --- list --machines, report --machines --- */

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

static void print_list(const struct et_cli *cli, const struct et_fleet *f)
{
	struct et_page page = page_of(cli, stdout);
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
		print_list(cli, &fleet);
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
