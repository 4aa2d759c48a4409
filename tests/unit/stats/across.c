/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Series of different experiments, corrected by the probe: false alarms between equal programs if
 * the machine changed, and power if it did not.
 */
#include "base/base.h"
#include "base/parse.h"
#include "num/rng.h"
#include "stats/compare/compare.h"
#include "stats/compare/two_sample.h"
#include "tap.h"

enum { RUNS = 30, TIMES = 1000 };

struct machine {
	double change;     /* of the logarithm of its speed between the experiments */
	double within;     /* sd of the same from run to run */
	double noise;      /* sd of a reading's logarithm */
	double elasticity; /* change of the program's time per change of the loop's */
};

static void draw(struct et_rng *rng, const struct machine *m, double level, double effect,
	struct et_probed *out)
{
	for (int i = 0; i < RUNS; i++) {
		double slow = level + m->within * et_rng_normal(rng);
		out->log_value[i] = effect + m->elasticity * slow + 0.01 * et_rng_normal(rng);
		out->log_probe[i] = slow + m->noise * et_rng_normal(rng);
	}
}

struct shares {
	double different, covered, told;
};

static struct shares simulate(const struct machine *m, double effect, uint64_t seed)
{
	double values[4][RUNS];
	struct et_probed a = { values[0], values[1], RUNS }, b = { values[2], values[3], RUNS };
	struct et_rng rng;
	struct shares s = { 0 };

	et_rng_seed(&rng, seed, 0);
	for (int i = 0; i < TIMES; i++) {
		struct et_contrast c = { .level = 0.95, .p = 1 };
		draw(&rng, m, 0, 0, &a);
		draw(&rng, m, m->change, effect, &b);
		s.told += et_judge_across(&a, &b, &c) != 0;
		s.different += c.p < 0.05;
		s.covered += c.ratio_method && log(c.lo) <= effect && log(c.hi) >= effect;
	}
	s.different /= TIMES;
	s.covered /= TIMES;
	s.told /= TIMES;
	return s;
}

static void changed(void)
{
	static const struct {
		struct machine m;
		const char *label;
	} cases[] = {
		{ { 0.1, 0, 0.01, 1 }, "steady, 10 % slower, a program that computes" },
		{ { 0.1, 0, 0.01, 0 }, "steady, 10 % slower, a program that does not feel it" },
		{ { 0.1, 0, 0.01, 0.5 }, "steady, 10 % slower, a program that half feels it" },
		{ { 0.1, 0.05, 0.002, 1 }, "unsteady, 10 % slower, exact readings" },
		{ { 0.1, 0.05, 0.03, 1 }, "unsteady, 10 % slower, noisy readings" },
		{ { -0.2, 0.05, 0.03, 0.8 }, "unsteady, 20 % faster, noisy readings" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct shares s = simulate(&cases[i].m, 0, i + 1);
		ok(s.different < 0.07, "across: %s: %.1f %% false alarms", cases[i].label,
			100 * s.different);
		ok(s.told > 0.95, "across: %s: the change of the machine is found in %.1f %%",
			cases[i].label, 100 * s.told);
	}
}

static void found(void)
{
	struct machine unsteady = { 0.05, 0.05, 0.002, 1 }, same = { 0, 0.05, 0.002, 1 };
	struct shares s = simulate(&unsteady, 0.1, 7);

	ok(s.different > 0.95 && s.covered > 0.93,
		"across: 10 %% slower on a changed machine is found in %.1f %%, covered in %.1f %%",
		100 * s.different, 100 * s.covered);
	s = simulate(&same, 0.02, 8);
	ok(s.different > 0.95 && s.covered > 0.93,
		"across: 2 %% slower on an unsteady machine is found in %.1f %%, covered in %.1f "
		"%%",
		100 * s.different, 100 * s.covered);
	ok(s.told < 0.1, "across: a machine that did not change is called changed in %.1f %%",
		100 * s.told);
}

/* By hand: the difference of the means is the change of the probe times beta. */
static void by_hand(void)
{
	double x[] = { 0, 1, 2, 3, 4, 5 }, y[] = { 2, 3, 4, 5, 6, 7 };
	double vx[] = { 1.01, 1.99, 3.01, 3.99, 5.01, 5.99 }, vy[6];
	struct et_probed a = { vx, x, 6 }, b = { vy, y, 6 };
	struct et_contrast c = { .level = 0.95 };

	for (int i = 0; i < 6; i++)
		vy[i] = vx[i] + 2 + 0.5;
	near(et_judge_across(&a, &b, &c), 0, 0, 0,
		"across: readings that vary more than they differ show no change");
	/* Szy / Szz of each series: 1 - 0.01 (2.5 - 1.5 + 0.5 + 0.5 - 1.5 + 2.5) / 17.5 */
	near(log(c.ratio), 2.5 - 2 * (1 - 0.03 / 17.5), 1e-9, 0, "across: the corrected ratio");
	near(c.df, 9, 0, 0, "across: three parameters are fitted");
	struct et_contrast few = { .level = 0.95, .ratio = 3 };
	a.n = 4;
	ok(et_judge_across(&a, &b, &few) == 0 && few.ratio == 3 && !few.method,
		"across: four values are not corrected");
}

/* An experiment of one command with these readings of the probe. */
static struct et_experiment *experiment(uint64_t seed, double slow, const char *machine)
{
	struct et_experiment *e = et_experiment_new();
	struct et_rng rng;

	snprintf(e->id, sizeof(e->id), "id-%d", (int)seed);
	snprintf(e->machine, sizeof(e->machine), "%s", machine);
	et_experiment_add_command(e, et_strdup("program"), et_strv_of("true", NULL));
	et_rng_seed(&rng, seed, 0);
	for (uint32_t i = 0; i < RUNS; i++) {
		double speed = slow * (1 + 0.05 * et_rng_normal(&rng));
		struct et_sample s = { .place = { .round = i + 1, .order = i + 1, .partner = -1 } };
		s.measured.cpu_ns = (uint64_t)(1e7 * speed * (1 + 0.002 * et_rng_normal(&rng)));
		s.measured.elapsed_ns = s.measured.cpu_ns;
		s.measured.probe_before_ns = (uint64_t)(18000 * speed);
		s.measured.probe_after_ns = ET_UNKNOWN;
		et_experiment_add(e, &s);
	}
	return e;
}

/* The path of `etalon compare`: the same program, the machine 20 % slower the second time. */
static void compared(const char *machine, bool corrected)
{
	struct et_compare_options o = { .alpha = 0.05 };
	struct et_series_set set = { 0 };
	struct et_comparison c;

	et_series_add_experiment(&set, experiment(1, 1, "here"));
	et_series_add_experiment(&set, experiment(2, 1.2, machine));
	et_compare(set.list, set.n, &o, &c);
	ok(et_warnings_have(&c.pairs[0].warnings, ET_WARN_MEASURED_APART),
		"compare: series of different experiments carry a warning (%s)", machine);
	ok(c.pairs[0].significant != corrected, "compare: a slower machine is %s (%s)",
		corrected ? "no difference of the programs" : "not corrected", machine);
	et_comparison_free(&c);
	et_series_set_free(&set);
}

int main(void)
{
	compared("here", true);
	compared("elsewhere", false);
	by_hand();
	changed();
	found();
	return tap_done();
}
