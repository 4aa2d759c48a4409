/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a campaign is: for `doe status`, and at the end of `doe run --engine`. */
#include "base/display.h"
#include "base/json.h"
#include "campaign/campaign.h"
#include "draw/terminal.h"
#include "model/experiment/field_rows.h"

enum { SHOWN = 8 };

struct et_campaign_counts et_campaign_count(const struct et_campaign *c)
{
	struct et_campaign_counts n = { 0 };
	size_t *const of[] = { &n.todo, &n.running, &n.done, &n.failed };

	for (size_t i = 0; i < c->n_parts; i++)
		++*of[c->parts[i].state];
	return n;
}

static const char *verb_of(const struct et_campaign *c)
{
	return c->kind == ET_CAMPAIGN_DOE ? "doe run" : "run";
}

/* A part of a run is a machine. */
static const char *noun_of(const struct et_campaign *c, size_t n)
{
	static const char *const nouns[2][2] = { { "part", "parts" }, { "machine", "machines" } };

	return nouns[c->kind == ET_CAMPAIGN_RUN][n != 1];
}

/* "part 3 (rounds 5 to 8)", or the node of a run. */
static char *name_of(const struct et_campaign *c, const struct et_part *p)
{
	const char *node = p->ran_on ? p->ran_on : p->node;
	ET_AUTO_FREE char *on = node ? et_asprintf(" on %s", node) : et_strdup("");

	if (c->kind == ET_CAMPAIGN_RUN)
		return et_asprintf("part %u%s", p->number, on);
	if (p->rounds == 1)
		return et_asprintf("part %u (round %u)%s", p->number, p->first_round, on);
	return et_asprintf("part %u (rounds %u to %u)%s", p->number, p->first_round,
		p->first_round + p->rounds - 1, on);
}

/* Lists up to SHOWN parts of a state with their reasons, below a heading if there are any. */
static void list_parts(
	const struct et_campaign *c, enum et_part_state state, const char *heading, FILE *out)
{
	size_t left = SHOWN, more = 0;

	for (size_t i = 0; i < c->n_parts; i++) {
		const struct et_part *p = &c->parts[i];
		if (p->state != state)
			continue;
		if (left == SHOWN)
			fputs(heading, out);
		more += !left;
		if (!left)
			continue;
		left--;
		ET_AUTO_FREE char *name = name_of(c, p);
		ET_AUTO_FREE char *line = p->error && state != ET_PART_RUNNING
						  ? et_asprintf("%s: %s", name, p->error)
						  : et_strdup(name);
		ET_AUTO_FREE char *clean = et_clean(line, "");
		fprintf(out, "  %s\n", clean);
	}
	if (more)
		fprintf(out, "  and %zu more\n", more);
}

void et_campaign_status_text(const struct et_campaign *c, const struct et_page *page)
{
	struct et_campaign_counts n = et_campaign_count(c);
	ET_AUTO_FREE char *label = et_clean(c->label ? c->label : "", "");
	ET_AUTO_FREE char *engine = et_clean(c->engine, "");

	fprintf(page->out, "campaign %s%s%s on %s: %zu of %zu parts are done", c->id,
		*label ? " of " : "", label, engine, n.done, c->n_parts);
	if (n.running)
		fprintf(page->out, ", %zu running", n.running);
	if (n.todo)
		fprintf(page->out, ", %zu waiting", n.todo);
	if (n.failed)
		fprintf(page->out, ", %zu failed", n.failed);
	putc('\n', page->out);
	list_parts(c, ET_PART_RUNNING, "running:\n", page->out);
	list_parts(c, ET_PART_FAILED, "failed:\n", page->out);
	if (n.done < c->n_parts)
		fprintf(page->out, "hint: 'etalon %s --attach %s' %s\n", verb_of(c), c->id,
			n.failed && !n.running && !n.todo ? "repeats the parts that failed"
							  : "continues and watches it");
}

static const struct et_field part_fields[] = {
	ET_KEY(et_part, "part", number),
	ET_KEY_NAME(et_part, "state", state, et_part_state_names),
	ET_KEYS(et_part, first_round, rounds),
	ET_KEY(et_part, "wanted_node", node),
	ET_KEY(et_part, "node", ran_on),
	ET_KEYS(et_part, attempt, generation, job, error),
	ET_KEYS_GIVEN(et_part, experiment),
	{ 0 },
};

void et_campaign_status_json(const struct et_campaign *c, struct et_json *w)
{
	struct et_campaign_counts n = et_campaign_count(c);

	et_json_object(w, NULL);
	et_json_string(w, "campaign", c->id);
	et_json_string(w, "label", c->label);
	et_json_string(w, "engine", c->engine);
	et_json_u64(w, "parts_total", c->n_parts);
	et_json_u64(w, "done", n.done);
	et_json_u64(w, "running", n.running);
	et_json_u64(w, "waiting", n.todo);
	et_json_u64(w, "failed", n.failed);
	et_fields_list(w, "parts", part_fields, c->parts, c->n_parts, sizeof(*c->parts));
	et_json_end(w);
}

/* The option that a hint needs, with a space before it, or "". */
static char *store_words(const struct et_campaigning *r)
{
	return r->cli->store ? et_asprintf(" --store %s", r->url) : et_strdup("");
}

static bool has_jobs(const struct et_campaigning *r)
{
	for (size_t i = 0; i < r->c->n_parts; i++) {
		if (r->c->parts[i].generation && r->c->parts[i].state != ET_PART_DONE)
			return true;
	}
	return r->submitted;
}

int et_campaigning_conclude(const struct et_campaigning *r)
{
	struct et_campaign_counts n = et_campaign_count(r->c);

	if (!n.failed)
		return ET_EXIT_DONE;
	et_say(stderr, "etalon: %zu of %zu %s failed:\n", n.failed, r->c->n_parts,
		noun_of(r->c, r->c->n_parts));
	list_parts(r->c, ET_PART_FAILED, "", stderr);
	ET_AUTO_FREE char *store = store_words(r);
	et_say(stderr, "hint: mend the cause; then 'etalon %s --attach %s%s' repeats them\n",
		verb_of(r->c), r->c->id, store);
	return ET_EXIT_PROGRAM;
}

static void announce(const struct et_campaigning *r, bool again)
{
	const struct et_campaign *c = r->c;
	struct et_campaign_counts n = et_campaign_count(c);

	if (r->cli->verbosity < 0)
		return;
	if (again)
		fprintf(r->text, "continuing campaign %s: %zu of %zu %s %s done\n", c->id, n.done,
			c->n_parts, noun_of(c, c->n_parts), c->n_parts == 1 ? "is" : "are");
	else
		fprintf(r->text, "campaign %s: %zu %s on %s\n", c->id, c->n_parts,
			noun_of(c, c->n_parts), c->engine);
	fflush(r->text);
}

static int cancel(struct et_campaigning *r, struct et_error *err)
{
	struct et_campaign_counts before = et_campaign_count(r->c);
	int rc = et_campaigning_cancel(r, err);
	const struct et_campaign *c = r->c;
	struct et_campaign_counts n = et_campaign_count(c);
	bool ended = before.done + before.failed == c->n_parts;

	if (rc == 0 && r->cli->verbosity >= 0)
		fprintf(r->text, "campaign %s %s: %zu of %zu %s %s done\n", c->id,
			ended ? "had ended before" : "is cancelled", n.done, c->n_parts,
			noun_of(c, c->n_parts), c->n_parts == 1 ? "is" : "are");
	return rc;
}

/* After Ctrl-C: how to return. */
static int detach(const struct et_campaigning *r)
{
	const char *verb = verb_of(r->c), *id = r->c->id;
	ET_AUTO_FREE char *store = store_words(r);

	et_say(stderr,
		"etalon: detached; %s\n"
		"hint: return with 'etalon %s --attach %s%s'; end %s with 'etalon %s --cancel "
		"%s%s'\n",
		has_jobs(r) ? "the jobs continue" : "no job was submitted yet", verb, id, store,
		has_jobs(r) ? "them" : "it", verb, id, store);
	return 128 + r->interrupt->signal;
}

int et_campaigning_return(struct et_campaigning *r, const char *name, enum et_campaign_kind kind,
	struct et_error *err)
{
	bool cancel = r->cli->engine.cancel;
	int rc = et_campaigning_attach(r, name, !cancel, err);

	if (rc || r->c->kind == kind)
		return rc;
	return et_hint(err,
		et_refuse(err, NULL,
			kind == ET_CAMPAIGN_DOE ? "campaign %s has no plan: 'etalon run' began it"
						: "campaign %s is a designed experiment",
			r->c->id),
		"use 'etalon %s --%s %s'", verb_of(r->c), cancel ? "cancel" : "attach", r->c->id);
}

int et_campaigning_follow(struct et_campaigning *r, bool again, int (*conclude)(void *ctx),
	void *ctx, int *status, struct et_error *err)
{
	if (r->cli->engine.cancel)
		return cancel(r, err);
	announce(r, again);
	int rc = et_campaigning_drive(r, err);
	if (rc == 0)
		*status = conclude(ctx);
	else if (rc == -EINTR)
		*status = detach(r);
	return rc == -EINTR ? 0 : rc;
}
