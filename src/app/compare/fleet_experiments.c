/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fleet from experiments in memory. */
#include "app/compare/fleet.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "host/host.h"
#include "model/sample/metric.h"
#include "num/moments.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct gathering {
	struct et_fleet *fleet;
	struct et_fleet_series *series;
	size_t n, cap;
};

/* Imported records may not have the identity of their machine, but the name of its host. */
static size_t machine_of(struct et_fleet *f, const struct et_experiment *e)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct et_fleet_machine *m = &f->list[i];
		if (*e->machine ? et_machine_same(m->id, e->machine)
				: !*m->id && !strcmp(m->host.name, e->host.name))
			return i;
	}
	et_fleet_add(f, e->machine)->host = e->host;
	return f->n - 1;
}

static void note_experiment(struct et_fleet_machine *m, const struct et_experiment *e)
{
	m->experiments++;
	for (size_t i = 0; i < e->n_commands; i++) {
		ET_AUTO_READER struct et_sample_reader r =
			et_samples_read_figures(&e->commands[i].samples);
		for (const struct et_sample *s; (s = et_sample_reader_next(&r));)
			m->samples += !s->place.warmup;
	}
	if (!m->first_wall_ns || e->started_wall_ns < m->first_wall_ns)
		m->first_wall_ns = e->started_wall_ns;
	if (e->started_wall_ns < m->last_wall_ns)
		return;
	m->last_wall_ns = e->started_wall_ns;
	m->host = e->host;
	if (e->n_environment)
		et_fleet_set_environment(m, e->environment, e->n_environment);
}

/* As from the summary that a store keeps of the command (et_fleet_load). */
static struct et_log_moments moments_of(const struct et_command *c, enum et_metric metric)
{
	size_t n = 0;
	ET_AUTO_FREE double *x = et_command_values(c, metric, et_command_arrangement(c), &n);

	return et_log_moments_of(n, et_mean(x, n), n > 1 ? ((double)n - 1) * et_variance(x, n) : 0);
}

static void add_command(struct gathering *g, size_t machine, const struct et_experiment *e,
	const struct et_command *c)
{
	ET_AUTO_FREE char *text = et_asprintf("%s\n%s", c->name, c->text);
	struct et_fleet_series one = { .machine = machine,
		.program = et_hash_text(text),
		.started_wall_ns = e->started_wall_ns,
		.elapsed = moments_of(c, ET_METRIC_ELAPSED),
		.cpu = moments_of(c, ET_METRIC_CPU) };

	ET_GROW(g->series, g->n, g->cap);
	g->series[g->n++] = one;
}

static void gather(struct gathering *g, struct et_experiment *const *list, size_t n)
{
	char here[ET_MACHINE_SIZE];

	for (size_t i = 0; i < n; i++) {
		size_t machine = machine_of(g->fleet, list[i]);
		note_experiment(&g->fleet->list[machine], list[i]);
		for (size_t k = 0; k < list[i]->n_commands; k++)
			add_command(g, machine, list[i], &list[i]->commands[k]);
	}
	et_host_identity("", here, sizeof(here));
	for (size_t i = 0; i < g->fleet->n; i++)
		g->fleet->list[i].here = et_machine_same(g->fleet->list[i].id, here);
	et_fleet_name(g->fleet);
}

static int find_reference(
	const struct et_fleet *f, const char *name, size_t *out, struct et_error *err)
{
	ET_AUTO_FREE char *names = NULL;

	*out = et_fleet_find(f, name);
	if (*out < f->n)
		return 0;
	for (size_t i = 0; i < f->n && i < 10; i++)
		et_append(&names, ", ", "%s", f->list[i].name);
	return et_hint(err,
		et_fail(err, ENOENT, ET_EXIT_USAGE, "--reference: there is no machine '%s'", name),
		"use one of these: %s%s", names ? names : "", f->n > 10 ? ", …" : "");
}

int et_fleet_of_experiments(struct et_experiment *const *list, size_t n, double alpha, int metric,
	const char *reference, struct et_fleet *out, struct et_error *err)
{
	struct et_fleet fleet = { 0 };
	struct gathering g = { .fleet = &fleet };
	struct et_fleet_options o = { .alpha = alpha, .metric = metric };
	size_t at = 0;

	gather(&g, list, n);
	int rc = reference ? find_reference(&fleet, reference, &at, err) : 0;
	if (rc == 0) {
		o.reference = reference ? &at : NULL;
		et_fleet_judge(&fleet, g.series, g.n, &o);
		et_fleet_sort(&fleet);
		*out = fleet;
	} else {
		et_fleet_free(&fleet);
	}
	free(g.series);
	return rc;
}
