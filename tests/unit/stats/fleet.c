/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fleets: the choice of programs and metric, machines without common programs, a reference. */
#include "stats/fleet.h"
#include "base/alloc.h"
#include "model/metric.h"
#include "num/moments.h"
#include "tap.h"

static const double a[] = { 100, 104, 101, 99 }, b[] = { 110, 113, 109, 114 };

static struct et_log_moments logs(const double *x, size_t n, double scale)
{
	ET_AUTO_FREE double *y = et_calloc(n, sizeof(*y));

	for (size_t i = 0; i < n; i++)
		y[i] = log(scale * x[i]);
	return (struct et_log_moments){ n, et_mean(y, n), et_variance(y, n) };
}

static struct et_fleet_series series(
	size_t machine, uint64_t program, uint64_t started, const double *x, double cpu_share)
{
	return (struct et_fleet_series){ machine, program, started, logs(x, 4, 1),
		logs(x, 4, cpu_share) };
}

static struct et_fleet fleet(size_t n)
{
	struct et_fleet f = { 0 };
	char name[8];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "m%zu", i);
		et_fleet_add(&f, name);
	}
	et_fleet_name(&f);
	return f;
}

static void moments(void)
{
	/* Relative sd 10 %; the moments of the logarithms computed from the values themselves. */
	static const double x[] = { 85, 92, 97, 100, 104, 111, 118, 93, 101, 108 };
	double mean = et_mean(x, 10), squares = et_variance(x, 10) * 9;
	struct et_log_moments got = et_log_moments_of(10, mean, squares), want = logs(x, 10, 1);

	near(got.mean, want.mean, 0, 1e-3, "moments: the mean of logarithms within 0.1 %%");
	near(sqrt(got.variance), sqrt(want.variance), 0.03, 0, "moments: their sd");
	ok(!et_log_moments_of(3, NAN, NAN).n && !et_log_moments_of(0, 1, 1).n &&
			!et_log_moments_of(3, 0, 0).n,
		"moments: times that are not known, or 0, are none");
}

/* R 4.2.2: t.test(log(b), log(a)), Welch's, and exp of its estimate and interval. */
static void reference(void)
{
	struct et_fleet f = fleet(2);
	struct et_fleet_series list[] = { series(0, 1, 1, a, 1), series(1, 1, 1, b, 1) };
	size_t zero = 0;

	et_fleet_judge(&f, list, 2,
		&(struct et_fleet_options){
			.alpha = 0.05, .metric = ET_METRIC_AUTO, .reference = &zero });
	near(f.list[1].ratio, 1.10395950370531, 1e-12, 0, "reference: the ratio is R's");
	near(f.list[1].lo, 1.06400498169906, 1e-9, 0, "reference: the lower bound is R's");
	near(f.list[1].hi, 1.14541436063122, 1e-9, 0, "reference: the upper bound is R's");
	near(f.list[1].p_holm, 0.000598520818233359, 1e-6, 0, "reference: p is R's");
	ok(f.list[1].differs && f.n_judged == 2 && f.list[0].ratio == 1,
		"reference: the machines differ");
	near(f.list[0].time_ns, 100.982815926701, 1e-12, 0,
		"reference: the time is the geometric mean");
	et_fleet_free(&f);
}

static void islands(void)
{
	struct et_fleet f = fleet(6);
	/* 0, 1 and 2 are connected by two programs; 3 and 4 by another; 5 is alone. */
	struct et_fleet_series list[] = { series(0, 1, 1, a, 1), series(1, 1, 1, b, 1),
		series(1, 2, 1, a, 0.5), series(2, 2, 1, a, 1), series(3, 3, 1, a, 1),
		series(4, 3, 1, b, 1), series(5, 4, 1, a, 1), series(0, 1, 0, b, 1) };

	et_fleet_judge(
		&f, list, 8, &(struct et_fleet_options){ .alpha = 0.05, .metric = ET_METRIC_AUTO });
	ok(f.n_judged == 3 && isfinite(f.list[0].ratio) && isfinite(f.list[2].ratio) &&
			isnan(f.list[3].ratio) && isnan(f.list[5].ratio),
		"islands: the largest set that programs connect is judged");
	ok(f.n_cpu == f.n_programs - 1, "metric: a program that waits is judged by elapsed time");
	ok(isfinite(f.list[5].noise), "noise: also of a machine that is not compared");
	/* The newest series of machine 0 is a, so 0 and 2 are as fast as 1 on program 2. */
	near(f.list[1].ratio / f.list[0].ratio, exp(logs(b, 4, 1).mean - logs(a, 4, 1).mean), 1e-12,
		0, "newest: the older series of a program does not count");
	ok(f.list[0].n_recent == 2 && f.list[0].recent[0] > f.list[0].recent[1],
		"recent: both experiments, the older first");
	et_fleet_free(&f);
}

static void nothing(void)
{
	struct et_fleet f = fleet(2);
	struct et_fleet_series one = series(0, 1, 1, a, 1);

	et_fleet_judge(&f, &one, 1, &(struct et_fleet_options){ .alpha = 0.05 });
	ok(!f.n_judged && isnan(f.list[0].ratio),
		"nothing: one machine has nothing to be compared with");
	et_fleet_free(&f);
}

int main(void)
{
	moments();
	reference();
	islands();
	nothing();
	return tap_done();
}
