/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/address_bias.h"
#include "dist/dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of the instruction; -1: it is another function. */
static int place_of(const char *name, const char *function, unsigned step)
{
	size_t n = strlen(function);
	unsigned long offset = 0;
	char *end;

	if (strncmp(name, function, n))
		return -1;
	if (name[n] == '+') {
		offset = strtoul(name + n + 1, &end, 16);
		if (end == name + n + 1 || *end)
			return -1;
	} else if (name[n]) {
		return -1;
	}
	return offset / step < ET_BIAS_ADDRESSES ? (int)(offset / step) : -1;
}

/* Pearson's statistic against shares in proportion to the weights. */
static void test(const uint64_t *counts, const double *weights, size_t n, uint64_t total,
	struct et_chi_square *out)
{
	double sum = 0;

	*out = (struct et_chi_square){ NAN, (double)n - 1, NAN };
	if (!total)
		return;
	for (size_t i = 0; i < n; i++) {
		double expected = weights[i] * (double)total;
		sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
	}
	out->statistic = sum;
	out->p = et_pchisq_upper(sum, out->df);
}

static void count(const struct et_experiment *e, uint32_t command, const char *function,
	unsigned step, struct et_address_bias *out)
{
	const struct et_profile *p = e->profile;

	for (size_t r = 0; r < p->n_runs; r++) {
		const struct et_profile_run *run = &p->runs[r];
		if (run->command != command || run->warmup || run->throttled || run->lost)
			continue;
		out->runs++;
		for (size_t i = 0; i < run->n_counts; i++) {
			uint32_t f = p->nodes[run->counts[i].node].function;
			uint64_t samples = run->counts[i].samples;
			if (f == ET_PROFILE_NONE)
				continue;
			int place = place_of(p->functions[f].name, function, step);
			if (place >= 0)
				out->addresses[place] += samples;
			else
				out->elsewhere += samples;
			if (place < 0 && p->functions[f].space == ET_SPACE_KERNEL)
				out->kernel += samples;
		}
	}
}

void et_address_bias_judge(const struct et_experiment *e, uint32_t command, const char *function,
	unsigned step, struct et_address_bias *out)
{
	double even[ET_BIAS_ADDRESSES], residues[ET_BIAS_RESIDUES] = { 0 };

	*out = (struct et_address_bias){ 0 };
	count(e, command, function, step, out);
	for (size_t i = 0; i < ET_BIAS_ADDRESSES; i++) {
		out->inside += out->addresses[i];
		out->hit += out->addresses[i] > 0;
		out->residues[i % ET_BIAS_RESIDUES] += out->addresses[i];
		even[i] = 1.0 / ET_BIAS_ADDRESSES;
		residues[i % ET_BIAS_RESIDUES] += 1.0 / ET_BIAS_ADDRESSES;
	}
	test(out->addresses, even, ET_BIAS_ADDRESSES, out->inside, &out->by_address);
	test(out->residues, residues, ET_BIAS_RESIDUES, out->inside, &out->by_residue);
}
