/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon daemons show` and `analyse`: cutoffs, and the runs that they come from. */
#include "app/daemons/daemons.h"
#include "app/daemons/view.h"
#include "base/clock.h"
#include "base/display.h"
#include "host/host.h"
#include "model/experiment/machine_id.h"
#include "protocol/daemons.h"
#include "session/removal.h"
#include "source/stored.h"
#include "store/core/cutoffs.h"

#include <errno.h>
#include <string.h>

int et_daemons_analyse_operands(const struct et_cli *cli, char *const *names, size_t n,
	const char *command, bool keep, struct et_daemons_output *out, struct et_error *err)
{
	struct et_daemons_source source;
	struct et_daemon_findings found;

	int rc = et_daemons_source_open(cli, names, n, command, &source, err);
	if (rc)
		return rc;
	rc = et_daemons_analyse(&source.record, source.name, &found, err);
	if (rc == 0) {
		rc = et_daemons_report(cli, &source.record, &found, source.name, out, err);
		if (rc == 0 && keep)
			rc = et_daemons_store(cli, &source.record, &found,
				&(struct et_learned_from){
					.short_id = source.short_id, .long_id = source.long_id },
				err);
		et_daemon_findings_free(&found);
	}
	et_daemons_source_free(&source);
	return rc;
}

/* --- show --- */

static int load(const struct et_cli *cli, struct et_cutoffs *out, struct et_error *err)
{
	struct et_store *store;
	struct et_host host;
	char machine[ET_MACHINE_SIZE];
	bool there = false;
	int rc = et_stored_open(cli, ET_STORE_READ, &store, err);

	if (rc)
		return rc;
	et_host_read("", &host);
	et_host_identity("", machine, sizeof(machine));
	rc = et_cutoffs_load(store, machine, host.name, out, &there, err);
	et_store_close(store);
	if (rc == 0 && !there)
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE,
				"no cutoffs are stored for this machine"),
			"run 'etalon daemons learn'");
	return rc;
}

/* The runs that cutoffs were learned from, analysed again. */
struct remade {
	bool there;
	struct et_daemons_source source;
	struct et_daemon_findings found;
};

static int remake(const struct et_cli *cli, const struct et_cutoffs *c, const char *command,
	struct remade *out, struct et_error *err)
{
	if (!c->short_id[0])
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE,
				"the cutoffs come from a file: their runs are not stored"),
			"run 'etalon daemons analyse --tables FILE'");
	char *ids[] = { (char *)c->short_id, (char *)c->long_id };
	int rc =
		et_daemons_source_open(cli, ids, c->long_id[0] ? 2 : 1, command, &out->source, err);
	if (rc == -ENOENT)
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_OUTSIDE,
				"the runs that the cutoffs were learned from are not stored any "
				"more (%s%s%s)",
				c->short_id, c->long_id[0] ? ", " : "", c->long_id),
			"the cutoffs are still valid; run 'etalon daemons learn' for new tables");
	if (rc)
		return rc;
	out->source.record.snapshots_ms = c->floor_ms; /* as it was measured then */
	rc = et_daemons_analyse(&out->source.record, out->source.name, &out->found, err);
	if (rc)
		et_daemons_source_free(&out->source);
	out->there = rc == 0;
	return rc;
}

static void remade_free(struct remade *m)
{
	if (!m->there)
		return;
	et_daemon_findings_free(&m->found);
	et_daemons_source_free(&m->source);
}

static bool same_cutoffs(const struct et_cutoffs *c, const struct et_daemon_findings *f)
{
	for (size_t i = 0; c->n == f->n_cutoffs && i < c->n; i++) {
		const struct et_cutoff *a = &c->list[i], *b = &f->cutoffs[i];
		if (strcmp(a->daemon, b->daemon) != 0 || a->n_final != b->n_final ||
			a->final_ms[0] != b->final_ms[0] ||
			(a->n_final > 1 && a->final_ms[1] != b->final_ms[1]))
			return false;
	}
	return c->n == f->n_cutoffs;
}

/* Another version of etalon may have found other cutoffs in the same runs. */
static void note_difference(const struct et_cutoffs *c, const struct et_daemon_findings *f)
{
	if (!same_cutoffs(c, f))
		et_say(stderr,
			"etalon: the stored cutoffs differ from these, which are found in the same "
			"runs now\nhint: run 'etalon daemons analyse --keep %s%s%s' to store "
			"these\n",
			c->short_id, c->long_id[0] ? " " : "", c->long_id);
}

/* The cutoffs, and the runs that they come from. */
struct shown {
	struct et_cutoffs cutoffs;
	struct et_warnings warnings;
	uint64_t now_ns;
	struct remade runs;
};

static void print(const struct et_cli *cli, const struct shown *s,
	const struct et_daemon_tables *tables, const struct et_daemons_output *out)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_cutoffs_runs runs = { .tables = tables };

	if (s->runs.there) {
		runs.record = &s->runs.source.record;
		runs.found = &s->runs.found;
	}
	if (!et_daemons_prints(out))
		return;
	if (tables && !out->json)
		et_daemons_print_tables(cli, tables, out);
	else
		et_cutoffs_show(&s->cutoffs, s->now_ns, &s->warnings, &runs, out->json, &page);
}

static int print_tables(const struct et_cli *cli, const struct shown *s, char *const *names,
	size_t n, const struct et_daemons_output *out, struct et_error *err)
{
	struct et_daemons_tables tables;
	int rc = 0;

	et_daemons_tables_make(&s->runs.source.record, &s->runs.found, &tables);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = et_daemons_tables_add(cli, names[i], &tables, err);
	if (rc == 0) {
		struct et_daemon_tables view = et_daemons_tables_view(
			&tables, &s->runs.source.record, &s->runs.found, out->wanted);
		print(cli, s, &view, out);
		note_difference(&s->cutoffs, &s->runs.found);
	}
	et_daemons_tables_free(&tables);
	return rc;
}

static int write_page(const struct shown *s, struct et_daemons_output *out, struct et_error *err)
{
	FILE *f = et_output_begin(&out->output, err);

	if (!f)
		return -EIO;
	et_cutoffs_page(&s->cutoffs, s->now_ns, &s->warnings, f);
	return et_output_end(&out->output, err);
}

/* Warns about cutoffs of another machine, kernel or time. */
static void warn(struct shown *s)
{
	struct et_host host;
	char machine[sizeof(s->cutoffs.machine)];

	et_host_read("", &host);
	et_host_identity("", machine, sizeof(machine));
	if (s->cutoffs.machine[0] && !et_machine_same(s->cutoffs.machine, machine))
		et_warn(&s->warnings, ET_WARN_CUTOFFS_OTHER_MACHINE);
	et_cutoffs_warn(&s->cutoffs,
		&(struct et_learning_place){ .kernel = host.kernel,
			.cpu = "",
			.machine = "",
			.services = "",
			.tuned = s->cutoffs.tuned,
			.factors = "",
			.wall_ns = s->now_ns },
		&s->warnings);
}

int et_daemons_show(const struct et_cli *cli, char *const *names, size_t n, const char *command,
	struct et_daemons_output *out, struct et_error *err)
{
	struct shown s = { .now_ns = et_clock_read_ns(CLOCK_REALTIME) };
	struct et_error gone; /* without --tables the runs are an addition, which may be gone */

	int rc = load(cli, &s.cutoffs, err);
	if (rc)
		return rc;
	warn(&s);
	rc = remake(cli, &s.cutoffs, command, &s.runs, out->tables ? err : &gone);
	if (!out->tables) {
		print(cli, &s, NULL, out);
		rc = 0;
	} else if (rc == 0) {
		rc = print_tables(cli, &s, names, n, out, err);
	}
	if (rc == 0)
		rc = et_cli_close_output(stdout, "-", err);
	if (rc == 0 && out->page)
		rc = write_page(&s, out, err);
	remade_free(&s.runs);
	et_warnings_free(&s.warnings);
	et_cutoffs_free(&s.cutoffs);
	return rc;
}
