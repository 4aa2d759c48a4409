/* SPDX-License-Identifier: MIT */
/* etalon_kbest on the real machine: calibrates and chooses the clock, prepares a cold cache.
 */
#include "lib/time/cache.h"
#include "lib/time/kbest.h"

#include <string.h>

/* The size of the result in the first version, whose last member was warnings. */
#define FIRST_SIZE (offsetof(struct etalon_kbest_result, warnings) + sizeof(unsigned))

enum { CALIBRATE_NS = 50000000 };

/* Done once per thread: it needs no lock, and holds for the CPU that the thread runs on. */
struct calibration {
	bool done;
	bool counter_good;
	unsigned counter_warnings; /* why not */
	struct et_timebase counter, raw;
};

static _Thread_local struct calibration calibration;

static void calibrate(struct calibration *c)
{
	struct et_counter counter;

	et_counter_identify(&counter);
	if (counter.name && !counter.invariant)
		c->counter_warnings |= ETALON_WARNING_NOT_INVARIANT;
	else if (counter.name &&
		 (et_timebase_counter_backwards() || et_counter_calibrate(&counter, CALIBRATE_NS)))
		c->counter_warnings |= ETALON_WARNING_BACKWARDS;
	else if (counter.name)
		c->counter_good = true;
	et_timebase_raw(&c->raw);
	et_timebase_calibrate(&c->raw);
	c->raw.warnings = c->counter_warnings;
	if (c->counter_good) {
		et_timebase_counter(&c->counter, &counter);
		et_timebase_calibrate(&c->counter);
	}
	c->done = true;
}

/* Measures with the requested clock, or with the raw clock if the counter cannot be trusted. */
static int measure(void (*fn)(void *), void *arg, const struct etalon_kbest_opts *o,
	struct et_cache *cache, struct etalon_kbest_result *r)
{
	struct et_timebase *other = o->clock == ETALON_CLOCK_COUNTER ? NULL : &calibration.raw;

	if (!calibration.done)
		calibrate(&calibration);
	calibration.counter.cache = calibration.raw.cache = cache;
	if (calibration.counter_good && o->clock != ETALON_CLOCK_RAW)
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
	if (et_kbest_size_bad(sz, FIRST_SIZE))
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
