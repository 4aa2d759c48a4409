/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The papers' tables of daemons: adds the runs after the sanity checks to the findings. */
#include "app/daemons/daemons.h"
#include "base/alloc.h"
#include "protocol/checked.h"
#include "protocol/daemon_run.h"
#include "source/stored.h"

#include <math.h>
#include <string.h>

static void add_checked(struct et_checked **list, size_t *n, struct et_checked c)
{
	*list = et_realloc(*list, *n + 1, sizeof(**list));
	(*list)[(*n)++] = c;
}

static void add_run(struct et_daemons_tables *t, const char *name, const struct et_daemon_record *r,
	const struct et_daemon_run *run)
{
	if (!run->whole)
		return;
	add_checked(&t->checked, &t->n_checked,
		et_checked_find(name, r, run, &t->cutoffs, ET_METRIC_ELAPSED));
	add_checked(&t->checked, &t->n_checked,
		et_checked_find(name, r, run, &t->cutoffs, ET_METRIC_CPU));
	add_checked(&t->lengths, &t->n_lengths,
		et_checked_find(name, r, run, &t->cutoffs, ET_METRIC_CPU));
}

void et_daemons_tables_make(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	struct et_daemons_tables *out)
{
	*out = (struct et_daemons_tables){ .cutoffs = { .list = f->cutoffs,
						   .n = f->n_cutoffs,
						   .floor_ms = f->floor_ms,
						   .by_ledger = r->by_ledger,
						   .short_seconds = r->short_run.sample_seconds,
						   .long_seconds = NAN } };
	if (r->has_long)
		out->cutoffs.long_seconds = r->long_run.sample_seconds;
	add_run(out, "short run", r, &r->short_run);
	if (r->has_long)
		add_run(out, "long run", r, &r->long_run);
}

static void add_command(struct et_daemons_tables *t, const char *name, const struct et_command *c)
{
	struct et_daemon_record r = { 0 };

	et_daemon_run_fill(&r, &r.short_run, c);
	et_daemon_record_settle(&r);
	add_checked(&t->lengths, &t->n_lengths,
		et_checked_find(name, &r, &r.short_run, &t->cutoffs, ET_METRIC_CPU));
	et_daemon_record_free(&r);
}

int et_daemons_tables_add(const struct et_cli *cli, const char *operand,
	struct et_daemons_tables *out, struct et_error *err)
{
	struct et_experiment *e;
	int rc = et_stored_fetch(cli, operand, &e, err);

	for (size_t i = 0; rc == 0 && i < e->n_commands; i++) {
		ET_AUTO_FREE char *name =
			e->n_commands == 1 ? et_strdup(operand)
					   : et_asprintf("%s: %s", operand, e->commands[i].name);
		add_command(out, name, &e->commands[i]);
	}
	if (rc == 0)
		et_experiment_free(e);
	return rc;
}

struct et_daemon_tables et_daemons_tables_view(const struct et_daemons_tables *t,
	const struct et_daemon_record *r, const struct et_daemon_findings *f, unsigned wanted)
{
	return (struct et_daemon_tables){ .record = r,
		.findings = f,
		.checked = t->checked,
		.n_checked = t->n_checked,
		.lengths = t->lengths,
		.n_lengths = t->n_lengths,
		.wanted = wanted };
}

void et_daemons_print_tables(const struct et_cli *cli, const struct et_daemon_tables *t,
	const struct et_daemons_output *o)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };

	if (o->csv)
		et_daemon_tables_csv(t, stdout);
	else
		et_daemon_tables_text(t, &page);
}

void et_daemons_tables_free(struct et_daemons_tables *t)
{
	for (size_t i = 0; i < t->n_checked; i++)
		et_checked_free(&t->checked[i]);
	for (size_t i = 0; i < t->n_lengths; i++)
		et_checked_free(&t->lengths[i]);
	free(t->checked);
	free(t->lengths);
}
