/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `run` that a plan file sets, by the tables of `run` itself. */
#include "app/doe/doe.h"
#include "app/run/run.h"
#include "base/alloc.h"
#include "base/nearest.h"
#include "conduct/measuring.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define RUNS "use 'replications' and 'discard'"
#define FACTORS "make it a factor of kind parameter"
#define PAIRS "'etalon doe analyse' compares all treatments"
#define TEXT "it is about the text that 'run' prints"
#define KBEST "K-best keeps the fastest runs only, so that effects would not be those of all runs"

/* Options of `run` that mean something else in a designed experiment, or nothing. */
static const struct {
	const char *name, *hint;
} refused[] = {
	{ "runs", RUNS },
	{ "until", RUNS },
	{ "min-runs", RUNS },
	{ "max-runs", RUNS },
	{ "min-benchmarking-time", RUNS },
	{ "order", "use the plan's key 'order'" },
	{ "seed", "use the plan's key 'seed'" },
	{ "metric", "use the plan's key 'response'" },
	{ "label", "the plan's name is the label" },
	{ "command-name", "use the name of the program" },
	{ "parameter-scan", FACTORS },
	{ "parameter-step-size", FACTORS },
	{ "parameter-list", FACTORS },
	{ "reference", PAIRS },
	{ "reference-name", PAIRS },
	{ "baseline", PAIRS },
	{ "fail-on-regression", PAIRS },
	{ "metronome", "a designed experiment has no duets" },
	{ "pace", "a designed experiment has no runs beside a reference loop" },
	{ "best", KBEST },
	{ "epsilon", KBEST },
	{ "resume", "'etalon doe run' continues the experiment by itself" },
	{ "trust-record", "'etalon doe run' continues the experiment by itself" },
	{ "time-unit", TEXT },
	{ "style", TEXT },
	{ "sort", TEXT },
};

static const struct et_option *find(const char *name)
{
	const struct et_option *const tables[] = { et_run_options, et_child_options };

	for (size_t i = 0; i < ET_LENGTH(tables); i++) {
		for (const struct et_option *o = tables[i]; o->name; o++) {
			if (!strcmp(o->name, name))
				return o;
		}
	}
	return NULL;
}

const char *et_doe_refusal(const char *option)
{
	for (size_t i = 0; i < ET_LENGTH(refused); i++) {
		if (!strcmp(refused[i].name, option))
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
				return et_hint(err,
					et_fail(err, EINVAL, ET_EXIT_USAGE,
						"run: '%s' contradicts the factor '%s' of kind %s",
						name, f->name, kind->name),
					"omit one of them");
		}
	}
	return 0;
}

/* A protocol that removes samples by their value would remove part of an effect. */
static int check_protocol(const struct et_run_options *o, struct et_error *err)
{
	if (o->protocol == ET_PROTOCOL_RAW || o->protocol == ET_PROTOCOL_CAUSE)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"run: protocol %s chooses samples by their value, which would change "
			"effects",
			et_protocol_names[o->protocol]),
		"use raw, which keeps all samples, or cause, which removes disturbed ones");
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
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "run: a plan cannot set '%s'", p->name),
			"%s", hint);
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

int et_doe_set_options(
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

int et_doe_set_measuring(
	const struct et_plan_file *plan, struct et_measuring *m, struct et_error *err)
{
	struct et_run_options o;
	int rc = et_doe_set_options(plan, &o, err);

	if (rc)
		return rc;
	m->env = o.env;
	m->no_ledger = o.no_ledger;
	et_run_options_free(&o);
	return 0;
}
