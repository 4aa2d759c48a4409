/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The speed of machines against the fleet: agreement with R, coverage of the intervals, and false
 * alarms between equal machines.
 */
#include "stats/fleet/machines.h"
#include "base/alloc.h"
#include "num/rng.h"
#include "tap.h"

/*
 * R 4.2.2, of seven series on machines a, b and c, where d has the mean, the variance v of the mean
 * and its freedom df of each (v of a single sample: that of the machine's others):
 *
 *   options(contrasts = c("contr.sum", "contr.poly"))
 *   X <- model.matrix(lm(mean ~ program + machine, d)); H <- solve(t(X) %*% X, t(X)); k <- nrow(H)
 *   W <- rbind(H[k - 1, ], H[k, ], -H[k - 1, ] - H[k, ])
 *   a <- W %*% d$mean; var <- W^2 %*% d$v
 *   df <- var^2 / ((W^2 %*% diag(d$v))^2 %*% (1 / d$df))
 *   p <- 2 * pt(-abs(a) / sqrt(var), df); exp(a + c(-1, 1) * qt(0.975, df) * sqrt(var))
 */
static void against_r(void)
{
	static const double a1[] = { 100, 104, 101 }, a2[] = { 50, 52 }, b2[] = { 57 };
	static const double b1[] = { 110, 113, 109, 114 }, c2[] = { 49, 51, 50 };
	static const double a3[] = { 70, 72 }, c3[] = { 66, 69, 67 };
	const struct et_group cells[] = { { a1, 3 }, { a2, 2 }, { a3, 2 }, { b1, 4 }, { b2, 1 },
		{ NULL, 0 }, { NULL, 0 }, { c2, 3 }, { c3, 3 } };
	static const struct et_machine_speed want[] = {
		{ .ratio = 0.980137282949992,
			.lo = 0.959656726255535,
			.hi = 1.001054926355810,
			.df = 4.45877155076978,
			.p = 0.058102375486542186,
			.p_holm = 0.058102375486542186,
			.noise = 0.0223454370404065,
			.n = 7 },
		{ .ratio = 1.081104693372322,
			.lo = 1.053978083451480,
			.hi = 1.108929470529608,
			.df = 6.11854649356237,
			.p = 0.000270036250157018,
			.p_holm = 0.000587917921390782,
			.noise = 0.0213527363701196,
			.differs = true,
			.n = 5 },
		{ .ratio = 0.943724734550026,
			.lo = 0.923781430875005,
			.hi = 0.964098589595946,
			.df = 8.61733538976167,
			.p = 0.000195972640463594,
			.p_holm = 0.000587917921390782,
			.noise = 0.0213463381374820,
			.differs = true,
			.n = 6 },
	};
	struct et_machine_speed got[3];

	if (!ok(et_machines_judge(cells, 3, 3, 0.05, 0.95, got),
		    "machines: shared programs connect machines that lack some"))
		return;
	for (size_t i = 0; i < 3; i++) {
		near(got[i].ratio, want[i].ratio, 1e-12, 0, "machines: ratio %zu is R's", i);
		near(got[i].lo, want[i].lo, 1e-9, 0, "machines: lower bound %zu is R's", i);
		near(got[i].hi, want[i].hi, 1e-9, 0, "machines: upper bound %zu is R's", i);
		near(got[i].df, want[i].df, 1e-9, 0, "machines: freedom %zu is R's", i);
		near(got[i].p, want[i].p, 1e-6, 0, "machines: p %zu is R's", i);
		near(got[i].p_holm, want[i].p_holm, 1e-6, 0, "machines: Holm's p %zu is R's", i);
		near(got[i].noise, want[i].noise, 1e-12, 0, "machines: noise %zu is R's", i);
		ok(got[i].differs == want[i].differs && got[i].n == want[i].n,
			"machines: verdict and samples of %zu", i);
	}
}

/* A program that one machine alone has run changes nothing, but the way of computing. */
static void with_and_without_gaps(void)
{
	static const double x[] = { 100, 104, 101, 55, 52, 53, 110, 113, 109, 57, 58, 59, 99, 98,
		97, 51, 49, 50 };
	struct et_group whole[6], gaps[9] = { 0 };
	struct et_machine_speed a[3], b[3];

	for (size_t m = 0; m < 3; m++) {
		for (size_t p = 0; p < 2; p++)
			gaps[3 * m + p] = whole[2 * m + p] =
				(struct et_group){ x + 3 * (2 * m + p), 3 };
	}
	gaps[2] = (struct et_group){ x, 3 };
	ok(et_machines_judge(whole, 3, 2, 0.05, 0.95, a) &&
			et_machines_judge(gaps, 3, 3, 0.05, 0.95, b),
		"machines: three are compared by two programs");
	for (size_t m = 0; m < 3; m++) {
		near(a[m].ratio, b[m].ratio, 1e-12, 0, "machines: ratio %zu is the same", m);
		near(a[m].lo, b[m].lo, 1e-12, 0, "machines: lower bound %zu is the same", m);
	}
}

static void refused(void)
{
	static const double x[] = { 3, 4 }, zero[] = { 1, 0 };
	const struct et_group apart[] = { { x, 2 }, { NULL, 0 }, { NULL, 0 }, { x, 2 } };
	const struct et_group empty[] = { { x, 2 }, { NULL, 0 } };
	const struct et_group bad[] = { { x, 2 }, { zero, 2 } };
	const struct et_group once[] = { { x, 1 }, { x + 1, 1 } };
	struct et_machine_speed out[2];

	ok(!et_machines_judge(apart, 2, 2, 0.05, 0.95, out),
		"machines: without a common program nothing is compared");
	ok(!et_machines_judge(empty, 2, 1, 0.05, 0.95, out),
		"machines: a machine without samples is not compared");
	ok(!et_machines_judge(bad, 2, 1, 0.05, 0.95, out), "machines: 0 has no logarithm");
	ok(!et_machines_judge(empty, 1, 1, 0.05, 0.95, out), "machines: one is no fleet");
	ok(et_machines_judge(once, 2, 1, 0.05, 0.95, out) && isnan(out[0].lo) && !out[0].differs,
		"machines: a ratio of single samples has no interval");
}

/* Machines of unequal noise and speed; two programs, the second with fewer samples. */
static void simulate(size_t machines, double spread, double *covered, double *alarms)
{
	enum { MOST = 10, RUNS = 8, TIMES = 1500 };
	double values[2 * MOST][RUNS], speed[MOST], mean;
	struct et_group cells[2 * MOST];
	struct et_machine_speed out[MOST];
	struct et_rng rng;
	size_t n = 0, hits = 0, wrong = 0;

	et_rng_seed(&rng, 17, machines);
	for (int t = 0; t < TIMES; t++) {
		mean = 0;
		for (size_t m = 0; m < machines; m++) {
			double noise = m % 2 ? 0.03 : 0.01;
			speed[m] = spread * et_rng_normal(&rng);
			mean += speed[m] / (double)machines;
			for (size_t p = 0; p < 2; p++) {
				double *x = values[2 * m + p];
				for (int i = 0; i < RUNS; i++)
					x[i] = exp(
						speed[m] + (double)p + noise * et_rng_normal(&rng));
				cells[2 * m + p] = (struct et_group){ x, p ? RUNS - 3 : RUNS };
			}
		}
		bool any = false;
		if (!et_machines_judge(cells, machines, 2, 0.05, 0.95, out))
			tap_bail("the machines cannot be compared");
		for (size_t m = 0; m < machines; m++, n++) {
			double truth = exp(speed[m] - mean);
			hits += out[m].lo <= truth && truth <= out[m].hi;
			any = any || out[m].differs;
		}
		wrong += any;
	}
	*covered = (double)hits / (double)n;
	*alarms = (double)wrong / TIMES;
}

static void promises(void)
{
	static const size_t machines[] = { 2, 3, 5, 10 };
	double covered, alarms;

	for (size_t i = 0; i < 4; i++) {
		simulate(machines[i], 0.1, &covered, &alarms);
		ok(covered > 0.938 && covered < 0.965,
			"machines: intervals of %zu machines cover in 95 %% (%.1f %%)", machines[i],
			100 * covered);
		simulate(machines[i], 0, &covered, &alarms);
		ok(alarms < 0.062, "machines: %zu equal machines differ in at most 5 %% (%.1f %%)",
			machines[i], 100 * alarms);
	}
}

int main(void)
{
	against_r();
	with_and_without_gaps();
	refused();
	promises();
	return tap_done();
}
