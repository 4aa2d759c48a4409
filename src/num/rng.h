/* SPDX-License-Identifier: MIT */
/*
 * Random numbers that are the same on every machine for the same seed: xoshiro256** (Blackman &
 * Vigna 2021), seeded by splitmix64. Streams of one seed are independent.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct et_rng {
	uint64_t s[4];
};

/* One step of splitmix64 (Steele, Lea & Flood 2014): advances *state and returns a number. */
uint64_t et_splitmix64(uint64_t *state);

void et_rng_seed(struct et_rng *rng, uint64_t seed, uint64_t stream);
uint64_t et_rng_next(struct et_rng *rng);
/* Uniform on 0 … n - 1, without bias. n must not be 0. */
uint64_t et_rng_below(struct et_rng *rng, uint64_t n);
/* Uniform on [0, 1) in steps of 2^-53. */
double et_rng_uniform(struct et_rng *rng);
/* Standard normal, by inversion: one draw per value. */
double et_rng_normal(struct et_rng *rng);
/* Puts the elements of that size into a random order. */
void et_shuffle(struct et_rng *rng, void *list, size_t n, size_t size);
