/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/rng.h"
#include "base/base.h"
#include "num/moments.h"
#include "tap.h"

static void published(void)
{
	/* State and outputs of the authors' examples for splitmix64 and xoshiro256**. */
	struct et_rng rng = { { 1, 2, 3, 4 } };
	uint64_t state = 1234567;

	ok(et_splitmix64(&state) == UINT64_C(6457827717110365317),
		"splitmix64: the first output is that of the authors");
	ok(et_splitmix64(&state) == UINT64_C(3203168211198807973),
		"splitmix64: the second output is that of the authors");
	ok(et_rng_next(&rng) == 11520, "xoshiro256**: the first output is that of the authors");
	ok(et_rng_next(&rng) == 0, "xoshiro256**: the second output is that of the authors");
	ok(et_rng_next(&rng) == 1509978240,
		"xoshiro256**: the third output is that of the authors");
	ok(et_rng_next(&rng) == UINT64_C(1215971899390074240),
		"xoshiro256**: the fourth output is that of the authors");
}

static void streams(void)
{
	struct et_rng a, b, c;

	et_rng_seed(&a, 1, 2);
	et_rng_seed(&b, 1, 2);
	et_rng_seed(&c, 2, 1);
	ok(!memcmp(&a, &b, sizeof(a)), "rng: the same seed and stream give the same state");
	ok(memcmp(&a, &c, sizeof(a)), "rng: swapping seed and stream gives another state");
	et_rng_seed(&c, 1, 3);
	ok(et_rng_next(&a) != et_rng_next(&c), "rng: two streams give different numbers");
}

static void uniformity(void)
{
	enum { DRAWS = 60000 };
	size_t count[6] = { 0 };
	double chi = 0, x[2000];
	struct et_rng rng;

	et_rng_seed(&rng, 7, 0);
	for (size_t i = 0; i < DRAWS; i++)
		count[et_rng_below(&rng, 6)]++;
	for (size_t i = 0; i < 6; i++)
		chi += pow((double)count[i] - DRAWS / 6.0, 2) / (DRAWS / 6.0);
	ok(chi < 20.5, "rng: a die is fair (chi-square %.2f, 0.1 %% point 20.5)", chi);
	ok(et_rng_below(&rng, 1) == 0, "rng: the only number below 1 is 0");
	for (size_t i = 0; i < 2000; i++)
		x[i] = et_rng_uniform(&rng);
	near(et_mean(x, 2000), 0.5, 0, 0.025, "rng: the mean of uniform numbers is 0.5");
	for (size_t i = 0; i < 2000; i++)
		x[i] = et_rng_normal(&rng);
	near(et_mean(x, 2000), 0, 0, 0.09, "rng: the mean of normal numbers is 0");
	near(et_sd(x, 2000), 1, 0, 0.07, "rng: the standard deviation of normal numbers is 1");
}

static void shuffles(void)
{
	uint32_t a[] = { 0, 1, 2 };
	size_t seen[27] = { 0 }, kinds = 0;
	struct et_rng rng;

	et_rng_seed(&rng, 3, 0);
	for (size_t i = 0; i < 6000; i++) {
		et_shuffle(&rng, a, 3, sizeof(uint32_t));
		seen[a[0] * 9 + a[1] * 3 + a[2]]++;
	}
	for (size_t i = 0; i < 27; i++)
		kinds += seen[i] > 850 && seen[i] < 1150;
	ok(kinds == 6, "shuffle: each of the six orders comes a sixth of the time");
	struct et_rng before = rng;
	uint32_t b[3];
	memcpy(b, a, sizeof(b));
	et_shuffle(&rng, a, 0, sizeof(uint32_t));
	ok(!memcmp(a, b, sizeof(a)) && et_rng_next(&rng) == et_rng_next(&before),
		"shuffle: an empty array draws no random number and writes nothing");
}

int main(void)
{
	published();
	streams();
	uniformity();
	shuffles();
	return tap_done();
}
