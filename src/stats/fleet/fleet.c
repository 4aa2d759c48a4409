/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/fleet/fleet.h"
#include "model/sample/metric.h"
#include "num/quantile.h"

/* More programs make the answer hardly better, but the normal equations larger. */
enum { MOST_PROGRAMS = 50, MOST_RECENT = 20, MOST_SESSIONS = 20 };

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
	struct et_log_moments *cells; /* machine after machine; the sessions' samples together */
};

static int by_program(const void *va, const void *vb)
{
	const struct et_fleet_series *a = va, *b = vb;

	return ET_ORDER(a->program, b->program) ?: ET_ORDER(a->machine, b->machine)
		?: ET_ORDER(b->started_wall_ns, a->started_wall_ns);
}

static int by_machines(const void *va, const void *vb)
{
	const struct program *a = va, *b = vb;

	return ET_ORDER(b->machines, a->machines) ?: ET_ORDER(a->list, b->list);
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
		if (k)
			f->list[m].noise = et_median(list, k);
		free(list);
	}
}

/* A machine's series follow each other, the newest first; one that comes twice counts once. */
static bool counts(const struct program *p, size_t at)
{
	const struct et_fleet_series *s = &p->list[at];

	if (!time_of(p, s)->n)
		return false;
	if (at && s[-1].machine == s->machine && s[-1].started_wall_ns == s->started_wall_ns)
		return false;
	return at < MOST_SESSIONS || p->list[at - MOST_SESSIONS].machine != s->machine;
}

/* Fills the means of the machines' sessions, and the center of each program. */
static void fill_cells(struct study *s)
{
	for (size_t i = 0; i < s->n_programs; i++) {
		struct program *p = &s->programs[i];
		double of = 0, sessions = 0;
		for (size_t j = 0; j < p->n; j++) {
			size_t m = p->list[j].machine;
			struct et_log_moments *cell = &s->cells[m * s->n_programs + i];
			const struct et_log_moments *t = time_of(p, &p->list[j]);
			if (!counts(p, j))
				continue;
			sessions = cell->n ? sessions + 1 : 1;
			cell->n += t->n;
			cell->mean += (t->mean - cell->mean) / sessions;
		}
		for (size_t m = 0; m < s->fleet->n; m++) {
			const struct et_log_moments *cell = &s->cells[m * s->n_programs + i];
			if (cell->n)
				p->center += (cell->mean - p->center) / ++of;
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

static int by_session(const void *va, const void *vb)
{
	const struct et_machine_session *a = va, *b = vb;

	return ET_ORDER(a->machine, b->machine) ?: ET_ORDER(a->session, b->session)
		?: ET_ORDER(a->program, b->program);
}

/* Lists the sessions of the machines whose number is not 0, under this number less 1. */
static size_t list_sessions(
	const struct study *s, const size_t *number, struct et_machine_session *out)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_programs; i++) {
		const struct program *p = &s->programs[i];
		size_t before = n, machines = 0;
		for (size_t j = 0; j < p->n; j++) {
			const struct et_fleet_series *from = &p->list[j];
			if (!number[from->machine] || !counts(p, j))
				continue;
			machines += n == before || out[n - 1].machine != number[from->machine] - 1;
			out[n++] = (struct et_machine_session){ number[from->machine] - 1, i,
				from->started_wall_ns, *time_of(p, from) };
		}
		if (machines < 2) /* it says nothing */
			n = before;
	}
	if (n)
		qsort(out, n, sizeof(*out), by_session);
	return n;
}

/* Of two machines the faster is the reference. */
static bool judge(const struct et_machine_session *list, size_t n, struct et_machines_options *o,
	struct et_machine_speed *out, bool *between, size_t *first)
{
	if (o->n_machines == 2 && !o->reference) {
		*first = 0;
		o->reference = first;
		if (et_machines_judge_sessions(list, n, o, out, between) && out[1].ratio < 1)
			*first = 1;
	}
	return et_machines_judge_sessions(list, n, o, out, between);
}

/* Judges the chosen machines, of which there are n. */
static void judge_chosen(
	const struct study *s, const size_t *chosen, size_t n, const struct et_fleet_options *o)
{
	struct et_fleet *f = s->fleet;
	ET_AUTO_FREE struct et_machine_speed *speeds = et_calloc(n, sizeof(*speeds));
	ET_AUTO_FREE size_t *number = et_calloc(f->n, sizeof(*number));
	size_t entries = 0, reference = n;

	for (size_t i = 0; i < s->n_programs; i++)
		entries += s->programs[i].n;
	ET_AUTO_FREE struct et_machine_session *list = et_calloc(entries, sizeof(*list));
	for (size_t i = 0; i < n; i++) {
		number[chosen[i]] = i + 1;
		if (o->reference && chosen[i] == *o->reference)
			reference = i;
	}
	if (o->reference && reference == n) /* no program connects it with others */
		return;
	struct et_machines_options options = { .n_machines = n,
		.n_programs = s->n_programs,
		.alpha = o->alpha,
		.level = 1 - o->alpha,
		.reference = o->reference ? &reference : NULL };
	entries = list_sessions(s, number, list);
	if (!judge(list, entries, &options, speeds, &f->between_sessions, &reference))
		return;
	for (size_t i = 0; i < n; i++) {
		struct et_fleet_machine *m = &f->list[chosen[i]];
		m->ratio = speeds[i].ratio;
		m->lo = speeds[i].lo;
		m->hi = speeds[i].hi;
		m->p_holm = speeds[i].p_holm;
		m->differs = speeds[i].differs;
		m->n = speeds[i].n;
	}
	for (size_t i = 0; i < entries; i++)
		f->list[chosen[list[i].machine]].sessions +=
			!i || list[i].machine != list[i - 1].machine ||
			list[i].session != list[i - 1].session;
	f->n_judged = n;
	if (!f->between_sessions)
		et_warn(&f->warnings, ET_WARN_MEASURED_ONCE);
	if (options.reference)
		f->reference = et_strdup(f->list[chosen[reference]].name);
}

/* --- the last experiments --- */

struct moment {
	uint64_t wall_ns;
	double effect;
};

static int by_time(const void *va, const void *vb)
{
	const struct moment *a = va, *b = vb;

	return ET_ORDER(a->wall_ns, b->wall_ns);
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
	judge_chosen(s, chosen, k, o);
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
