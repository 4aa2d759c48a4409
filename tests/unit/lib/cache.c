/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cold caches: the probe tells hits from misses, clearing makes it miss, and a cold time depends
 * neither on the memory that is written nor on chance.
 */
#include "lib/cache.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void median(void)
{
	/* R: median(c(9,1,8,2,7,3,6,4,5)) is 5; binom.test's ranks for n = 9 are 2 and 8. */
	static const double x[] = { 9, 1, 8, 2, 7, 3, 6, 4, 5 };
	double times[16], half;
	struct et_cache c = { .times = times, .room = 9 };

	ok(isnan(et_cache_median(&c, &half)) && isinf(half), "cache: no sample has no median");
	for (int i = 0; i < 7; i++)
		et_cache_note(&c, x[i]);
	ok(et_cache_median(&c, &half) == 6 && isinf(half),
		"cache: the median of 7 samples has no interval");
	et_cache_note(&c, x[7]);
	et_cache_note(&c, x[8]);
	ok(et_cache_median(&c, &half) == 5 && half == 3, "cache: the median of 1 to 9 is 5 ± 3");
	et_cache_note(&c, 100);
	ok(c.n_times == 9, "cache: samples beyond the room are not noted");
}

static void verdict(void)
{
	struct et_cache c = { .clears = 20, .failures = 2 };

	ok(et_cache_verdict(&c) == 0, "cache: a tenth of failed clears is accepted");
	c.failures = 3;
	ok(et_cache_verdict(&c) == ETALON_WARNING_NOT_COLD, "cache: more is a warning");
}

static void probe(struct et_cache *c)
{
	double hit = 1, flushed = 0, evicted = 0;

	/* An interrupt makes hits look like misses, and never the other way round. */
	for (int i = 0; i < 20; i++) {
		et_cache_touch(c);
		hit = fmin(hit, et_cache_probe(c));
		et_cache_touch(c);
		et_cache_flush(c->probe, (size_t)128 * 4096);
		flushed += et_cache_probe(c) / 20;
	}
	for (int i = 0; i < 20; i++)
		et_cache_clear(c);
	evicted = 1 - (double)c->failures / (double)c->clears;
	if (!ok(hit < 0.1, "cache: the probe finds lines that were just used"))
		printf("# misses %.3f\n", hit);
	if (!ok(flushed > 0.8, "cache: the probe misses lines that were flushed"))
		printf("# misses %.3f\n", flushed);
	if (!ok(evicted > 0.7, "cache: the probe misses after clearing"))
		printf("# %.3f of the clears\n", evicted);
}

static void walk(void *arg)
{
	const unsigned char *p = arg;
	size_t bytes;
	unsigned sum = 0;

	memcpy(&bytes, p, sizeof(bytes));
	for (size_t i = 64; i < bytes; i += 64)
		sum += p[i];
	ETALON_KEEP(sum);
}

static void *data(size_t bytes)
{
	void *p = aligned_alloc(4096, bytes);

	if (!p)
		tap_bail("no memory");
	memset(p, 1, bytes);
	memcpy(p, &bytes, sizeof(bytes));
	return p;
}

static double time_with(void *arg, struct etalon_kbest_opts *o)
{
	struct etalon_kbest_result r;
	int rc = etalon_kbest(walk, arg, o, &r, sizeof(r));

	return rc == ETALON_OK || rc == ETALON_NOT_CONVERGED ? r.ns : NAN;
}

/* The same for memory of one, two and four times the last level. */
static void independent(size_t bytes, size_t last)
{
	struct etalon_kbest_opts o;
	double warm, ns, least = INFINITY, most = 0;
	void *arg = data(bytes);

	etalon_kbest_opts_init(&o, sizeof(o));
	o.limit_ns = 600000000;
	o.max_samples = 60;
	warm = time_with(arg, &o);
	o.cache = ETALON_CACHE_COLD;
	for (size_t n = last; n <= 4 * last; n *= 2) {
		o.clear_memory = calloc(n, 1);
		if (!o.clear_memory)
			tap_bail("no memory");
		o.clear_bytes = n;
		ns = time_with(arg, &o);
		least = fmin(least, ns);
		most = fmax(most, ns);
		free(o.clear_memory);
	}
	if (!ok(most < 1.6 * least, "cache: %zu KiB are as cold whatever memory is written",
		    bytes >> 10))
		printf("# %.0f to %.0f ns\n", least, most);
	if (!ok(least > 1.5 * warm, "cache: %zu KiB take longer than with a warm cache",
		    bytes >> 10))
		printf("# %.0f against %.0f ns\n", least, warm);
	free(arg);
}

static void modes(void)
{
	enum { BYTES = 16 << 10 };
	struct etalon_kbest_opts o;
	void *arg = data(BYTES), *other = data(BYTES);
	double warm, set = NAN, half, cold_data, left = NAN;

	etalon_kbest_opts_init(&o, sizeof(o));
	o.limit_ns = 600000000;
	o.max_samples = 100;
	warm = time_with(arg, &o);
	o.cache = ETALON_CACHE_COLD_DATA;
	o.other_arg = other;
	cold_data = time_with(arg, &o);
	if (!ok(cold_data > 1.5 * warm, "cache: another argument loads the code and not the data"))
		printf("# %.0f against %.0f ns\n", cold_data, warm);
	o.other_arg = arg;
	half = time_with(arg, &o);
	if (!ok(half < 0.8 * cold_data, "cache: the same argument would load the data"))
		printf("# %.0f against %.0f ns\n", half, cold_data);
	o.cache = ETALON_CACHE_COLD;
	o.working_set_bytes = BYTES;
	/* Other processes may evict the data, too: one of several tries is enough. */
	for (int i = 0; i < 5; i++) {
		o.working_set = arg;
		set = time_with(arg, &o);
		o.working_set = other;
		left = time_with(arg, &o);
		if (set > 1.5 * warm && left < 0.8 * set)
			break;
	}
	if (!ok(set > 1.5 * warm, "cache: a working set is cleared"))
		printf("# %.0f against %.0f ns\n", set, warm);
	if (!ok(left < 0.8 * set, "cache: only the working set is cleared"))
		printf("# %.0f against %.0f ns\n", left, set);
	free(arg);
	free(other);
}

int main(void)
{
	struct etalon_kbest_opts o;
	unsigned warnings = 0;
	struct et_cache c;
	size_t last = et_cache_bytes("");

	median();
	verdict();
	etalon_kbest_opts_init(&o, sizeof(o));
	o.cache = ETALON_CACHE_COLD;
	if (et_cache_prepare(&c, NULL, &o, &warnings) != ETALON_OK)
		tap_bail("cannot prepare");
	if (!(c.miss > 0) || !last || last > 64 << 20) {
		skip("cache: this machine shows no misses, or its cache is too large for a test");
	} else {
		probe(&c);
		independent(64 << 10, last);
		independent(1 << 20, last);
		modes();
	}
	et_cache_release(&c);
	return tap_done();
}
