/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words and files of `etalon doe run`. */
#include "base/alloc.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "cmd/doe_findings.h"
#include "cmd/doe_run.h"
#include "model/design_progress.h"
#include "report/doe_status.h"
#include "stats/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void et_doe_run_announce(const struct et_doe_running *r)
{
	struct et_design_progress p;
	char left[ET_FIGURE + 20];

	if (r->cli->verbosity < 0)
		return;
	et_design_progress_read(r->earlier, &p);
	fprintf(r->m.text, "continuing %s: %" PRIu64 " of %" PRIu64 " runs are done%s",
		r->earlier->id, p.done, p.total, et_doe_format_left(&p, left));
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
	fprintf(stderr, "etalon: %zu of %zu did not get all runs, because the program failed:\n",
		p->n_failed, p->n_cells);
	for (size_t i = 0; left && i < p->n_cells; i++) {
		if (!p->cells[i].is_failed)
			continue;
		ET_AUTO_FREE char *name = et_clean(e->commands[i].name, "");
		fprintf(stderr, "  %s: %s\n", name, et_doe_format_failure(&p->cells[i], why));
		left--;
	}
	if (!left && p->n_failed > NAMED && r->cli->verbosity < 1)
		fprintf(stderr, "  and %zu more, which 'etalon doe status' lists\n",
			p->n_failed - NAMED);
	fprintf(stderr, "hint: run '%s' to try them again\n", r->m.resumption);
}

static int interrupted(const struct et_doe_running *r, const struct et_design_progress *p,
	const struct et_error *err)
{
	char left[ET_FIGURE + 20];

	if (err->what[0])
		(void)!et_cli_fail(err);
	fprintf(stderr,
		"etalon: interrupted; every finished sample is stored: %" PRIu64 " of %" PRIu64
		" runs are done%s\n"
		"hint: run '%s' to continue\n",
		p->done, p->total, et_doe_format_left(p, left), r->m.resumption);
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

/* Whether a function of that name, of another program or build, has a smaller number. */
static bool is_earlier(const struct et_profile *p, size_t function)
{
	size_t i = 0;

	while (i < function && strcmp(p->functions[i].name, p->functions[function].name))
		i++;
	return i < function;
}

/* A misspelt function would have a time of 0 in all runs. */
static int check_function(const struct et_experiment *e, struct et_error *err)
{
	static const char prefix[] = "profile:";
	const char *wish = e->design->response;
	const struct et_profile *p = e->profile;
	ET_AUTO_FREE char *seen = NULL;
	size_t shown = 0;

	if (!wish || strncmp(wish, prefix, sizeof(prefix) - 1) || !p)
		return 0;
	wish += sizeof(prefix) - 1;
	struct et_nearest n = et_nearest_to(wish);
	for (size_t i = 0; i < p->n_functions; i++) {
		if (!strcmp(p->functions[i].name, wish))
			return 0;
		et_nearest_offer(&n, p->functions[i].name);
		if (shown < 10 && p->functions[i].space == ET_SPACE_USER &&
			!p->functions[i].unnamed && !is_earlier(p, i) && ++shown)
			et_append(&seen, ", ", "%s", p->functions[i].name);
	}
	int rc = et_fail(err, ENOENT, ET_EXIT_USAGE,
		"response: no run was ever seen in a function '%s'", wish);
	if (n.best)
		return et_hint(err, rc, "did you mean '%s'? then run it again with --new", n.best);
	return et_hint(
		err, rc, seen ? "functions that were seen: %s" : "make the runs longer", seen);
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
		if (check_function(e, err))
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
