/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a campaign is: for `doe status`, and at the end of `doe run --engine`. */
#include "base/alloc.h"
#include "base/json.h"
#include "cmd/campaign.h"
#include "report/terminal.h"

#include <string.h>

enum { SHOWN = 8 };

struct et_campaign_counts et_campaign_count(const struct et_campaign *c)
{
	struct et_campaign_counts n = { 0 };
	size_t *const of[] = { &n.todo, &n.running, &n.done, &n.failed };

	for (size_t i = 0; i < c->n_parts; i++)
		++*of[c->parts[i].state];
	return n;
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

/* Lists the parts of a state with their reasons, at most SHOWN. */
static void list_parts(const struct et_campaign *c, enum et_part_state state, FILE *out)
{
	size_t left = SHOWN, more = 0;

	for (size_t i = 0; i < c->n_parts; i++) {
		const struct et_part *p = &c->parts[i];
		if (p->state != state)
			continue;
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

	fprintf(page->out, "campaign %s%s%s on %s: %zu of %zu parts are done", c->id,
		*label ? " of " : "", label, c->engine, n.done, c->n_parts);
	if (n.running)
		fprintf(page->out, ", %zu running", n.running);
	if (n.todo)
		fprintf(page->out, ", %zu waiting", n.todo);
	if (n.failed)
		fprintf(page->out, ", %zu failed", n.failed);
	putc('\n', page->out);
	if (n.running) {
		fputs("running:\n", page->out);
		list_parts(c, ET_PART_RUNNING, page->out);
	}
	if (n.failed) {
		fputs("failed:\n", page->out);
		list_parts(c, ET_PART_FAILED, page->out);
	}
	if (n.done < c->n_parts)
		fprintf(page->out, "hint: 'etalon %s --attach %s' continues and watches it\n",
			c->kind == ET_CAMPAIGN_DOE ? "doe run" : "run", c->id);
}

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
	et_json_array(w, "parts");
	for (size_t i = 0; i < c->n_parts; i++) {
		const struct et_part *p = &c->parts[i];
		et_json_flat_object(w, NULL);
		et_json_u64(w, "part", p->number);
		et_json_string(w, "state", et_part_state_names[p->state]);
		et_json_u64(w, "first_round", p->first_round);
		et_json_u64(w, "rounds", p->rounds);
		et_json_string(w, "wanted_node", p->node);
		et_json_string(w, "node", p->ran_on);
		et_json_u64(w, "attempt", p->attempt);
		et_json_u64(w, "generation", p->generation);
		et_json_string(w, "job", p->job);
		et_json_string(w, "error", p->error);
		et_json_string(w, "experiment", p->experiment[0] ? p->experiment : NULL);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}

int et_campaigning_conclude(const struct et_campaigning *r)
{
	struct et_campaign_counts n = et_campaign_count(r->c);

	if (!n.failed)
		return ET_EXIT_DONE;
	fprintf(stderr, "etalon: %zu of %zu parts failed:\n", n.failed, r->c->n_parts);
	list_parts(r->c, ET_PART_FAILED, stderr);
	fprintf(stderr, "hint: mend the cause, and run the same command again to repeat them\n");
	return ET_EXIT_PROGRAM;
}
