/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe run PLAN`: begins the experiment of a plan, or continues it. */
#include "app/compare/machines.h"
#include "app/doe/doe.h"
#include "base/display.h"
#include "build/build.h"
#include "campaign/campaign.h"
#include "cli/ask.h"
#include "cli/signals.h"
#include "host/host.h"
#include "model/design/json.h"
#include "model/experiment/machine_id.h"
#include "source/operand.h"
#include "source/stored.h"
#include "stats/compare/judge.h"

int et_doe_changed(const char *path, const char *id, const char *changes, struct et_error *err)
{
	int rc = et_fail(
		err, EINVAL, ET_EXIT_USAGE, "%s differs from the plan of experiment %s:", path, id);

	et_quote(err, rc, changes);
	return et_hint(err, rc,
		"undo the change to continue; 'etalon doe run --new %s' begins anew", path);
}

/* Asks before a large experiment begins, unless the user gave --yes. */
static int ask(const struct et_design *d, bool yes, struct et_error *err)
{
	int rc = et_plan_check_size(d, yes, err);

	if (rc == 0 || !et_can_ask())
		return rc;
	if (et_ask(err->what, "run it?"))
		return 0;
	return et_fail(err, ECANCELED, ET_EXIT_USAGE, "nothing was run");
}

/* Makes the experiment of a plan, and what the plan decides of m. */
static int read_experiment(const char *path, struct et_plan_file *plan, struct et_measuring *m,
	struct et_experiment **out, struct et_error *err)
{
	return et_doe_read_plan(path, plan, err) ?: et_doe_make(plan, m, out, err);
}

char *et_doe_line(const char *action, const char *path, const char *store)
{
	char **words =
		et_strv_of("etalon", "doe", action, path, store ? "--store" : NULL, store, NULL);
	char *line = et_join_words(words);

	et_strv_free(words);
	return line;
}

/* `etalon doe run PLAN --engine …`: the experiment of a plan on many machines. */

struct sending {
	struct et_campaigning r;
	const struct et_doe_request *request;
	const char *path; /* of the plan, or NULL */
	struct et_plan_file plan;
	struct et_experiment *e; /* made of the plan */
	struct et_measuring m;   /* for the options that the plan sets */
	bool again;              /* it is continued */
};

/* --- the plan --- */

static int read_plan(struct sending *r, struct et_error *err)
{
	int rc = read_experiment(r->path, &r->plan, &r->m, &r->e, err);

	if (rc)
		return rc;
	if (r->e->design->reboot)
		return et_refuse(err, "omit the hook, or --engine",
			"hooks: 'reboot' restarts this machine, and --engine uses others");
	if (!r->e->child.directory)
		r->e->child.directory = get_current_dir_name();
	return 0;
}

/* --- beginning and continuing --- */

/* Finds a campaign of this plan; a plan that changed since then is refused, as on one machine. */
static int find_campaign(struct sending *r, char id[40], bool *found, struct et_error *err)
{
	struct et_campaign *c = NULL;
	struct et_experiment *before = NULL;
	int rc = et_campaigning_find(&r->r, r->e->label, id, err);

	*found = rc == 0;
	if (rc) {
		if (rc == -ENOENT)
			*err = (struct et_error){ 0 };
		return rc == -ENOENT ? 0 : rc;
	}
	rc = et_campaign_load(r->r.store, id, &c, err)
		     ?: et_campaign_read_record(c->record, &before, err);
	if (rc == 0) {
		ET_AUTO_FREE char *changes = et_plan_changes(before, r->e, r->plan.has_seed);
		if (changes)
			rc = et_doe_changed(r->path, id, changes, err);
	}
	et_experiment_free(before);
	et_campaign_free(c);
	return rc;
}

static int begin_campaign(struct sending *r, struct et_error *err)
{
	struct et_campaign_plan plan = { .kind = ET_CAMPAIGN_DOE, .no_ledger = r->m.no_ledger };
	char id[40];
	int rc = read_plan(r, err) ?: et_campaigning_open(&r->r, err);

	if (rc == 0 && !r->request->fresh)
		rc = find_campaign(r, id, &r->again, err);
	if (rc)
		return rc;
	plan.label = r->e->label;
	plan.e = r->e;
	plan.env = r->m.env;
	plan.per_machine = r->e->design->blocks == ET_BLOCKS_MACHINE;
	if (r->again)
		return et_campaigning_attach(&r->r, id, true, err);
	return ask(r->e->design, r->request->yes, err)
		?: et_campaigning_open_engine(&r->r, &plan, err)
		?: et_campaigning_begin(&r->r, &plan, err);
}

/* --- returning --- */

/* A campaign by the name of its plan, by its id, or the last. */
static int attach(struct sending *r, const char *operand, struct et_error *err)
{
	ET_AUTO_FREE char *name = NULL;
	int rc = et_campaigning_open(&r->r, err);

	if (rc == 0 && operand && et_operand_is_file(operand)) {
		rc = et_doe_read_plan(operand, &r->plan, err);
		if (rc == 0)
			name = et_strdup(r->plan.design->name);
	}
	r->again = true;
	if (rc == 0)
		rc = et_campaigning_return(&r->r, name ?: operand ?: "last", ET_CAMPAIGN_DOE, err);
	return rc;
}

/* --- the end --- */

static int print_findings(struct sending *r)
{
	struct et_doe_loaded l = { 0 };
	struct et_error ignored;
	int rc = et_doe_load(r->r.cli, r->r.c->id, &l, &ignored);

	if (rc == 0)
		rc = et_doe_print_findings(r->r.cli, (const struct et_experiment *const *)l.list,
			l.n, r->r.text, &ignored);
	et_doe_loaded_free(&l);
	return rc;
}

static int conclude_campaign(void *ctx)
{
	struct sending *r = ctx;
	int status = et_campaigning_conclude(&r->r);
	struct et_campaign_counts n = et_campaign_count(r->r.c);

	if (n.done != r->r.c->n_parts)
		return status;
	if (print_findings(r))
		fprintf(r->r.text, "all %zu parts are done\n", n.done);
	if (r->r.cli->verbosity >= 0) {
		if (r->r.c->parts[0].node) /* every machine ran everything */
			et_compare_campaign(r->r.cli, r->r.store, r->r.c->id, r->r.text);
		fprintf(r->r.text, "kept as %s: etalon doe analyse %s\n", r->r.c->id, r->r.c->id);
	}
	return status;
}

/* With --engine, --attach or --cancel. */
static int run_campaign(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *request = call->ctx;
	struct sending r = {
		.request = request, .path = call->n ? call->operands[0] : NULL, .m.cli = cli
	};

	r.r = (struct et_campaigning){
		.cli = cli, .verb = "doe run", .text = stdout, .interrupt = et_signals_install()
	};
	int rc = cli->engine.engine ? begin_campaign(&r, err) : attach(&r, r.path, err);
	if (rc == 0)
		rc = et_campaigning_follow(
			&r.r, r.again, conclude_campaign, &r, &call->status, err);
	et_campaigning_close(&r.r);
	et_experiment_free(r.e);
	et_plan_file_free(&r.plan);
	return rc;
}

/* --- on this machine: words and files --- */

struct running {
	struct et_cli *cli;
	const struct et_doe_request *request;
	const char *path; /* of the plan file */
	struct et_plan_file plan;
	struct et_experiment *e; /* made of the plan; NULL after it was begun */
	/* Of the same plan, which is continued or done: its head, unless its record is wanted. */
	struct et_experiment *earlier; /* or NULL */
	struct et_outputs outputs;
	struct et_measuring m;
	struct et_doe_reboot reboot; /* of a plan with that hook */
};

/* Reports that an experiment is continued, and how far it is. */
static void announce(const struct running *r)
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

/* Failures that are shown in full as they happen, and that are named at the end. */
enum { FULLY = 2, NAMED = 8 };

/* Reports a program that failed, while the others continue. */
static void failed(void *ctx, uint32_t command, const struct et_error *why)
{
	struct et_measuring *m = ctx;

	(void)command;
	if (m->failures++ >= FULLY && m->cli->verbosity < 1)
		return;
	et_progress_erase(&m->progress);
	(void)!et_cli_fail(why);
}

/* Warns, once after the first round, of a response that no run has: the rest may take a night. */
static void noted(void *ctx, const struct et_progress_note *n)
{
	struct et_measuring *m = ctx;
	const struct running *r = m->owner;
	const struct et_experiment *e = et_session_experiment(m->session);

	if (n->turns != e->n_commands || n->turns == n->all_turns)
		return;
	ET_AUTO_FREE char *none = et_asprintf("none of the first %zu runs", e->n_commands);
	et_progress_erase(&m->progress);
	et_doe_warn_function(&r->plan, e, none);
}

static int write_record(struct running *r, const struct et_experiment *e)
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

/* Reports that the plan is done already. Returns the exit status. */
static int report_done(struct running *r)
{
	ET_AUTO_FREE char *analysis = et_doe_line("analyse", r->path, r->cli->store);

	if (r->cli->verbosity >= 0)
		fprintf(r->m.text,
			"%s is done: all runs of the plan '%s' are measured\n"
			"hint: run '%s' to see the result; doe run --new measures it again\n",
			r->earlier->id, r->earlier->label, analysis);
	return write_record(r, r->earlier);
}

/* A treatment that failed is missing in the analysis. */
static void print_failures(
	const struct running *r, const struct et_experiment *e, const struct et_design_progress *p)
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

static int interrupted(
	const struct running *r, const struct et_design_progress *p, const struct et_error *err)
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

static void print_result(
	const struct running *r, const struct et_experiment *e, const struct et_design_progress *p)
{
	ET_AUTO_FREE char *analysis = et_doe_line("analyse", r->path, r->cli->store);
	struct et_error err;

	int rc = et_doe_print_findings(r->cli, &e, 1, r->m.text, &err);

	if (rc)
		fprintf(r->m.text,
			"%" PRIu64 " runs of %zu treatment%s and %zu program%s are measured\n",
			p->done, e->design->n_treatments, et_doe_plural(e->design->n_treatments),
			e->design->n_programs, et_doe_plural(e->design->n_programs));
	if (rc || r->cli->verbosity >= 0)
		fprintf(r->m.text, "kept as %s: %s\n", e->id, analysis);
}

/* Prints the result and writes the record; *rc stays not 0 if err is to be printed. */
static int conclude(struct running *r, int *rc, struct et_error *err)
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

/* --- beginning and continuing --- */

/*
 * Finds the newest experiment of this plan that was measured here, because nothing else is
 * continued; else the newest of its name, with the difference. *out stays NULL without any.
 */
static int find_earlier(struct running *r, struct et_store *store, struct et_experiment **out,
	char **changes, struct et_error *err)
{
	struct et_doe_ids ids = { .name = r->e->label, .measured = true };
	char machine[ET_MACHINE_SIZE];
	int rc = et_doe_find(store, &ids, err);

	et_host_identity("", machine, sizeof(machine));
	for (size_t i = 0; rc == 0 && i < ids.n; i++) {
		struct et_experiment *e;
		rc = et_store_load_head(store, ids.list[i], &e, err);
		if (rc)
			break;
		bool own = et_machine_same(e->machine, machine);
		char *differs = own ? et_plan_changes(e, r->e, r->plan.has_seed) : NULL;
		if (!own || (differs && *out)) {
			free(differs);
			et_experiment_free(e);
			continue;
		}
		et_experiment_free(*out);
		free(*changes);
		*out = e;
		*changes = differs;
		if (!differs)
			break;
	}
	free(ids.list);
	return rc;
}

/* Decides whether to begin or to continue; r->earlier is set to continue or if it is done. */
static int decide(struct running *r, struct et_error *err)
{
	ET_AUTO_FREE char *changes = NULL;
	struct et_experiment *found = NULL;
	struct et_store *store;
	int rc = et_stored_open(r->cli, ET_STORE_READ, &store, err);

	if (rc == -ENOENT) { /* a first experiment, not a failure that could be printed later */
		*err = (struct et_error){ 0 };
		return 0;
	}
	if (rc)
		return rc;
	if (!r->request->fresh)
		rc = find_earlier(r, store, &found, &changes, err);
	/* The record of an experiment that is done is written with its samples. */
	if (rc == 0 && found && !changes && r->outputs.n && found->state == ET_STATE_DONE) {
		struct et_experiment *head = found;
		rc = et_store_load(store, head->id, &found, err);
		if (rc == 0)
			et_experiment_free(head);
	}
	et_store_close(store);
	if (rc == 0 && changes)
		rc = et_doe_changed(r->path, found->id, changes, err);
	if (rc)
		et_experiment_free(found);
	else
		r->earlier = found;
	return rc;
}

static int prepare(struct running *r, struct et_error *err)
{
	int rc = read_experiment(r->path, &r->plan, &r->m, &r->e, err)
			 ?: et_doe_check_levels(&r->plan, r->e, err);

	if (rc == 0 && r->request->json_file)
		rc = et_outputs_add(
			&r->outputs, et_format_find("json"), r->request->json_file, err);
	if (rc == 0)
		rc = et_outputs_open(&r->outputs, err);
	r->m.text = r->outputs.stdout_taken ? stderr : stdout;
	return rc ? rc : decide(r, err);
}

/* A plan with the hook `reboot` has a session per treatment. */
static int before_command(void *ctx, uint32_t command, struct et_error *err)
{
	struct et_measuring *m = ctx;
	struct running *r = m->owner;

	return et_doe_reboot_before(&r->reboot, command, err);
}

static int begin(struct running *r, struct et_error *err)
{
	struct et_experiment *e = r->e;
	int rc = et_doe_reboot_check(r->earlier, err);

	if (rc == 0 && !r->earlier)
		rc = ask(e->design, r->request->yes, err);
	/* A new experiment measures the sources as they are now, not what was built earlier. */
	if (rc == 0)
		rc = et_doe_build(r->cli, e, r->earlier != NULL, err);
	if (rc)
		return rc;
	if (et_doe_function(e))
		r->m.noted = noted;
	if (e->design->reboot) {
		r->reboot = (struct et_doe_reboot){ .m = &r->m, .plan = r->path };
		r->m.hooks.before_command = before_command;
	}
	if (r->earlier) {
		if (!e->child.directory)
			e->child.directory = get_current_dir_name();
		/* A record that runs what the plan file says is as good as the file. */
		et_trust_digest(e, r->m.planned);
		rc = et_measuring_resume(&r->m, r->earlier->id, err);
		if (rc == 0)
			announce(r);
		return rc;
	}
	r->e = NULL; /* the session owns it */
	return et_measuring_begin(&r->m, e, err);
}

int et_doe_run(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *request = call->ctx;
	struct running r = { .cli = cli, .request = request, .path = call->operands[0] };

	cli->engine.trust = request->trust;
	int rc = et_engine_check(&cli->engine, err);
	if (rc || cli->engine.given)
		return rc ? rc : run_campaign(call, err);
	cli->measures = true;
	r.m = (struct et_measuring){
		.cli = cli, .interrupt = et_signals_install(), .hooks.failed = failed, .owner = &r
	};
	ET_AUTO_FREE char *line = et_doe_line("run", r.path, cli->store);
	r.m.resumption = line;
	rc = prepare(&r, err);
	if (rc == 0 && r.earlier && r.earlier->state == ET_STATE_DONE) {
		call->status = report_done(&r);
	} else if (rc == 0) {
		rc = begin(&r, err) ?: et_measuring_drive(&r.m, err);
		if (r.m.session)
			call->status = conclude(&r, &rc, err);
		if (r.reboot.refused)
			rc = -EAGAIN; /* err says why */
	}
	/* The machine restarts when all is stored and restored. */
	struct et_experiment *done = r.reboot.due ? et_session_take_experiment(r.m.session) : NULL;
	et_measuring_close(&r.m);
	if (done && rc == 0)
		rc = et_doe_reboot_now(&r.reboot, done, r.m.text, err);
	et_experiment_free(done);
	et_outputs_close(&r.outputs);
	et_experiment_free(r.earlier);
	et_experiment_free(r.e);
	et_plan_file_free(&r.plan);
	return rc;
}
