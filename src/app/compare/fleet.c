/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/compare/fleet.h"
#include "app/compare/fleet_groups.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "host/host.h"
#include "model/sample/metric.h"
#include "store/core/machines.h"

#include <string.h>

enum { MOST_TIMINGS = 20000 };
static const double ALPHA = 0.05;

struct loading {
	struct et_fleet *fleet;
	struct et_fleet_groups groups;
	struct et_fleet_series *series;
	size_t n_series, cap_series;
	bool *described; /* of the fleet's machines: its row was found */
};

static int take_group(void *ctx, const struct et_machine_count *c)
{
	struct loading *l = ctx;

	ET_GROW(l->groups.list, l->groups.n, l->groups.cap);
	struct et_fleet_group *g = &l->groups.list[l->groups.n++];
	*g = (struct et_fleet_group){ .experiments = c->experiments,
		.samples = c->samples,
		.first_wall_ns = c->first_wall_ns,
		.last_wall_ns = c->last_wall_ns };
	snprintf(g->machine, sizeof(g->machine), "%s", c->machine);
	memcpy(g->written, g->machine, sizeof(g->written));
	snprintf(g->host, sizeof(g->host), "%s", c->host);
	return 0;
}

static void fill(struct et_fleet_machine *m, const struct et_machine_row *row)
{
	m->host = row->host;
	memcpy(m->version, row->version, sizeof(m->version));
	if (row->environment_known)
		et_fleet_set_environment(m, row->deviations, row->n_deviations);
	if (row->first_wall_ns && (!m->first_wall_ns || row->first_wall_ns < m->first_wall_ns))
		m->first_wall_ns = row->first_wall_ns;
	if (row->last_wall_ns > m->last_wall_ns)
		m->last_wall_ns = row->last_wall_ns;
}

/* A row of several clones is that of the one which measured last. */
static int take_row(void *ctx, const struct et_machine_row *row)
{
	struct loading *l = ctx;
	size_t same = l->fleet->n, found = 0;

	for (size_t i = 0; i < l->fleet->n; i++) {
		if (strcmp(l->fleet->list[i].id, row->id) != 0)
			continue;
		if (!found++ || !strcmp(l->fleet->list[i].host.name, row->host.name))
			same = i;
	}
	if (found > 1 && strcmp(l->fleet->list[same].host.name, row->host.name) != 0)
		return 0;
	if (same < l->fleet->n) {
		fill(&l->fleet->list[same], row);
		l->described[same] = true;
	}
	return 0;
}

static int take_description(void *ctx, const struct et_machine_row *row)
{
	fill(ctx, row);
	return 0;
}

static int take_timing(void *ctx, const struct et_timing *t)
{
	struct loading *l = ctx;
	size_t i = 0;

	while (i < l->groups.n && (strcmp(l->groups.list[i].written, t->machine) != 0 ||
					  strcmp(l->groups.list[i].host, t->host) != 0))
		i++;
	if (i == l->groups.n || !t->n) /* stored since they were counted, or nothing counts */
		return 0;
	ET_AUTO_FREE char *program =
		et_asprintf("%s\n%s\n%s", t->label ? t->label : "", t->name, t->text);
	ET_GROW(l->series, l->n_series, l->cap_series);
	l->series[l->n_series++] = (struct et_fleet_series){ .machine = l->groups.list[i].at,
		.program = et_hash_text(program),
		.started_wall_ns = t->started_wall_ns,
		.elapsed = et_log_moments_of(t->n, t->elapsed.mean, t->elapsed.squares),
		.cpu = et_log_moments_of(t->n, t->cpu.mean, t->cpu.squares) };
	return 0;
}

static int load(struct loading *l, struct et_store *s, struct et_error *err)
{
	int rc = et_store_count_machines(s, take_group, l, err);

	if (rc)
		return rc;
	et_fleet_merge(&l->groups, l->fleet);
	l->described = et_calloc(l->fleet->n + 1, sizeof(*l->described));
	rc = et_store_list_machines(s, NULL, take_row, l, err);
	for (size_t i = 0; rc == 0 && i < l->fleet->n; i++) {
		struct et_fleet_machine *m = &l->fleet->list[i];
		if (!l->described[i])
			rc = et_store_describe_machine(
				s, m->id, m->host.name, take_description, m, err);
	}
	if (rc == 0)
		rc = et_store_list_timings(s, MOST_TIMINGS, take_timing, l, err);
	return rc;
}

static void finish(struct et_fleet *f)
{
	char here[ET_MACHINE_SIZE];

	et_host_identity("", here, sizeof(here));
	for (size_t i = 0; i < f->n; i++)
		f->list[i].here = et_machine_same(f->list[i].id, here);
	et_fleet_name(f);
}

int et_fleet_load(struct et_store *s, struct et_fleet *out, struct et_error *err)
{
	struct et_fleet fleet = { 0 };
	struct loading l = { .fleet = &fleet };
	const struct et_fleet_options o = { .alpha = ALPHA, .metric = ET_METRIC_AUTO };
	int rc = load(&l, s, err);

	if (rc == 0) {
		finish(&fleet);
		et_fleet_judge(&fleet, l.series, l.n_series, &o);
		et_fleet_sort(&fleet);
		*out = fleet;
	} else {
		et_fleet_free(&fleet);
	}
	free(l.groups.list);
	free(l.series);
	free(l.described);
	return rc;
}
