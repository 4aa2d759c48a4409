/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Begins a campaign, or returns to one. */
#include "campaign/campaign.h"
#include "base/clock.h"
#include "base/memstream.h"
#include "base/parse.h"
#include "campaign/preflight.h"
#include "cli/server.h"
#include "record/format.h"
#include "report/review.h"
#include "source/trusted.h"

#include <sys/random.h>

/* --- the store: which one can be used, and its parts when all is cancelled --- */

int et_campaigning_open(struct et_campaigning *r, struct et_error *err)
{
	ET_AUTO_FREE char *url = et_cli_store_url(r->cli);
	ET_AUTO_FREE char *shown = et_store_url_without_secrets(url);

	if (!et_store_url_is_server(url) && !r->any_store)
		return et_refuse(err,
			"use --store postgresql://HOST/DATABASE; 'man etalon-doe' explains how to "
			"make one",
			"an experiment on other machines needs a store that they reach, "
			"and a file is not one");
	/* Jobs and records would spread a password; every machine has a file for it. */
	if (strcmp(shown, url) != 0)
		return et_refuse(err,
			"put it into ~/.pgpass or a service file on each machine, and omit it",
			"a password in the URL of the store would be sent to all machines");
	free(r->url);
	r->url = et_strdup(url);
	return et_server_open(url, ET_STORE_WRITE, &r->store, err);
}

/* The fence of all parts is raised: an attempt that the engine cannot end delivers nothing. */
static int fail_all(struct et_campaigning *r, const char *why, struct et_error *err)
{
	struct et_campaign_decision d;
	ET_AUTO_FREE struct et_job_report *none = et_calloc(r->c->n_parts, sizeof(*none));
	int rc = 0;

	et_campaign_decide(r->c, none, 0, &d);
	for (uint32_t i = 0; rc == 0 && i < r->c->n_parts; i++) {
		if (r->c->parts[i].state == ET_PART_DONE)
			continue;
		rc = et_campaign_fail_attempt(
			r->store, r->c->id, i, et_attempt_number(d.generation, 0), why, true, err);
		if (rc == -ESTALE)
			rc = 0;
	}
	et_campaign_decision_free(&d);
	return rc;
}

void et_campaigning_discard(struct et_campaigning *r, const char *why)
{
	struct et_error ignored = { 0 };

	/* Of several arrays, some may have been accepted. */
	(void)!r->engine->ops->cancel(r->engine, &ignored);
	/* A user who may only add rows keeps a campaign that has failed. */
	if (r->store && et_campaign_remove(r->store, r->c->id, &ignored))
		(void)!fail_all(r, why, &ignored);
}

int et_campaigning_cancel(struct et_campaigning *r, struct et_error *err)
{
	return fail_all(r, "cancelled", err) ?: r->engine->ops->cancel(r->engine, err)
		?: et_campaign_refresh(r->store, r->c, err);
}

static int reset_failed(struct et_campaigning *r, struct et_error *err)
{
	struct et_campaign *c = r->c;
	ET_AUTO_FREE uint32_t *failed = et_calloc(c->n_parts, sizeof(*failed));
	size_t n = 0;

	for (size_t i = 0; i < c->n_parts; i++) {
		if (c->parts[i].state == ET_PART_FAILED)
			failed[n++] = c->parts[i].number;
	}
	return n ? et_campaign_reset(r->store, c->id, failed, n, err) : 0;
}

/* --- trust --- */

/* A row of the central store decides what runs on all machines, and each of them can write rows. */

/* The path of etalon on the machines of an engine, by the command line. */
static char *etalon_of(const struct et_campaigning *r, const char *engine)
{
	const char *given = r->cli->engine.etalon_path;
	char self[4096];

	/* Machines of a cluster share folders, hosts of ssh need not. */
	if (given || strcmp(engine, "slurm") != 0 || et_cli_own_path(self, sizeof(self), NULL))
		return et_strdup(given ? given : "etalon");
	return et_strdup(self);
}

static bool is_own(const struct et_campaign_summary *s, const char *name)
{
	bool named = !strcmp(name, "last") || (s->label && !strcmp(s->label, name));

	return named && et_trust_knows_campaign(et_trusted_list(), s->id);
}

int et_campaigning_find(
	struct et_campaigning *r, const char *name, char id[40], struct et_error *err)
{
	struct et_campaign_summary *list = NULL;
	size_t n = 0, i = 0;
	int rc = et_campaign_find(r->store, name, true, id, err);

	if (rc || !strcmp(name, id) || et_trust_knows_campaign(et_trusted_list(), id))
		return rc;
	if (et_campaign_list(r->store, &list, &n, NULL))
		return 0;
	while (i < n && !is_own(&list[i], name))
		i++;
	if (i < n)
		memcpy(id, list[i].id, sizeof(list[i].id));
	et_campaign_list_free(list, n);
	return 0;
}

/* On stderr: standard output may be read by a program. */
static void review(void *ctx, const struct et_experiment *none)
{
	const struct et_campaigning *r = ctx;
	struct et_page page = { .out = stderr, .width = r->cli->columns };
	struct et_review_words words = { r->options.extra, r->options.etalon };
	struct et_experiment *e = NULL;

	(void)none;
	if (et_campaign_read_record(r->c->record, &e, NULL))
		e = NULL;
	et_review_campaign(r->c, e, &words, &page);
	et_experiment_free(e);
}

/* Refuses a campaign of others unless it is trusted, and sets the options that no store decides. */
static int trust(struct et_campaigning *r, const char *name, struct et_error *err)
{
	const struct et_engine_wish *w = &r->cli->engine;
	ET_AUTO_FREE char *way = et_asprintf(
		"etalon %s --%s", r->verb ? r->verb : "doe run", w->cancel ? "cancel" : "attach");
	struct et_trust ask = et_trusted(r->cli, w->trust);

	ask.named = name;
	ask.way = way;
	ask.review = review;
	ask.ctx = r;
	free(r->options.extra);
	free(r->options.etalon);
	r->options.extra = w->extra ? et_strdup(w->extra) : NULL;
	r->options.etalon = etalon_of(r, r->c->engine);
	ET_AUTO_FREE char *words = et_campaign_words_write(&r->options);
	return et_trust_campaign(&ask, r->c, &words, err)
		       ?: et_campaign_words_read(words, &r->options, err);
}

/* --- the engine --- */

static int open_engine(struct et_campaigning *r, const char *engine, struct et_error *err)
{
	const char *colon = strchr(engine, ':');
	ET_AUTO_FREE char *name =
		colon ? et_asprintf("%.*s", (int)(colon - engine), engine) : et_strdup(engine);
	const struct et_engine_ops *ops = r->ops ? r->ops : et_engine_find(name);
	const struct et_campaign_options *o = &r->options;

	if (!ops || (!strcmp(name, "ssh") && (!colon || !colon[1])) ||
		(!strcmp(name, "slurm") && colon))
		return et_refuse(
			err, "use slurm, or ssh:HOST,HOST…", "--engine: '%s' is not known", engine);
	if (o->extra && et_split_words(o->extra, &r->extra, err))
		return -EINVAL;
	r->setup = (struct et_engine_setup){ .hosts = colon ? colon + 1 : NULL,
		.nodes = o->nodes,
		.partition = o->partition,
		.constraint = o->constraint,
		.account = o->account,
		.extra = (const char *const *)r->extra,
		.time_limit_ns = o->time_limit_ns,
		.etalon = o->etalon,
		.copy = o->copy,
		.scratch = getenv("XDG_RUNTIME_DIR") ? getenv("XDG_RUNTIME_DIR") : getenv("TMPDIR"),
		.name = r->name,
		.id = r->c->id,
		.later = r->c->n_parts > 0,
		.stop = r->interrupt ? &r->interrupt->signal : NULL };
	return ops->open(&r->setup, &r->engine, err);
}

static char *copy_of(const char *text)
{
	return text ? et_strdup(text) : NULL;
}

/* A new campaign without parts, with an id. */
static int create(
	struct et_campaigning *r, const struct et_campaign_plan *plan, struct et_error *err)
{
	const struct et_engine_wish *w = &r->cli->engine;
	struct et_experiment named = { 0 };
	uint64_t random = 0, now_ns = et_clock_real.wall_ns(NULL);
	if (getrandom(&random, sizeof(random), 0) < 0)
		return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "cannot get random numbers");
	et_experiment_name(&named, now_ns, random);
	r->c = et_calloc(1, sizeof(*r->c));
	memcpy(r->c->id, named.id, sizeof(r->c->id));
	r->c->label = copy_of(plan->label);
	r->c->kind = plan->kind;
	r->c->engine = et_strdup(w->engine);
	r->c->created_wall_ns = now_ns;
	r->name = et_strdup(plan->label ? plan->label : r->c->id);
	r->options = (struct et_campaign_options){ .partition = copy_of(w->partition),
		.constraint = copy_of(w->constraint),
		.nodes = copy_of(w->nodes),
		.account = copy_of(w->account),
		.extra = copy_of(w->extra),
		.etalon = etalon_of(r, w->engine),
		.time_limit_ns = w->time_limit_ns,
		.copy = w->copy,
		.job = { .env = plan->env.apply,
			.env_only = copy_of(plan->env.only),
			.env_except = copy_of(plan->env.except),
			.no_ledger = plan->no_ledger,
			.choose_metronome = plan->e->plan.metronome_ns == ET_METRONOME_AUTO } };
	r->c->options = et_campaign_options_write(&r->options);
	return 0;
}

int et_campaigning_open_engine(
	struct et_campaigning *r, const struct et_campaign_plan *plan, struct et_error *err)
{
	return create(r, plan, err) ?: open_engine(r, r->cli->engine.engine, err);
}

/* --- beginning --- */

void et_campaigning_print_job(const struct et_campaigning *r, uint32_t generation, FILE *out)
{
	et_job_write(r->c, &r->options.job, r->url, generation, out);
}

static int divide(struct et_campaigning *r, const struct et_campaign_plan *plan, char **nodes,
	struct et_error *err)
{
	const struct et_engine_wish *w = &r->cli->engine;
	struct et_division d = { .rounds = plan->e->plan.runs,
		.warmup = plan->e->plan.warmup,
		.part_rounds = w->part_rounds,
		.nodes = nodes,
		.per_machine = plan->per_machine || w->per_machine,
		.seed = plan->e->plan.seed };

	if (plan->kind == ET_CAMPAIGN_RUN) { /* a part is the whole run, one per machine */
		d.rounds = d.part_rounds = 1;
		d.per_machine = true;
	}
	return et_division_make(&d, &r->c->parts, &r->c->n_parts, err);
}

static int check_nodes(struct et_campaigning *r, char **nodes, struct et_error *err)
{
	struct et_preflight_setup setup = {
		.nodes = nodes, .etalon = r->options.etalon, .store = r->url
	};

	if (!nodes[0])
		return et_fail_hint(err, ENODEV, ET_EXIT_OUTSIDE,
			"see 'sinfo', or name other machines", "the engine has no machine to use");
	if (r->cli->engine.no_preflight)
		return 0;
	return et_preflight(r->cli, r->engine, &setup, r->text, err);
}

/* A file of hosts may change or be away when somebody attaches: its hosts are kept. */
static void keep_hosts(struct et_campaign *c, char *const *nodes)
{
	if (strncmp(c->engine, "ssh:@", 5) != 0)
		return;
	free(c->engine);
	c->engine = et_strdup("ssh:");
	for (char *const *n = nodes; *n; n++)
		et_append(&c->engine, n == nodes ? "" : ",", "%s", *n);
}

int et_campaigning_begin(
	struct et_campaigning *r, const struct et_campaign_plan *plan, struct et_error *err)
{
	char **nodes = NULL;
	struct et_memstream record;
	int rc = r->engine->ops->nodes(r->engine, &nodes, err) ?: check_nodes(r, nodes, err)
		?: divide(r, plan, nodes, err);

	if (rc == 0)
		keep_hosts(r->c, nodes);
	et_strv_free(nodes);
	if (r->interrupt && r->interrupt->signal)
		return et_fail(err, EINTR, (enum et_exit)(128 + r->interrupt->signal),
			"interrupted; nothing was submitted");
	if (rc == 0 && r->engine->ops->check)
		rc = r->engine->ops->check(r->engine, r->c->n_parts, err);
	if (rc)
		return rc;
	et_native_write_plan(plan->e, et_memstream_open(&record));
	r->c->record = et_memstream_close(&record);
	rc = et_store_claim(r->store, r->c->id, err);
	r->claimed = rc == 0;
	if (rc == 0) { /* it is the user's own before it is stored */
		ET_AUTO_FREE char *words = et_campaign_words_write(&r->options);
		et_trust_begin_campaign(et_trusted_list(), r->c, words);
		rc = et_campaign_begin(r->store, r->c, err);
	}
	r->begun = rc == 0;
	return rc;
}

/* --- returning --- */

int et_campaigning_attach(
	struct et_campaigning *r, const char *name, bool again, struct et_error *err)
{
	char id[40];
	int rc = et_campaigning_find(r, name, id, err) ?: et_campaign_load(r->store, id, &r->c, err)
		?: et_campaign_options_read(r->c->options, &r->options, err);

	if (rc)
		return rc;
	if (!r->c->own)
		return et_hint(err,
			et_fail(err, EACCES, ET_EXIT_OUTSIDE, "campaign %s belongs to %s", id,
				r->c->owner),
			"its owner continues or cancels it; 'etalon doe status %s' shows it", id);
	rc = trust(r, name, err);
	if (rc)
		return rc;
	if (again) {
		struct et_error busy = { 0 };
		r->claimed = et_store_claim(r->store, id, &busy) == 0;
		if (r->claimed)
			rc = reset_failed(r, err);
		if (rc == 0)
			rc = et_campaign_refresh(r->store, r->c, err);
	}
	r->name = et_strdup(r->c->label ? r->c->label : r->c->id);
	return rc ? rc : open_engine(r, r->c->engine, err);
}

void et_campaigning_close(struct et_campaigning *r)
{
	if (r->engine)
		r->engine->ops->close(r->engine);
	et_store_close(r->store);
	et_campaign_free(r->c);
	et_campaign_options_free(&r->options);
	et_strv_free(r->extra);
	free(r->url);
	free(r->name);
	free(r->pending);
	for (size_t i = 0; i < ET_LENGTH(r->told); i++)
		free(r->told[i]);
}
