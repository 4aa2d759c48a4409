/* SPDX-License-Identifier: MIT */
#include "num/rng.h"

#include "num/student.h"

#include <assert.h>

uint64_t et_splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void et_rng_seed(struct et_rng *rng, uint64_t seed, uint64_t stream)
{
	/* Seed and stream are mixed differently, so that (1, 2) and (2, 1) give other numbers. */
	uint64_t mixed = et_splitmix64(&seed),
		 state = mixed ^ (stream * UINT64_C(0xd1342543de82ef95));

	for (int i = 0; i < 4; i++)
		rng->s[i] = et_splitmix64(&state);
}

static inline uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

uint64_t et_rng_next(struct et_rng *rng)
{
	uint64_t *s = rng->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

/* Lemire (2019), "Fast random integer generation in an interval", algorithm 5. */
uint64_t et_rng_below(struct et_rng *rng, uint64_t n)
{
	assert(n);
	unsigned __int128 m = (unsigned __int128)et_rng_next(rng) * n;
	if ((uint64_t)m < n) {
		uint64_t threshold = -n % n;

		while ((uint64_t)m < threshold)
			m = (unsigned __int128)et_rng_next(rng) * n;
	}
	return (uint64_t)(m >> 64);
}

double et_rng_uniform(struct et_rng *rng)
{
	return (double)(et_rng_next(rng) >> 11) * 0x1p-53;
}

double et_rng_normal(struct et_rng *rng)
{
	/* Take the middle of each step, so that 0, whose quantile is infinite, is never drawn. */
	return et_qnorm(((double)(et_rng_next(rng) >> 12) + 0.5) * 0x1p-52);
}

/* Fisher-Yates, from the end (Durstenfeld 1964). */
void et_shuffle(struct et_rng *rng, void *list, size_t n, size_t size)
{
	char *a = list;

	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)et_rng_below(rng, i);
		for (size_t k = 0; k < size; k++) {
			char c = a[(i - 1) * size + k];
			a[(i - 1) * size + k] = a[j * size + k];
			a[j * size + k] = c;
		}
	}
}
