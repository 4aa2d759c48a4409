/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/steps.h"
#include "model/experiment/field_rows.h"

enum { NOTE_COLUMN = 16 };

/* Samples of all commands, by what became of them. */
struct tally {
	size_t warmup, samples;
	size_t by_cutoff, by_value; /* removed, or marked under --keep-all */
	size_t solo;                /* samples of a command alone: check II looks at these only */
	size_t looked_at; /* by check II: those that check I left of commands with enough */
	size_t most_left; /* the same of the command with the most, enough or not */
	double longest_s; /* the longest elapsed time */
};

static bool is_ruled(
	const struct et_sample *s, enum et_removed_by by, enum et_mark mark, bool keep_all)
{
	return s->ruling.removal.by == by || (keep_all && s->ruling.marks & mark);
}

/* It had not been removed before the checks, as failed runs are. */
static bool is_judged(const struct et_sample *s)
{
	return s->ruling.removal.by == ET_KEPT || s->ruling.removal.by == ET_REMOVED_TWO_SIGMA;
}

static void count_command(
	const struct et_experiment *e, const struct et_command *c, size_t least, struct tally *t)
{
	bool keep_all = e->plan.keep_all, first = e->first_check.state == ET_FIRST_CHECK_DONE;
	size_t left = 0;

	et_for_each_sample(s, &c->samples) {
		bool hit = first && is_ruled(s, ET_REMOVED_DAEMON_CUTOFF, ET_MARK_DAEMON, keep_all);
		if (s->place.warmup) {
			t->warmup++;
			continue;
		}
		t->samples++;
		if (s->measured.elapsed_ns != ET_UNKNOWN)
			t->longest_s = fmax(t->longest_s, 1e-9 * (double)s->measured.elapsed_ns);
		t->by_cutoff += hit;
		t->by_value += is_ruled(s, ET_REMOVED_TWO_SIGMA, ET_MARK_TWO_SIGMA, keep_all);
		t->solo += s->place.arrangement == ET_SOLO;
		left += s->place.arrangement == ET_SOLO && !hit && is_judged(s);
	}
	t->looked_at += left >= least ? left : 0;
	t->most_left = left > t->most_left ? left : t->most_left;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void add_runs(struct et_steps *s, const struct et_experiment *e, const struct tally *t)
{
	char *note = NULL;

	et_append(&note, "", "%zu sample%s", t->samples, plural(t->samples));
	if (e->n_commands > 1)
		et_append(&note, " of ", "%zu commands", e->n_commands);
	et_append(&note, ", ", "%zu warm-up run%s", t->warmup, plural(t->warmup));
	et_steps_add(
		s, "runs", e->state == ET_STATE_DONE ? ET_STEP_DONE : ET_STEP_INTERRUPTED, note);
}

static char *removed(const struct et_experiment *e, size_t n, size_t of)
{
	return et_asprintf("%zu of %zu samples %s", n, of,
		e->plan.keep_all ? "marked (--keep-all)" : "removed");
}

/* The note about the first check; *state is the step's, of a check that was not possible. */
static char *first_note(const struct et_experiment *e, const struct tally *t, const char *misfit,
	enum et_step_state *state)
{
	const struct et_first_check *c = &e->first_check;
	char *note;

	switch (c->state) {
	case ET_FIRST_CHECK_DONE:
		*state = ET_STEP_DONE;
		note = removed(e, t->by_cutoff, t->samples);
		et_append(&note, ", ", "%u daemon%s with a cutoff", c->cutoffs, plural(c->cutoffs));
		return note;
	case ET_FIRST_CHECK_LENGTH:
		return et_asprintf("the learning had much shorter samples: run 'etalon daemons "
				   "learn --long-seconds %.0f'",
			fmax(8, ceil(t->longest_s)));
	case ET_FIRST_CHECK_MISFIT:
		return et_steps_misfit(misfit);
	case ET_FIRST_CHECK_UNSEEN:
		return et_strdup("the processes beside the runs could not be seen");
	case ET_FIRST_CHECK_WITHDRAWN:
		*state = ET_STEP_SKIPPED;
		return et_asprintf(
			"it would have removed %u of %zu samples", c->would_remove, t->samples);
	default:
		return et_strdup("no daemons are learned on this machine");
	}
}

static void add_second(
	struct et_steps *s, const struct et_experiment *e, const struct tally *t, size_t least)
{
	static const char name[] = "check II";

	if (t->samples && !t->solo)
		et_steps_add(s, name, ET_STEP_SKIPPED,
			et_strdup(et_command_arrangement(&e->commands[0]) == ET_PACED
					  ? "paced samples are not judged by it"
					  : "duets are judged by their pairs"));
	else if (t->most_left >= least)
		et_steps_add(s, name, ET_STEP_DONE, removed(e, t->by_value, t->looked_at));
	else
		et_steps_add(s, name, ET_STEP_NOT_POSSIBLE,
			et_asprintf("%zu sample%s left, and it needs %zu", t->most_left,
				t->most_left == 1 ? " is" : "s are", least));
}

char *et_steps_misfit(const char *misfit)
{
	return et_asprintf("the daemons were learned %s; learn them again with --learn quick (ten "
			   "minutes)",
		misfit ? misfit : "in another environment");
}

void et_steps_add_checks(
	struct et_steps *s, const struct et_experiment *e, size_t least, const char *misfit)
{
	enum et_step_state state = ET_STEP_NOT_POSSIBLE;
	struct tally t = { 0 };

	for (size_t c = 0; c < e->n_commands; c++)
		count_command(e, &e->commands[c], least, &t);
	add_runs(s, e, &t);
	char *note = first_note(e, &t, misfit, &state);
	et_steps_add(s, "check I", state, note);
	add_second(s, e, &t, least);
}

void et_steps_print(const struct et_steps *s, const struct et_page *page)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct et_step *step = &s->list[i];
		ET_AUTO_FREE char *lead = et_asprintf("  %-*s", NOTE_COLUMN - 3, step->name);
		et_page_say(page, NOTE_COLUMN, lead, "2", NULL, "%s%s%s",
			et_step_state_names[step->state], *step->note ? ": " : "", step->note);
	}
}

void et_steps_json(const struct et_steps *s, struct et_json *w)
{
	ET_FIELDS(fields, ET_KEY(et_step, "step", name),
		ET_KEY_NAME(et_step, "state", state, et_step_state_names), ET_KEYS(et_step, note));

	et_json_object(w, "emp");
	et_fields_list(w, "steps", fields, s->list, s->n, sizeof(*s->list));
	et_json_end(w);
}
