/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/fleet.h"
#include "base/alloc.h"
#include "model/metric.h"
#include "num/multiple.h"
#include "num/quantile.h"

#include <math.h>
#include <string.h>

/* More programs make the answer hardly better, but the normal equations larger. */
enum { MOST_PROGRAMS = 50, MOST_RECENT = 20 };

/* The series of one program, which are neighbours in the sorted list. */
struct program {
	const struct et_fleet_series *list;
	size_t n;
	size_t machines;
	bool by_cpu;
	double center; /* mean of the logarithms over its machines */
};

struct study {
	struct et_fleet *fleet;
	struct program *programs;
	size_t n_programs;
	struct et_log_moments *cells; /* machine after machine, as et_machines_judge_moments */
};

static int by_program(const void *va, const void *vb)
{
	const struct et_fleet_series *a = va, *b = vb;

	if (a->program != b->program)
		return a->program < b->program ? -1 : 1;
	if (a->machine != b->machine)
		return a->machine < b->machine ? -1 : 1;
	return (a->started_wall_ns < b->started_wall_ns) -
	       (a->started_wall_ns > b->started_wall_ns);
}

static int by_machines(const void *va, const void *vb)
{
	const struct program *a = va, *b = vb;

	if (a->machines != b->machines)
		return a->machines > b->machines ? -1 : 1;
	return (a->list > b->list) - (a->list < b->list);
}

static bool uses_one_cpu(const struct et_fleet_series *s)
{
	double share = exp(s->cpu.mean - s->elapsed.mean);

	return s->cpu.n && s->elapsed.n && share >= 0.9 && share <= 1.1;
}

static const struct et_log_moments *time_of(
	const struct program *p, const struct et_fleet_series *s)
{
	return p->by_cpu ? &s->cpu : &s->elapsed;
}

static struct program next_program(
	const struct et_fleet_series *list, size_t n, const struct et_fleet_options *o)
{
	struct program p = { .list = list, .by_cpu = o->metric != ET_METRIC_ELAPSED };

	for (; p.n < n && list[p.n].program == list->program; p.n++) {
		p.machines += !p.n || list[p.n].machine != list[p.n - 1].machine;
		if (o->metric == ET_METRIC_AUTO)
			p.by_cpu = p.by_cpu && uses_one_cpu(&list[p.n]);
	}
	return p;
}

/* The noise is a machine's own: it is that of all its programs. */
static void set_noise(struct et_fleet *f, const struct program *programs, size_t n)
{
	for (size_t m = 0; m < f->n; m++) {
		double *list = NULL;
		size_t k = 0, room = 0;
		for (size_t i = 0; i < n; i++) {
			const struct program *p = &programs[i];
			for (size_t j = 0; j < p->n; j++) {
				const struct et_log_moments *t = time_of(p, &p->list[j]);
				if (p->list[j].machine != m || t->n < 2)
					continue;
				ET_GROW(list, k, room);
				list[k++] = sqrt(t->variance);
			}
		}
		if (k) {
			et_sort(list, k);
			f->list[m].noise = et_median_sorted(list, k);
		}
		free(list);
	}
}

/* The first series of a machine in a program is its newest. */
static void fill_cells(struct study *s)
{
	for (size_t i = 0; i < s->n_programs; i++) {
		struct program *p = &s->programs[i];
		double of = 0;
		for (size_t j = 0; j < p->n; j++) {
			size_t m = p->list[j].machine;
			struct et_log_moments *cell = &s->cells[m * s->n_programs + i];
			const struct et_log_moments *t = time_of(p, &p->list[j]);
			if (cell->n || !t->n)
				continue;
			*cell = *t;
			p->center += (t->mean - p->center) / ++of;
		}
	}
}

static void set_time(const struct study *s, size_t machine)
{
	double sum = 0;

	for (size_t i = 0; i < s->n_programs; i++) {
		const struct et_log_moments *cell = &s->cells[machine * s->n_programs + i];
		sum += cell->n ? cell->mean : NAN;
	}
	s->fleet->list[machine].time_ns = exp(sum / (double)s->n_programs);
}

/* Judges the chosen machines, of which there are n. */
static bool judge(const struct study *s, const size_t *chosen, size_t n, double alpha,
	struct et_machine_speed *out)
{
	size_t width = s->n_programs;
	ET_AUTO_FREE struct et_log_moments *cells = et_calloc(n * width, sizeof(*cells));

	for (size_t i = 0; i < n; i++)
		memcpy(cells + i * width, s->cells + chosen[i] * width, width * sizeof(*cells));
	/* A program that only one of them ran says nothing. */
	for (size_t p = 0; p < width; p++) {
		size_t runs = 0;
		for (size_t i = 0; i < n; i++)
			runs += cells[i * width + p].n > 0;
		for (size_t i = 0; runs < 2 && i < n; i++)
			cells[i * width + p].n = 0;
	}
	return et_machines_judge_moments(cells, n, width, alpha, 1 - alpha, out);
}

static void put(struct et_fleet_machine *m, const struct et_machine_speed *speed)
{
	m->ratio = speed->ratio;
	m->lo = speed->lo;
	m->hi = speed->hi;
	m->p_holm = speed->p_holm;
	m->differs = speed->differs;
	m->n = speed->n;
}

static void judge_fleet(const struct study *s, const size_t *chosen, size_t n, double alpha)
{
	ET_AUTO_FREE struct et_machine_speed *speeds = et_calloc(n, sizeof(*speeds));

	if (!judge(s, chosen, n, alpha, speeds))
		return;
	for (size_t i = 0; i < n; i++)
		put(&s->fleet->list[chosen[i]], &speeds[i]);
	s->fleet->n_judged = n;
}

/*
 * Of two machines the effects are opposite, so that the one against the other is twice its effect
 * against both.
 */
static void judge_against(
	const struct study *s, const size_t *chosen, size_t n, size_t reference, double alpha)
{
	ET_AUTO_FREE double *p = et_calloc(n + 1, sizeof(*p));
	ET_AUTO_FREE size_t *of = et_calloc(n + 1, sizeof(*of));
	struct et_machine_speed two[2];
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		struct et_fleet_machine *m = &s->fleet->list[chosen[i]];
		if (chosen[i] == reference ||
			!judge(s, (size_t[]){ reference, chosen[i] }, 2, alpha, two))
			continue;
		put(m, &two[1]);
		m->ratio *= m->ratio;
		m->lo *= m->lo;
		m->hi *= m->hi;
		p[k] = two[1].p;
		of[k++] = chosen[i];
	}
	et_holm(p, k, p);
	for (size_t i = 0; i < k; i++) {
		s->fleet->list[of[i]].p_holm = p[i];
		s->fleet->list[of[i]].differs = p[i] <= alpha;
	}
	s->fleet->n_judged = k ? k + 1 : 0;
	if (k)
		s->fleet->list[reference].ratio = 1;
}

/* --- the last experiments --- */

struct moment {
	uint64_t wall_ns;
	double effect;
};

static int by_time(const void *va, const void *vb)
{
	const struct moment *a = va, *b = vb;

	return (a->wall_ns > b->wall_ns) - (a->wall_ns < b->wall_ns);
}

/* Makes one moment of the programs of an experiment, which began at the same time. */
static size_t merge_moments(struct moment *list, size_t n)
{
	size_t k = 0;

	for (size_t i = 0, end; i < n; i = end) {
		double sum = 0;
		for (end = i; end < n && list[end].wall_ns == list[i].wall_ns; end++)
			sum += list[end].effect;
		list[k++] = (struct moment){ list[i].wall_ns, sum / (double)(end - i) };
	}
	return k;
}

static void set_recent(const struct study *s, size_t machine)
{
	struct et_fleet_machine *m = &s->fleet->list[machine];
	struct moment *list = NULL;
	size_t n = 0, room = 0;

	for (size_t i = 0; i < s->n_programs; i++) {
		const struct program *p = &s->programs[i];
		for (size_t j = 0; j < p->n; j++) {
			const struct et_log_moments *t = time_of(p, &p->list[j]);
			if (p->list[j].machine != machine || !t->n)
				continue;
			ET_GROW(list, n, room);
			list[n++] =
				(struct moment){ p->list[j].started_wall_ns, t->mean - p->center };
		}
	}
	if (n)
		qsort(list, n, sizeof(*list), by_time);
	n = merge_moments(list, n);
	size_t from = n > MOST_RECENT ? n - MOST_RECENT : 0;
	m->recent = et_calloc(n - from + 1, sizeof(*m->recent));
	m->n_recent = n - from;
	for (size_t i = from; i < n; i++)
		m->recent[i - from] = exp(list[i].effect);
	free(list);
}

static void judge_programs(struct study *s, const struct et_fleet_options *o)
{
	size_t n = s->fleet->n, k = 0;
	ET_AUTO_FREE bool *in = et_calloc(n + 1, sizeof(*in));
	ET_AUTO_FREE size_t *chosen = et_calloc(n + 1, sizeof(*chosen));

	fill_cells(s);
	et_machines_connected(s->cells, n, s->n_programs, in);
	for (size_t m = 0; m < n; m++) {
		if (in[m])
			chosen[k++] = m;
		set_recent(s, m);
		set_time(s, m);
	}
	if (o->reference)
		judge_against(s, chosen, k, *o->reference, o->alpha);
	else
		judge_fleet(s, chosen, k, o->alpha);
	if (!s->fleet->n_judged)
		return;
	s->fleet->n_programs = s->n_programs;
	for (size_t i = 0; i < s->n_programs; i++)
		s->fleet->n_cpu += s->programs[i].by_cpu;
}

void et_fleet_judge(struct et_fleet *f, struct et_fleet_series *list, size_t n,
	const struct et_fleet_options *o)
{
	struct study s = { .fleet = f };
	size_t k = 0, room = 0;

	f->alpha = o->alpha;
	if (!n)
		return;
	qsort(list, n, sizeof(*list), by_program);
	for (size_t i = 0; i < n; i += s.programs[k++].n) {
		ET_GROW(s.programs, k, room);
		s.programs[k] = next_program(list + i, n - i, o);
	}
	set_noise(f, s.programs, k);
	qsort(s.programs, k, sizeof(*s.programs), by_machines);
	while (s.n_programs < k && s.n_programs < MOST_PROGRAMS &&
		s.programs[s.n_programs].machines > 1)
		s.n_programs++;
	if (s.n_programs) {
		s.cells = et_calloc(f->n * s.n_programs, sizeof(*s.cells));
		judge_programs(&s, o);
	}
	free(s.cells);
	free(s.programs);
}
