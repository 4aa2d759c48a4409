/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulated machine is as noisy as the machine that it is modelled on. */
#include "base/base.h"
#include "lab/false_alarms.h"
#include "num/moments.h"
#include "stats/series/serial.h"
#include "tap.h"

enum { N = 40000 };

static void pace(enum et_simulated_load load, double *x)
{
	struct et_simulated_machine m;

	/* Restart often, because the walk loses its memory only after some hundred runs. */
	for (size_t i = 0; i < N; i++) {
		if (i % 200 == 0)
			et_simulated_machine_start(&m, load, 2, i);
		x[i] = et_simulated_machine_next(&m);
	}
	near(et_sd(x, N) / et_mean(x, N), 0.2, 0.05, 0, "%s: relative sd of the slowdown",
		et_simulated_load_names[load]);
	near(et_autocorrelation(x, N, 1), 0.43, 0, 0.03,
		"%s: lag-1 autocorrelation of the slowdown", et_simulated_load_names[load]);
	for (size_t i = 0; i < N; i++)
		x[i] = log(x[i]);
	for (size_t i = 0; i + 1 < N; i += 2)
		x[i / 2] = x[i + 1] - x[i];
	double sd = et_sd(x, N / 2);
	ok(sd > 0.19 && sd < 0.24, "%s: sd of the log ratio of neighbours: %.3f",
		et_simulated_load_names[load], sd);
}

static void own(double *x)
{
	struct et_simulated_machine m;

	et_simulated_machine_start(&m, ET_SIMULATED_DRIFT, 2, 1);
	for (size_t i = 0; i < N; i++)
		x[i] = et_simulated_machine_own(&m, 0.02);
	near(et_mean(x, N), 0, 0, 4.5 * 0.02 / sqrt(N), "own variation: the mean is 0");
	near(et_sd(x, N), 0.02, 0.03, 0, "own variation: the sd is 0.02");
	double m4 = 0;
	for (size_t i = 0; i < N; i++)
		m4 += pow(x[i], 4) / N;
	/* 3 (0.9 + 0.1 3^4) / 1.8^2 */
	near(m4 / pow(et_sd(x, N), 4), 8.33, 0.1, 0,
		"own variation: the kurtosis is that of the mixture");
}

int main(void)
{
	ET_AUTO_FREE double *x = et_calloc(N, sizeof(*x));

	pace(ET_SIMULATED_DRIFT, x);
	pace(ET_SIMULATED_BURSTS, x);
	own(x);
	return tap_done();
}
