/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All vector widths give the same bits, and the draws are unbiased. */
#include "num/resample.h"
#include "base/base.h"
#include "num/rng.h"
#include "tap.h"

enum { RESAMPLES = 50 };

/* The definition, written out: eight sums per step, added up in pairs. */
static void by_definition(struct et_lanes *lanes, const double *v, size_t n, double out[4])
{
	double acc[4][ET_LANE_DRAWS] = { { 0 } };
	uint32_t index[ET_LANE_DRAWS];

	for (size_t i = 0; i < n; i++) {
		double x;

		if (i % ET_LANE_DRAWS == 0)
			et_lanes_draw(lanes, (uint32_t)n, index);
		x = v[index[i % ET_LANE_DRAWS]];
		acc[0][i % ET_LANE_DRAWS] += x;
		acc[1][i % ET_LANE_DRAWS] += x * x;
		acc[2][i % ET_LANE_DRAWS] += x * x * x;
		acc[3][i % ET_LANE_DRAWS] += (x * x) * (x * x);
	}
	for (size_t p = 0; p < 4; p++) {
		double *a = acc[p];

		out[p] = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
	}
}

static void widths(const double *v, size_t n, bool four)
{
	double a[RESAMPLES * 4] = { 0 }, b[RESAMPLES * 4] = { 0 }, want[4];
	size_t powers = four ? 4 : 2, wrong = 0;
	struct et_lanes l;

	et_lanes_seed(&l, 9, 1);
	et_resample_sums(&l, v, n, RESAMPLES, four, ET_WIDTH_PORTABLE, a);
	et_lanes_seed(&l, 9, 1);
	et_resample_sums(&l, v, n, RESAMPLES, four, et_width_available(ET_WIDTH_AUTO), b);
	ok(!memcmp(a, b, sizeof(a)),
		"resample: portable and AVX2 give the same bits, n %zu, %zu powers", n, powers);
	et_lanes_seed(&l, 9, 1);
	for (size_t i = 0; i < RESAMPLES; i++) {
		by_definition(&l, v, n, want);
		wrong += memcmp(want, a + i * powers, powers * sizeof(*a)) != 0;
	}
	ok(!wrong, "resample: the sums agree with the definition, n %zu, %zu powers", n, powers);
}

static void fairness(void)
{
	enum { N = 11, DRAWS = 110000 };
	size_t count[N] = { 0 };
	double chi = 0;
	uint32_t index[ET_LANE_DRAWS];
	struct et_lanes l;

	et_lanes_seed(&l, 1, 0);
	for (size_t i = 0; i < DRAWS; i += ET_LANE_DRAWS) {
		et_lanes_draw(&l, N, index);
		for (size_t d = 0; d < ET_LANE_DRAWS; d++)
			count[index[d]]++;
	}
	for (size_t i = 0; i < N; i++)
		chi += pow((double)count[i] - (double)DRAWS / N, 2) / ((double)DRAWS / N);
	ok(chi < 29.6, "resample: indices are uniform (chi-square %.1f, 0.1 %% point 29.6)", chi);
}

int main(void)
{
	static const size_t sizes[] = { 1, 2, 7, 8, 9, 64, 100, 1001 };
	double v[1001];
	struct et_rng rng;

	et_rng_seed(&rng, 4, 4);
	for (size_t i = 0; i < 1001; i++)
		v[i] = et_rng_normal(&rng);
	ok(et_width_available(ET_WIDTH_PORTABLE) == ET_WIDTH_PORTABLE,
		"resample: the portable width is always available");
	for (size_t i = 0; i < ET_LENGTH(sizes); i++) {
		widths(v, sizes[i], false);
		widths(v, sizes[i], true);
	}
	fairness();
	return tap_done();
}
