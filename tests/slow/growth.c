/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often `fit` finds the true model of simulated times, how often its intervals cover the true
 * time inside and beyond the measured sizes, and how often it rejects a true model or reports an
 * anomaly that is none. Times are a + b f(n) with a = 0.3 b f of the smallest size and a normal
 * relative spread, to which slow runs may be added. With an argument, the program prints the tables
 * of doc/fit.md instead, from that many repetitions; the seeds are fixed, so that the results
 * repeat.
 */
#include "num/growth.h"
#include "num/rng.h"
#include "tap.h"

enum { REPETITIONS = 60, MOST = 12 * 30 };

static const int sizes_of[] = { 4, 5, 8, 12 }, runs_of[] = { 1, 3, 10, 30 };
static const double noises[] = { 0.01, 0.05, 0.2 };

static double f(int model, double n)
{
	const double all[] = { 0, log(n), n, n * log(n), n * n, n * n * log(n), n * n * n, exp2(n),
		pow(n, 1.5) };

	return all[model];
}

/* Numbers of fits. */
struct count {
	double n, won, possible, rejected, inside, beyond, run, ratio, anomaly;
};

struct cell {
	int model, sizes, runs;
	double noise; /* relative sd at the smallest size */
	double less;  /* the variance is noise² t^(2 - less) */
	double slow;  /* one run in 20 takes this share of the mean longer; the mean is the same */
};

static double truth(const struct cell *c, double n)
{
	double least = c->model == ET_GROWTH_EXP ? 8 : 16;

	return 1e3 * (c->model ? 0.3 * f(c->model, least) + f(c->model, n) : 1e3);
}

static double spread(const struct cell *c, double n)
{
	double least = truth(c, c->model == ET_GROWTH_EXP ? 8 : 16);

	return c->noise * pow(truth(c, n) / least, -c->less / 2);
}

/* One run over the true mean. */
static double draw(const struct cell *c, double n, struct et_rng *rng)
{
	double slow = c->slow > 0 && et_rng_uniform(rng) < 0.05 ? c->slow : 0;

	return fmax(1 - 0.05 * c->slow + slow + spread(c, n) * et_rng_normal(rng), 0.01);
}

static bool covers(const struct et_growth_value *v, double x)
{
	return v->lo <= x && x <= v->hi;
}

static void judge(
	const struct cell *c, const struct et_growth *g, struct et_rng *rng, struct count *out)
{
	bool doubling = c->model != ET_GROWTH_EXP;
	double largest = g->points[g->n - 1].size,
	       middle = (g->points[g->n / 2].size + g->points[g->n / 2 - 1].size) / 2;
	double far = doubling ? 4 * largest : largest + 2;
	const struct et_growth_fit *fit = &g->fits[c->model];
	struct et_growth_value v;

	out->n++;
	out->won += (int)g->best == c->model;
	out->possible +=
		(int)g->best == c->model || et_growth_possible(g, (enum et_growth_model)c->model);
	out->rejected += fit->excluded || fit->rejected;
	out->anomaly += g->n_anomalies > 0;
	et_growth_at(g, middle, &v);
	out->inside += covers(&v, truth(c, middle));
	et_growth_at(g, far, &v);
	out->beyond += covers(&v, truth(c, far));
	double run = truth(c, far) * draw(c, far, rng);
	out->run += v.run_lo <= run && run <= v.run_hi;
	et_growth_ratio(g, largest, far, &v);
	out->ratio += covers(&v, truth(c, far) / truth(c, largest));
}

/* Sizes are 16 to 16384 in equal factors, or 8, 9, 10 … for 2ⁿ. */
static void simulate(const struct cell *c, int repetitions, struct count *out)
{
	double x[MOST], y[MOST];
	struct et_rng rng;

	et_rng_seed(&rng, 12,
		(uint64_t)(c->model * 1000 + c->sizes * 50 + c->runs + lround(1e6 * c->noise)));
	for (int k = 0; k < repetitions; k++) {
		struct et_growth g;
		size_t n = 0;

		for (int i = 0; i < c->sizes; i++) {
			double size = c->model == ET_GROWTH_EXP
					      ? 8 + i
					      : round(16 * pow(1024, i / (c->sizes - 1.0)));
			for (int r = 0; r < c->runs; r++, n++) {
				x[n] = size;
				y[n] = truth(c, size) * draw(c, size, &rng);
			}
		}
		if (et_growth_fit(x, y, n, 0.95, &g))
			tap_bail("growth: the data were refused");
		judge(c, &g, &rng, out);
		et_growth_free(&g);
	}
}

static bool enough(const struct cell *c)
{
	return c->sizes * c->runs >= ET_GROWTH_SAMPLES_LEAST;
}

static void add(struct count *to, const struct count *c)
{
	double *sum = &to->n;
	const double *part = &c->n;

	for (size_t i = 0; i < sizeof(*c) / sizeof(double); i++)
		sum[i] += part[i];
}

static void print_wins(int repetitions)
{
	printf("| sizes | runs each |");
	for (int m = 0; m < ET_GROWTH_MODELS; m++)
		printf(" %s |", et_growth_names[m]);
	printf("\n|---|---|%s\n", "---|---|---|---|---|---|---|---|---|");
	for (int s = 0; s < 4; s++) {
		for (int r = 0; r < 4; r++) {
			if (sizes_of[s] * runs_of[r] < ET_GROWTH_SAMPLES_LEAST)
				continue;
			printf("| %d | %d |", sizes_of[s], runs_of[r]);
			for (int m = 0; m < ET_GROWTH_MODELS; m++) {
				for (int e = 0; e < 3; e++) {
					struct cell c = { m, sizes_of[s], runs_of[r], noises[e], 0,
						0 };
					struct count n = { 0 };

					simulate(&c, repetitions, &n);
					printf("%s%.0f", e ? " / " : " ", 100 * n.won / n.n);
				}
				printf(" |");
				fflush(stdout);
			}
			printf("\n");
		}
	}
}

static void print_promises(int repetitions)
{
	printf("\n| sizes | runs each | inside | beyond | one run beyond | ratio | "
	       "true model rejected | false anomaly | true model possible |\n"
	       "|---|---|---|---|---|---|---|---|---|\n");
	for (int s = 0; s < 4; s++) {
		for (int r = 0; r < 4; r++) {
			struct count all = { 0 };

			for (int m = 0; m < ET_GROWTH_MODELS; m++) {
				for (int e = 0; e < 3; e++) {
					struct cell c = { m, sizes_of[s], runs_of[r], noises[e], 0,
						0 };
					struct count n = { 0 };

					if (enough(&c))
						simulate(&c, repetitions, &n);
					add(&all, &n);
				}
			}
			if (!(all.n > 0))
				continue;
			printf("| %d | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
				sizes_of[s], runs_of[r], 100 * all.inside / all.n,
				100 * all.beyond / all.n, 100 * all.run / all.n,
				100 * all.ratio / all.n, 100 * all.rejected / all.n,
				100 * all.anomaly / all.n, 100 * all.possible / all.n);
			fflush(stdout);
		}
	}
}

/* The fits of all models but the constant, of 8 sizes and a spread of 2.5 % without slow runs. */
static struct count with_slow_runs(int runs, double slow, int repetitions)
{
	struct count all = { 0 };

	for (int m = 1; m < ET_GROWTH_MODELS; m++) {
		struct cell c = { m, 8, runs, 0.025, 0, slow };
		simulate(&c, repetitions, &all);
	}
	return all;
}

static void print_slow(int repetitions)
{
	printf("\n| slow runs | runs each | true model chosen | inside | beyond | one run beyond | "
	       "ratio | true model rejected | false anomaly "
	       "|\n|---|---|---|---|---|---|---|---|---|\n");
	for (int i = 0; i < 6; i++) {
		double slow = i % 2 ? 2 : 0.5;
		struct count n = with_slow_runs(runs_of[1 + i / 2], slow, repetitions);
		printf("| 5 %% take %s | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
			i % 2 ? "three times as long" : "50 % longer", runs_of[1 + i / 2],
			100 * n.won / n.n, 100 * n.inside / n.n, 100 * n.beyond / n.n,
			100 * n.run / n.n, 100 * n.ratio / n.n, 100 * n.rejected / n.n,
			100 * n.anomaly / n.n);
		fflush(stdout);
	}
}

/* The promises over all models and spreads; three Monte-Carlo standard deviations are allowed. */
static void test_promises(void)
{
	struct count all = { 0 }, repeated[3] = { 0 };

	for (int m = 0; m < ET_GROWTH_MODELS; m++) {
		for (int e = 0; e < 3; e++) {
			for (int r = 0; r < 3; r++) {
				struct cell c = { m, 8, runs_of[r], noises[e], 0, 0 };
				struct count n = { 0 };

				simulate(&c, REPETITIONS, &n);
				add(&all, &n);
				add(&repeated[r], &n);
				if (c.runs == 10 && e < 2)
					ok(n.won >= (m ? 0.9 : 0.7) * n.n,
						"growth: %s is found with a spread of %.0f %% "
						"(%.0f "
						"of %.0f)",
						et_growth_names[m], 100 * c.noise, n.won, n.n);
			}
		}
	}
	double margin = 3 * sqrt(0.05 * 0.95 / all.n);

	ok(all.possible > 0.97 * all.n, "growth: the true model is possible (%.1f %%)",
		100 * all.possible / all.n);
	ok(fabs(all.inside / all.n - 0.95) < margin + 0.01,
		"growth: 95 %% intervals inside the sizes cover (%.1f %%)",
		100 * all.inside / all.n);
	ok(fabs(all.beyond / all.n - 0.95) < margin + 0.015,
		"growth: 95 %% intervals beyond the sizes cover (%.1f %%)",
		100 * all.beyond / all.n);
	ok(fabs(all.run / all.n - 0.95) < margin + 0.015,
		"growth: 95 %% intervals of one run beyond the sizes cover (%.1f %%)",
		100 * all.run / all.n);
	ok(fabs(all.ratio / all.n - 0.95) < margin + 0.02,
		"growth: 95 %% intervals of the ratio cover (%.1f %%)", 100 * all.ratio / all.n);
	for (int r = 1; r < 3; r++) {
		const struct count *n = &repeated[r];

		ok(n->rejected < 0.05 * n->n + 3 * sqrt(0.05 * 0.95 * n->n),
			"growth: the true model of %d runs is rejected in at most 5 %% (%.1f %%)",
			runs_of[r], 100 * n->rejected / n->n);
	}
	ok(all.anomaly < 0.05 * all.n + 3 * sqrt(0.05 * 0.95 * all.n),
		"growth: at most 5 %% of fits report an anomaly (%.1f %%)",
		100 * all.anomaly / all.n);
}

/* A spread that grows less than the time, or not at all; without sizes of one run. */
static void test_spreads(void)
{
	struct count all = { 0 };

	for (int m = 1; m < ET_GROWTH_MODELS; m++) {
		for (int less = 1; less <= 2; less++) {
			struct cell c = { m, 8, 10, 0.05, less, 0 };

			simulate(&c, REPETITIONS, &all);
		}
	}
	double margin = 3 * sqrt(0.05 * 0.95 / all.n);

	ok(all.rejected / all.n < 0.05 + margin,
		"growth: the true model of another spread is rejected in at most 5 %% (%.1f %%)",
		100 * all.rejected / all.n);
	ok(all.ratio / all.n > 0.95 - margin,
		"growth: 95 %% intervals of the ratio cover with another spread (%.1f %%)",
		100 * all.ratio / all.n);
	ok(all.anomaly / all.n < 0.05 + margin,
		"growth: at most 5 %% of fits with another spread report an anomaly (%.1f %%)",
		100 * all.anomaly / all.n);
}

/* doc/fit.md has the figures. */
static void test_slow_runs(void)
{
	struct count n = with_slow_runs(10, 0.5, REPETITIONS);
	double margin = 3 * sqrt(0.08 * 0.92 / n.n);

	ok(n.beyond / n.n > 0.9 - margin,
		"growth: 95 %% intervals beyond the sizes cover in 90 %% with slow runs (%.1f %%)",
		100 * n.beyond / n.n);
	ok(n.inside / n.n > 0.88 - margin,
		"growth: 95 %% intervals inside the sizes cover in 88 %% with slow runs (%.1f %%)",
		100 * n.inside / n.n);
	ok(n.anomaly / n.n < 0.05 + margin,
		"growth: at most 5 %% of fits with slow runs report an anomaly (%.1f %%)",
		100 * n.anomaly / n.n);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		print_wins(atoi(argv[1]));
		print_promises(atoi(argv[1]));
		print_slow(atoi(argv[1]));
		return 0;
	}
	test_promises();
	test_spreads();
	test_slow_runs();
	return tap_done();
}
