/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/simulated_machine.h"

#include <math.h>

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
static const double slower = 0.522, slow_share = 0.25, correlation = 0.44, jitter = 0.03;

void et_simulated_machine_start(
	struct et_simulated_machine *m, enum et_simulated_load load, uint64_t seed, uint64_t stream)
{
	*m = (struct et_simulated_machine){ .load = load };
	et_rng_seed(&m->rng, seed, stream);
	m->walk = bound * (2 * et_rng_uniform(&m->rng) - 1);
	m->slow = et_rng_uniform(&m->rng) < slow_share;
}

static double next_of_drift(struct et_simulated_machine *m)
{
	double now = m->walk + white * et_rng_normal(&m->rng);

	m->walk += step * et_rng_normal(&m->rng);
	if (fabs(m->walk) > bound) /* reflect at the bound */
		m->walk = copysign(2 * bound - fabs(m->walk), m->walk);
	return exp(now);
}

static double next_of_bursts(struct et_simulated_machine *m)
{
	double now = (m->slow ? 1 + slower : 1) * exp(jitter * et_rng_normal(&m->rng));
	double change = (1 - correlation) * (m->slow ? 1 - slow_share : slow_share);

	if (et_rng_uniform(&m->rng) < change)
		m->slow = !m->slow;
	return now;
}

double et_simulated_machine_next(struct et_simulated_machine *m)
{
	return m->load == ET_SIMULATED_DRIFT ? next_of_drift(m) : next_of_bursts(m);
}

double et_simulated_machine_own(struct et_simulated_machine *m, double sd)
{
	double wide = et_rng_uniform(&m->rng) < 0.1 ? 3 : 1;

	/* The variance of the mixture is 0.9 + 0.1 * 3^2 = 1.8. */
	return sd / sqrt(1.8) * wide * et_rng_normal(&m->rng);
}
