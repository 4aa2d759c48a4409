/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes findings about daemons: as text or JSON, as a page, into the store. */
#include "app/daemons/daemons.h"
#include "app/daemons/view.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/parse.h"
#include "cli/environment.h"
#include "host/daemons.h"
#include "host/host.h"
#include "model/experiment/machine_id.h"
#include "source/stored.h"
#include "store/core/cutoffs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

bool et_daemons_prints(const struct et_daemons_output *o)
{
	return !o->page || strcmp(o->page, "-") != 0;
}

int et_daemons_output_open(struct et_daemons_output *o, struct et_error *err)
{
	int rc = 0;

	if (o->json && !et_daemons_prints(o))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--json and --report - both write to standard output");
	if (o->svg && !strcmp(o->svg, "-"))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--svg: standard output is used for text, JSON or a page"),
			"name a file: --svg daemons.svg");
	if (o->page)
		rc = et_output_open(&o->output, o->page, err);
	if (rc == 0 && o->svg)
		rc = et_output_open(&o->pictures, o->svg, err);
	return rc;
}

void et_daemons_output_close(struct et_daemons_output *o)
{
	et_output_close(&o->output);
	et_output_close(&o->pictures);
}

static int write_files(const struct et_daemon_tables *t, const char *name,
	struct et_daemons_output *o, struct et_error *err)
{
	FILE *out = NULL;
	int rc = 0;

	if (o->output.open) {
		out = et_output_begin(&o->output, err);
		if (!out)
			return -EIO;
		et_daemons_page(t->record, t->findings, t, name, out);
		rc = et_output_end(&o->output, err);
	}
	if (rc || !o->pictures.open)
		return rc;
	out = et_output_begin(&o->pictures, err);
	if (!out)
		return -EIO;
	et_daemons_svg(t->record, t->findings, name, out);
	return et_output_end(&o->pictures, err);
}

int et_daemons_report(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, const char *name, struct et_daemons_output *o,
	struct et_error *err)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_daemons_tables tables = { 0 };
	struct et_json w;

	if (o->tables || o->page)
		et_daemons_tables_make(r, f, &tables);
	struct et_daemon_tables view =
		et_daemons_tables_view(&tables, r, f, o->tables ? o->wanted : ET_DAEMON_TABLES_ALL);
	et_json_init(&w, stdout, 2);
	if (o->json)
		et_daemons_json(r, f, o->tables ? &view : NULL, &w);
	else if (o->tables && et_daemons_prints(o))
		et_daemons_print_tables(cli, &view, o);
	else if (et_daemons_prints(o))
		et_daemons_text(r, f, &page, cli->verbosity > 0);
	int rc = et_cli_close_output(stdout, "-", err);
	if (rc == 0)
		rc = write_files(&view, name, o, err);
	et_daemons_tables_free(&tables);
	return rc;
}

char *et_learned_describe(const struct et_cutoffs *c)
{
	char when[32], each[ET_FIGURE], every[ET_FIGURE];
	char *text = NULL;

	et_append(&text, "", "learned on %.10s from %u samples of %s",
		et_format_rfc3339(c->learned_wall_ns, when), c->short_runs,
		et_format_span(c->short_seconds, each));
	if (c->long_runs)
		et_append(&text, " and ", "%u of %s", c->long_runs,
			et_format_span(c->long_seconds, every));
	et_append(&text, ", ", "%zu daemon%s with a cutoff", c->n, c->n == 1 ? "" : "s");
	if (c->unseen)
		et_append(&text, "; ",
			"processes that began and ended within a sample were not seen");
	return text;
}

static void read_host(struct et_here *p)
{
	et_host_read("", &p->host);
	et_host_identity("", p->machine, sizeof(p->machine));
	p->services[0] = '\0';
}

void et_here_read(struct et_here *p)
{
	struct et_machine m;

	read_host(p);
	et_cli_machine(&m);
	et_services_digest(&m, p->services);
	et_machine_free(&m);
}

/*
 * The circumstances of a learning are kept with its first experiment, because an experiment does
 * not have them, so that cutoffs that are found again in it are as old as it is.
 */
static char *circumstances_key(const struct et_cutoffs *c)
{
	return et_asprintf("daemons-learned %s", c->short_id);
}

static int keep_circumstances(
	struct et_store *store, const struct et_cutoffs *c, struct et_error *err)
{
	ET_AUTO_FREE char *key = circumstances_key(c);
	ET_AUTO_FREE char *wall = et_asprintf("%" PRIu64, c->learned_wall_ns);
	char **words = et_strv_of(c->machine, c->kernel, c->services, c->tuned ? "tuned" : "", wall,
		c->factors, c->unseen ? "unseen" : "", NULL);
	ET_AUTO_FREE char *text = et_join_words(words);

	et_strv_free(words);
	return et_store_set_fact(store, c->machine, key, text, err);
}

/* Leaves c as it is if they are not known, or those of another machine. */
static int load_circumstances(struct et_store *store, struct et_cutoffs *c, struct et_error *err)
{
	ET_AUTO_FREE char *key = circumstances_key(c);
	ET_AUTO_FREE char *text = NULL;
	uint64_t wall;
	char **w;

	int rc = et_store_get_fact(store, c->machine, key, &text, err);
	if (rc || !text || et_split_words(text, &w, NULL))
		return rc;
	size_t n = et_strv_length(w); /* earlier versions had five words */
	if ((n == 5 || n == 7) && et_machine_same(w[0], c->machine) &&
		et_parse_u64("the date", w[4], 0, INT64_MAX, &wall, NULL) == 0) {
		snprintf(c->kernel, sizeof(c->kernel), "%s", w[1]);
		snprintf(c->services, sizeof(c->services), "%s", w[2]);
		c->tuned = *w[3] != '\0';
		c->learned_wall_ns = wall;
		snprintf(c->factors, sizeof(c->factors), "%s", n > 5 ? w[5] : "");
		c->unseen = n > 5 && *w[6];
	}
	et_strv_free(w);
	return 0;
}

static void describe_here(struct et_cutoffs *c, const struct et_here *here)
{
	memcpy(c->host, here->host.name, sizeof(c->host));
	memcpy(c->kernel, here->host.kernel, sizeof(c->kernel));
	memcpy(c->cpu, here->host.cpu, sizeof(c->cpu));
	memcpy(c->machine, here->machine, sizeof(c->machine));
	memcpy(c->services, here->services, sizeof(c->services));
}

int et_daemons_store(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, const struct et_learned_from *from,
	struct et_error *err)
{
	struct et_cutoffs c = { .list = f->cutoffs,
		.n = f->n_cutoffs,
		.floor_ms = f->floor_ms,
		.learned_wall_ns = et_clock_read_ns(CLOCK_REALTIME),
		.tuned = from->tuned,
		.unseen = from->unseen,
		.by_ledger = r->by_ledger,
		.short_runs = r->short_run.samples,
		.short_seconds = r->short_run.sample_seconds,
		.long_runs = r->long_run.samples,
		.long_seconds = r->has_long ? r->long_run.sample_seconds : NAN };
	struct et_store *store;
	struct et_here here;

	if (from->here)
		here = *from->here;
	else
		read_host(&here);
	describe_here(&c, &here);
	snprintf(c.factors, sizeof(c.factors), "%s", from->factors ? from->factors : "");
	snprintf(c.short_id, sizeof(c.short_id), "%s", from->short_id);
	snprintf(c.long_id, sizeof(c.long_id), "%s", from->long_id);
	int rc = et_stored_open(cli, ET_STORE_WRITE, &store, err);
	if (rc)
		return rc;
	if (*c.short_id)
		rc = from->here ? keep_circumstances(store, &c, err)
				: load_circumstances(store, &c, err);
	if (rc == 0)
		rc = et_cutoffs_keep(store, &c, err);
	et_store_close(store);
	return rc;
}
