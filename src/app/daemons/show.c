/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon daemons show` and `analyse`: cutoffs, the runs that they come from, and the outputs. */
#include "app/daemons/daemons.h"
#include "base/clock.h"
#include "base/display.h"
#include "model/experiment/machine_id.h"
#include "protocol/daemons.h"
#include "session/removal.h"

#include <errno.h>
#include <string.h>

/* --- outputs --- */

/* Whether stdout gets text or JSON, not the page. */
static bool prints(const struct et_daemons_output *o)
{
	return !o->page || strcmp(o->page, "-") != 0;
}

int et_daemons_output_open(struct et_daemons_output *o, struct et_error *err)
{
	int rc = 0;

	if (o->json && !prints(o))
		return et_refuse(err, NULL, "--json and --report - both write to standard output");
	if (o->svg && !strcmp(o->svg, "-"))
		return et_refuse(err, "name a file: --svg daemons.svg",
			"--svg: standard output is used for text, JSON or a page");
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

static struct et_page page_of(const struct et_cli *cli)
{
	return (struct et_page){ .out = stdout, .width = cli->columns, .color = cli->color };
}

static void print_tables(const struct et_cli *cli, const struct et_daemon_result *r, bool csv)
{
	struct et_page page = page_of(cli);

	et_daemon_tables_write(r, csv ? (struct et_daemon_tables_to){ .csv = stdout }
				      : (struct et_daemon_tables_to){ .text = &page });
}

static void print_result(const struct et_cli *cli, const struct et_daemon_result *r,
	const struct et_daemons_output *o)
{
	struct et_page page = page_of(cli);
	struct et_json w;

	et_json_init(&w, stdout, 2);
	if (o->json)
		et_daemons_json(r, &w);
	else if (o->wanted && prints(o))
		print_tables(cli, r, o->csv);
	else if (prints(o))
		et_daemons_text(r, &page, cli->verbosity > 0);
}

static int write_files(const struct et_daemon_result *r, const char *name,
	struct et_daemons_output *o, struct et_error *err)
{
	struct et_output *const files[] = { &o->output, &o->pictures };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ET_LENGTH(files); i++) {
		FILE *out = files[i]->open ? et_output_begin(files[i], err) : NULL;
		if (!files[i]->open)
			continue;
		if (!out)
			return -EIO;
		(i ? et_daemons_svg : et_daemons_page)(r, name, out);
		rc = et_output_end(files[i], err);
	}
	return rc;
}

int et_daemons_report(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, const char *name, struct et_daemons_output *o,
	struct et_error *err)
{
	struct et_daemon_result result = { .record = r, .findings = f, .wanted = o->wanted };

	if (o->wanted || o->page)
		et_daemon_tables_make(&result);
	print_result(cli, &result, o);
	int rc = et_cli_close_output(stdout, "-", err);
	/* A page has all tables unless some are chosen. */
	result.wanted = o->wanted ? o->wanted : ET_DAEMON_TABLES_ALL;
	if (rc == 0)
		rc = write_files(&result, name, o, err);
	et_daemon_tables_free(&result);
	return rc;
}

/* --- analyse --- */

int et_daemons_analyse_operands(const struct et_cli *cli, char *const *names, size_t n,
	const char *command, bool keep, struct et_daemons_output *out, struct et_error *err)
{
	struct et_daemons_source source;
	struct et_daemon_findings found;

	int rc = et_daemons_source_open(cli, names, n, command, &source, err);
	if (rc)
		return rc;
	rc = et_daemons_analyse(&source.record, source.name, &found, err);
	if (rc == 0) {
		rc = et_daemons_report(cli, &source.record, &found, source.name, out, err);
		if (rc == 0 && keep)
			rc = et_learned_store(cli, &source.record, &found,
				&(struct et_learned_from){
					.short_id = source.short_id, .long_id = source.long_id },
				err);
		et_daemon_findings_free(&found);
	}
	et_daemons_source_free(&source);
	return rc;
}

/* --- show --- */

/* The cutoffs, and the runs that they come from, analysed again. */
struct shown {
	struct et_here here;
	struct et_cutoffs cutoffs;
	struct et_warnings warnings;
	uint64_t now_ns;
	struct et_daemons_source source;
	struct et_daemon_findings found;
	struct et_daemon_result result; /* its record is NULL if the runs are gone */
};

static int load(const struct et_cli *cli, struct shown *s, struct et_error *err)
{
	bool there;

	et_here_read_host(&s->here);
	int rc = et_learned_load(cli, &s->here, &s->cutoffs, &there, err);
	if (rc == 0 && !there)
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE,
				"no cutoffs are stored for this machine"),
			"run 'etalon daemons learn'");
	return rc;
}

static int analyse_again(
	const struct et_cli *cli, const char *command, struct shown *s, struct et_error *err)
{
	const struct et_cutoffs *c = &s->cutoffs;

	if (!c->short_id[0])
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE,
				"the cutoffs come from a file: their runs are not stored"),
			"run 'etalon daemons analyse --tables FILE'");
	char *ids[] = { (char *)c->short_id, (char *)c->long_id };
	int rc = et_daemons_source_open(cli, ids, c->long_id[0] ? 2 : 1, command, &s->source, err);
	if (rc == -ENOENT)
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_OUTSIDE,
				"the runs that the cutoffs were learned from are not stored any "
				"more (%s%s%s)",
				c->short_id, c->long_id[0] ? ", " : "", c->long_id),
			"the cutoffs are still valid; run 'etalon daemons learn' for new tables");
	if (rc)
		return rc;
	s->source.record.snapshots_ms = c->floor_ms; /* as it was measured then */
	rc = et_daemons_analyse(&s->source.record, s->source.name, &s->found, err);
	if (rc == 0)
		s->result = (struct et_daemon_result){ .record = &s->source.record,
			.findings = &s->found };
	return rc;
}

static bool same_cutoffs(const struct et_cutoffs *c, const struct et_daemon_findings *f)
{
	for (size_t i = 0; c->n == f->n_cutoffs && i < c->n; i++) {
		const struct et_cutoff *a = &c->list[i], *b = &f->cutoffs[i];
		if (strcmp(a->daemon, b->daemon) != 0 || a->n_final != b->n_final ||
			a->final_ms[0] != b->final_ms[0] ||
			(a->n_final > 1 && a->final_ms[1] != b->final_ms[1]))
			return false;
	}
	return c->n == f->n_cutoffs;
}

/* Another version of etalon may have found other cutoffs in the same runs. */
static void note_difference(const struct et_cutoffs *c, const struct et_daemon_findings *f)
{
	if (!same_cutoffs(c, f))
		et_say(stderr,
			"etalon: the stored cutoffs differ from these, which are found in the same "
			"runs now\nhint: run 'etalon daemons analyse --keep %s%s%s' to store "
			"these\n",
			c->short_id, c->long_id[0] ? " " : "", c->long_id);
}

static void print(
	const struct et_cli *cli, const struct shown *s, const struct et_daemons_output *out)
{
	struct et_page page = page_of(cli);

	if (!prints(out))
		return;
	if (s->result.wanted && !out->json)
		print_tables(cli, &s->result, out->csv);
	else
		et_cutoffs_show(&s->cutoffs, s->now_ns, &s->warnings, &s->result, out->json, &page);
}

static int add_tables(const struct et_cli *cli, struct shown *s, char *const *names, size_t n,
	unsigned wanted, struct et_error *err)
{
	int rc = 0;

	s->result.wanted = wanted;
	et_daemon_tables_make(&s->result);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = et_daemon_tables_add(&s->result, cli, names[i], err);
	return rc;
}

static int write_page(const struct shown *s, struct et_daemons_output *out, struct et_error *err)
{
	FILE *f = et_output_begin(&out->output, err);

	if (!f)
		return -EIO;
	et_cutoffs_page(&s->cutoffs, s->now_ns, &s->warnings, f);
	return et_output_end(&out->output, err);
}

/* Warns about cutoffs of another machine, kernel or time. */
static void warn(struct shown *s)
{
	if (s->cutoffs.machine[0] && !et_machine_same(s->cutoffs.machine, s->here.machine))
		et_warn(&s->warnings, ET_WARN_CUTOFFS_OTHER_MACHINE);
	et_cutoffs_warn(&s->cutoffs,
		&(struct et_learning_place){ .kernel = s->here.host.kernel,
			.cpu = "",
			.machine = "",
			.services = "",
			.tuned = s->cutoffs.tuned,
			.factors = "",
			.wall_ns = s->now_ns },
		&s->warnings);
}

int et_daemons_show(const struct et_cli *cli, char *const *names, size_t n, const char *command,
	struct et_daemons_output *out, struct et_error *err)
{
	struct shown s = { .now_ns = et_clock_read_ns(CLOCK_REALTIME) };
	struct et_error gone; /* without --tables the runs are an addition, which may be gone */

	int rc = load(cli, &s, err);
	if (rc)
		return rc;
	warn(&s);
	rc = analyse_again(cli, command, &s, out->wanted ? err : &gone);
	if (!out->wanted)
		rc = 0;
	else if (rc == 0)
		rc = add_tables(cli, &s, names, n, out->wanted, err);
	if (rc == 0)
		print(cli, &s, out);
	if (rc == 0 && out->wanted)
		note_difference(&s.cutoffs, &s.found);
	if (rc == 0)
		rc = et_cli_close_output(stdout, "-", err);
	if (rc == 0 && out->page)
		rc = write_page(&s, out, err);
	et_daemon_tables_free(&s.result);
	et_daemon_findings_free(&s.found);
	et_daemons_source_free(&s.source);
	et_warnings_free(&s.warnings);
	et_cutoffs_free(&s.cutoffs);
	return rc;
}
