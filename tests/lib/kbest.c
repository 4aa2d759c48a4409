/* SPDX-License-Identifier: GPL-3.0-or-later */
/* K-best through the public API: invalid arguments, functions of known work, warm and cold caches.
 */
#include "tap.h"

#include <etalon/etalon.h>
#include <stdlib.h>

static void count_down(void *arg)
{
	unsigned long n = *(unsigned long *)arg;

	do
		ETALON_KEEP(n);
	while (--n);
}

enum { WALK = 1 << 16 };

/* Reads one byte of each cache line of 64 KiB: slow only if they come from memory. */
static void walk(void *arg)
{
	unsigned char *p = arg;
	unsigned sum = 0;

	for (size_t i = 0; i < WALK; i += 64)
		sum += p[i];
	ETALON_KEEP(sum);
}

static int quickly(void (*fn)(void *), void *arg, int cache, struct etalon_kbest_result *r)
{
	struct etalon_kbest_opts o;

	etalon_kbest_opts_init(&o, sizeof(o));
	o.cache = cache;
	o.epsilon = 0.05;
	o.max_samples = cache == ETALON_CACHE_COLD ? 10 : 300;
	o.limit_ns = 3000000000u;
	return etalon_kbest(fn, arg, &o, r, sizeof(*r));
}

static void bad_input(void)
{
	struct etalon_kbest_opts o;
	struct etalon_kbest_result r;
	unsigned long n = 1;
	char small[64];

	memset(&r, 0x5a, sizeof(r));
	etalon_kbest_opts_init(&o, sizeof(o));
	ok(etalon_kbest(NULL, NULL, NULL, &r, sizeof(r)) == ETALON_BAD_FUNCTION,
		"kbest: a NULL function is refused");
	ok(etalon_kbest(count_down, &n, NULL, NULL, 0) == ETALON_BAD_FUNCTION,
		"kbest: a NULL result is refused");
	ok(etalon_kbest(count_down, &n, NULL, &r, 3) == ETALON_BAD_SIZE,
		"kbest: a result of 3 bytes is refused");
	ok(etalon_kbest(count_down, &n, NULL, &r, sizeof(&r)) == ETALON_BAD_SIZE,
		"kbest: a result of a pointer's size is refused");
	ok(etalon_kbest(count_down, &n, NULL, &r, (size_t)-1) == ETALON_BAD_SIZE,
		"kbest: a result of SIZE_MAX bytes is refused");
	o.k = 0;
	ok(etalon_kbest(count_down, &n, &o, &r, sizeof(r)) == ETALON_BAD_K,
		"kbest: K of 0 is refused");
	o.k = 3;
	o.epsilon = -1;
	ok(etalon_kbest(count_down, &n, &o, &r, sizeof(r)) == ETALON_BAD_EPSILON,
		"kbest: a negative epsilon is refused");
	o.epsilon = 0.01;
	o.max_samples = 2;
	ok(etalon_kbest(count_down, &n, &o, &r, sizeof(r)) == ETALON_BAD_SAMPLES,
		"kbest: M below K is refused");
	o.max_samples = 10;
	o.cache = ETALON_CACHE_COLD;
	o.clear_memory = small;
	o.clear_bytes = sizeof(small);
	ok(etalon_kbest(count_down, &n, &o, &r, sizeof(r)) == ETALON_BAD_CACHE,
		"kbest: memory smaller than the cache is refused");
	o.sz = 1;
	ok(etalon_kbest(count_down, &n, &o, &r, sizeof(r)) == ETALON_BAD_SIZE,
		"kbest: options with a wrong sz are refused");
	ok(((unsigned char *)&r)[sizeof(r) / 2] == 0x5a,
		"kbest: an error leaves the result unchanged");
}

static void works(void)
{
	unsigned long once = 20000, twice = 40000;
	struct etalon_kbest_result a, b;
	struct {
		struct etalon_kbest_result r;
		uint64_t more;
	} newer = { .more = 7 };

	int rc = quickly(count_down, &once, ETALON_CACHE_WARM, &a);
	ok(rc == ETALON_OK || rc == ETALON_NOT_CONVERGED, "kbest: a loop is timed: %s",
		etalon_strerror(rc));
	ok((rc == ETALON_OK) == (a.converged != 0),
		"kbest: the status agrees with the member converged");
	quickly(count_down, &twice, ETALON_CACHE_WARM, &b);
	/* A busy hyper-thread sibling may halve the speed of either. */
	ok(a.ns > 1000 && b.ns > a.ns * 0.8 && b.ns < a.ns * 5,
		"kbest: twice the work takes about twice as long: %g and %g ns", a.ns, b.ns);
	near(a.ticks, a.ns * a.hz / 1e9, 1e-9, 0, "kbest: ticks and nanoseconds agree");
	ok(a.unit && a.samples >= 3 && a.calls >= 1 && a.error > 0,
		"kbest: the result has a unit, counts and an error");
	rc = etalon_kbest(count_down, &once, NULL, &newer.r, sizeof(newer));
	ok((rc == ETALON_OK || rc == ETALON_NOT_CONVERGED) && newer.r.sz == sizeof(newer.r) &&
			newer.r.ns > 0 && newer.more == 0,
		"kbest: a newer caller learns how much of its result was filled");
}

static void nothing(void *arg)
{
	(void)arg;
}

/* A caller of the first version has neither the new members of the options nor of the result. */
static void short_functions(void)
{
	static double raw[50];
	size_t first = offsetof(struct etalon_kbest_result, statistic);
	struct etalon_kbest_result r;
	struct etalon_kbest_opts o;
	size_t ordered = 0;

	etalon_kbest_opts_init(&o, sizeof(o));
	o.least_ns = 20000000;
	o.sample_ns = raw;
	o.sample_capacity = sizeof(raw) / sizeof(raw[0]);
	etalon_kbest(nothing, NULL, &o, &r, sizeof(r));
	ok(r.ns <= r.error_ns && r.error_ns < 50 && r.warnings & ETALON_WARNING_OVERHEAD,
		"an empty function: %g ns +- %g ns, with a warning", r.ns, r.error_ns);
	ok(r.empty_ns > 0 && r.empty_uncertainty_ns > 0,
		"an empty function: an empty call of %g ns was subtracted", r.empty_ns);
	/* A busy machine may have time for fewer. */
	ok(r.sample_n == (r.samples < 50 ? r.samples : 50), "the samples fill the caller's array");
	for (size_t i = 0; i < r.sample_n; i++)
		ordered += raw[i] >= r.min_ns;
	ok(ordered >= r.sample_n * 9 / 10, "the samples are in nanoseconds per call");
	memset(&r, 0x5a, sizeof(r));
	o.sz = offsetof(struct etalon_kbest_opts, sample_ns);
	raw[0] = -1;
	etalon_kbest(nothing, NULL, &o, &r, first);
	ok(r.sz == first && ((unsigned char *)&r)[first] == 0x5a && raw[0] < 0,
		"an older caller: nothing is written beyond its structs");
}

static void caches(void)
{
	static unsigned char data[WALK];
	struct etalon_kbest_result warm, cold;

	quickly(walk, data, ETALON_CACHE_WARM, &warm);
	int rc = quickly(walk, data, ETALON_CACHE_COLD, &cold);
	if (rc == ETALON_NO_MEMORY) {
		skip("no memory for a cold cache");
		return;
	}
	ok(cold.calls == 1, "cold cache: a sample is one call");
	ok(cold.ns > warm.ns * 1.5, "cold cache: reading from memory takes longer: %g and %g ns",
		cold.ns, warm.ns);
}

static void pair(void)
{
	uint64_t a = etalon_ticks_start(), b = etalon_ticks_stop();

	ok(b >= a, "the timing pair does not go backwards");
}

int main(void)
{
	bad_input();
	works();
	short_functions();
	caches();
	pair();
	return tap_done();
}
