/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words and files of `etalon doe run`. */
#include "app/doe/findings.h"
#include "app/doe/function.h"
#include "app/doe/run.h"
#include "app/doe/view_status.h"
#include "base/alloc.h"
#include "base/display.h"
#include "base/parse.h"
#include "model/design/progress.h"
#include "stats/compare/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void et_doe_run_announce(const struct et_doe_running *r)
{
	struct et_design_progress p;
	char left[ET_LEFT];

	if (r->cli->verbosity < 0)
		return;
	et_design_progress_read(et_session_experiment(r->m.session), &p);
	fprintf(r->m.text, "continuing %s: %" PRIu64 " of %" PRIu64 " runs are done%s",
		r->earlier->id, p.done, p.total, et_format_left(p.left_ns, left));
	if (p.n_failed)
		fprintf(r->m.text, "; %zu that failed %s tried again", p.n_failed,
			p.n_failed == 1 ? "is" : "are");
	putc('\n', r->m.text);
	fflush(r->m.text);
	et_design_progress_free(&p);
}

/* Failures that are shown as they happen, with the last lines of the program; and named at the end.
 */
enum { FULLY = 2, NAMED = 8 };

void et_doe_run_failed(void *ctx, uint32_t command, const struct et_error *why)
{
	struct et_measuring *m = ctx;

	(void)command;
	if (m->failures++ >= FULLY && m->cli->verbosity < 1)
		return;
	et_progress_erase(&m->progress);
	(void)!et_cli_fail(why);
}

/* Once, after as many runs as a round has: an experiment may take a night. */
void et_doe_run_noted(void *ctx, const struct et_progress_note *n)
{
	struct et_measuring *m = ctx;
	const struct et_doe_running *r = m->owner;
	const struct et_experiment *e = et_session_experiment(m->session);

	if (n->turns != e->n_commands || n->turns == n->all_turns)
		return;
	ET_AUTO_FREE char *none = et_asprintf("none of the first %zu runs", e->n_commands);
	et_progress_erase(&m->progress);
	et_doe_warn_function(&r->plan, e, none);
}

/* How to look at the result: the plan's path, as a shell takes it. */
static char *analysis_of(const struct et_doe_running *r)
{
	const char *store = r->cli->store;
	char **words = et_strv_of(
		"etalon", "doe", "analyse", r->path, store ? "--store" : NULL, store, NULL);
	char *line = et_join_words(words);

	et_strv_free(words);
	return line;
}

static int write_record(struct et_doe_running *r, const struct et_experiment *e)
{
	struct et_judgement j;
	struct et_error err;
	int status = ET_EXIT_DONE;

	if (!r->outputs.n)
		return status;
	et_judge(e, &j);
	if (r->m.session)
		et_warnings_append(&j.warnings, et_session_warnings(r->m.session));
	if (et_outputs_write(&r->outputs, e, &j, &err))
		status = et_cli_fail(&err);
	et_judgement_free(&j);
	return status;
}

int et_doe_run_done(struct et_doe_running *r)
{
	ET_AUTO_FREE char *analysis = analysis_of(r);

	if (r->cli->verbosity >= 0)
		fprintf(r->m.text,
			"%s is done: all runs of the plan '%s' are measured\n"
			"hint: run '%s' to see the result; doe run --new measures it again\n",
			r->earlier->id, r->earlier->label, analysis);
	return write_record(r, r->earlier);
}

/* A treatment that failed is missing in the analysis. */
static void print_failures(const struct et_doe_running *r, const struct et_experiment *e,
	const struct et_design_progress *p)
{
	size_t left = r->cli->verbosity > 0 ? p->n_failed : NAMED;
	char why[80];

	if (!p->n_failed)
		return;
	et_say(stderr, "etalon: %zu of %zu did not get all runs, because the program failed:\n",
		p->n_failed, p->n_cells);
	for (size_t i = 0; left && i < p->n_cells; i++) {
		if (!p->cells[i].is_failed)
			continue;
		ET_AUTO_FREE char *name = et_clean(e->commands[i].name, "");
		et_say(stderr, "  %s: %s\n", name, et_doe_format_failure(&p->cells[i], why));
		left--;
	}
	if (!left && p->n_failed > NAMED && r->cli->verbosity < 1)
		et_say(stderr, "  and %zu more, which 'etalon doe status' lists\n",
			p->n_failed - NAMED);
	et_say(stderr, "hint: run '%s' to try them again\n", r->m.resumption);
}

static int interrupted(const struct et_doe_running *r, const struct et_design_progress *p,
	const struct et_error *err)
{
	char left[ET_LEFT];

	if (err->what[0])
		(void)!et_cli_fail(err);
	et_say(stderr,
		"etalon: interrupted; every finished sample is stored: %" PRIu64 " of %" PRIu64
		" runs are done%s\n"
		"hint: run '%s' to continue\n",
		p->done, p->total, et_format_left(p->left_ns, left), r->m.resumption);
	return 128 + r->m.interrupt->signal;
}

static void print_result(const struct et_doe_running *r, const struct et_experiment *e,
	const struct et_design_progress *p)
{
	ET_AUTO_FREE char *analysis = analysis_of(r);

	struct et_error err;

	if (et_doe_print_findings(r->cli, e, r->m.text, &err) == 0) {
		if (r->cli->verbosity >= 0)
			fprintf(r->m.text, "kept as %s: %s\n", e->id, analysis);
		return;
	}
	fprintf(r->m.text, "%" PRIu64 " runs of %zu treatment%s and %zu program%s are measured\n",
		p->done, e->design->n_treatments, e->design->n_treatments == 1 ? "" : "s",
		e->design->n_programs, e->design->n_programs == 1 ? "" : "s");
	fprintf(r->m.text, "kept as %s: %s\n", e->id, analysis);
}

int et_doe_run_conclude(struct et_doe_running *r, int *rc, struct et_error *err)
{
	const struct et_experiment *e = et_session_experiment(r->m.session);
	struct et_design_progress p;
	int status = ET_EXIT_DONE;

	if (*rc && *rc != -EINTR && *rc != -EAGAIN)
		return status;
	et_design_progress_read(e, &p);
	if (*rc == -EAGAIN) { /* the hook `reboot` follows, which has its own words */
		*rc = 0;
	} else if (*rc) {
		status = interrupted(r, &p, err);
		*rc = 0;
	} else {
		if (et_doe_check_function(&r->plan, e, "no run", err))
			status = et_cli_fail(err);
		else
			print_result(r, e, &p);
		print_failures(r, e, &p);
		if (p.n_failed)
			status = ET_EXIT_PROGRAM;
	}
	et_design_progress_free(&p);
	int written = write_record(r, e);
	return status ? status : written;
}
