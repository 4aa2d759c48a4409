/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/environment.h"
#include "base/json.h"
#include "draw/table.h"

#define BOLD "1"
#define DIM "2"
#define GOOD "32"
#define WARNING "33"

enum { LEAD = 10 };

/* --- findings --- */

void et_findings_print(const struct et_findings *f, const struct et_page *p, bool verbose)
{
	static const char *const words[] = { ET_DASH, "ok", "no" };
	static const char *const styles[] = { DIM, GOOD, WARNING };
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "FACTOR"),
		ET_COLUMN(NAME, "STATE"), ET_COLUMN(NAME, "WANTED", .drop = 1),
		ET_COLUMN(TEXT, "OK") };
	struct et_table t = { ET_COLUMNS(columns) };

	for (size_t i = 0; i < f->n; i++) {
		const struct et_finding *x = &f->list[i];
		et_table_name(&t, x->factor, NULL);
		et_table_name(&t, x->state, NULL);
		et_table_name(&t, x->wanted, NULL);
		et_table_text(&t, words[x->verdict], "", styles[x->verdict]);
		if (!verbose)
			continue;
		ET_AUTO_FREE char *why = et_asprintf("%s (%s)", x->why, x->severity);
		et_table_note(&t, LEAD, "    why", DIM, why);
		if (x->verdict == ET_VERDICT_DISTURBS)
			et_table_note(&t, LEAD, "    how", DIM, x->fix);
	}
	et_table_print(&t, p);
}

static void write_ok(struct et_json *j, const char *key, const void *verdict)
{
	enum et_verdict v = *(const enum et_verdict *)verdict;

	if (v == ET_VERDICT_UNKNOWN)
		et_json_null(j, key);
	else
		et_json_bool(j, key, v == ET_VERDICT_FINE);
}

ET_FIELDS(finding_fields, ET_KEYS(et_finding, factor, state, wanted),
	ET_KEY_BY(et_finding, "ok", verdict, write_ok),
	ET_KEYS(et_finding, severity, why, fix, changeable));

void et_findings_write(const struct et_findings *f, struct et_json *j, const char *key)
{
	et_json_array(j, key);
	for (size_t i = 0; i < f->n; i++)
		et_fields_object(j, NULL, finding_fields, &f->list[i]);
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

void et_running_print(const struct et_running_list *r, const struct et_page *p)
{
	static const char *const leads[] = { "stops", "keeps", "others", "kernel" };
	static const char *const styles[] = { WARNING, DIM, BOLD, DIM };

	for (enum group g = STOPS; g < GROUPS; g++) {
		ET_AUTO_FREE char *names = NULL;
		for (size_t i = 0; i < r->n; i++) {
			const struct et_running *x = &r->list[i];
			enum group of = x->kernel   ? KERNEL
					: x->why[0] ? KEEPS
					: x->group  ? STOPS
						    : OTHERS;
			if (of != g)
				continue;
			ET_AUTO_FREE char *clean = et_clean(x->name, "");
			et_append(&names, ", ", "%s", clean);
			if (x->n > 1)
				et_append(&names, " ", "(%zu)", x->n);
		}
		et_page_paragraph(p, LEAD, leads[g], styles[g], names ? names : ET_DASH, NULL);
	}
}

ET_FIELDS(running_fields, ET_KEYS(et_running, name), ET_KEY(et_running, "processes", n),
	ET_KEY(et_running, "kernel_threads", kernel), ET_KEY(et_running, "factor", group),
	ET_KEY(et_running, "kept", why, ET_GIVEN(et_running, why)));

void et_running_json(const struct et_running_list *r, FILE *out)
{
	struct et_json j;

	et_json_init(&j, out, 2);
	et_json_array(&j, NULL);
	for (size_t i = 0; i < r->n; i++)
		et_fields_object(&j, NULL, running_fields, &r->list[i]);
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
