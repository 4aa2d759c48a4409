/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/lab_series.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "model/field.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

struct et_experiment *et_lab_experiment_new(void)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	e->protocol = ET_PROTOCOL_RAW;
	e->metric = ET_METRIC_ELAPSED;
	e->plan.order = ET_ORDER_SEQUENTIAL;
	e->plan.level = 0.95;
	return e;
}

static void add_parameter(struct et_command *c, const char *name, char *value)
{
	c->parameters = et_realloc(c->parameters, c->n_parameters + 1, sizeof(*c->parameters));
	c->parameters[c->n_parameters++] = (struct et_parameter){ et_strdup(name), value };
}

uint32_t et_lab_series_add(
	struct et_experiment *e, const char *clock, unsigned load, uint64_t length_ns)
{
	e->commands = et_realloc(e->commands, e->n_commands + 1, sizeof(*e->commands));
	struct et_command *c = &e->commands[e->n_commands];
	*c = (struct et_command){ 0 };
	c->name = load ? et_asprintf("%s, %g ms, load %u", clock, 1e-6 * (double)length_ns, load)
		       : et_strdup(clock);
	c->text = et_strdup(c->name);
	c->argv = et_calloc(2, sizeof(*c->argv));
	c->argv[0] = et_strdup(clock);
	add_parameter(c, "clock", et_strdup(clock));
	if (load) {
		add_parameter(c, "load", et_asprintf("%u", load));
		add_parameter(c, "length_ns", et_asprintf("%" PRIu64, length_ns));
	}
	return (uint32_t)e->n_commands++;
}

void et_lab_series_add_parameter(
	struct et_experiment *e, uint32_t series, const char *name, const char *value)
{
	add_parameter(&e->commands[series], name, et_strdup(value));
}

static uint64_t rounded(double ns)
{
	return ns > 0 ? (uint64_t)llround(ns) : 0;
}

void et_lab_series_add_time(struct et_experiment *e, uint32_t series, double ns, double cpu_ns)
{
	struct et_sample s = { 0 };

	et_fields_set_missing(et_sample_fields, &s);
	s.place.command = series;
	s.place.partner = -1;
	s.measured.exit_code = s.measured.signal = 0;
	s.place.round = (uint32_t)e->commands[series].samples.n + 1;
	s.measured.elapsed_ns = rounded(ns);
	s.measured.cpu_ns = isnan(cpu_ns) ? ET_UNKNOWN : rounded(cpu_ns);
	s.place.order = 1;
	for (size_t i = 0; i < e->n_commands; i++)
		s.place.order += (uint32_t)e->commands[i].samples.n;
	et_experiment_add(e, &s);
}

void et_lab_series_add_single(
	struct et_experiment *e, const char *clock, unsigned load, uint64_t length_ns, double ns)
{
	et_lab_series_add_time(e, et_lab_series_add(e, clock, load, length_ns), ns, NAN);
}

const char *et_lab_series_parameter(const struct et_command *c, const char *name)
{
	for (size_t i = 0; i < c->n_parameters; i++) {
		if (!strcmp(c->parameters[i].name, name))
			return c->parameters[i].value;
	}
	return NULL;
}

bool et_lab_series_only(const struct et_experiment *e)
{
	for (size_t i = 0; i < e->n_commands; i++) {
		const struct et_command *c = &e->commands[i];
		const char *clock = et_lab_series_parameter(c, "clock");

		if (!clock || !c->argv[0] || strcmp(clock, c->argv[0]) != 0 || c->argv[1])
			return false;
	}
	return e->n_commands > 0;
}

bool et_lab_series_case(
	const struct et_command *c, const char *clock, unsigned *load, uint64_t *length_ns)
{
	const char *of = et_lab_series_parameter(c, "clock");
	const char *l = et_lab_series_parameter(c, "load"),
		   *n = et_lab_series_parameter(c, "length_ns");
	uint64_t processes = 0, ns = 0;

	if (!of || strcmp(of, clock) || !l != !n)
		return false;
	if (l && (et_parse_u64("load", l, 1, UINT_MAX, &processes, NULL) ||
			 et_parse_u64("length_ns", n, 1, UINT64_MAX, &ns, NULL)))
		return false;
	*load = (unsigned)processes;
	*length_ns = ns;
	return true;
}

const struct et_command *et_lab_series_find(
	const struct et_experiment *e, const char *clock, unsigned load, uint64_t length_ns)
{
	for (size_t i = 0; i < e->n_commands; i++) {
		unsigned l;
		uint64_t ns;
		if (et_lab_series_case(&e->commands[i], clock, &l, &ns) && l == load &&
			ns == length_ns)
			return &e->commands[i];
	}
	return NULL;
}

double et_lab_series_at(const struct et_command *c, size_t i)
{
	if (!c || i >= c->samples.n)
		return NAN;
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);
	uint64_t ns = et_sample_reader_at(&r, i)->measured.elapsed_ns;
	return ns == ET_UNKNOWN ? NAN : (double)ns;
}

double et_lab_series_value(
	const struct et_experiment *e, const char *clock, unsigned load, uint64_t length_ns)
{
	return et_lab_series_at(et_lab_series_find(e, clock, load, length_ns), 0);
}
