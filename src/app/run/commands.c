/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the experiment of `run`: its commands from operands, parameters and hooks. */
#include "app/run/options.h"
#include "app/run/run.h"
#include "base/parse.h"
#include "base/shell.h"

/* How many of the first n commands have the name. */
static size_t count(const struct et_experiment *e, size_t n, const char *name)
{
	size_t same = 0;

	for (size_t k = 0; k < n; k++)
		same += !strcmp(e->commands[k].name, name);
	return same;
}

/* Numbers commands of equal names, so that results name each one. */
static void number_equal_names(struct et_experiment *e)
{
	/* From the end, so that the names compared with are still as given. */
	for (size_t i = e->n_commands; i-- > 1;) {
		size_t same = count(e, i, e->commands[i].name);
		char *name = NULL;
		if (!same)
			continue;
		do {
			free(name);
			name = et_asprintf("%s (%zu)", e->commands[i].name, ++same);
		} while (count(e, e->n_commands, name));
		free(e->commands[i].name);
		e->commands[i].name = name;
	}
}

static int find_reference(
	const struct et_run_options *o, struct et_experiment *e, struct et_error *err)
{
	uint64_t number;

	if (!o->reference)
		return 0;
	for (uint32_t i = 0; i < e->n_commands; i++) {
		if (!strcmp(e->commands[i].name, o->reference)) {
			e->plan.reference = i;
			return 0;
		}
	}
	if (et_parse_u64("--reference", o->reference, 1, e->n_commands, &number, NULL) == 0) {
		e->plan.reference = (uint32_t)number - 1;
		return 0;
	}
	return et_hint(err,
		et_fail(err, ENOENT, ET_EXIT_USAGE, "--reference: there is no command '%s'",
			o->reference),
		"use a number from 1 to %zu, or the name of a command", e->n_commands);
}

static int name_reference(
	const struct et_run_options *o, struct et_experiment *e, struct et_error *err)
{
	struct et_command *c = &e->commands[e->plan.reference];

	if (!o->reference_name)
		return 0;
	if (!o->reference_name[0])
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--reference-name: the name is empty");
	free(c->name);
	c->name = et_strdup(o->reference_name);
	number_equal_names(e);
	return 0;
}

void et_run_options_add_reference(struct et_run_options *o, struct et_operands *ops)
{
	struct et_each *names = &o->names;

	if (!o->reference)
		return;
	ops->before = et_realloc(ops->before, ops->n_before + 2, sizeof(*ops->before));
	memmove(ops->before + 1, ops->before, (ops->n_before + 1) * sizeof(*ops->before));
	ops->before[0] = (char *)o->reference;
	ops->n_before++;
	/* Names are for the other commands. */
	if (names->n && names->n < ET_MOST_VALUES) {
		memmove(names->text + 1, names->text, names->n * sizeof(*names->text));
		names->text[0] = o->reference;
		names->n++;
	}
	o->reference = NULL;
	o->reference_first = true;
}

struct maker {
	struct et_run_options *o;
	struct et_experiment *e;
	const struct et_operands *ops;
	size_t n_operands, n_all; /* n_all: with every combination of the parameters */
	size_t combination;
	struct et_command *c;
};

static int fill(const struct maker *m, const char *text, char **out, struct et_error *err)
{
	return et_parameters_fill(text, m->c->parameters, m->c->n_parameters, out, err);
}

/* Picks an option's value for command k: the only one, or the k-th; hyperfine counts them all. */
static int pick_each(const struct maker *m, const char *option, const struct et_each *each,
	size_t k, char **out, struct et_error *err)
{
	if (!each->n)
		return 0;
	bool of_all = m->o->like_hyperfine && each->n == m->n_all;
	if (each->n != 1 && !of_all && each->n != m->n_operands)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"%s is given %zu times for %zu command%s: give it once, or once for each",
			option, each->n, m->n_operands, m->n_operands == 1 ? "" : "s");
	if (of_all)
		k = m->e->n_commands - 1;
	return fill(m, each->text[each->n == 1 ? 0 : k], out, err);
}

/* The words after "--" are one command. */
static int make_words(const struct maker *m, struct et_error *err)
{
	struct et_command *c = m->c;
	size_t n = m->ops->n_after;
	int rc = 0;

	c->argv = et_calloc(n + 1, sizeof(char *));
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = fill(m, m->ops->after[i], &c->argv[i], err);
	if (rc == 0)
		c->text = et_join_words(c->argv);
	return rc;
}

int et_run_make_argv(const char *shell, const char *text, char ***out, struct et_error *err)
{
	size_t len;
	const char *at = shell ? NULL : et_shell_syntax(text, &len);

	/* The program would get it as an argument, which is hardly ever meant. */
	if (at)
		return et_refuse(err, "use --shell sh, or quote it to pass it literally",
			"'%s': %.*s needs a shell, and none is used", text, (int)len, at);
	return shell ? et_shell_argv(shell, text, out, err) : et_split_words(text, out, err);
}

/* hyperfine has a shell for every command; here only those have one that need it. */
static bool needs_shell(const struct maker *m, const char *text)
{
	size_t len;

	if (!m->o->like_hyperfine || m->o->given & ET_GIVEN_SHELL)
		return false;
	ET_AUTO_FREE char *first = et_strndup(text, strcspn(text, " \t\n"));
	return et_shell_syntax(text, &len) || et_shell_builtin(first);
}

static int make_argv(const struct maker *m, size_t k, struct et_error *err)
{
	struct et_command *c = m->c;
	const char *shell = m->e->child.shell;
	int rc = m->ops->after ? make_words(m, err) : fill(m, m->ops->before[k], &c->text, err);

	if (rc || (!shell && m->ops->after))
		return rc;
	if (!shell && needs_shell(m, c->text))
		shell = "sh";
	et_strv_free(c->argv);
	c->argv = NULL;
	return et_run_make_argv(shell, c->text, &c->argv, err);
}

static int make_name(const struct maker *m, size_t k, struct et_error *err)
{
	const struct et_each *names = &m->o->names;

	if (names->n == m->n_all)
		k = m->e->n_commands - 1;
	else if (names->n > m->n_operands && !m->o->like_hyperfine)
		return et_refuse(err,
			"give it once for each command, or for each combination of parameters",
			"--command-name is given %zu times for %zu command%s", names->n, m->n_all,
			m->n_all == 1 ? "" : "s");
	if (k >= names->n) {
		m->c->name = et_strdup(m->c->text);
		return 0;
	}
	if (!names->text[k][0])
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--command-name: a name is empty");
	return fill(m, names->text[k], &m->c->name, err);
}

/* hyperfine's --reference has no parameters, so it is one command for all combinations. */
static bool is_plain(const struct maker *m, size_t k)
{
	return m->o->reference_first && k == 0;
}

static int make_command(const struct maker *m, size_t k, struct et_error *err)
{
	struct et_command *c = m->c;
	struct et_run_options *o = m->o;

	if (!is_plain(m, k)) {
		et_ranges_pick(&o->ranges, m->combination, &c->parameters);
		c->n_parameters = o->ranges.n;
	}
	int rc = make_argv(m, k, err);
	if (rc == 0)
		rc = make_name(m, k, err);
	if (rc == 0)
		rc = pick_each(m, "--setup", &o->setup, k, &c->setup, err);
	if (rc == 0)
		rc = pick_each(m, "--prepare", &o->prepare, k, &c->prepare, err);
	if (rc == 0)
		rc = pick_each(m, "--conclude", &o->conclude, k, &c->conclude, err);
	if (rc == 0)
		rc = pick_each(m, "--cleanup", &o->cleanup, k, &c->cleanup, err);
	return rc;
}

static int make_ranges(struct et_run_options *o, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < o->n_ranges_given; i++) {
		const struct et_range_given *r = &o->ranges_given[i];
		rc = r->to ? et_ranges_add_scan(&o->ranges, r->name, r->from, r->to,
				     o->step ? o->step : "1", err)
			   : et_ranges_add_list(&o->ranges, r->name, r->from, err);
	}
	return rc;
}

static int make_commands(struct maker *m, struct et_error *err)
{
	size_t product = et_ranges_product(&m->o->ranges);
	int rc = 0;

	m->n_all = product * m->n_operands - (m->o->reference_first ? product - 1 : 0);
	if (m->n_all > 10000)
		return et_fail(err, E2BIG, ET_EXIT_USAGE,
			"the parameters make %zu commands, more than 10000", m->n_all);
	m->e->commands = et_calloc(m->n_all, sizeof(*m->e->commands));
	for (m->combination = 0; rc == 0 && m->combination < product; m->combination++) {
		for (size_t k = 0; rc == 0 && k < m->n_operands; k++) {
			if (is_plain(m, k) && m->combination)
				continue;
			m->c = &m->e->commands[m->e->n_commands++];
			rc = make_command(m, k, err);
		}
	}
	return rc;
}

struct et_experiment *et_run_options_start(struct et_run_options *o)
{
	struct et_experiment *e = et_experiment_new();

	e->plan = o->plan;
	e->child = o->child;
	e->protocol = o->protocol;
	e->metric_auto = o->metric == ET_METRIC_AUTO;
	e->metric = e->metric_auto ? ET_METRIC_CPU : (enum et_metric)o->metric;
	e->label = o->label;
	memset(&o->child, 0, sizeof(o->child));
	o->label = NULL;
	return e;
}

static int no_command(const struct et_run_options *o, struct et_error *err)
{
	int rc = et_fail(err, EINVAL, ET_EXIT_USAGE, "no command to measure");
	size_t n = o->n_ranges_given;
	const char *values = n && !o->ranges_given[n - 1].to ? o->ranges_given[n - 1].from : "";

	/* In "-L n 'ls {n}'" the command is read as the values. */
	if (strchr(values, '{'))
		return et_hint(err, rc,
			"give the values of --parameter-list before the command: -L %s 1,2 '%s'",
			o->ranges_given[n - 1].name, values);
	return et_hint(err, rc, "name a command: etalon %s 'sort data.txt'",
		o->around ? o->around->verb : "run");
}

int et_run_options_finish(struct et_run_options *o, const struct et_operands *ops,
	struct et_experiment **out, struct et_error *err)
{
	struct maker m = { .o = o, .ops = ops, .n_operands = ops->after ? 1 : ops->n_before };
	int rc = make_ranges(o, err);

	if (rc)
		return rc;
	if (ops->after && ops->n_before)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"give commands as strings, or one command as words after --, not both");
	if (ops->after ? !ops->n_after : !ops->n_before)
		return no_command(o, err);
	m.e = et_run_options_start(o);
	rc = make_commands(&m, err);
	if (rc == 0) {
		number_equal_names(m.e);
		rc = find_reference(o, m.e, err);
	}
	if (rc == 0)
		rc = name_reference(o, m.e, err);
	if (rc == 0)
		rc = et_run_options_check(o, m.e, err);
	if (rc)
		et_experiment_free(m.e);
	else
		*out = m.e;
	return rc;
}
