/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon emp`: `etalon run --protocol emp` with the steps before it, and a line for each step. */
#include "app/emp/emp.h"
#include "base/display.h"
#include "measure/child/run_setup.h"
#include "model/experiment/field.h"
#include "protocol/sanity.h"
#include "report/steps.h"

extern char **environ;

enum { USUAL_RUNS = 10 }; /* as in the papers */

static const char *const learn_names[] = { "quick", "paper", "never", NULL };

static const struct et_option options[] = {
	{ 0, "learn", "NAME",
		"learn the daemons of this machine unless that is done already: quick (ten "
		"minutes), paper (nine days, as published) or never (quick, asked for first)",
		et_set_choice, ET_FILLS(et_run_options, emp.learn), .names = learn_names,
		.bit = ET_GIVEN_LEARN, .group = "the protocol EMP" },
	{ 0, "yes", NULL, "learn without a question", et_set_true,
		ET_FILLS(et_run_options, emp.yes) },
	{ 0, "all-factors", NULL,
		"change every factor of 'env apply', not only those of EMP: address layout, "
		"C-states and others, too",
		et_set_true, ET_FILLS(et_run_options, emp.all_factors) },
	{ 0, "busy", NULL, "keep what is learned although other work had the CPU meanwhile",
		et_set_true, ET_FILLS(et_run_options, emp.busy) },
	{ 0, "dry-run", NULL, "print the steps and how long they take; change and run nothing",
		et_set_true, ET_FILLS(et_run_options, emp.dry_run), .excludes = "@output" },
	{ 0 },
};

static const struct et_option changed_options[] = {
	{ .name = "runs", .help = "samples per command (10, unless -m or -M is given)" },
	{ .name = "protocol",
		.help = "emp is the only one here, not cause, kbest, raw or auto (emp)" },
	{ .name = "only", .help = "change only these factors (those of EMP)", .needs = "" },
	{ .name = "except", .help = "do not change these factors", .needs = "" },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_emp = {
	.name = "emp",
	.operands = "COMMAND",
	.summary = "the EMP protocol, from environment to result, in one command",
	.usage = "[options] COMMAND…\n[options] -- PROGRAM ARG…\n--resume [ID]",
	.about = "Changes what disturbs timing on this machine (as root) and restores it at "
		 "the end,\nlearns which daemons spoil samples unless that was done before, runs "
		 "each COMMAND\n"
		 "ten times, removes samples by both sanity checks, and prints the result with a "
		 "line\nfor each step. All options of 'etalon run' work as well.",
	.examples = "  etalon emp --dry-run 'sleep 0.1'\n"
		    "  etalon emp --learn never 'etalon put sort'\n"
		    "  etalon emp --learn quick 'etalon put inc --seconds 1' # takes minutes\n",
	.options = options,
	.shared_options = et_run_options,
	.changed_options = changed_options,
	.uses_store = true,
	.child_options = et_child_options,
	.exports = true,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

/* Options that decide the number of runs replace the ten. */
static void parsed(void *ctx, struct et_run_options *o)
{
	const unsigned deciding = ET_GIVEN_RUNS | ET_GIVEN_MIN | ET_GIVEN_MAX | ET_GIVEN_MIN_TIME;

	(void)ctx;
	if (!(o->given & deciding) && !(o->plan.until_ratio > 0) && !(o->plan.equal_ratio > 0))
		o->plan.runs = USUAL_RUNS;
}

/* Everything that can be wrong is found before the machine is changed. */
static int check(const struct et_measuring *m, const struct et_experiment *e, struct et_error *err)
{
	ET_AUTO_FREE bool *selected = et_env_select(&m->env, true, err);

	if (!selected)
		return -EINVAL;
	if (e && e->protocol != ET_PROTOCOL_EMP)
		return et_hint(err,
			et_refuse(err, NULL, "--protocol %s contradicts etalon emp",
				et_protocol_names[e->protocol]),
			"omit it, or use 'etalon run --protocol %s'",
			et_protocol_names[e->protocol]);
	return e ? et_run_setup_check(e, environ, true, err) : 0;
}

/* --- the environment --- */

/* The selected factors that are not as wanted, ", "-separated; NULL: none. The caller frees it. */
static char *unwanted(const struct et_machine *m, const bool *selected)
{
	struct et_findings found;
	struct et_factor *factors = NULL;
	char *names = NULL;

	et_factors_check(m, selected, &found);
	size_t n = et_factors_record(&found, &factors);
	et_findings_free(&found);
	for (size_t i = 0; i < n; i++) {
		if (!factors[i].ok)
			et_append(&names, ", ", "%s", factors[i].factor);
		et_fields_set_missing(et_factor_fields, &factors[i]);
	}
	free(factors);
	return names;
}

static int apply_environment(struct et_emp *p, struct et_measuring *m, struct et_error *err)
{
	ET_AUTO_FREE bool *selected = et_env_select(&m->env, true, err);
	struct et_env_wish wish = m->env;

	if (!selected)
		return -EINVAL;
	wish.apply = true;
	m->env = (struct et_env_wish){ 0 }; /* it is applied here, for the learning as well */
	int rc = et_tuning_begin(&p->tuning, m->cli, &wish, NULL, m->text, err);
	p->tuned = rc == 0;
	if (rc && err->exit != ET_EXIT_ENVIRONMENT)
		return rc;
	if (rc) {
		et_steps_add(&p->steps, "environment", ET_STEP_NOT_POSSIBLE,
			et_strdup(geteuid() ? "it needs root" : err->what));
		et_tuning_end(&p->tuning, m->cli);
		*err = (struct et_error){ 0 };
		return 0;
	}
	ET_AUTO_FREE char *other = unwanted(&p->tuning.machine, selected);
	ET_AUTO_FREE char *changed = et_env_changed(p->tuning.journal);
	char *note =
		*changed ? et_asprintf("%s applied for all runs, and restored", changed)
			 : et_strdup(other ? "nothing was changed" : "nothing had to be changed");
	if (other)
		et_append(&note, "; ", "not as wanted: %s", other);
	et_steps_add(&p->steps, "environment", ET_STEP_DONE, note);
	return 0;
}

/* --- --dry-run --- */

static int plan_environment(struct et_emp *p, const struct et_env_wish *wish, struct et_error *err)
{
	ET_AUTO_FREE bool *selected = et_env_select(wish, true, err);
	struct et_results r = { 0 };
	struct et_machine m;

	if (!selected)
		return -EINVAL;
	if (!p->tuned) {
		et_steps_add(
			&p->steps, "environment", ET_STEP_NOT_POSSIBLE, et_strdup("it needs root"));
		return 0;
	}
	et_cli_machine(&m);
	et_environment_preview(&m, selected, &r);
	size_t n = et_results_count(&r, ET_OUTCOME_PLANNED);
	et_steps_add(&p->steps, "environment", ET_STEP_PLANNED,
		n ? et_asprintf("%zu change%s restored at the end", n,
			    n > 1 ? "s, which are" : ", which is")
		  : et_strdup("nothing to change"));
	et_results_free(&r);
	et_machine_free(&m);
	return 0;
}

/* Appends "11", or "10 to 1000" where the samples decide: the runs of the plan, and `more`. */
static void append_runs(char **text, const struct et_plan *p, uint32_t more)
{
	if (p->until_ratio > 0 || !p->runs)
		et_append(text, "", "%u to %u", more + p->min_runs, more + p->max_runs);
	else
		et_append(text, "", "%u", more + p->runs);
}

/* "10 runs and 1 warm-up of each of 2 commands". The caller frees it. */
static char *describe_runs(const struct et_experiment *e)
{
	char *text = NULL;

	if (!e)
		return et_strdup("the runs that are left");
	append_runs(&text, &e->plan, 0);
	et_append(&text, " runs and ", "%u warm-up of ", e->plan.warmup);
	if (e->n_commands > 1)
		et_append(&text, "", "each of %zu commands", e->n_commands);
	else
		et_append(&text, "", "the command");
	return text;
}

/* "11 × the time of the command". The caller frees it. */
static char *describe_time(const struct et_experiment *e, double learning)
{
	char *text = NULL;

	if (learning > 0)
		et_append(&text, "", "%s and ", et_format_span(learning, ET_BUF));
	if (!e) {
		et_append(&text, "", "that of the runs that are left");
		return text;
	}
	append_runs(&text, &e->plan, e->plan.warmup);
	et_append(
		&text, " × the time of ", "%s", e->n_commands > 1 ? "each command" : "the command");
	return text;
}

static void plan_checks(struct et_emp *p, const struct et_experiment *e, bool learns)
{
	const struct et_emp_plan *plan = &p->plan;
	uint32_t most = !e ? UINT32_MAX : e->plan.runs ? e->plan.runs : e->plan.max_runs;

	if (learns || !et_emp_must_learn(plan))
		et_steps_add(&p->steps, "check I", ET_STEP_PLANNED,
			et_strdup("samples with a daemon above its cutoff are removed"));
	else
		et_steps_add(&p->steps, "check I", ET_STEP_NOT_POSSIBLE,
			plan->there && !plan->elsewhere
				? et_steps_misfit(plan->misfit)
				: et_strdup("no daemons are learned on this machine"));
	if (e && e->n_commands > 1 && e->plan.order == ET_ORDER_DUET)
		et_steps_add(&p->steps, "check II", ET_STEP_SKIPPED,
			et_strdup("duets are judged by their pairs"));
	else if (most < ET_TWO_SIGMA_LEAST)
		et_steps_add(&p->steps, "check II", ET_STEP_NOT_POSSIBLE,
			et_asprintf("it needs %d samples", ET_TWO_SIGMA_LEAST));
	else
		et_steps_add(&p->steps, "check II", ET_STEP_PLANNED,
			et_strdup("samples outside mean ± 2 sd are removed"));
}

/* Prints the steps and their times for --dry-run. Returns -ECANCELED: nothing is to be run. */
static int print_plan(struct et_emp *p, const struct et_measuring *m, const struct et_experiment *e,
	struct et_error *err)
{
	struct et_page page = { .out = stdout, .width = m->cli->columns, .color = m->cli->color };

	int rc = plan_environment(p, &m->env, err);
	if (rc)
		return rc;
	double seconds = et_emp_plan_learn(p);
	et_steps_add(&p->steps, "runs", ET_STEP_PLANNED, describe_runs(e));
	plan_checks(p, e, seconds > 0);
	et_steps_print(&p->steps, &page);
	ET_AUTO_FREE char *time = describe_time(e, seconds);
	et_page_paragraph(&page, 16, "  time         ", "2", time, NULL);
	return et_cli_close_output(stdout, "-", err) ?: -ECANCELED;
}

/* --- the steps around the runs --- */

static int before(void *ctx, struct et_measuring *m, struct et_experiment *e, struct et_error *err)
{
	struct et_emp *p = ctx;

	/* EMP's own factors, unless the user chose others. */
	if (!m->env.only && !p->o->emp.all_factors)
		m->env.only = ET_EMP_FACTORS;
	ET_AUTO_FREE char *names = et_env_names(&m->env, err);
	if (!names)
		return -EINVAL;
	snprintf(p->factors, sizeof(p->factors), "%s", names);
	int rc = check(m, e, err);
	if (rc)
		return rc;
	et_here_read(&p->here);
	p->tuned = geteuid() == 0; /* as expected: the question comes before the first change */
	rc = et_emp_decide(p, m->cli, err);
	if (rc)
		return rc;
	if (p->o->emp.dry_run)
		return print_plan(p, m, e, err);
	et_emp_ask(p);
	/* The signal may have ended the question. */
	if (m->interrupt->signal)
		return -EINTR;
	return apply_environment(p, m, err) ?: et_emp_learn(p, m, err);
}

static void measured(void *ctx, struct et_measuring *m, struct et_judgement *j)
{
	struct et_emp *p = ctx;

	et_tuning_end(&p->tuning, m->cli);
	et_steps_add_checks(
		&p->steps, et_session_experiment(m->session), ET_TWO_SIGMA_LEAST, p->plan.misfit);
	j->steps = &p->steps;
}

static void printed(void *ctx, struct et_measuring *m)
{
	struct et_emp *p = ctx;
	struct et_page page = { .out = m->text,
		.width = m->cli->columns,
		.color = m->cli->color && m->text == stdout };

	if (m->cli->verbosity < 0)
		return;
	fputc('\n', m->text);
	et_steps_print(&p->steps, &page);
}

static void after(void *ctx, struct et_measuring *m)
{
	struct et_emp *p = ctx;

	et_tuning_end(&p->tuning, m->cli);
	if (p->learning && m->interrupt->signal)
		et_say(stderr, "hint: run the same command again to continue the learning\n");
	et_emp_plan_free(&p->plan);
	et_steps_free(&p->steps);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_run_options o;
	struct et_emp p = { .o = &o };
	const struct et_run_around around = { .ctx = &p,
		.verb = "emp",
		.parsed = parsed,
		.before = before,
		.measured = measured,
		.printed = printed,
		.after = after };

	et_run_options_init(&o);
	o.protocol = ET_PROTOCOL_EMP;
	o.around = &around;
	return et_run_main(cli, &et_verb_emp, &o, argc, argv);
}
