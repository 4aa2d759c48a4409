/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/old_series.h"
#include "base/parse.h"
#include "lab/interval_accuracy.h"
#include "model/experiment/figure.h"

bool et_old_series_only(const struct et_experiment *e)
{
	for (size_t i = 0; i < e->n_commands; i++) {
		const struct et_command *c = &e->commands[i];
		const char *clock = et_command_parameter(c, "clock");

		if (!clock || !c->argv[0] || strcmp(clock, c->argv[0]) != 0 || c->argv[1])
			return false;
	}
	return e->n_commands > 0 && !e->profile;
}

static uint64_t whole(const struct et_command *c, const char *name, uint64_t most)
{
	const char *text = et_command_parameter(c, name);
	uint64_t n;

	return text && et_parse_u64(name, text, 1, most, &n, NULL) == 0 ? n : 0;
}

static double number(const struct et_parameter *p)
{
	double x = NAN;

	if (et_parse_double(p->name, p->value, &x, NULL))
		return !strcmp(p->value, "yes") ? 1 : !strcmp(p->value, "no") ? 0 : NAN;
	return x;
}

static void read_series(struct et_experiment *e, const struct et_command *c)
{
	const char *name = et_command_parameter(c, "clock");
	uint32_t load = (uint32_t)whole(c, "load", UINT_MAX);
	uint64_t length_ns = whole(c, "length_ns", INT64_MAX);

	if (!strcmp(name, "truth-user"))
		et_figure_add(e, ET_INTERVAL_CASE, load, length_ns, (double)c->samples.n);
	et_for_each_sample(s, &c->samples) {
		et_figure_add(e, name, load, length_ns, et_known(s->measured.elapsed_ns));
		if (s->measured.cpu_ns != ET_UNKNOWN)
			et_figure_add(e, "cpu", load, length_ns, et_known(s->measured.cpu_ns));
	}
	for (size_t i = 0; i < c->n_parameters; i++) {
		const struct et_parameter *p = &c->parameters[i];
		if (strcmp(p->name, "clock") != 0 && strcmp(p->name, "load") != 0 &&
			strcmp(p->name, "length_ns") != 0)
			et_figure_add(e, p->name, load, length_ns, number(p));
	}
}

void et_old_series_read(struct et_experiment *e)
{
	if (e->n_figures || !et_old_series_only(e))
		return;
	for (size_t i = 0; i < e->n_commands; i++)
		read_series(e, &e->commands[i]);
}
