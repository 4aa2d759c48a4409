/* SPDX-License-Identifier: GPL-3.0-or-later */
/* etalon_kbest on the real machine: calibrates and chooses the clock, maps memory to clear caches.
 */
#include "lib/cache.h"
#include "lib/kbest.h"

#include <string.h>
#include <sys/mman.h>

/* The size of the result in the first version, whose last member was warnings. */
#define FIRST_SIZE (offsetof(struct etalon_kbest_result, warnings) + sizeof(unsigned))

enum { CALIBRATE_NS = 50000000, ASSUMED_CACHE = 64 << 20 };

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

/* Provides memory for a cold cache. *mapped is the size to unmap later, or 0. */
static int provide_memory(struct etalon_kbest_opts *o, size_t *mapped, unsigned *warnings)
{
	size_t bytes = et_cache_bytes("");

	*mapped = 0;
	if (o->cache != ETALON_CACHE_COLD)
		return ETALON_OK;
	if (!bytes) {
		bytes = ASSUMED_CACHE;
		*warnings |= ETALON_WARNING_CACHE_SIZE;
	}
	if (o->clear_memory)
		return o->clear_bytes < bytes ? ETALON_BAD_CACHE : ETALON_OK;
	o->clear_memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (o->clear_memory == MAP_FAILED)
		return ETALON_NO_MEMORY;
	o->clear_bytes = *mapped = bytes;
	return ETALON_OK;
}

/* Measures with the requested clock, or with the raw clock if the counter cannot be trusted. */
static int measure(void (*fn)(void *), void *arg, const struct etalon_kbest_opts *o,
	struct etalon_kbest_result *r)
{
	struct et_timebase *other = o->clock == ETALON_CLOCK_COUNTER ? NULL : &calibration.raw;

	if (!calibration.done)
		calibrate(&calibration);
	if (calibration.counter_good && o->clock != ETALON_CLOCK_RAW)
		return et_kbest_measure(&calibration.counter, other, fn, arg, o, r);
	return other ? et_kbest_measure(other, NULL, fn, arg, o, r) : ETALON_BAD_CLOCK;
}

int etalon_kbest(void (*fn)(void *), void *arg, const struct etalon_kbest_opts *opts,
	struct etalon_kbest_result *result, size_t sz)
{
	struct etalon_kbest_result r = { 0 };
	struct etalon_kbest_opts o;
	unsigned warnings = 0;
	size_t mapped;
	int rc;

	if (!fn || !result)
		return ETALON_BAD_FUNCTION;
	if (et_kbest_size_bad(sz, FIRST_SIZE))
		return ETALON_BAD_SIZE;
	rc = et_kbest_opts_complete(opts, &o);
	if (rc == ETALON_OK)
		rc = provide_memory(&o, &mapped, &warnings);
	if (rc)
		return rc;
	rc = measure(fn, arg, &o, &r);
	if (mapped)
		munmap(o.clear_memory, mapped);
	if (rc != ETALON_OK && rc != ETALON_NOT_CONVERGED)
		return rc;
	r.warnings |= warnings;
	r.sz = sz < sizeof(r) ? sz : sizeof(r);
	memset(result, 0, sz);
	memcpy(result, &r, r.sz);
	return rc;
}
