/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/environment.h"
#include "base/alloc.h"
#include "base/json.h"
#include "report/units.h"

#include <string.h>

#define BOLD "1"
#define DIM "2"
#define GOOD "32"
#define WARNING "33"

enum { GAP = 2, LEAST_STATE = 12, LEAST_WANTED = 12, OK_COLUMNS = 2, INDENT = 4, LEAD = 10 };

/* --- findings --- */

struct columns {
	int factor, state, wanted;
};

static int at_least(int width, const char *text)
{
	ET_AUTO_FREE char *clean = et_clean(text, "");
	int columns = et_columns(clean);

	return columns > width ? columns : width;
}

/* The state gets the width that the others leave; a narrow page omits the wanted state. */
static struct columns measure(const struct et_findings *f, int width)
{
	struct columns c = { 6, 5, 6 };

	for (size_t i = 0; i < f->n; i++) {
		c.factor = at_least(c.factor, f->list[i].factor);
		c.state = at_least(c.state, f->list[i].state);
		c.wanted = at_least(c.wanted, f->list[i].wanted);
	}
	int rest = width - c.factor - OK_COLUMNS - 3 * GAP;
	if (c.state + c.wanted <= rest)
		return c;
	if (rest < LEAST_STATE + LEAST_WANTED) {
		c.wanted = 0;
		c.state = rest + GAP < LEAST_STATE ? LEAST_STATE : rest + GAP;
		return c;
	}
	if (c.wanted > rest / 2)
		c.wanted = c.state < rest / 2 ? rest - c.state : rest / 2;
	c.state = rest - c.wanted;
	return c;
}

static void cell(const struct et_page *p, const char *text, int width, const char *style)
{
	ET_AUTO_FREE char *clean = et_clean(text, "");
	ET_AUTO_FREE char *fitted = et_shorten(clean, width);
	bool on = p->color && style;

	if (!width)
		return;
	fprintf(p->out, "%s%s%s%s%s%*s", on ? "\033[" : "", on ? style : "", on ? "m" : "", fitted,
		on ? "\033[0m" : "", width - et_columns(fitted) + GAP, "");
}

static void print_finding(
	const struct et_finding *f, const struct et_page *p, const struct columns *c)
{
	static const char *const words[] = { ET_DASH, "ok", "no" };
	static const char *const styles[] = { DIM, GOOD, WARNING };
	bool on = p->color;

	cell(p, f->factor, c->factor, NULL);
	cell(p, f->state, c->state, NULL);
	cell(p, f->wanted, c->wanted, NULL);
	fprintf(p->out, "%s%s%s%s%s\n", on ? "\033[" : "", on ? styles[f->verdict] : "",
		on ? "m" : "", words[f->verdict], on ? "\033[0m" : "");
}

void et_findings_print(const struct et_findings *f, const struct et_page *p, bool verbose)
{
	struct columns c = measure(f, p->width);

	cell(p, "FACTOR", c.factor, BOLD);
	cell(p, "STATE", c.state, BOLD);
	cell(p, "WANTED", c.wanted, BOLD);
	fprintf(p->out, "OK\n");
	for (size_t i = 0; i < f->n; i++) {
		const struct et_finding *x = &f->list[i];
		print_finding(x, p, &c);
		if (!verbose)
			continue;
		ET_AUTO_FREE char *why = et_asprintf("%s (%s)", x->why, x->severity);
		et_page_paragraph(p, LEAD, "    why", DIM, why, NULL);
		if (x->verdict == ET_VERDICT_DISTURBS)
			et_page_paragraph(p, LEAD, "    how", DIM, x->fix, NULL);
	}
}

void et_findings_write(const struct et_findings *f, struct et_json *j, const char *key)
{
	et_json_array(j, key);
	for (size_t i = 0; i < f->n; i++) {
		const struct et_finding *x = &f->list[i];
		et_json_object(j, NULL);
		et_json_string(j, "factor", x->factor);
		et_json_string(j, "state", x->state);
		et_json_string(j, "wanted", x->wanted);
		if (x->verdict == ET_VERDICT_UNKNOWN)
			et_json_null(j, "ok");
		else
			et_json_bool(j, "ok", x->verdict == ET_VERDICT_FINE);
		et_json_string(j, "severity", x->severity);
		et_json_string(j, "why", x->why);
		et_json_string(j, "fix", x->fix);
		et_json_bool(j, "changeable", x->changeable);
		et_json_end(j);
	}
	et_json_end(j);
}

void et_findings_json(const struct et_findings *f, FILE *out)
{
	struct et_json j;

	et_json_init(&j, out, 2);
	et_findings_write(f, &j, NULL);
}

/* --- what runs --- */

enum group { STOPS, KEEPS, OTHERS, KERNEL, GROUPS };

static enum group group_of(const struct et_running *r)
{
	if (r->kernel)
		return KERNEL;
	return r->why ? KEEPS : r->group ? STOPS : OTHERS;
}

void et_running_print(const struct et_running_list *r, const struct et_page *p)
{
	static const char *const leads[] = { "stops", "keeps", "others", "kernel" };
	static const char *const styles[] = { WARNING, DIM, BOLD, DIM };

	for (enum group g = STOPS; g < GROUPS; g++) {
		ET_AUTO_FREE char *names = NULL;
		for (size_t i = 0; i < r->n; i++) {
			const struct et_running *x = &r->list[i];
			if (group_of(x) != g)
				continue;
			ET_AUTO_FREE char *clean = et_clean(x->name, "");
			et_append(&names, ", ", "%s", clean);
			if (x->n > 1)
				et_append(&names, " ", "(%zu)", x->n);
		}
		et_page_paragraph(p, LEAD, leads[g], styles[g], names ? names : ET_DASH, NULL);
	}
}

static void string_or_null(struct et_json *j, const char *key, const char *text)
{
	if (text)
		et_json_string(j, key, text);
	else
		et_json_null(j, key);
}

void et_running_json(const struct et_running_list *r, FILE *out)
{
	struct et_json j;

	et_json_init(&j, out, 2);
	et_json_array(&j, NULL);
	for (size_t i = 0; i < r->n; i++) {
		const struct et_running *x = &r->list[i];
		et_json_object(&j, NULL);
		et_json_string(&j, "name", x->name);
		et_json_u64(&j, "processes", x->n);
		et_json_bool(&j, "kernel_threads", x->kernel);
		string_or_null(&j, "factor", x->group);
		string_or_null(&j, "kept", x->why);
		et_json_end(&j);
	}
	et_json_end(&j);
}

/* --- results --- */

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool alike(const struct et_result *a, const struct et_result *b)
{
	const struct et_change *x = &a->change, *y = &b->change;

	return a->outcome == b->outcome && x->kind == ET_CHANGE_FILE && y->kind == ET_CHANGE_FILE &&
	       !strcmp(x->factor, y->factor) && !strcmp(x->before, y->before) &&
	       !strcmp(x->after, y->after) && !strcmp(file_name(x->target), file_name(y->target)) &&
	       !strcmp(a->note ? a->note : "", b->note ? b->note : "");
}

/* "cron.service: stop", "atd (process 123): continue", "/path: 2 → 0". The caller frees it. */
static char *describe_change(const struct et_change *c, size_t more, bool restoring)
{
	char others[32] = "";

	if (more)
		snprintf(others, sizeof(others), " and %zu more", more);
	switch (c->kind) {
	case ET_CHANGE_UNIT:
		return et_asprintf("%s: %s", c->target,
			strcmp(restoring ? c->before : c->after, "active") ? "stop" : "start");
	case ET_CHANGE_PROCESS:
		return et_asprintf(
			"%s (process %d): %s", c->target, c->pid, restoring ? "continue" : "hold");
	default:
		return et_asprintf("%s%s: %s → %s", c->target, others,
			restoring ? c->after : c->before, restoring ? c->before : c->after);
	}
}

static void print_result(
	const struct et_result *r, size_t more, const struct et_page *p, bool restoring)
{
	static const struct {
		const char *word, *style;
	} words[] = {
		[ET_OUTCOME_PLANNED] = { "planned", NULL },
		[ET_OUTCOME_MADE] = { "done", GOOD },
		[ET_OUTCOME_AGAIN] = { "again", GOOD },
		[ET_OUTCOME_RESTORED] = { "restored", GOOD },
		[ET_OUTCOME_ALREADY] = { "already", NULL },
		[ET_OUTCOME_RESET] = { "rebooted", NULL },
		[ET_OUTCOME_GONE] = { "gone", NULL },
		[ET_OUTCOME_FOREIGN] = { "changed", WARNING },
		[ET_OUTCOME_LEFT] = { "left", NULL },
		[ET_OUTCOME_FAILED] = { "FAILED", WARNING },
	};
	ET_AUTO_FREE char *what = describe_change(&r->change, more, restoring);
	ET_AUTO_FREE char *text = NULL;

	if (r->outcome == ET_OUTCOME_LEFT && r->change.pid)
		text = et_asprintf("%s (process %d): %s", r->change.target, r->change.pid, r->note);
	else if (r->outcome == ET_OUTCOME_LEFT)
		text = et_asprintf("%s: %s", r->change.target, r->note);
	else if (r->outcome == ET_OUTCOME_FOREIGN)
		text = et_asprintf("%s: was %s before etalon, but %s; it was changed since, so "
				   "etalon leaves it "
				   "as it is",
			r->change.target, r->change.before, r->note);
	else
		text = et_asprintf("%s%s%s", what, r->note ? ": " : "", r->note ? r->note : "");
	et_page_paragraph(p, LEAD, words[r->outcome].word, words[r->outcome].style, text, NULL);
}

void et_results_print(const struct et_results *r, const struct et_page *p, bool restoring)
{
	for (size_t i = 0; i < r->n;) {
		size_t more = 0;
		while (i + more + 1 < r->n && alike(&r->list[i], &r->list[i + more + 1]))
			more++;
		print_result(&r->list[i], more, p, restoring);
		i += more + 1;
	}
}
