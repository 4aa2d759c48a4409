/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cutoffs that were learned on this machine, in the store, and `etalon daemons forget`. */
#include "app/daemons/daemons.h"
#include "base/clock.h"
#include "base/parse.h"
#include "cli/ask.h"
#include "cli/environment.h"
#include "host/daemons.h"
#include "host/host.h"
#include "model/experiment/machine_id.h"
#include "source/stored.h"
#include "store/core/cutoffs.h"

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

void et_here_read_host(struct et_here *p)
{
	et_host_read("", &p->host);
	et_host_identity("", p->machine, sizeof(p->machine));
	p->services[0] = '\0';
}

void et_here_read(struct et_here *p)
{
	struct et_machine m;

	et_here_read_host(p);
	et_cli_machine(&m);
	et_services_digest(&m, p->services);
	et_machine_free(&m);
}

/* Kept with its first experiment: cutoffs that are found in it again are as old as it is. */
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

int et_learned_store(const struct et_cli *cli, const struct et_daemon_record *r,
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
		et_here_read_host(&here);
	memcpy(c.host, here.host.name, sizeof(c.host));
	memcpy(c.kernel, here.host.kernel, sizeof(c.kernel));
	memcpy(c.cpu, here.host.cpu, sizeof(c.cpu));
	memcpy(c.machine, here.machine, sizeof(c.machine));
	memcpy(c.services, here.services, sizeof(c.services));
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

int et_learned_load(const struct et_cli *cli, const struct et_here *here, struct et_cutoffs *out,
	bool *there, struct et_error *err)
{
	struct et_store *store;

	*there = false;
	int rc = et_stored_open(cli, ET_STORE_READ, &store, err);
	if (rc)
		return rc;
	rc = et_cutoffs_load(store, here->machine, here->host.name, out, there, err);
	et_store_close(store);
	return rc;
}

/* --- forget --- */

static bool is_kept(struct et_store *s, const char *id)
{
	char found[40];

	return *id && et_store_find(s, id, found, NULL) == 0;
}

/* The samples are experiments like others, and have not been removed with the cutoffs. */
static void print_way_back(struct et_store *s, const struct et_cutoffs *c)
{
	bool second = is_kept(s, c->long_id);

	if (is_kept(s, c->short_id) && (second || !*c->long_id))
		printf("to get it back, run 'etalon daemons analyse %s%s%s --keep'\n", c->short_id,
			second ? " " : "", c->long_id);
	else
		printf("its samples are not stored any more; run 'etalon daemons learn' to learn "
		       "again\n");
}

static int forget(const struct et_cli *cli, const struct et_here *here, const struct et_cutoffs *c,
	const char *learned, struct et_error *err)
{
	struct et_store *store;

	int rc = et_stored_open(cli, ET_STORE_WRITE, &store, err);
	if (rc)
		return rc;
	rc = et_cutoffs_forget(store, here->machine, here->host.name, err);
	if (rc == 0 && cli->verbosity >= 0) {
		printf("removed the cutoffs of this machine: %s\n", learned ? learned : "damaged");
		if (learned)
			print_way_back(store, c);
	}
	et_store_close(store);
	return rc;
}

/* Without a terminal nobody can answer, so --yes is needed. learned is NULL if it is damaged. */
static int confirm(bool yes, const char *learned, bool *agreed, struct et_error *err)
{
	*agreed = yes;
	if (yes)
		return 0;
	if (!et_can_ask())
		return et_refuse(
			err, "add --yes", "daemons forget cannot ask: there is no terminal");
	ET_AUTO_FREE char *about = et_asprintf("The cutoffs of this machine %s%s.",
		learned ? "were " : "cannot be read", learned ? learned : "");
	*agreed = et_ask(about, "Remove them?");
	return 0;
}

int et_daemons_forget(const struct et_cli *cli, bool yes, struct et_error *err)
{
	struct et_cutoffs c = { 0 };
	struct et_here here;
	bool there, agreed;

	et_here_read_host(&here);
	int rc = et_learned_load(cli, &here, &c, &there, err);
	if (!there) {
		if (rc && rc != -ENOENT)
			return rc;
		if (cli->verbosity >= 0)
			printf("nothing is learned on this machine\n");
		return 0;
	}
	/* They may be damaged, and are to be removed nevertheless. */
	ET_AUTO_FREE char *learned = rc ? NULL : et_learned_describe(&c);
	rc = confirm(yes, learned, &agreed, err);
	if (rc == 0 && agreed)
		rc = forget(cli, &here, &c, learned, err);
	et_cutoffs_free(&c);
	return rc;
}
