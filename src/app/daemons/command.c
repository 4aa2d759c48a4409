/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon daemons learn|show|analyse|forget`: the outputs, and the actions that read cutoffs. */
#include "app/daemons/daemons.h"
#include "base/clock.h"
#include "base/display.h"
#include "model/experiment/machine_id.h"
#include "protocol/daemons.h"
#include "protocol/lshape.h"
#include "session/removal.h"

struct request {
	struct et_daemons_output out;
	bool keep;
	bool yes;
	enum et_learning_preset preset;
	const char *command;
	struct et_learn_options learn;
};

enum { OF_LEARN = 1, OF_SHOW = 2, OF_ANALYSE = 4, OF_FORGET = 8 };
enum { OF_TABLES = OF_SHOW | OF_ANALYSE };
static const uint64_t BY_PRESET = UINT64_MAX; /* the user did not give this figure */

static int set_tables(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_daemons_output *out = et_option_target(o, ctx);

	out->wanted = ET_DAEMON_TABLES_ALL;
	return args[0] ? et_daemon_tables_choose(args[0], &out->wanted, err) : 0;
}

#define PLAN .kind = "plan" /* which an interrupted learning has already */

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of text", et_set_true, ET_FILLS(request, out.json) },
	{ 0, "tables", "[LIST]",
		"print the tables of the EMP papers, VII to XIX, or those of LIST, "
		"such as XVI,XVIII",
		set_tables, ET_FILLS(request, out), .of = OF_TABLES },
	{ 0, "csv", NULL, "print them as CSV instead of text", et_set_true,
		ET_FILLS(request, out.csv), .of = OF_TABLES, .needs = "tables",
		.excludes = "json" },
	{ 0, "report", "FILE", "write a page (HTML) with pictures; - is stdout", et_set_text,
		ET_FILLS(request, out.page), .values = "FILE" },
	{ 0, "svg", "FILE", "write the pictures", et_set_text, ET_FILLS(request, out.svg),
		.values = "FILE", .of = OF_LEARN | OF_ANALYSE },
	{ 0, "keep", NULL, "store the cutoffs for this machine", et_set_true,
		ET_FILLS(request, keep), .of = OF_ANALYSE },
	{ 0, "command", "N|NAME", "the command of experiments that have several", et_set_text,
		ET_FILLS(request, command), .of = OF_TABLES },
	{ 0, "preset", "NAME",
		"quick, 300 samples of 1 s and 40 of 8 s, or paper, as published: 800 of "
		"128 s and 40 of 16384 s, which takes nine days (quick)",
		et_set_choice, ET_FILLS(request, preset), .names = et_learning_preset_names,
		.of = OF_LEARN, PLAN },
	{ 0, "short-runs", "N", "samples of the short run (300)", et_set_u64,
		ET_FILLS(request, learn.plan.short_runs), .lo = ET_LSHAPE_LEAST, .hi = 1000000,
		.of = OF_LEARN, PLAN },
	{ 0, "short-seconds", "DUR", "length of each short sample (1s)", et_set_duration,
		ET_FILLS(request, learn.plan.short_ns), .of = OF_LEARN, PLAN },
	{ 0, "long-runs", "N", "samples of the long run, 0 for none (40)", et_set_u64,
		ET_FILLS(request, learn.plan.long_runs), .hi = 1000000, .of = OF_LEARN, PLAN },
	{ 0, "long-seconds", "DUR", "length of each long sample (8s)", et_set_duration,
		ET_FILLS(request, learn.plan.long_ns), .of = OF_LEARN, PLAN },
	{ 0, "label", "TEXT", "name of the two experiments (daemons)", et_set_text,
		ET_FILLS(request, learn.label), .of = OF_LEARN },
	{ 0, "env", NULL,
		"change what disturbs timing on this machine for the duration, as 'env "
		"apply' does",
		et_set_true, ET_FILLS(request, learn.env), .of = OF_LEARN },
	{ 0, "only", "LIST", "change these factors (those of EMP)", et_set_text,
		ET_FILLS(request, learn.only), .of = OF_LEARN, .needs = "env" },
	{ 0, "except", "LIST", "do not change these factors", et_set_text,
		ET_FILLS(request, learn.except), .of = OF_LEARN, .needs = "env" },
	{ 0, "busy", NULL,
		"do not ask on a busy machine, and keep the cutoffs although other work "
		"had the CPU",
		et_set_true, ET_FILLS(request, learn.busy), .of = OF_LEARN },
	{ 0, "resume", NULL, "continue an interrupted learn", et_set_true,
		ET_FILLS(request, learn.resume), .of = OF_LEARN, .excludes = "@plan|only|except" },
	{ 0, "yes", NULL, "do not ask; needed without a terminal", et_set_true,
		ET_FILLS(request, yes), .of = OF_FORGET },
	{ 0 },
};

static et_action_run learn, show, analyse, forget;
static const struct et_action actions[] = {
	{ "learn", learn, OF_LEARN, 0, 0, .rights = ET_RIGHTS_MACHINE },
	{ "show", show, OF_SHOW, 0, SIZE_MAX, .rights = ET_RIGHTS_FILES },
	{ "analyse", analyse, OF_ANALYSE, 1, 2, .rights = ET_RIGHTS_FILES,
		.wants = "a file, or one or two experiments",
		.hint = "use 'etalon daemons analyse FILE', with - for standard input, or 'etalon "
			"daemons analyse SHORT [LONG]' with ids or labels of one or two "
			"experiments" },
	{ "forget", forget, OF_FORGET, 0, 0, .rights = ET_RIGHTS_FILES },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_daemons = {
	.name = "daemons",
	.actions = actions,
	.summary = "which background processes spoil samples, and from which CPU time on?",
	.usage = "learn [options]\nshow [options]\nshow --tables [options] [ID…]\nanalyse "
		 "[options] FILE|-\n"
		 "analyse [options] ID [ID]\nforget [--yes]",
	.about =
		"learn takes many short and long samples of a fixed program, finds those that an\n"
		"infrequent daemon disturbed, and stores a cutoff for each daemon: a sample in\n"
		"which it used more CPU time is removed. show prints the cutoffs. analyse finds\n"
		"cutoffs in a record (JSON), or in one or two experiments, first the one of short\n"
		"samples. A word that is the name of a file is that file. forget removes the\n"
		"cutoffs of this machine.",
	.examples = "  etalon daemons learn # takes minutes\n"
		    "  etalon daemons learn --busy --short-runs 20 --short-seconds 10ms "
		    "--long-runs 0\n"
		    "  etalon daemons learn --env --preset paper # takes days: nine\n"
		    "  etalon daemons show\n"
		    "  etalon daemons analyse daemons.json\n"
		    "  etalon daemons analyse daemons-short\n"
		    "  etalon daemons analyse --json daemons.json\n"
		    "  etalon daemons analyse --tables daemons.json\n"
		    "  etalon daemons show --tables=XVI,XVIII --csv\n"
		    "  etalon daemons analyse --report daemons.html --svg daemons.svg "
		    "daemons.json\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

/* --- outputs --- */

/* Whether stdout gets text or JSON, not the page. */
static bool prints(const struct et_daemons_output *o)
{
	return !o->page || strcmp(o->page, "-") != 0;
}

/* Opens the files early, so that a wrong path does not fail after hours. */
static int open_output(struct et_daemons_output *o, struct et_error *err)
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

static struct et_page page_of(const struct et_cli *cli)
{
	return (struct et_page){ .out = stdout, .width = cli->columns, .color = cli->color };
}

static void print_tables(const struct et_cli *cli, const struct et_daemon_result *r, bool csv)
{
	struct et_page page = page_of(cli);

	et_daemon_tables_write(r, (struct et_daemon_tables_to){
					  .csv = csv ? stdout : NULL, .text = csv ? NULL : &page });
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

static int analyse(struct et_call *call, struct et_error *err)
{
	struct request *q = call->ctx;
	struct et_daemons_source source;
	struct et_daemon_findings found;

	int rc = et_daemons_source_open(
		call->cli, call->operands, call->n, q->command, &source, err);
	if (rc)
		return rc;
	rc = et_daemons_analyse(&source.record, source.name, &found, err);
	if (rc == 0) {
		rc = et_daemons_report(
			call->cli, &source.record, &found, source.name, &q->out, err);
		if (rc == 0 && q->keep)
			rc = et_learned_store(call->cli, &source.record, &found,
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
		return et_fail_hint(err, ENOENT, ET_EXIT_USAGE, "run 'etalon daemons learn'",
			"no cutoffs are stored for this machine");
	return rc;
}

static int analyse_again(
	const struct et_cli *cli, const char *command, struct shown *s, struct et_error *err)
{
	const struct et_cutoffs *c = &s->cutoffs;

	if (!c->short_id[0])
		return et_fail_hint(err, ENOENT, ET_EXIT_USAGE,
			"run 'etalon daemons analyse --tables FILE'",
			"the cutoffs come from a file: their runs are not stored");
	char *ids[] = { (char *)c->short_id, (char *)c->long_id };
	int rc = et_daemons_source_open(cli, ids, c->long_id[0] ? 2 : 1, command, &s->source, err);
	if (rc == -ENOENT)
		return et_fail_hint(err, ENOENT, ET_EXIT_OUTSIDE,
			"the cutoffs are still valid; run 'etalon daemons learn' for new tables",
			"the runs that the cutoffs were learned from are not stored any "
			"more (%s%s%s)",
			c->short_id, c->long_id[0] ? ", " : "", c->long_id);
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

/* The operands are the experiments of Table XIX. */
static int add_tables(
	const struct et_call *call, struct shown *s, unsigned wanted, struct et_error *err)
{
	int rc = 0;

	s->result.wanted = wanted;
	et_daemon_tables_make(&s->result);
	for (size_t i = 0; rc == 0 && i < call->n; i++)
		rc = et_daemon_tables_add(&s->result, call->cli, call->operands[i], err);
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

static int show(struct et_call *call, struct et_error *err)
{
	const struct et_cli *cli = call->cli;
	struct request *q = call->ctx;
	struct et_daemons_output *out = &q->out;
	struct shown s = { .now_ns = et_clock_read_ns(CLOCK_REALTIME) };
	struct et_error gone; /* without --tables the runs are an addition, which may be gone */

	if (call->n && !out->wanted)
		return et_refuse(err, "add --tables: Table XIX is about experiments",
			"daemons show: unexpected '%s'", call->operands[0]);
	int rc = load(cli, &s, err);
	if (rc)
		return rc;
	warn(&s);
	rc = analyse_again(cli, q->command, &s, out->wanted ? err : &gone);
	if (!out->wanted)
		rc = 0;
	else if (rc == 0)
		rc = add_tables(call, &s, out->wanted, err);
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

/* --- the other actions --- */

static int learn(struct et_call *call, struct et_error *err)
{
	struct request *r = call->ctx;
	const struct et_learning_plan *preset = &et_learning_presets[r->preset];
	struct et_learning_plan *p = &r->learn.plan;

	/* The figures that the user did not give are those of the preset. */
	p->short_runs = p->short_runs == BY_PRESET ? preset->short_runs : p->short_runs;
	p->short_ns = p->short_ns == BY_PRESET ? preset->short_ns : p->short_ns;
	p->long_runs = p->long_runs == BY_PRESET ? preset->long_runs : p->long_runs;
	p->long_ns = p->long_ns == BY_PRESET ? preset->long_ns : p->long_ns;
	return et_daemons_learn(call->cli, &r->learn, &r->out, &call->status, err);
}

static int forget(struct et_call *call, struct et_error *err)
{
	const struct request *r = call->ctx;

	return et_daemons_forget(call->cli, r->yes, err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .learn = { .plan = { BY_PRESET, BY_PRESET, BY_PRESET, BY_PRESET },
				     .label = ET_LEARN_LABEL } };
	struct et_call call;
	struct et_error err = { 0 };
	int status = et_cli_call(
		cli, &et_verb_daemons, argc, argv, &(struct et_cli_targets){ .ctx = &r }, &call);

	if (status >= 0)
		return status;
	if (open_output(&r.out, &err)) {
		et_operands_free(&call.ops);
		return et_cli_fail(&err);
	}
	status = et_call_run(&call);
	et_output_close(&r.out.output);
	et_output_close(&r.out.pictures);
	return status;
}
