/* SPDX-License-Identifier: MIT */
#include "clock/survey.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { READINGS = 64, ROUNDS = 2000 };

/* On a busy machine it takes long until enough timer interrupts were undisturbed. */
static const uint64_t TIMER_LEAST_NS = 5000000000;

static bool step_done(struct et_survey *s, const struct et_pulse *pulse)
{
	s->done++;
	s->cut_short = s->cut_short || !et_pulse_beat(pulse);
	return !s->cut_short;
}

static void survey_clocks(struct et_survey *s, const struct et_pulse *pulse)
{
	double overhead = et_timepiece_overhead(&et_clock_real);

	for (const struct et_timepiece *t = et_timepieces; t->name && !s->cut_short; t++) {
		struct et_survey_clock *c = &s->clocks[s->n_clocks++];
		c->is = t;
		et_timepiece_measure(t, &et_clock_real, overhead, &c->figures);
		if (t->kind == ET_CLOCK_COUNTER && c->figures.error && !s->counter_error)
			s->counter_error = c->figures.error;
		step_done(s, pulse);
	}
}

struct counted {
	struct et_survey *s;
	const struct et_pulse *pulse;
};

static bool count_beat(void *ctx)
{
	struct counted *c = ctx;

	return step_done(c->s, c->pulse);
}

static void survey_rate(struct et_survey *s, const struct et_pulse *pulse)
{
	struct et_drift_reading r[READINGS];
	struct counted counted = { s, pulse };
	struct et_pulse beat = { count_beat, &counted };

	s->n_readings = et_drift_read(s->duration_ns * 2 / 5, READINGS, &beat, r);
	s->drift_error = et_drift_fit(r, s->n_readings, &s->drift);
	if (s->drift_error == 0 && s->counter.name) {
		s->counter.hz = s->drift.hz;
		s->counter.hz_uncertainty = s->drift.hz_uncertainty;
	}
	et_ntp_read(&s->ntp);
	if (s->cut_short)
		return;
	s->sleep_ns = s->duration_ns / 5;
	s->hz_by_sleep = et_hz_by_sleep(s->sleep_ns);
	step_done(s, pulse);
}

/* Compares the CPU with each of the others, at most ET_SURVEY_PAIRS of them. */
static void survey_pairs(
	struct et_survey *s, const cpu_set_t *allowed, const struct et_pulse *pulse)
{
	size_t others = s->cpus - 1;
	uint64_t limit_ns = s->duration_ns / 10 / (others ? others : 1);
	const uint64_t least_ns = 5000000;

	for (int c = 0; c < CPU_SETSIZE && s->n_pairs < ET_SURVEY_PAIRS && !s->cut_short; c++) {
		if (c == s->cpu || !CPU_ISSET((size_t)c, allowed))
			continue;
		int rc = et_agreement_measure(s->cpu, c, ROUNDS,
			limit_ns > least_ns ? limit_ns : least_ns, &s->pairs[s->n_pairs]);
		if (rc)
			s->pairs_error = rc;
		else
			s->n_pairs++;
		step_done(s, pulse);
	}
}

static void survey_timer(struct et_survey *s, const struct et_survey_options *o)
{
	uint64_t half_ns = s->duration_ns / 2, tick_ns = et_clock_tick_ns();
	const struct et_timer_options timer = {
		.limit_ns = half_ns > TIMER_LEAST_NS ? half_ns : TIMER_LEAST_NS,
		.pulse = o->pulse,
		.tick_at_ns =
			o->tick_at_ns && tick_ns ? o->tick_at_ns(s->cpu, tick_ns) : ET_UNKNOWN,
		.stretches = &s->stretches,
	};

	s->timer_error = et_timer_spin(&s->counter, &timer, &s->timer);
}

static void survey_here(
	struct et_survey *s, const cpu_set_t *allowed, const struct et_survey_options *o)
{
	const struct et_pulse *pulse = o->pulse;

	s->total = READINGS + 2 + s->cpus - 1;
	for (const struct et_timepiece *t = et_timepieces; t->name; t++)
		s->total++;
	survey_clocks(s, pulse);
	/* Do not read a counter that is forbidden: SIGSEGV would end the process. */
	if (s->counter_error) {
		s->counter.name = NULL;
		s->drift_error = s->timer_error = -s->counter_error;
		return;
	}
	if (!s->cut_short)
		survey_rate(s, pulse);
	if (s->cut_short)
		return;
	survey_timer(s, o);
	if (step_done(s, pulse) && s->counter.name)
		survey_pairs(s, allowed, pulse);
}

int et_survey_take(const struct et_survey_options *o, struct et_survey *out)
{
	int cpu = o->cpu;
	cpu_set_t allowed, here;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -errno;
	/* For root, sched_setaffinity() would accept a CPU outside the inherited set. */
	if (cpu >= 0 && !CPU_ISSET((size_t)cpu, &allowed))
		return -EINVAL;
	memset(out, 0, sizeof(*out));
	out->cpu = cpu >= 0 ? cpu : sched_getcpu();
	out->cpus = (size_t)CPU_COUNT(&allowed);
	out->duration_ns = o->duration_ns;
	out->hz_by_sleep = NAN;
	out->drift_error = out->timer_error = -ENODATA;
	CPU_ZERO(&here);
	CPU_SET((size_t)out->cpu, &here);
	if (sched_setaffinity(0, sizeof(here), &here))
		return -errno;
	et_counter_identify(&out->counter);
	survey_here(out, &allowed, o);
	/* This fails only if all these CPUs are offline now; the kernel has moved the thread then.
	 */
	sched_setaffinity(0, sizeof(allowed), &allowed);
	return 0;
}

/* --- conclusions --- */

const struct et_timepiece_figures *et_survey_find(const struct et_survey *s, const char *name)
{
	for (size_t i = 0; i < s->n_clocks; i++) {
		if (!strcmp(s->clocks[i].is->name, name))
			return s->clocks[i].figures.error ? NULL : &s->clocks[i].figures;
	}
	return NULL;
}

const struct et_timepiece_figures *et_survey_find_sound(const struct et_survey *s, const char *name)
{
	const struct et_timepiece_figures *f = et_survey_find(s, name);

	return f && !f->backwards ? f : NULL;
}

double et_survey_step_ns(const struct et_survey *s, const struct et_survey_clock *c)
{
	if (c->is->kind != ET_CLOCK_COUNTER)
		return c->figures.step;
	return s->counter.hz > 0 ? c->figures.step / s->counter.hz * 1e9 : NAN;
}

struct et_survey_offsets et_survey_offsets(const struct et_survey *s)
{
	struct et_survey_offsets o = { .worst_ns = NAN };

	for (size_t i = 0; i < s->n_pairs; i++) {
		const struct et_agreement *a = &s->pairs[i];
		if (!a->rounds) {
			o.silent++;
			continue;
		}
		o.compared++;
		o.backwards = o.backwards || a->backwards;
		o.moves = o.moves || et_agreement_moves(a);
		double furthest = fmax(fabs((double)a->lo), fabs((double)a->hi));
		if (s->counter.hz > 0 && !(furthest / s->counter.hz * 1e9 < o.worst_ns))
			o.worst_ns = furthest / s->counter.hz * 1e9;
	}
	return o;
}

bool et_survey_has_timer(const struct et_survey *s)
{
	return (s->timer_error == 0 || s->timer_error == -EAGAIN) && s->timer.tick_ns > 0;
}

bool et_survey_counter_sound(const struct et_survey *s)
{
	struct et_survey_offsets o = et_survey_offsets(s);

	return s->counter.name && s->counter.invariant && s->drift_error == 0 && !o.backwards &&
	       !o.moves;
}
