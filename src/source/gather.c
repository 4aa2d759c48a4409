/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/gather.h"
#include "base/display.h"
#include "cli/field_option.h"
#include "model/sample/metric_choice.h"
#include "source/operand.h"
#include "stats/compare/compare.h"
#include "stats/series/interval.h"
#include "store/import/series.h"

int et_gather_set_metric(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_gather *g = et_option_target(o, ctx);
	struct et_option metric = *o;

	metric.offset = offsetof(struct et_gather, metric);
	g->metric_given = true;
	return et_set_metric(&metric, g, args, err);
}

/* Judges an experiment of the set by another metric. */
static void judge_by(struct et_series_set *set, struct et_experiment *e, int metric)
{
	e->metric_auto = metric == ET_METRIC_AUTO;
	if (!e->metric_auto)
		e->metric = (enum et_metric)metric;
	et_metric_settle(e);
	et_series_refill(set, e);
}

void et_gather_agree(const struct et_gather *g, struct et_series_set *set)
{
	bool elapsed = false, memory = false, cpu = false;

	if (g->metric_given && g->metric != ET_METRIC_AUTO)
		return;
	for (size_t i = 0; i < set->n_experiments; i++) {
		enum et_metric m = set->experiments[i]->metric;
		elapsed = elapsed || m == ET_METRIC_ELAPSED;
		memory = memory || m == ET_METRIC_PEAK_MEMORY;
		cpu = cpu || m == ET_METRIC_CPU;
	}
	elapsed = elapsed || (memory && cpu);
	for (size_t i = 0; elapsed && i < set->n_experiments; i++) {
		if (set->experiments[i]->metric != ET_METRIC_ELAPSED)
			judge_by(set, set->experiments[i], ET_METRIC_ELAPSED);
	}
}

/* An experiment of `lab` may have figures where others have samples. */
static int check_samples(const struct et_experiment *e, const char *operand, struct et_error *err)
{
	size_t samples = 0;

	for (size_t i = 0; i < e->n_commands; i++)
		samples += e->commands[i].samples.n;
	if (samples || !e->n_figures)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"'%.200s' has figures of 'etalon lab', but no samples", operand),
		"'etalon show %s' names the command that prints them", e->id);
}

/* An experiment has several names: its id, its label, "last". */
static int check_new(const struct et_series_set *set, const struct et_experiment *e,
	const char *operand, struct et_error *err)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct et_series *s = &set->list[i];
		if (s->experiment && !strcmp(s->experiment->id, e->id))
			return et_refuse(err, "give each experiment once",
				"'%.200s' and '%.200s' are the same experiment",
				s->origin ? s->origin : s->name, operand);
	}
	return 0;
}

/* Where the series of an operand go. */
struct adding {
	const struct et_gather *g;
	const char *operand;
	struct et_series_set *out;
};

static int add_stored(void *ctx, struct et_experiment *e, struct et_error *err)
{
	const struct adding *a = ctx;
	size_t before = a->out->n;
	int rc = check_samples(e, a->operand, err);

	if (rc == 0)
		rc = check_new(a->out, e, a->operand, err);
	if (rc) {
		et_experiment_free(e);
		return rc;
	}
	et_series_add_experiment(a->out, e);
	for (size_t i = before; i < a->out->n; i++)
		a->out->list[i].origin = a->operand;
	if (a->g->column)
		return et_refuse(err, "omit --column",
			"--column is for CSV files, and '%s' is a stored experiment", a->operand);
	return 0;
}

static int add_file(void *ctx, FILE *in, const char *name, struct et_error *err)
{
	const struct adding *a = ctx;
	struct et_series_options o = {
		.name = name,
		.column = a->g->column,
		.cpu_time = a->g->metric_given && a->g->metric == ET_METRIC_CPU,
	};

	return et_series_read(in, &o, a->out, err);
}

int et_gather_add(const struct et_cli *cli, const struct et_gather *g, const char *operand,
	struct et_series_set *out, struct et_error *err)
{
	static const struct et_operand_use use = { .read = add_file, .take = add_stored };
	struct adding adding = { g, operand, out };
	size_t before = out->n_experiments;
	int rc = et_operand_open(cli, operand, &use, &adding, err);

	for (size_t i = before; rc == 0 && g->metric_given && i < out->n_experiments; i++)
		judge_by(out, out->experiments[i], g->metric);
	return rc;
}

static bool has_twin(const struct et_series_set *set, size_t i)
{
	for (size_t k = 0; k < set->n; k++) {
		if (k != i && !strcmp(set->list[k].name, set->list[i].name))
			return true;
	}
	return false;
}

int et_gather_names(struct et_series_set *set, struct et_error *err)
{
	ET_AUTO_FREE bool *twins = et_calloc(set->n, sizeof(*twins));

	for (size_t i = 0; i < set->n; i++)
		twins[i] = has_twin(set, i);
	for (size_t i = 0; i < set->n; i++) {
		struct et_series *s = &set->list[i];
		if (!twins[i] || !s->origin || !strcmp(s->origin, s->name))
			continue;
		char *name = et_asprintf("%s (%s)", s->name, s->origin);
		free(s->name);
		s->name = name;
	}
	for (size_t i = 0; i < set->n; i++) {
		if (has_twin(set, i))
			return et_refuse(err, "give each file once, and each command its own name",
				"two series have the same name '%.200s'", set->list[i].name);
	}
	return 0;
}

int et_gather_enough(
	const struct et_series_set *set, size_t least, const char *need, struct et_error *err)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct et_series *s = &set->list[i];
		if (!s->n)
			return et_refuse(err, "use another --metric: cpu, elapsed or memory",
				"'%.200s' has no value of that metric", s->name);
		if (s->n < least)
			return et_fail(err, EINVAL, ET_EXIT_USAGE,
				"'%.200s' has only %zu value%s: %s at least %zu", s->name, s->n,
				s->n == 1 ? "" : "s", need, least);
	}
	return 0;
}

void et_gather_omit_short(struct et_series_set *set)
{
	ET_AUTO_FREE struct et_series *kept = et_calloc(set->n, sizeof(*kept));
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		if (set->list[i].n >= ET_SHAPIRO_LEAST)
			kept[n++] = set->list[i];
	if (!et_compare_functions(set->list, set->n) || !et_compare_functions(kept, n))
		return;
	for (size_t i = set->n; i-- > 0;) {
		const struct et_series *s = &set->list[i];
		if (s->n >= ET_SHAPIRO_LEAST)
			continue;
		et_say(stderr, "etalon: '%s' of %s is omitted: %zu of %d values\n", s->name,
			s->origin, s->n, ET_SHAPIRO_LEAST);
		et_series_remove(set, i);
	}
}

static void show(const struct et_cli *cli, const struct et_series_set *set,
	const struct et_gather_view *view)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	bool list = view->json && set->n > 1;
	struct et_json w;

	et_json_init(&w, stdout, 2);
	if (list) {
		et_json_object(&w, NULL);
		et_json_array(&w, "series");
	}
	for (size_t i = 0; i < set->n; i++) {
		if (!view->json && i > 0)
			putchar('\n');
		view->each(view->ctx, &set->list[i], view->json ? &w : NULL, &page);
	}
	if (list) {
		et_json_end(&w);
		et_json_end(&w);
	}
}

int et_gather_show(const struct et_cli *cli, const struct et_gather *g, struct et_operands *ops,
	const struct et_gather_view *view)
{
	const char *operand = ops->n_before  ? ops->before[0]
			      : ops->n_after ? ops->after[0]
					     : view->usual;
	struct et_series_set set = { 0 };
	struct et_error err = { 0 };
	int rc = ops->n_before + ops->n_after > 1
			 ? et_refuse(&err, "use 'etalon compare' for several",
				   "expected one series, not %zu",
				   (size_t)(ops->n_before + ops->n_after))
			 : et_gather_add(cli, g, operand, &set, &err);

	if (rc == 0)
		rc = et_gather_enough(&set, view->least, view->need, &err);
	if (rc == 0) {
		show(cli, &set, view);
		rc = et_cli_close_output(stdout, "-", &err);
	}
	et_operands_free(ops);
	et_series_set_free(&set);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
