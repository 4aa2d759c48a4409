/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Designed experiments on simulated machines, which differ in speed, in noise and in the effects
 * themselves: how often the intervals that `doe analyse` prints cover the effect on machines like
 * these, and how often it finds an effect that is none. Machines whose load changes from part to
 * part: how often they are said to differ although they do not. The seeds are fixed.
 */
#include "app/doe/view.h"
#include "base/base.h"
#include "model/experiment/experiment.h"
#include "num/rng.h"
#include "stats/doe/doe.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

enum { TIMES = 2000, RUNS = 4, MOST = 10, PARTS = 4 };

static const double effect = 0.03; /* of factor a, on the logarithm; factor b has none */

/* Machines: their sd, the sd of a treatment on a machine, and the noise of a run. */
struct fleet {
	const char *name;
	double between, interaction, noise;
	bool divided; /* a campaign divides the rounds among them */
};

static struct et_experiment *empty(uint32_t machine, bool divided)
{
	struct et_experiment *e = et_experiment_new();
	struct et_design *d = e->design = et_design_new();

	for (int f = 0; f < 2; f++) {
		struct et_design_factor *factor =
			et_design_add_factor(d, (char[2]){ (char)('a' + f), '\0' });
		factor->n_levels = 2;
		factor->levels = et_calloc(3, sizeof(char *));
		for (size_t i = 0; i < 2; i++)
			factor->levels[i] = et_asprintf("%zu", i);
	}
	for (uint32_t t = 0; t < 4; t++)
		et_design_add_treatment(d, (uint32_t[]){ t & 1, t >> 1 });
	et_design_add_program(d, "p");
	d->response = et_strdup("pt");
	d->blocks = divided ? ET_BLOCKS_NONE : ET_BLOCKS_MACHINE;
	snprintf(e->id, sizeof(e->id), "part-%u", machine);
	snprintf(e->machine, sizeof(e->machine), "machine-%u", machine);
	if (divided)
		snprintf(e->member.campaign, sizeof(e->member.campaign), "campaign");
	e->plan.first_round = divided ? 1 + RUNS * machine : 0;
	for (uint32_t t = 0; t < 4; t++)
		et_experiment_add_command(e, et_asprintf("%u", t), et_calloc(1, sizeof(char *)));
	return e;
}

/* Adds the effects of a and b on this machine to here. */
static struct et_experiment *draw(
	struct et_rng *rng, const struct fleet *f, uint32_t machine, double here[2])
{
	struct et_experiment *e = empty(machine, f->divided);
	double level = f->between * et_rng_normal(rng), own[4];
	double noise = f->noise * (machine % 2 ? 0.5 : 1.5);

	for (uint32_t t = 0; t < 4; t++)
		own[t] = level + effect * (t & 1) + f->interaction * et_rng_normal(rng);
	here[0] += (own[1] + own[3] - own[0] - own[2]) / 2;
	here[1] += (own[2] + own[3] - own[0] - own[1]) / 2;
	for (uint32_t r = 0; r < RUNS; r++) {
		for (uint32_t t = 0; t < 4; t++) {
			struct et_sample s = { .place = { .command = t,
						       .partner = -1,
						       .round = r + 1,
						       .order = 4 * r + t + 1 } };
			s.measured.cpu_ns =
				(uint64_t)(1e9 * exp(own[t] + noise * et_rng_normal(rng)));
			s.measured.elapsed_ns = s.measured.cpu_ns;
			et_experiment_add(e, &s);
		}
	}
	return e;
}

struct shares {
	double covered, alarms;
	double here; /* intervals that cover the mean effect on these machines */
};

static bool covers(const struct et_doe_program *p, size_t i, double truth)
{
	struct et_doe_change c = et_doe_change_of(p, &p->effects[i]);

	return c.lo <= truth && truth <= c.hi;
}

static bool covers_here(const struct et_doe_program *p, size_t i, double truth)
{
	const struct et_doe_on_machine *h = &p->effects[i].over.here;

	return h->lo <= 100 * expm1(truth) && 100 * expm1(truth) <= h->hi;
}

static struct shares simulate(const struct fleet *f, uint32_t machines)
{
	const struct et_doe_options o = { 0.05, 0.95, -1, true };
	struct et_experiment *list[MOST];
	struct shares s = { 0 };
	struct et_rng rng;

	et_rng_seed(&rng, 23, machines);
	for (int t = 0; t < TIMES; t++) {
		struct et_doe_result r;
		struct et_error err;
		double here[2] = { 0 };
		for (uint32_t m = 0; m < machines; m++)
			list[m] = draw(&rng, f, m, here);
		if (et_doe_analyse(
			    (const struct et_experiment *const *)list, machines, &o, &r, &err))
			tap_bail("the experiments cannot be analysed");
		const struct et_doe_program *p = &r.programs[0];
		s.covered += (covers(p, 0, 100 * expm1(effect)) + covers(p, 1, 0)) / 2.0 / TIMES;
		for (size_t i = 0; i < 2; i++)
			s.here += covers_here(p, i, here[i] / machines) / 2.0 / TIMES;
		s.alarms +=
			(p->effects[1].significant || p->effects[2].significant) / (double)TIMES;
		et_doe_result_free(&r);
		for (uint32_t m = 0; m < machines; m++)
			et_experiment_free(list[m]);
	}
	return s;
}

/* --- parts --- */

/* Parts of machines at different times: their sd, and that of the machines. */
struct times {
	uint32_t machines;
	double between, of_parts;
	bool unequal; /* the sd of parts is that of every second machine, and a fifth of it */
};

/* One part of a campaign: a round of each treatment. */
static struct et_experiment *draw_part(
	struct et_rng *rng, uint32_t machine, uint32_t part, double level)
{
	struct et_experiment *e = empty(machine, false);

	snprintf(e->id, sizeof(e->id), "part-%u-%u", machine, part);
	snprintf(e->member.campaign, sizeof(e->member.campaign), "campaign");
	snprintf(e->member.node, sizeof(e->member.node), "n%u", machine);
	e->member.part = machine * PARTS + part;
	e->plan.first_round = 1 + part;
	for (uint32_t t = 0; t < 4; t++) {
		double own = level + effect * (t & 1) + 0.01 * et_rng_normal(rng);
		struct et_sample s = {
			.place = { .command = t, .partner = -1, .round = part + 1, .order = t + 1 }
		};
		s.measured.cpu_ns = s.measured.elapsed_ns = (uint64_t)(1e9 * exp(own));
		et_experiment_add(e, &s);
	}
	return e;
}

struct of_times {
	double differ, between, of_parts, levels;
};

static bool has(const struct et_doe_component *c, double truth)
{
	return c->lo <= truth && truth <= c->hi;
}

static void note_times(const struct et_doe_result *r, const struct times *f, const double *level,
	struct of_times *to)
{
	const struct et_doe_program *p = &r->programs[0];
	ET_AUTO_FREE char *text = et_doe_finding(&(struct et_doe_view){ .result = r }, p);
	double mean = 0;

	to->differ += (strstr(text, "machines differ by") != NULL) / (double)TIMES;
	to->between += has(&p->fleet->between, f->between) / (double)TIMES;
	to->of_parts += has(&p->fleet->of_parts, f->of_parts) / (double)TIMES;
	for (uint32_t m = 0; m < f->machines; m++)
		mean += level[m] / f->machines;
	for (uint32_t m = 0; m < f->machines; m++) {
		const struct et_doe_machine *a = &p->fleet->machines[m];
		double truth = exp(level[m] - mean);
		to->levels += (a->lo <= truth && truth <= a->hi) / (double)TIMES / f->machines;
	}
}

static struct of_times simulate_times(const struct times *f)
{
	const struct et_doe_options o = { 0.05, 0.95, -1, true };
	struct et_experiment *list[MOST * PARTS];
	struct of_times s = { 0 };
	struct et_rng rng;

	et_rng_seed(&rng, 29, f->machines);
	for (int t = 0; t < TIMES; t++) {
		struct et_doe_result r;
		struct et_error err;
		double level[MOST];
		uint32_t n = 0;
		for (uint32_t m = 0; m < f->machines; m++) {
			double sd = f->of_parts / (f->unequal && m % 2 ? 5 : 1);
			level[m] = f->between * et_rng_normal(&rng);
			for (uint32_t k = 0; k < PARTS; k++)
				list[n++] =
					draw_part(&rng, m, k, level[m] + sd * et_rng_normal(&rng));
		}
		if (et_doe_analyse((const struct et_experiment *const *)list, n, &o, &r, &err))
			tap_bail("the parts cannot be analysed");
		note_times(&r, f, level, &s);
		et_doe_result_free(&r);
		while (n)
			et_experiment_free(list[--n]);
	}
	return s;
}

static void check_times(void)
{
	static const struct times all[] = { { 2, 0, 0.02, false }, { 2, 0, 0.1, true },
		{ 3, 0, 0.05, false }, { 5, 0, 0.1, true }, { 5, 0.05, 0.05, false } };

	for (size_t i = 0; i < 5; i++) {
		const struct times *f = &all[i];
		struct of_times s = simulate_times(f);
		ok(s.levels > 0.935,
			"doe: levels of %u machines with parts cover in 95 %% (%.1f %%)",
			f->machines, 100 * s.levels);
		if (f->between == 0)
			ok(s.differ < 0.065,
				"doe: %u equal machines, whose parts vary by %g %%, differ in 5 %% "
				"(%.1f %%)",
				f->machines, 100 * f->of_parts, 100 * s.differ);
		ok(s.between > 0.935,
			"doe: the component between %u machines covers in 95 %% (%.1f %%)",
			f->machines, 100 * s.between);
		if (!f->unequal)
			ok(s.of_parts > 0.935,
				"doe: that between parts of %u machines does (%.1f %%)",
				f->machines, 100 * s.of_parts);
	}
}

int main(void)
{
	static const uint32_t machines[] = { 2, 3, 5, 10 };
	static const struct fleet fleets[] = {
		{ "unequal machines", 0.1, 0, 0.01, false },
		{ "effects that differ", 0.1, 0.01, 0.01, false },
		{ "rounds that are divided", 0.1, 0, 0.01, true },
	};

	for (size_t f = 0; f < 3; f++) {
		for (size_t i = 0; i < 4; i++) {
			struct shares s = simulate(&fleets[f], machines[i]);
			ok(s.covered > 0.935,
				"doe: intervals cover in 95 %%: %s, %u of them (%.1f %%)",
				fleets[f].name, machines[i], 100 * s.covered);
			ok(s.here > 0.935,
				"doe: intervals on these machines do, too: %s, %u of them (%.1f "
				"%%)",
				fleets[f].name, machines[i], 100 * s.here);
			ok(s.alarms < 0.065,
				"doe: false alarms are at most 5 %%: %s, %u of them (%.1f %%)",
				fleets[f].name, machines[i], 100 * s.alarms);
		}
	}
	check_times();
	return tap_done();
}
