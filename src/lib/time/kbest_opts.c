/* SPDX-License-Identifier: MIT */
/*
 * Defaults and limits of the options. Later versions append members: those that the sz of an older
 * caller does not include keep their defaults.
 */
#include "lib/time/kbest.h"

#include <math.h>
#include <string.h>

/* The size of the struct in the first version, whose last member was clear_bytes. */
#define FIRST_SIZE (offsetof(struct etalon_kbest_opts, clear_bytes) + sizeof(size_t))

enum { MAX_SIZE = 4096 }; /* a larger sz is an uninitialised one */

static const struct etalon_kbest_opts defaults = {
	.sz = sizeof(struct etalon_kbest_opts),
	.k = 3,
	.max_samples = 1000,
	.epsilon = 0.001,
	.cache = ETALON_CACHE_WARM,
	.clock = ETALON_CLOCK_AUTO,
	.compensate = 1,
	.least_ns = 300000000,
	.limit_ns = UINT64_C(10000000000),
};

bool et_kbest_size_bad(size_t sz, size_t first)
{
	return sz < first || sz > MAX_SIZE;
}

int etalon_kbest_opts_init(struct etalon_kbest_opts *opts, size_t sz)
{
	size_t known = sz < sizeof(defaults) ? sz : sizeof(defaults);

	if (!opts || et_kbest_size_bad(sz, FIRST_SIZE))
		return ETALON_BAD_SIZE;
	memset(opts, 0, sz);
	memcpy(opts, &defaults, known);
	opts->sz = sz;
	return ETALON_OK;
}

/* Members that a newer caller appended must be 0: this version cannot do what they ask for. */
static bool newer_set(const struct etalon_kbest_opts *o)
{
	const unsigned char *bytes = (const unsigned char *)o;

	for (size_t i = sizeof(*o); i < o->sz; i++)
		if (bytes[i])
			return true;
	return false;
}

static bool cache_bad(const struct etalon_kbest_opts *o)
{
	if (o->cache < ETALON_CACHE_WARM || o->cache > ETALON_CACHE_COLD_DATA)
		return true;
	if (!o->working_set != !o->working_set_bytes)
		return true;
	return o->cache == ETALON_CACHE_COLD_DATA && !o->other_arg && !o->working_set;
}

static int check(const struct etalon_kbest_opts *o)
{
	if (o->k < 1 || o->k > ET_KBEST_MOST)
		return ETALON_BAD_K;
	if (!(o->epsilon >= 0) || isinf(o->epsilon))
		return ETALON_BAD_EPSILON;
	if (o->max_samples < o->k)
		return ETALON_BAD_SAMPLES;
	if (cache_bad(o))
		return ETALON_BAD_CACHE;
	if (o->clock < ETALON_CLOCK_AUTO || o->clock > ETALON_CLOCK_CPU)
		return ETALON_BAD_CLOCK;
	if (o->priority != ETALON_PRIORITY_AUTO && o->priority != ETALON_PRIORITY_KEEP)
		return ETALON_BAD_PRIORITY;
	return ETALON_OK;
}

int et_kbest_opts_complete(const struct etalon_kbest_opts *given, struct etalon_kbest_opts *out)
{
	*out = defaults;
	if (!given)
		return ETALON_OK;
	if (et_kbest_size_bad(given->sz, FIRST_SIZE) || newer_set(given))
		return ETALON_BAD_SIZE;
	memcpy(out, given, given->sz < sizeof(*out) ? given->sz : sizeof(*out));
	return check(out);
}
