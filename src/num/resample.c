/* SPDX-License-Identifier: MIT */
#include "num/resample.h"

#include "num/rng.h"

#include <assert.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

void et_lanes_seed(struct et_lanes *lanes, uint64_t seed, uint64_t stream)
{
	struct et_rng rng;

	et_rng_seed(&rng, seed, stream);
	for (size_t lane = 0; lane < 4; lane++)
		for (size_t word = 0; word < 4; word++)
			lanes->s[word][lane] = et_rng_next(&rng);
}

static inline __attribute__((always_inline)) void step(struct et_lanes *l, uint64_t r[4])
{
	for (size_t k = 0; k < 4; k++) {
		uint64_t s0 = l->s[0][k], s1 = l->s[1][k], s2 = l->s[2][k], s3 = l->s[3][k];

		r[k] = s0 + s3;
		s2 ^= s0;
		s3 ^= s1;
		l->s[2][k] = s2 ^ (s1 << 17);
		l->s[1][k] = s1 ^ s2;
		l->s[0][k] = s0 ^ s3;
		l->s[3][k] = (s3 << 45) | (s3 >> 19);
	}
}

/* Draws 0 to 3 are the low halves of the four lanes, 4 to 7 the high halves. */
static inline __attribute__((always_inline)) uint32_t index_of(
	const uint64_t r[4], size_t draw, uint32_t n)
{
	uint64_t lane = r[draw % 4], half = draw < 4 ? (uint32_t)lane : lane >> 32;

	return (uint32_t)(half * n >> 32);
}

void et_lanes_draw(struct et_lanes *lanes, uint32_t n, uint32_t index[ET_LANE_DRAWS])
{
	uint64_t r[4] = { 0 };

	step(lanes, r);
	for (size_t d = 0; d < ET_LANE_DRAWS; d++)
		index[d] = index_of(r, d, n);
}

/* acc[power][draw]: one sum for each of the eight draws of a step. */
struct sums {
	double acc[4][ET_LANE_DRAWS];
};

static inline __attribute__((always_inline)) void add(
	struct sums *s, size_t draw, double v, bool four)
{
	double square = v * v;

	s->acc[0][draw] += v;
	s->acc[1][draw] += square;
	if (four) {
		s->acc[2][draw] += square * v;
		s->acc[3][draw] += square * square;
	}
}

/* Adds the draws after the last full step, and adds up the eight sums. */
static inline __attribute__((always_inline)) double *finish(
	struct et_lanes *lanes, struct sums *s, const double *v, size_t n, bool four, double *out)
{
	size_t rest = n % ET_LANE_DRAWS;
	uint64_t r[4] = { 0 };

	if (rest) {
		step(lanes, r);
		for (size_t d = 0; d < rest; d++)
			add(s, d, v[index_of(r, d, (uint32_t)n)], four);
	}
	for (size_t p = 0; p < (four ? 4 : 2); p++) {
		const double *a = s->acc[p];

		*out++ = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
	}
	return out;
}

static inline __attribute__((always_inline)) void portable(
	struct et_lanes *lanes, const double *v, size_t n, size_t count, bool four, double *out)
{
	while (count-- > 0) {
		struct sums s = { 0 };

		for (size_t k = 0; k < n / ET_LANE_DRAWS; k++) {
			uint64_t r[4] = { 0 };

			step(lanes, r);
			for (size_t d = 0; d < ET_LANE_DRAWS; d++)
				add(&s, d, v[index_of(r, d, (uint32_t)n)], four);
		}
		out = finish(lanes, &s, v, n, four, out);
	}
}

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __attribute__((always_inline)) __m256i step_avx2(__m256i s[4])
{
	__m256i r = _mm256_add_epi64(s[0], s[3]), t = _mm256_slli_epi64(s[1], 17);

	s[2] = _mm256_xor_si256(s[2], s[0]);
	s[3] = _mm256_xor_si256(s[3], s[1]);
	s[1] = _mm256_xor_si256(s[1], s[2]);
	s[0] = _mm256_xor_si256(s[0], s[3]);
	s[2] = _mm256_xor_si256(s[2], t);
	s[3] = _mm256_or_si256(_mm256_slli_epi64(s[3], 45), _mm256_srli_epi64(s[3], 19));
	return r;
}

/*
 * Fetches four values at the indices half * n >> 32: the upper words of the products, through
 * memory. The gather instruction was measured to be four times as slow on processors where
 * microcode mitigates Gather Data Sampling.
 */
AVX2 static inline __attribute__((always_inline)) __m256d fetch(
	const double *v, __m256i half, __m256i n)
{
	uint32_t p[8] __attribute__((aligned(32)));

	_mm256_store_si256((__m256i *)p, _mm256_mul_epu32(half, n));
	return _mm256_set_pd(v[p[7]], v[p[5]], v[p[3]], v[p[1]]);
}

/* acc[power * 2]: draws 0 to 3, then 4 to 7. No fused multiply-add, which rounds differently. */
AVX2 static inline __attribute__((always_inline)) void add_avx2(
	__m256d acc[8], size_t which, __m256d v, bool four)
{
	__m256d square = _mm256_mul_pd(v, v);

	acc[which] = _mm256_add_pd(acc[which], v);
	acc[2 + which] = _mm256_add_pd(acc[2 + which], square);
	if (four) {
		acc[4 + which] = _mm256_add_pd(acc[4 + which], _mm256_mul_pd(square, v));
		acc[6 + which] = _mm256_add_pd(acc[6 + which], _mm256_mul_pd(square, square));
	}
}

AVX2 static inline __attribute__((always_inline)) void with_avx2(
	struct et_lanes *lanes, const double *v, size_t n, size_t count, bool four, double *out)
{
	__m256i s[4], size = _mm256_set1_epi64x((long long)n);

	memcpy(s, lanes->s, sizeof(s));
	while (count-- > 0) {
		struct sums sums;
		__m256d acc[8];

		for (size_t k = 0; k < 8; k++)
			acc[k] = _mm256_setzero_pd();
		for (size_t k = 0; k < n / ET_LANE_DRAWS; k++) {
			__m256i r = step_avx2(s);

			add_avx2(acc, 0, fetch(v, r, size), four);
			add_avx2(acc, 1, fetch(v, _mm256_srli_epi64(r, 32), size), four);
		}
		memcpy(sums.acc, acc, sizeof(sums.acc));
		memcpy(lanes->s, s, sizeof(s));
		out = finish(lanes, &sums, v, n, four, out);
		memcpy(s, lanes->s, sizeof(s));
	}
}

/* Two calls, so that the compiler makes a loop of each. */
AVX2 static void resample_avx2(
	struct et_lanes *lanes, const double *v, size_t n, size_t count, bool four, double *sums)
{
	if (four)
		with_avx2(lanes, v, n, count, true, sums);
	else
		with_avx2(lanes, v, n, count, false, sums);
}
#endif

enum et_width et_width_available(enum et_width wanted)
{
#if defined(__x86_64__)
	if (wanted != ET_WIDTH_PORTABLE && __builtin_cpu_supports("avx2"))
		return ET_WIDTH_AVX2;
#endif
	(void)wanted;
	return ET_WIDTH_PORTABLE;
}

void et_resample_sums(struct et_lanes *lanes, const double *v, size_t n, size_t count, bool four,
	enum et_width width, double *sums)
{
	assert(n && n <= UINT32_MAX);
#if defined(__x86_64__)
	if (width == ET_WIDTH_AVX2) {
		resample_avx2(lanes, v, n, count, four, sums);
		return;
	}
#endif
	(void)width;
	if (four)
		portable(lanes, v, n, count, true, sums);
	else
		portable(lanes, v, n, count, false, sums);
}
