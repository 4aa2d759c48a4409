/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The study of duets finds what was put into simulated experiments. */
#include "lab/duet_bias.h"
#include "base/base.h"
#include "base/parse.h"
#include "num/rng.h"
#include "tap.h"

/* Simulated programs of 30 ms. */
struct play {
	double ratio, company[2]; /* cost of company for a and b, relative to the shorter */
	double memory[2];         /* MiB */
};

static void add(struct et_experiment *e, uint32_t command, uint32_t round, enum et_arrangement how,
	double ms, double mib)
{
	struct et_sample s = { .place = { .command = command,
				       .round = round,
				       .order = 3 * round + (how == ET_SOLO ? command : 2),
				       .arrangement = how } };

	s.measured.cpu_ns = s.measured.elapsed_ns = (uint64_t)llround(1e6 * ms);
	s.measured.max_rss_bytes = (uint64_t)(1048576 * mib);
	et_experiment_add(e, &s);
}

static struct et_experiment *simulate(const struct play *p, uint64_t metronome_ns, uint32_t n)
{
	struct et_experiment *e = et_experiment_new();
	double alone[] = { 30, 30 * p->ratio }, shorter = fmin(alone[0], alone[1]);
	struct et_rng rng;

	et_rng_seed(&rng, 5, metronome_ns);
	e->plan.order = ET_ORDER_AUTO;
	e->plan.metronome_ns = metronome_ns;
	for (int c = 0; c < 2; c++)
		et_experiment_add_command(e, et_strdup("x"), et_strv_of("x", NULL));
	for (uint32_t i = 1; i <= n; i++) {
		double speed = exp(0.1 * et_rng_normal(&rng));
		for (uint32_t c = 0; c < 2; c++) {
			add(e, c, i, ET_SOLO, alone[c] * exp(0.02 * et_rng_normal(&rng)),
				p->memory[c]);
			add(e, c, i, ET_DUET,
				(alone[c] + p->company[c] * shorter) * speed *
					exp(0.01 * et_rng_normal(&rng)),
				p->memory[c]);
		}
	}
	return e;
}

static void study(const struct play *p, enum et_pair_design design, struct et_duet_pair *out)
{
	struct et_experiment *e[] = { simulate(p, 1000000, 120), simulate(p, 0, 120) };
	struct et_simulation o = { .seed = 1, .repetitions = 40 };

	*out = (struct et_duet_pair){ .name = "x", .design = design };
	ok(et_duet_bias_judge((const struct et_experiment *const *)e, &o, out),
		"%s: the study ends by itself", et_pair_design_names[design]);
	et_experiment_free(e[0]);
	et_experiment_free(e[1]);
}

static void one_kind(void)
{
	struct et_duet_pair p;

	study(&(struct play){ 1.25, { 0.06, 0.06 }, { 4, 4 } }, ET_PAIR_ONE_KIND, &p);
	const struct et_duet_measured *m = &p.ways[ET_BY_METRONOME];
	ok(fabs(p.ratio - 1.25) < 2 * p.half_width && p.half_width < 0.05,
		"one kind: the truth is found (%.3f ± %.3f)", p.ratio, p.half_width);
	ok(m->rounds == 120 && fabs(m->side_by_side - 1.2358) < 0.01,
		"one kind: dilution is found (%.4f)", m->side_by_side);
	const struct et_duet_errors *e = m->cells[2].errors;
	ok(e[ET_FIGURE_SIDE_BY_SIDE].covered < 20, "one kind: the pairs miss the truth (%u of 40)",
		e[ET_FIGURE_SIDE_BY_SIDE].covered);
	ok(e[ET_FIGURE_ALONE].covered >= 35, "one kind: the ratio alone covers it (%u of 40)",
		e[ET_FIGURE_ALONE].covered);
	ok(fabs(e[ET_FIGURE_ALONE].bias) < fabs(e[ET_FIGURE_SIDE_BY_SIDE].bias) &&
			e[ET_FIGURE_ALONE].half_width < e[ET_FIGURE_SOLOS].half_width,
		"one kind: the ratio alone is less biased than the pairs, narrower than the solos");
	ok(!p.sign, "one kind: no sign of different kinds");
}

static void identical(void)
{
	struct et_duet_pair p;

	study(&(struct play){ 1, { 0.06, 0.06 }, { 4, 4 } }, ET_PAIR_IDENTICAL, &p);
	const struct et_duet_cell *c = &p.ways[ET_BY_METRONOME].cells[2];
	ok(p.ratio == 1 && c->repetitions == 40, "identical: the truth is 1");
	ok(c->alarms <= 8 && c->alarms_by_pairs <= 8, "identical: few alarms (%u, %u of 40)",
		c->alarms, c->alarms_by_pairs);
	ok(c->found[1] >= 35 && c->found[0] >= 20 && c->found[0] <= c->found[1],
		"identical: slowdowns are found (%u, %u of 40)", c->found[0], c->found[1]);
}

static void different(void)
{
	struct et_duet_pair p;

	study(&(struct play){ 1.1, { 0.02, 0.12 }, { 4, 9 } }, ET_PAIR_DIFFERENT, &p);
	const struct et_duet_cell *c = &p.ways[ET_BY_METRONOME].cells[1];
	is_str(p.sign, "peak memory", "different: the sign");
	ok(c->alarms_by_pairs >= 35 && c->alarms <= 8,
		"different, made equal: the pairs alarm (%u of 40), the verdict does not (%u)",
		c->alarms_by_pairs, c->alarms);
	ok(c->found[0] == 0, "different: no power is counted");
}

/* Only one way was possible, and it was interrupted early. */
static void incomplete(void)
{
	struct et_experiment *e = simulate(&(struct play){ 1, { 0, 0 }, { 4, 4 } }, 0, 3);
	struct et_duet_pair p = { .name = "x", .design = ET_PAIR_ONE_KIND };
	struct et_simulation o = { .seed = 1, .repetitions = 4 };

	ok(et_duet_bias_judge((const struct et_experiment *[]){ NULL, e }, &o, &p) &&
			p.ways[ET_BY_METRONOME].rounds == 0 && p.ways[ET_BY_SLICES].rounds == 3 &&
			p.ways[ET_BY_SLICES].cells[0].repetitions == 0,
		"three rounds are too few to draw experiments from");
	et_experiment_free(e);
}

int main(void)
{
	one_kind();
	identical();
	different();
	incomplete();
	return tap_done();
}
