/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * EP: pairs of Gaussian random numbers by Marsaglia's polar method, counted in square annuli. No
 * thread needs another, and memory is not used: arithmetic, logarithms and square roots.
 */
#include "put/kernel_work.h"

enum { RINGS = 10 };

struct tally {
	double x, y;           /* sums */
	uint64_t rings[RINGS]; /* pairs with max(|x|, |y|) from l to l + 1 */
};

static void count(uint64_t begin, uint64_t end, struct tally *out)
{
	struct tally t = { 0 };

	for (uint64_t i = begin; i < end; i++) {
		double x = 2 * et_uniform(1, 2 * i) - 1, y = 2 * et_uniform(1, 2 * i + 1) - 1;
		double square = x * x + y * y;
		if (square > 1)
			continue;
		double factor = sqrt(-2 * log(square) / square);
		x *= factor;
		y *= factor;
		int ring = (int)fmax(fabs(x), fabs(y));
		if (ring < RINGS)
			t.rings[ring]++;
		t.x += x;
		t.y += y;
	}
	*out = t;
}

/* The probability that both of two Gaussian numbers are within ±limit. */
static double within(double limit)
{
	double one = erf(limit / sqrt(2));

	return one * one;
}

/* Returns the largest deviation of a count from its expectation, in standard deviations. */
static double deviation(const struct tally *t, uint64_t pairs)
{
	double accepted = 0, worst = 0;

	for (int l = 0; l < RINGS; l++)
		accepted += (double)t->rings[l];
	for (int l = 0; l <= RINGS; l++) {
		/* After the rings: of the pairs, those in the circle of radius 1. */
		double n = l < RINGS ? accepted : (double)pairs;
		double p = l < RINGS ? within(l + 1) - within(l) : 3.14159265358979323846 / 4;
		double counted = l < RINGS ? (double)t->rings[l] : accepted;
		worst = fmax(worst, fabs(counted - n * p) / sqrt(n * p * (1 - p) + 1));
	}
	return worst;
}

void et_kernel_ep(enum et_kernel_class size, bool spoil, struct et_kernel_result *out)
{
	static const unsigned bits[ET_CLASSES] = { 20, 22, 25, 28, 31 };
	uint64_t pairs = UINT64_C(1) << bits[size];
	struct tally parts[ET_PARTS], sum = { 0 };

#pragma omp parallel for schedule(static)
	for (unsigned p = 0; p < ET_PARTS; p++)
		count(et_part_begin(pairs, p), et_part_begin(pairs, p + 1), &parts[p]);
	parts[ET_PARTS / 2].x += spoil ? 1 : 0;
	for (unsigned p = 0; p < ET_PARTS; p++) {
		sum.x += parts[p].x;
		sum.y += parts[p].y;
		for (int l = 0; l < RINGS; l++)
			sum.rings[l] += parts[p].rings[l];
	}
	out->value = sum.x + sum.y;
	for (int l = 0; l < RINGS; l++)
		out->value += (double)(l + 1) * (double)sum.rings[l];
	out->error = deviation(&sum, pairs);
	out->limit = 6;
	out->check = "the largest deviation of a count, in standard deviations,";
	snprintf(out->detail, sizeof(out->detail), "%" PRIu64 " pairs, %" PRIu64 " in the square",
		pairs, sum.rings[0]);
}
