/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns an operand of `etalon fit` into points: a table, a record, or a stored experiment. */
#include "app/fit/fit.h"
#include "base/parse.h"
#include "draw/terminal.h"
#include "model/sample/metric_choice.h"
#include "source/operand.h"
#include "store/import/points.h"

static const struct et_parameter *find(const struct et_command *c, const char *name)
{
	for (size_t i = 0; i < c->n_parameters; i++)
		if (!strcmp(c->parameters[i].name, name))
			return &c->parameters[i];
	return NULL;
}

/* The parameter that is the size: the named one, or the only one. */
static int choose_parameter(const struct et_experiment *e, const struct et_fit_request *r,
	const char *operand, const char **out, struct et_error *err)
{
	const struct et_command *first = e->n_commands ? &e->commands[0] : NULL;
	ET_AUTO_FREE char *names = NULL;

	if (!first || !first->n_parameters)
		return et_refuse(err,
			"measure several sizes: etalon run -L n 1000,2000,4000,8000 'program {n}'",
			"'%.200s' has no parameter, so the sizes of its inputs are not known",
			operand);
	for (size_t i = 0; i < first->n_parameters; i++)
		et_append(&names, ", ", "%s", first->parameters[i].name);
	*out = r->parameter ? r->parameter : first->parameters[0].name;
	if (!r->parameter && first->n_parameters > 1)
		return et_hint(err,
			et_refuse(err, NULL, "'%.200s' has %zu parameters (%.200s)", operand,
				first->n_parameters, names),
			"name the one that is the size of the input: --parameter %.60s", *out);
	for (size_t i = 0; i < e->n_commands; i++) {
		if (!find(&e->commands[i], *out))
			return et_hint(err,
				et_refuse(err, NULL,
					"command %s of '%.200s' has no parameter '%.60s'",
					et_name_by_number(i, ET_BUF), operand, *out),
				"name one of its parameters: %.200s", names);
	}
	return 0;
}

/* The command with {name} instead of the value where the value is a word of its own. */
static char *template_of(const struct et_command *c, const struct et_parameter *p)
{
	const char *begin = c->text ? c->text : c->name, *text = begin, *at;
	size_t length = strlen(p->value);
	char *out = NULL;

	while (length && (at = strstr(text, p->value))) {
		bool word = (at == begin || strchr(" =:,/", at[-1])) &&
			    (!at[length] || strchr(" =:,/", at[length]));
		et_append(&out, "", "%.*s", (int)(at - text), text);
		if (word)
			et_append(&out, "", "{%s}", p->name);
		else
			et_append(&out, "", "%s", p->value);
		text = at + length;
	}
	et_append(&out, "", "%s", text);
	return out;
}

/* How many earlier commands have the same value: they belong to other series. */
static size_t series_of(const struct et_experiment *e, size_t command, const char *name)
{
	const char *value = find(&e->commands[command], name)->value;
	size_t n = 0;

	for (size_t i = 0; i < command; i++)
		n += !strcmp(find(&e->commands[i], name)->value, value);
	return n;
}

static int add_command(const struct et_experiment *e, size_t at, const struct et_parameter *p,
	bool any, struct et_points *out, struct et_error *err)
{
	const struct et_command *c = &e->commands[at];
	double size;
	size_t n;

	if (et_parse_double("", p->value, &size, NULL))
		return et_refuse(err, "name another parameter with --parameter, or use numbers",
			"the parameter %.60s is '%.60s', which is not a number", p->name, p->value);
	if (!any && !(size >= ET_POINTS_LEAST && size <= ET_POINTS_MOST))
		return et_refuse(err, "fit a straight line through any numbers with --line",
			"the parameter %.60s is %.60s, which is not between %g and %g", p->name,
			p->value, ET_POINTS_LEAST, ET_POINTS_MOST);
	ET_AUTO_FREE double *values =
		et_command_values(c, e->metric, et_command_arrangement(c), &n);
	for (size_t i = 0; i < n; i++) {
		if (!any && !(values[i] > 0))
			return et_refuse(err, "use --metric elapsed, or larger sizes",
				"a run of size %.60s took a %s of 0", p->value,
				et_metrics[e->metric].label);
		et_points_append(out, size, values[i]);
	}
	return 0;
}

/* Where the points of an operand go. */
struct adding {
	const struct et_fit_request *r;
	const char *operand;
	struct et_points_set *out;
};

static int add_experiment(const struct adding *a, struct et_experiment *e, struct et_error *err)
{
	const struct et_fit_request *r = a->r;
	struct et_points_set *out = a->out;
	size_t first = out->n;
	const char *name = NULL;

	int rc = choose_parameter(e, r, a->operand, &name, err);
	if (rc)
		return rc;
	if (r->gather.metric_given) {
		e->metric_auto = r->gather.metric == ET_METRIC_AUTO;
		if (!e->metric_auto)
			e->metric = (enum et_metric)r->gather.metric;
		et_metric_settle(e);
	}
	if (!et_metric_is_time(e->metric))
		return et_refuse(err, "use --metric cpu or --metric elapsed",
			"fit is about how time grows, but %s is judged by %s", a->operand,
			et_metrics[e->metric].label);
	for (size_t i = 0; rc == 0 && i < e->n_commands; i++) {
		const struct et_parameter *p = find(&e->commands[i], name);
		size_t at = first + series_of(e, i, name);

		if (at == out->n) {
			ET_AUTO_FREE char *title = template_of(&e->commands[i], p);
			struct et_points *added = et_points_add(out, title);
			added->metric = &et_metrics[e->metric];
			added->times = true;
		}
		rc = add_command(e, i, p, r->line, &out->list[at], err);
	}
	return rc;
}

static int add_stored(void *ctx, struct et_experiment *e, struct et_error *err)
{
	const struct adding *a = ctx;
	int rc = a->r->gather.column || a->r->size
			 ? et_refuse(err, "omit them; --parameter chooses what the size is",
				   "--size and --column are for tables, and '%s' is a stored "
				   "experiment",
				   a->operand)
			 : add_experiment(a, e, err);

	et_experiment_free(e);
	return rc;
}

static int add_file(void *ctx, FILE *in, const char *name, struct et_error *err)
{
	static const double units[] = { 0, 1e9, 1e6, 1e3, 1 };
	const struct adding *a = ctx;
	const struct et_fit_request *r = a->r;
	struct et_points_options o = { .name = name,
		.x_column = r->size,
		.y_column = r->gather.column,
		.y_unit = r->line && !r->unit ? 1 : units[r->unit],
		.any = r->line };
	struct et_experiment *e = NULL;
	size_t before = a->out->n;
	int rc = et_points_read(in, &o, a->out, &e, err);

	if (rc == 0 && a->out->n > before)
		a->out->list[before].times = !r->line || r->unit;
	if (rc == 0 && e)
		rc = add_experiment(a, e, err);
	et_experiment_free(e);
	return rc;
}

int et_fit_add(const struct et_cli *cli, const struct et_fit_request *r, const char *operand,
	struct et_points_set *out, struct et_error *err)
{
	static const struct et_operand_use use = { .read = add_file, .take = add_stored };
	struct adding adding = { r, operand, out };

	return et_operand_open(cli, operand, &use, &adding, err);
}
