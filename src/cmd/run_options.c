/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/run_options.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "num/kbest.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char *const export_formats[] = { "json", "hyperfine", "csv", "markdown", "asciidoc",
	"orgmode", "html" };

void et_run_options_init(struct et_run_options *o)
{
	memset(o, 0, sizeof(*o));
	o->regression_ratio = INFINITY;
	o->e = et_calloc(1, sizeof(*o->e));
	o->e->plan = (struct et_plan){ .order = ET_ORDER_AUTO,
		.warmup = 1,
		.runs = 10,
		.min_runs = 10,
		.max_runs = 1000,
		.probe = true,
		.level = 0.95 };
}

void et_run_options_free(struct et_run_options *o)
{
	et_experiment_free(o->e);
	et_ranges_free(&o->ranges);
	et_outputs_close(&o->outputs);
}

static int choice(const char *option, const char *const *names, const char *text, int *out,
	struct et_error *err)
{
	int k = et_name_index(names, text);

	if (k >= 0) {
		*out = k;
		return 0;
	}
	char list[128] = "";
	for (size_t i = 0, len = 0; names[i] && len < sizeof(list); i++)
		len += (size_t)snprintf(
			list + len, sizeof(list) - len, "%s%s", i ? ", " : "", names[i]);
	return et_hint(err, et_fail(err, EINVAL, ET_EXIT_USAGE, "%s: unknown '%s'", option, text),
		"one of %s", list);
}

static int count(
	const char *option, const char *text, uint32_t lo, uint32_t *out, struct et_error *err)
{
	uint64_t value;
	int rc = et_parse_u64(option, text, lo, 100000000, &value, err);

	if (rc == 0)
		*out = (uint32_t)value;
	return rc;
}

static int add_each(struct et_each *each, const char *text, struct et_error *err)
{
	if (each->n == ET_MOST_ASIDES)
		return et_fail(err, E2BIG, ET_EXIT_USAGE, "an option is given more than %d times",
			ET_MOST_ASIDES);
	each->text[each->n++] = text;
	return 0;
}

static void set_text(char **where, const char *text)
{
	free(*where);
	*where = et_strdup(text);
}

/* How many samples, in which order, judged how. */
static int handle_plan(struct et_run_options *o, int id, const char *arg, struct et_error *err)
{
	struct et_plan *p = &o->e->plan;
	uint64_t best = 0;
	int k = 0, rc;

	switch (id) {
	case O_WARMUP:
		return count("--warmup", arg, 0, &p->warmup, err);
	case O_RUNS:
		o->runs_given = true;
		return count("--runs", arg, 1, &p->runs, err);
	case O_UNTIL:
		return et_parse_ratio("--until", arg, &p->until_ratio, err);
	case O_MIN:
		return count("--min-runs", arg, 2, &p->min_runs, err);
	case O_MAX:
		o->max_given = true;
		return count("--max-runs", arg, 2, &p->max_runs, err);
	case O_BEST:
		rc = et_parse_u64("--best", arg, 1, ET_KBEST_MOST, &best, err);
		p->k = (uint32_t)best;
		return rc;
	case O_EPSILON:
		return et_parse_ratio("--epsilon", arg, &p->epsilon, err);
	case O_TIME_LIMIT:
		return et_parse_duration("--time-limit", arg, &p->time_limit_ns, err);
	case O_METRONOME:
		return et_parse_duration("--metronome", arg, &p->metronome_ns, err);
	case O_SEED:
		o->seed_given = true;
		return et_parse_u64("--seed", arg, 0, INT64_MAX, &p->seed, err);
	case O_METRIC:
		rc = choice("--metric", et_metric_names, arg, &k, err);
		o->e->metric = (enum et_metric)k;
		return rc;
	case O_ORDER:
		rc = choice("--order", et_order_names, arg, &k, err);
		p->order = (enum et_order)k;
		return rc;
	default: /* O_PROTOCOL */
		rc = choice("--protocol", et_protocol_names, arg, &k, err);
		o->e->protocol = (enum et_protocol)k;
		return rc;
	}
}

/* How the program runs. */
static int handle_child(struct et_run_options *o, int id, const char *arg, struct et_error *err)
{
	struct et_child_spec *c = &o->e->child;
	int64_t value;
	int rc;

	switch (id) {
	case O_CPU:
		set_text(&c->cpus, arg);
		return 0;
	case O_SCHED:
		set_text(&c->sched, arg);
		return 0;
	case O_NICE:
		rc = et_parse_i64("--nice", arg, -40, 39, &value, err);
		if (rc == 0)
			c->nice = (int)value;
		return rc;
	case O_SHELL:
		/* hyperfine spells "no shell" that way. */
		free(c->shell);
		c->shell = strcmp(arg, "none") ? et_strdup(arg) : NULL;
		return 0;
	case O_NO_SHELL:
		free(c->shell);
		c->shell = NULL;
		return 0;
	case O_OUTPUT:
		set_text(&c->output, arg);
		return 0;
	case O_INPUT:
		set_text(&c->input, strcmp(arg, "null") ? arg : "/dev/null");
		return 0;
	default: /* O_USER */
		set_text(&c->user, arg);
		return 0;
	}
}

/* Kept until all options are read: the step may come behind its scan. */
static int note_range(struct et_run_options *o, const char *name, const char *from, const char *to,
	struct et_error *err)
{
	if (o->n_ranges_given == ET_MOST_ASIDES)
		return et_fail(
			err, E2BIG, ET_EXIT_USAGE, "more than %d parameters", ET_MOST_ASIDES);
	o->ranges_given[o->n_ranges_given].name = name;
	o->ranges_given[o->n_ranges_given].from = from;
	o->ranges_given[o->n_ranges_given++].to = to;
	return 0;
}

/* Options that say what to do with the result go with --resume; the plan is what it was. */
static bool goes_with_resume(int id)
{
	return id == O_RESUME || id == O_ENV || id == O_NO_LEDGER || id == O_FAIL || id >= O_EXPORT;
}

int et_run_options_handle(void *ctx, int id, char *const *args, struct et_error *err)
{
	struct et_run_options *o = ctx;

	o->plan_given = o->plan_given || !goes_with_resume(id);

	switch (id) {
	case O_REFERENCE:
		o->reference = args[0];
		return 0;
	case O_SETUP:
		return add_each(&o->setup, args[0], err);
	case O_PREPARE:
		return add_each(&o->prepare, args[0], err);
	case O_CONCLUDE:
		return add_each(&o->conclude, args[0], err);
	case O_CLEANUP:
		return add_each(&o->cleanup, args[0], err);
	case O_NAME:
		return add_each(&o->names, args[0], err);
	case O_SCAN:
		return note_range(o, args[0], args[1], args[2], err);
	case O_STEP:
		o->step = args[0];
		return 0;
	case O_LIST:
		return note_range(o, args[0], args[1], NULL, err);
	case O_IGNORE:
		o->e->plan.ignore_failure = true;
		return 0;
	case O_PACE:
		o->e->plan.pace = true;
		return 0;
	case O_NO_PROBE:
		o->e->plan.probe = false;
		return 0;
	case O_KEEP_ALL:
		o->e->plan.keep_all = true;
		return 0;
	case O_ENV:
		o->env = true;
		return 0;
	case O_NO_LEDGER:
		o->no_ledger = true;
		return 0;
	case O_LABEL:
		set_text(&o->e->label, args[0]);
		return 0;
	case O_RESUME:
		o->resume = true;
		o->resume_id = args[0];
		return 0;
	case O_FAIL:
		return et_parse_percent("--fail-on-regression", args[0], &o->regression_ratio, err);
	default:
		if (id >= O_EXPORT)
			return et_outputs_add(
				&o->outputs, export_formats[id - O_EXPORT], args[0], err);
		if (id <= O_SEED)
			return handle_plan(o, id, args[0], err);
		return handle_child(o, id, args[0], err);
	}
}
