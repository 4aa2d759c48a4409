/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The smallest effects that a design finds, against R 4.2: uniroot over
 * pf(qf(1 - alpha, df1, df2), df1, df2, ncp, lower.tail = FALSE), and power.t.test(strict = TRUE).
 * The least favourable interactions were found in R by trying all pairs of cells. slow-doe-power
 * checks the same by simulation.
 */
#include "base/base.h"
#include "stats/doe/doe.h"
#include "tap.h"

static struct et_design *design_of(const char *levels, size_t n_treatments)
{
	struct et_design *d = et_design_new();

	for (size_t i = 0; levels[i]; i++)
		et_design_add_factor(d, "f")->n_levels = (size_t)(levels[i] - '0');
	for (size_t i = 0; i < d->n_factors; i++)
		d->factors[i].levels = et_calloc(1, sizeof(char *));
	d->treatments = et_calloc(n_treatments, sizeof(*d->treatments));
	d->n_treatments = n_treatments;
	return d;
}

static void is_effect(const char *levels, size_t treatments, enum et_design_blocks blocks,
	uint32_t term, size_t n, double alpha, double power, double want)
{
	struct et_design *d = design_of(levels, treatments);

	d->blocks = blocks;
	near(et_doe_smallest_effect(d, term, n, alpha, power), want, 1e-7, 0,
		"power: levels %s, %zu treatments, n %zu, term %u, alpha %.4g, power %g", levels,
		treatments, n, term, alpha, power);
	et_design_free(d);
}

int main(void)
{
	enum et_design_blocks none = ET_BLOCKS_NONE;

	is_effect("22", 4, none, 1, 30, 0.05, 0.8, 0.51577997956060573);
	is_effect("22", 4, none, 1, 30, 0.05, 0.95, 0.66367071999951954);
	is_effect("22", 4, none, 3, 30, 0.05, 0.8, 0.51577997956060573);
	is_effect("22", 4, none, 2, 30, 0.05 / 3, 0.8, 0.59814698106976494);
	is_effect("22", 4, none, 1, 3, 0.05, 0.8, 1.8480518191352173);
	is_effect("8", 8, none, 1, 30, 0.05, 0.8, 0.99295666547544315);
	is_effect("33", 9, none, 1, 10, 0.05, 0.8, 0.81650053586116789);
	is_effect("33", 9, none, 3, 10, 0.05, 0.8, 1.2988764863694464);
	is_effect("234", 24, none, 7, 5, 0.05, 0.8, 1.7051451550664372);
	is_effect("234", 24, ET_BLOCKS_ROUND, 6, 5, 0.05, 0.8, 1.478760903478052);
	is_effect("2222", 8, none, 8, 30, 0.05, 0.8, 0.36318842773219351);
	is_effect("22", 4, none, 1, 1, 0.05, 0.8, NAN);
	is_effect("22", 4, none, 1, 30, 0.05, 0.01, NAN);
	is_effect("2", 2, none, 1, 2, 1e-9, 0.8, INFINITY);
	near(et_doe_smallest_difference(30, 0.05, 0.8), 0.7356210695973886, 1e-7, 0,
		"power: a pair of treatments");
	near(et_doe_smallest_difference(30, 0.05 / 28, 0.8), 1.0690034786710843, 1e-7, 0,
		"power: a pair of treatments, the worst of 28 by Holm");
	near(et_doe_smallest_difference(2, 0.05, 0.95), 7.7716631611436746, 1e-7, 0,
		"power: a pair of treatments with two runs each");
	ok(isnan(et_doe_smallest_difference(1, 0.05, 0.8)), "power: one run each finds nothing");
	return tap_done();
}
