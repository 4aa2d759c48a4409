/* SPDX-License-Identifier: MIT */
/*
 * etalon_kbest on the real machine: calibrates and chooses the clock, prepares a cold cache. Later
 * versions append members to its options: those that the sz of an older caller does not include
 * keep their defaults.
 */
#include "lib/time/cache.h"
#include "lib/time/kbest.h"

#include <math.h>
#include <string.h>

/* The sizes in the first version, whose last members were clear_bytes and warnings. */
#define FIRST_OPTS (offsetof(struct etalon_kbest_opts, clear_bytes) + sizeof(size_t))
#define FIRST_RESULT (offsetof(struct etalon_kbest_result, warnings) + sizeof(unsigned))

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

	if (!opts || et_kbest_size_bad(sz, FIRST_OPTS))
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
	if (et_kbest_size_bad(given->sz, FIRST_OPTS) || newer_set(given))
		return ETALON_BAD_SIZE;
	memcpy(out, given, given->sz < sizeof(*out) ? given->sz : sizeof(*out));
	return check(out);
}

/* Done once per thread: it needs no lock, and holds for the CPU that the thread runs on. */
static _Thread_local struct {
	bool done;
	struct et_timebase counter, raw;
} calibration;

static void calibrate(const struct et_clock_choice *c)
{
	et_timebase_raw(&calibration.raw);
	et_timebase_calibrate(&calibration.raw);
	calibration.raw.warnings = c->warnings;
	if (c->clock == ETALON_CLOCK_COUNTER)
		et_clock_choice_timebase(c, &calibration.counter);
	calibration.done = true;
}

/* Measures with the requested clock, or with the raw clock if the counter cannot be trusted. */
static int measure(void (*fn)(void *), void *arg, const struct etalon_kbest_opts *o,
	struct et_cache *cache, struct etalon_kbest_result *r)
{
	struct et_timebase *other = o->clock == ETALON_CLOCK_COUNTER ? NULL : &calibration.raw;
	const struct et_clock_choice *c = et_clock_here();

	if (!calibration.done)
		calibrate(c);
	calibration.counter.cache = calibration.raw.cache = cache;
	if (c->clock == ETALON_CLOCK_COUNTER && o->clock != ETALON_CLOCK_RAW)
		return et_kbest_measure(&calibration.counter, other, fn, arg, o, r);
	return other ? et_kbest_measure(other, NULL, fn, arg, o, r) : ETALON_BAD_CLOCK;
}

int etalon_kbest(void (*fn)(void *), void *arg, const struct etalon_kbest_opts *opts,
	struct etalon_kbest_result *result, size_t sz)
{
	struct etalon_kbest_result r = { 0 };
	struct etalon_kbest_opts o;
	struct et_cache cache = { 0 };
	unsigned warnings = 0;
	int rc;

	if (!fn || !result)
		return ETALON_BAD_FUNCTION;
	if (et_kbest_size_bad(sz, FIRST_RESULT))
		return ETALON_BAD_SIZE;
	rc = et_kbest_opts_complete(opts, &o);
	if (rc == ETALON_OK && o.cache != ETALON_CACHE_WARM)
		rc = et_cache_prepare(&cache, fn, &o, &warnings);
	if (rc)
		return rc;
	rc = measure(fn, arg, &o, o.cache == ETALON_CACHE_WARM ? NULL : &cache, &r);
	warnings |= et_cache_verdict(&cache);
	et_cache_release(&cache);
	if (rc != ETALON_OK && rc != ETALON_NOT_CONVERGED)
		return rc;
	r.warnings |= warnings;
	r.sz = sz < sizeof(r) ? sz : sizeof(r);
	memset(result, 0, sz);
	memcpy(result, &r, r.sz);
	return rc;
}
