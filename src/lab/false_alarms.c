/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/false_alarms.h"
#include "stats/compare/contrast.h"
#include "stats/series/interval.h"

/* --- simulated machine --- */

const char *const et_simulated_load_names[] = { "drift", "bursts", 0 };

/*
 * Drift: the walk is uniformly distributed between its bounds, so its sd is bound / sqrt 3 = 0.131,
 * and successive values are almost equal. With the white noise the sd is 0.2, and the walk's share
 * of the variance, which is the lag-1 autocorrelation, is 0.43.
 */
static const double bound = 0.227, step = 0.02, white = 0.151;
/*
 * Bursts: the machine is slower by 52 % for a quarter of the time. The lag-1 autocorrelation is 1
 * minus the two transition probabilities, and a little less because of the jitter.
 */
static const double burst = 0.522, slow_share = 0.25, correlation = 0.44, jitter = 0.03;

void et_simulated_machine_start(
	struct et_simulated_machine *m, enum et_simulated_load load, uint64_t seed, uint64_t stream)
{
	*m = (struct et_simulated_machine){ .load = load };
	et_rng_seed(&m->rng, seed, stream);
	m->walk = bound * (2 * et_rng_uniform(&m->rng) - 1);
	m->slow = et_rng_uniform(&m->rng) < slow_share;
}

double et_simulated_machine_next(struct et_simulated_machine *m)
{
	double now;

	if (m->load == ET_SIMULATED_DRIFT) {
		now = exp(m->walk + white * et_rng_normal(&m->rng));
		m->walk += step * et_rng_normal(&m->rng);
		if (fabs(m->walk) > bound) /* reflect at the bound */
			m->walk = copysign(2 * bound - fabs(m->walk), m->walk);
		return now;
	}
	now = (m->slow ? 1 + burst : 1) * exp(jitter * et_rng_normal(&m->rng));
	double change = (1 - correlation) * (m->slow ? 1 - slow_share : slow_share);
	m->slow ^= et_rng_uniform(&m->rng) < change;
	return now;
}

double et_simulated_machine_own(struct et_simulated_machine *m, double sd)
{
	double wide = et_rng_uniform(&m->rng) < 0.1 ? 3 : 1;

	/* The variance of the mixture is 0.9 + 0.1 * 3^2 = 1.8. */
	return sd / sqrt(1.8) * wide * et_rng_normal(&m->rng);
}

/* --- false alarms --- */

/* A program of 30 ms that varies by 1 % by itself; the machine adds the rest. */
static const double program_ns = 30e6, solo_sd = 0.01, level = 0.95;

const char *const et_judged_names[] = { "duets", "blocks", "separate", NULL };
const size_t et_alarm_sizes[ET_ALARM_SIZES] = { 10, 30, 100, 300, 1000 };

/* A simulated experiment of n rounds: the times of A and B, in order of execution. */
struct session {
	double *a, *b;
	size_t n;
	struct et_simulated_machine machine;
};

static double solo(struct session *s)
{
	double pace = et_simulated_machine_next(&s->machine);

	return program_ns * pace * exp(et_simulated_machine_own(&s->machine, solo_sd));
}

static void run_duets(struct session *s, double duet_sd)
{
	for (size_t i = 0; i < s->n; i++) {
		double shared = program_ns * et_simulated_machine_next(&s->machine);
		s->a[i] = shared * exp(et_simulated_machine_own(&s->machine, duet_sd / M_SQRT2));
		s->b[i] = shared * exp(et_simulated_machine_own(&s->machine, duet_sd / M_SQRT2));
	}
}

static void run_blocks(struct session *s)
{
	for (size_t i = 0; i < s->n; i++) {
		bool b_first = et_rng_below(&s->machine.rng, 2);
		double first = solo(s), second = solo(s);
		s->a[i] = b_first ? second : first;
		s->b[i] = b_first ? first : second;
	}
}

static void run_separate(struct session *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->a[i] = solo(s);
	for (size_t i = 0; i < s->n; i++)
		s->b[i] = solo(s);
}

/* The outcome of a comparison. */
struct verdict {
	bool significant, slower, warned;
};

static void fill(struct et_experiment *e, const struct session *s, double factor,
	enum et_arrangement arrangement)
{
	for (size_t i = 0; i < s->n; i++) {
		struct et_sample sample = { .place.round = (uint32_t)i + 1,
			.place.arrangement = arrangement,
			.place.order = (uint32_t)i + 1 };
		sample.measured.cpu_ns = sample.measured.elapsed_ns = (uint64_t)llround(s->a[i]);
		et_experiment_add(e, &sample);
		sample.place.command = 1;
		sample.measured.cpu_ns = sample.measured.elapsed_ns =
			(uint64_t)llround(s->b[i] * factor);
		et_experiment_add(e, &sample);
	}
}

static struct verdict judge_by_welch(const struct session *s, double factor)
{
	ET_AUTO_FREE double *b = et_calloc(s->n, sizeof(*b));

	for (size_t i = 0; i < s->n; i++)
		b[i] = s->b[i] * factor;
	struct et_interval_test t = et_t_welch(b, s->n, s->a, s->n, level);
	return (struct verdict){ t.p <= 1 - level, t.estimate > 0, false };
}

/* By Welch's test, or as `run` judges two commands: by a contrast of pairs, a family of one. */
static struct verdict judge(const struct session *s, enum et_lab_judged how, double factor)
{
	enum et_arrangement arrangement = how == ET_JUDGED_DUETS ? ET_DUET : ET_SOLO;
	struct et_command commands[2] = { 0 };
	struct et_experiment e = { .metric = ET_METRIC_CPU,
		.plan = { .order = arrangement == ET_DUET ? ET_ORDER_DUET : ET_ORDER_RANDOM,
			.level = level },
		.commands = commands,
		.n_commands = ET_LENGTH(commands) };
	struct et_contrast c;

	if (how == ET_JUDGED_SEPARATE)
		return judge_by_welch(s, factor);
	fill(&e, s, factor, arrangement);
	et_contrast_make(&e, 0, 1, e.metric, level, &c);
	et_contrasts_conclude(&c, 1, 1 - level);
	struct verdict v = { c.significant, c.ratio > 1, c.warnings.n > 0 };
	et_warnings_free(&c.warnings);
	et_samples_free(&commands[0].samples);
	et_samples_free(&commands[1].samples);
	return v;
}

/* Judges the same times twice: as they are, and with B slowed down. */
static void repeat(const struct et_false_alarms_options *o, enum et_simulated_load load,
	size_t size, uint32_t repetition, struct et_false_alarms *out)
{
	size_t n = et_alarm_sizes[size];
	ET_AUTO_FREE double *a = et_calloc(n, sizeof(*a));
	ET_AUTO_FREE double *b = et_calloc(n, sizeof(*b));
	struct session s = { .a = a, .b = b, .n = n };

	for (enum et_lab_judged how = 0; how < ET_JUDGED; how++) {
		struct et_alarm_count *count = &out->counts[load][how][size];
		uint64_t stream = (uint64_t)load << 60 ^ (uint64_t)how << 56 ^ (uint64_t)n << 32;
		et_simulated_machine_start(
			&s.machine, load, o->simulation.seed, stream ^ repetition);
		if (how == ET_JUDGED_DUETS)
			run_duets(&s, o->duet_sd);
		else if (how == ET_JUDGED_BLOCKS)
			run_blocks(&s);
		else
			run_separate(&s);
		struct verdict same = judge(&s, how, 1);
		struct verdict slower = judge(&s, how, 1 + o->effect);
		count->alarms += same.significant;
		count->warned += same.warned;
		count->found += slower.significant && slower.slower;
	}
	out->repetitions[load][size]++;
}

void et_false_alarms_run(const struct et_false_alarms_options *o, struct et_false_alarms *out)
{
	uint64_t done = 0,
		 total = (uint64_t)o->simulation.repetitions * ET_SIMULATED_LOADS * ET_ALARM_SIZES;

	*out = (struct et_false_alarms){ .level = level,
		.effect = o->effect,
		.duet_sd = o->duet_sd,
		.simulation = o->simulation };
	for (uint32_t r = 0; r < o->simulation.repetitions; r++) {
		for (int load = 0; load < ET_SIMULATED_LOADS; load++) {
			for (size_t size = 0; size < ET_ALARM_SIZES; size++) {
				repeat(o, (enum et_simulated_load)load, size, r, out);
				if (!et_lab_report_progress(&o->simulation.progress, ++done, total))
					return;
			}
		}
	}
}
