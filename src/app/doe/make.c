/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the experiment of a plan file: its commands, order and number of runs. */
#include "app/doe/doe.h"
#include "app/run/options.h"
#include "app/run/run.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "build/build.h"
#include "cli/environment.h"
#include "host/levels.h"
#include "measure/child/child.h"
#include "measure/child/run_setup.h"
#include "measure/treat/treatment.h"
#include "model/sample/profile.h"

#include <strings.h>

/* --- the options of `run` that a plan file sets, by the tables of `run` itself --- */

/* Options of `run` that mean something else in a designed experiment, or nothing. */
static const struct {
	const char *hint, *names[7];
} refused[] = {
	{ "use 'replications' and 'discard'",
		{ "runs", "until", "min-runs", "max-runs", "min-benchmarking-time" } },
	{ "use the plan's key 'order'", { "order" } },
	{ "use the plan's key 'seed'", { "seed" } },
	{ "use the plan's key 'response'", { "metric" } },
	{ "the plan's name is the label", { "label" } },
	{ "use the name of the program", { "command-name" } },
	{ "make it a factor of kind parameter",
		{ "parameter-scan", "parameter-step-size", "parameter-list" } },
	{ "'etalon doe analyse' compares all treatments",
		{ "reference", "reference-name", "baseline", "fail-on-regression", "undecided",
			"equal" } },
	{ "a designed experiment has no duets", { "metronome" } },
	{ "a designed experiment has no runs beside a reference loop", { "pace" } },
	{ "K-best keeps the fastest runs only, so that effects would not be those of all runs",
		{ "best", "epsilon" } },
	{ "'etalon doe run' continues the experiment by itself",
		{ "resume", "trust-record", "more" } },
	{ "it is about the text that 'run' prints", { "time-unit", "style", "sort" } },
};

static const struct et_option *find(const char *name)
{
	return et_option_named(et_run_options, name) ?: et_option_named(et_child_options, name);
}

const char *et_doe_refusal(const char *option)
{
	for (size_t i = 0; i < ET_LENGTH(refused); i++) {
		if (et_name_index(refused[i].names, option) >= 0)
			return refused[i].hint;
	}
	return NULL;
}

static int unknown(const char *name, struct et_error *err)
{
	const struct et_option *const tables[] = { et_run_options, et_child_options };
	struct et_nearest n = et_nearest_to(name);

	for (size_t i = 0; i < ET_LENGTH(tables); i++) {
		for (const struct et_option *o = tables[i]; o->name; o++)
			et_nearest_offer(&n, o->name);
	}
	int rc = et_fail(err, EINVAL, ET_EXIT_USAGE, "run has no option '%s'", name);
	return n.best ? et_hint(err, rc, "did you mean '%s'?", n.best)
		      : et_hint(err, rc,
				"run 'etalon run --help' to see them; write them without --");
}

static int check_factors(const struct et_design *d, const char *name, struct et_error *err)
{
	for (size_t i = 0; d && i < d->n_factors; i++) {
		const struct et_design_factor *f = &d->factors[i];
		const struct et_factor_kind *kind = &et_factor_kinds[f->kind];
		for (size_t k = 0; k < ET_LENGTH(kind->options) && kind->options[k]; k++) {
			if (!strcmp(kind->options[k], name))
				return et_refuse(err, "omit one of them",
					"run: '%s' contradicts the factor '%s' of kind %s", name,
					f->name, kind->name);
		}
	}
	return 0;
}

/* A protocol that removes samples by their value would remove part of an effect. */
static int check_protocol(const struct et_run_options *o, struct et_error *err)
{
	if (o->protocol == ET_PROTOCOL_RAW || o->protocol == ET_PROTOCOL_CAUSE)
		return 0;
	return et_refuse(err,
		"use raw, which keeps all samples, or cause, which removes disturbed ones",
		"run: protocol %s chooses samples by their value, which would change "
		"effects",
		et_protocol_names[o->protocol]);
}

/* "yes" and "no" of YAML, for options that are given or not. */
static int given(const char *name, const char *value, bool *out, struct et_error *err)
{
	static const char *const words[] = { "true", "yes", "on", "false", "no", "off" };

	for (size_t i = 0; i < ET_LENGTH(words); i++) {
		if (!strcasecmp(value, words[i])) {
			*out = i < 3;
			return 0;
		}
	}
	return et_fail(err, EINVAL, ET_EXIT_USAGE, "run: '%s' must be true or false, not '%s'",
		name, value);
}

/* *is_set becomes false if the plan turns the option off. */
static int set_one(const struct et_plan_option *p, struct et_run_options *options, bool *is_set,
	struct et_error *err)
{
	const struct et_option *o = find(p->name);
	const char *hint = et_doe_refusal(p->name);
	char *args[] = { p->value };
	bool yes = true;
	int rc = 0;

	if (!o)
		return unknown(p->name, err);
	if (hint)
		return et_refuse(err, hint, "run: a plan cannot set '%s'", p->name);
	if (!o->arg || (*o->arg == '[' && !strcasecmp(p->value, "true"))) {
		rc = given(p->name, p->value, &yes, err);
		args[0] = NULL;
	}
	if (rc == 0 && yes)
		rc = o->set(o, options, args, err);
	if (rc == 0 && yes)
		options->given |= o->bit;
	*is_set = yes;
	return rc ? rc : check_protocol(options, err);
}

/* Sets o to the defaults of `doe` and then to the options of the plan, which outlives o. */
static int set_options(
	const struct et_plan_file *plan, struct et_run_options *o, struct et_error *err)
{
	ET_AUTO_FREE const struct et_option **rows = et_calloc(plan->n_options + 1, sizeof(*rows));
	struct et_operands set = { .options = rows };
	int rc = 0;

	et_run_options_init(o);
	o->protocol = ET_PROTOCOL_RAW;
	o->plan.warmup = 0;
	for (size_t i = 0; rc == 0 && i < plan->n_options; i++) {
		const struct et_plan_option *p = &plan->options[i];
		bool is_set = false;
		rc = set_one(p, o, &is_set, err);
		if (rc == 0 && is_set)
			rc = check_factors(plan->design, p->name, err);
		if (rc == 0 && is_set)
			rows[set.n_options++] = find(p->name);
		if (rc)
			rc = et_plan_locate(plan, p->at, rc, err);
	}
	if (rc == 0)
		rc = et_cli_check_relations(&et_verb_run, NULL, &set, err);
	if (rc)
		et_run_options_free(o);
	return rc;
}

/* --- the experiment --- */

struct maker {
	const struct et_plan_file *plan;
	const struct et_run_options *o;
	const struct et_design *d;
	struct et_experiment *e;
};

int et_doe_read_plan(const char *path, struct et_plan_file *out, struct et_error *err)
{
	if (!strcmp(path, "-"))
		return et_plan_read(stdin, "standard input", out, err);
	ET_AUTO_FCLOSE FILE *in = fopen(path, "re");
	if (!in)
		return et_hint(err, et_fail_file(err, errno, ET_EXIT_USAGE, path),
			"'etalon doe init -o FILE' writes a first plan");
	return et_plan_read(in, path, out, err);
}

/* Hooks of `run` are given once for all programs, or once for each. */
static int set_hook(const struct maker *m, uint32_t number, const char *name,
	const struct et_each *each, char **out, struct et_error *err)
{
	size_t program = et_design_program_of(m->d, number);

	if (!each->n)
		return 0;
	if (each->n != 1 && each->n != m->d->n_programs)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"run: '%s' has %zu values for %zu programs: give one, or one for each",
			name, each->n, m->d->n_programs);
	return et_doe_fill(m->e, number, each->text[each->n == 1 ? 0 : program], out, err);
}

static int set_hooks(const struct maker *m, uint32_t number, struct et_error *err)
{
	const struct et_run_options *o = m->o;
	struct et_command *c = &m->e->commands[number];

	return set_hook(m, number, "setup", &o->setup, &c->setup, err)
		?: set_hook(m, number, "prepare", &o->prepare, &c->prepare, err)
		?: set_hook(m, number, "conclude", &o->conclude, &c->conclude, err)
		?: set_hook(m, number, "cleanup", &o->cleanup, &c->cleanup, err);
}

/* The hint of the command line, to give words after --, is none for a plan. */
static int make_argv(const struct et_experiment *e, struct et_command *c, struct et_error *err)
{
	int rc = et_run_make_argv(e->child.shell, c->text, &c->argv, err);

	if (rc && err && !strncmp(err->what, "unbalanced quotes", 17))
		return et_hint(err, rc, "close the quote, or put a backslash before it");
	return rc;
}

static int make_command(const struct maker *m, uint32_t number, struct et_error *err)
{
	const struct et_design *d = m->d;
	uint32_t program = et_design_program_of(d, number);
	const struct et_design_program *p = &d->programs[program];
	const struct et_treatment *t = &d->treatments[et_design_treatment_of(d, number)];
	struct et_command *c = &m->e->commands[number];

	c->name = et_asprintf("%s %s", p->name, t->name);
	/* The factors and their levels are parameters of the command. */
	c->n_parameters = d->n_factors;
	c->parameters = et_calloc(d->n_factors, sizeof(*c->parameters));
	for (size_t i = 0; i < d->n_factors; i++)
		c->parameters[i] = (struct et_parameter){ et_strdup(d->factors[i].name),
			et_strdup(et_design_level(d, number, i)) };
	int rc = et_doe_fill(m->e, number, p->command, &c->text, err) ?: make_argv(m->e, c, err)
		?: et_doe_build_use(m->e, number, c->argv, err);
	if (rc)
		return et_plan_locate(m->plan, m->plan->programs[program].command, rc, err);
	return set_hooks(m, number, err);
}

/* An input that all programs share, and that no level changes, is that of the experiment. */
static void set_input(const struct maker *m)
{
	const char *first = m->d->programs[0].input;

	for (size_t i = 0; first && i < m->d->n_programs; i++) {
		const char *input = m->d->programs[i].input;
		if (!input || strcmp(input, first) || strchr(input, '{'))
			return;
	}
	if (first) {
		free(m->e->child.input);
		m->e->child.input = et_strdup(first);
	}
}

static int make_commands(const struct maker *m, struct et_error *err)
{
	size_t n = m->d->n_treatments * m->d->n_programs;
	int rc = 0;

	m->e->commands = et_calloc(n, sizeof(*m->e->commands));
	while (rc == 0 && m->e->n_commands < n)
		rc = make_command(m, (uint32_t)m->e->n_commands++, err);
	if (rc == 0)
		set_input(m);
	return rc;
}

static void set_plan(const struct et_plan_file *plan, struct et_experiment *e)
{
	const struct et_design *d = plan->design;
	int metric = et_name_index(et_metric_names, d->response);

	e->label = et_strdup(d->name);
	e->plan.order = plan->order;
	/* 'doe plan' shows the order of runs, so it must be known before the experiment. */
	e->plan.seed = plan->has_seed ? plan->seed : et_hash_text(d->name) >> 11;
	e->plan.warmup += d->discard;
	e->plan.runs = d->replications - d->discard;
	/* A metric that `run` cannot judge by is still recorded; the analysis reads the response.
	 */
	e->metric_auto = false;
	e->metric = metric < 0 ? ET_METRIC_CPU : (enum et_metric)metric;
	if (et_design_function(d))
		e->profile = et_profile_new(&et_default_profile_plan);
}

int et_doe_make(struct et_plan_file *plan, struct et_measuring *measuring,
	struct et_experiment **out, struct et_error *err)
{
	struct et_run_options o;
	int rc = set_options(plan, &o, err);

	if (rc)
		return rc;
	struct maker m = { plan, &o, plan->design, et_run_options_start(&o) };
	set_plan(plan, m.e);
	m.e->design = plan->design;
	rc = make_commands(&m, err) ?: et_run_options_check(&o, m.e, err);
	if (rc == 0 && measuring) {
		measuring->env = o.env;
		measuring->no_ledger = o.no_ledger;
	}
	if (rc) {
		m.e->design = NULL;
		et_experiment_free(m.e);
	} else {
		plan->design = NULL;
		*out = m.e;
	}
	et_run_options_free(&o);
	return rc;
}

/* Checks on this machine that `doe plan` and `doe run` make before anything runs. */

static int check_level(const struct et_machine *m, const struct et_design_factor *f, size_t level,
	struct et_error *err)
{
	switch (et_factor_kinds[f->kind].scope) {
	case ET_SCOPE_TEXT:
		return 0;
	case ET_SCOPE_BUILD:
		return et_doe_build_check(f, level, err);
	case ET_SCOPE_MACHINE:
		return et_levels_check(m, f, level, err);
	default:
		return et_treatment_check(m->root, f, level, err);
	}
}

bool et_doe_can_set(const struct et_machine *m, enum et_kind kind, const char *const *levels)
{
	char name[] = "factor";
	struct et_design_factor f = { .name = name, .kind = kind, .levels = (char **)levels };

	while (levels[f.n_levels]) {
		if (check_level(m, &f, f.n_levels++, NULL))
			return false;
	}
	return true;
}

/* The folder that a command runs in: a level of kind directory, or that of the options. */
static const char *directory_of(const struct et_experiment *e, uint32_t command, size_t *factor)
{
	const struct et_design *d = e->design;

	for (*factor = 0; *factor < d->n_factors; ++*factor) {
		if (d->factors[*factor].kind == ET_KIND_DIRECTORY)
			return et_design_level(d, command, *factor);
	}
	return e->child.directory;
}

static bool sets_path(const struct et_design *d)
{
	for (size_t i = 0; i < d->n_factors; i++) {
		const struct et_design_factor *f = &d->factors[i];
		if (f->kind == ET_KIND_ENVIRONMENT && !strcmp(f->variable ?: f->name, "PATH"))
			return true;
	}
	return false;
}

/* A program may be missing now if a build or the hook `setup` makes it. */
static int check_program(const struct et_experiment *e, uint32_t command, struct et_error *err)
{
	const struct et_design *d = e->design;
	ET_AUTO_FREE char *path = NULL;
	size_t factor;

	if (d->programs[et_design_program_of(d, command)].build || d->setup || e->child.user ||
		sets_path(d))
		return 0;
	const char *directory = directory_of(e, command, &factor);
	int rc = et_child_resolve(
		e->commands[command].argv[0], getenv("PATH"), directory, &path, err);
	if (rc == 0 || factor == d->n_factors || e->commands[command].argv[0][0] == '/')
		return rc;
	return et_hint(err, rc,
		"factor %s runs it in '%s': begin the path of the program with /, or put the "
		"program there",
		d->factors[factor].name, directory);
}

static int check_input(const struct et_experiment *e, uint32_t command, struct et_error *err)
{
	const struct et_design *d = e->design;
	const char *text = d->programs[et_design_program_of(d, command)].input;
	ET_AUTO_FREE char *path = NULL;

	if (!text || d->setup)
		return 0;
	int rc = et_design_fill(d, command, text, NULL, &path, err);
	if (rc == 0 && access(path, R_OK))
		rc = et_fail_file(err, errno, ET_EXIT_USAGE, path);
	return rc;
}

/* Whether the files are there, with the place in the plan of the first that is not. */
static int check_files(
	const struct et_plan_file *plan, const struct et_experiment *e, struct et_error *err)
{
	for (uint32_t i = 0; i < e->n_commands; i++) {
		uint32_t program = et_design_program_of(e->design, i);
		int rc = check_program(e, i, err);
		if (rc)
			return et_plan_locate(plan, plan->programs[program].command, rc, err);
		rc = check_input(e, i, err);
		if (rc)
			return et_plan_locate(plan, plan->programs[program].input, rc, err);
	}
	return 0;
}

/* The place of the option that an error begins with, "--cpu: ...". */
static int locate_option(const struct et_plan_file *plan, int rc, struct et_error *err)
{
	for (size_t i = 0; i < plan->n_options; i++) {
		const struct et_plan_option *p = &plan->options[i];
		size_t n = strlen(p->name);
		if (!strncmp(err->what, "--", 2) && !strncmp(err->what + 2, p->name, n) &&
			strchr(": ", err->what[2 + n]))
			return et_plan_locate(plan, p->at, rc, err);
	}
	return rc;
}

/* Options of `run` that this machine cannot follow. Rights are not a matter of the plan. */
static int check_options(
	const struct et_plan_file *plan, const struct et_experiment *e, struct et_error *err)
{
	int rc = et_run_setup_check(e, environ, false, err);

	if (rc == -EPERM)
		*err = (struct et_error){ 0 };
	return rc == -EPERM || !rc ? 0 : locate_option(plan, rc, err);
}

int et_doe_check_levels(
	const struct et_plan_file *plan, const struct et_experiment *e, struct et_error *err)
{
	const struct et_design *d = e->design;
	struct et_machine machine;
	size_t later = 0;
	int rc = check_options(plan, e, err);

	if (rc)
		return rc;
	rc = et_treatments_check(e, &later, err);
	if (rc)
		return et_plan_locate(plan, plan->factors[later].name, rc, err);
	et_cli_machine(&machine);
	for (size_t i = 0; rc == 0 && i < d->n_factors; i++) {
		for (size_t k = 0; rc == 0 && k < d->factors[i].n_levels; k++) {
			rc = check_level(&machine, &d->factors[i], k, err);
			if (rc)
				rc = et_plan_locate(plan, plan->factors[i].levels[k], rc, err);
		}
	}
	et_machine_free(&machine);
	return rc ? rc : check_files(plan, e, err);
}

/* The response `profile: FUNCTION` of a plan: a misspelt one would have a time of 0 in all runs. */

enum { MOST_NAMED = 10 };

/* Whether a function of that name, of another program or build, has a smaller number. */
static bool is_earlier(const struct et_profile *p, size_t function)
{
	size_t i = 0;

	while (i < function && strcmp(p->functions[i].name, p->functions[function].name))
		i++;
	return i < function;
}

/* Returns the names of functions of programs, the first of them; NULL: none. */
static char *list_seen(const struct et_profile *p)
{
	char *seen = NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->n_functions && n < MOST_NAMED; i++) {
		if (p->functions[i].space == ET_SPACE_USER && !p->functions[i].unnamed &&
			!is_earlier(p, i) && ++n)
			et_append(&seen, ", ", "%s", p->functions[i].name);
	}
	return seen;
}

const char *et_doe_function(const struct et_experiment *e)
{
	return e->profile ? et_design_function(e->design) : NULL;
}

int et_doe_check_function(const struct et_plan_file *plan, const struct et_experiment *e,
	const char *none, struct et_error *err)
{
	const char *wish = et_doe_function(e);
	const struct et_profile *p = e->profile;

	if (!wish)
		return 0;
	struct et_nearest n = et_nearest_to(wish);
	for (size_t i = 0; i < p->n_functions; i++) {
		if (!strcmp(p->functions[i].name, wish))
			return 0;
		et_nearest_offer(&n, p->functions[i].name);
	}
	ET_AUTO_FREE char *seen = list_seen(p);
	int rc = et_fail(
		err, ENOENT, ET_EXIT_USAGE, "response: %s was seen in a function '%s'", none, wish);
	rc = et_plan_locate(plan, plan->response_at, rc, err);
	if (n.best)
		return et_hint(err, rc,
			"did you mean '%s'? then correct the plan, and begin anew with 'doe run "
			"--new'; functions that were seen: %s",
			n.best, seen ? seen : n.best);
	return et_hint(
		err, rc, seen ? "functions that were seen: %s" : "make the runs longer", seen);
}

void et_doe_warn_function(
	const struct et_plan_file *plan, const struct et_experiment *e, const char *none)
{
	struct et_error err = { 0 };

	if (et_doe_check_function(plan, e, none, &err) == 0)
		return;
	ET_AUTO_FREE char *what = et_asprintf("warning: %s", err.what);
	snprintf(err.what, sizeof(err.what), "%s", what);
	(void)!et_cli_fail(&err);
}
