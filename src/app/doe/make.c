/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the experiment of a plan file: its commands, order and number of runs. */
#include "app/doe/doe.h"
#include "app/run/options.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/parse.h"
#include "build/build.h"
#include "model/sample/profile.h"

#include <errno.h>
#include <string.h>

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

/* The factors and their levels are parameters of the command. */
static void set_parameters(const struct et_design *d, uint32_t number, struct et_command *c)
{
	c->n_parameters = d->n_factors;
	c->parameters = et_calloc(d->n_factors, sizeof(*c->parameters));
	for (size_t i = 0; i < d->n_factors; i++)
		c->parameters[i] = (struct et_parameter){ et_strdup(d->factors[i].name),
			et_strdup(et_design_level(d, number, i)) };
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
	int rc = set_hook(m, number, "setup", &o->setup, &c->setup, err);

	if (rc == 0)
		rc = set_hook(m, number, "prepare", &o->prepare, &c->prepare, err);
	if (rc == 0)
		rc = set_hook(m, number, "conclude", &o->conclude, &c->conclude, err);
	if (rc == 0)
		rc = set_hook(m, number, "cleanup", &o->cleanup, &c->cleanup, err);
	return rc;
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
	set_parameters(d, number, c);
	int rc = et_doe_fill(m->e, number, p->command, &c->text, err);
	if (rc == 0)
		rc = make_argv(m->e, c, err);
	if (rc == 0)
		rc = et_doe_build_use(m->e, number, c->argv, err);
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

static enum et_order order_of(const char *name)
{
	if (!strcmp(name, "yates"))
		return ET_ORDER_SEQUENTIAL;
	return strcmp(name, "interleaved") ? ET_ORDER_RANDOM : ET_ORDER_ROUND_ROBIN;
}

/* A metric that `run` cannot judge by is still recorded; the analysis reads the design's response.
 */
static void set_response(struct et_experiment *e, const char *response)
{
	e->metric_auto = false;
	e->metric = ET_METRIC_CPU;
	for (int i = 0; i < ET_METRICS; i++) {
		if (et_metrics[i].judged && !strcmp(et_metrics[i].name, response))
			e->metric = (enum et_metric)i;
	}
	if (!strncmp(response, "profile:", 8))
		e->profile = et_profile_new(&et_default_profile_plan);
}

static void set_plan(const struct et_plan_file *plan, struct et_experiment *e)
{
	const struct et_design *d = plan->design;

	e->label = et_strdup(d->name);
	e->plan.order = order_of(plan->order);
	/* 'doe plan' shows the order of runs, so it must be known before the experiment. */
	e->plan.seed = plan->has_seed ? plan->seed : et_hash_text(d->name) >> 11;
	e->plan.warmup += d->discard;
	e->plan.runs = d->replications - d->discard;
	set_response(e, d->response);
}

static int make(struct et_cli *cli, struct et_plan_file *plan, struct et_run_options *o, bool build,
	struct et_experiment **out, struct et_error *err)
{
	struct maker m = { plan, o, plan->design, et_run_options_start(o) };

	set_plan(plan, m.e);
	m.e->design = plan->design;
	int rc = make_commands(&m, err);
	if (rc == 0)
		rc = et_run_options_check(o, m.e, err);
	if (rc == 0 && build)
		rc = et_doe_build(cli, m.e, false, err);
	if (rc) {
		m.e->design = NULL;
		et_experiment_free(m.e);
		return rc;
	}
	plan->design = NULL;
	*out = m.e;
	return 0;
}

int et_doe_make(struct et_cli *cli, struct et_plan_file *plan, bool build,
	struct et_experiment **out, struct et_error *err)
{
	struct et_run_options o;
	int rc = et_doe_set_options(plan, &o, err);

	if (rc)
		return rc;
	rc = make(cli, plan, &o, build, out, err);
	et_run_options_free(&o);
	return rc;
}
