/* SPDX-License-Identifier: GPL-3.0-or-later */
/* K-best as a user's program sees it: bad input, a function of known work, warm and cold. */
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

/* One byte of each line of 256 KiB: slow only when they come from memory. */
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
	ok(etalon_kbest(NULL, NULL, NULL, &r, sizeof(r)) == ETALON_BAD_FUNCTION, "a null function");
	ok(etalon_kbest(count_down, &n, NULL, NULL, 0) == ETALON_BAD_FUNCTION,
		"no place for the result");
	ok(etalon_kbest(count_down, &n, NULL, &r, 3) == ETALON_BAD_SIZE, "a result of 3 bytes");
	ok(etalon_kbest(count_down, &n, NULL, &r, sizeof(&r)) == ETALON_BAD_SIZE,
		"one of a pointer's size");
	ok(etalon_kbest(count_down, &n, NULL, &r, (size_t)-1) == ETALON_BAD_SIZE,
		"one of all memory");
	o.k = 0;
	ok(etalon_kbest(count_down, &n, &o, &r, sizeof(r)) == ETALON_BAD_K, "K of 0");
	o.k = 3;
	o.epsilon = -1;
	ok(etalon_kbest(count_down, &n, &o, &r, sizeof(r)) == ETALON_BAD_EPSILON,
		"epsilon negative");
	o.epsilon = 0.01;
	o.max_samples = 2;
	ok(etalon_kbest(count_down, &n, &o, &r, sizeof(r)) == ETALON_BAD_SAMPLES, "M below K");
	o.max_samples = 10;
	o.cache = ETALON_CACHE_COLD;
	o.clear_memory = small;
	o.clear_bytes = sizeof(small);
	ok(etalon_kbest(count_down, &n, &o, &r, sizeof(r)) == ETALON_BAD_CACHE,
		"memory too small to clear the cache with");
	o.sz = 1;
	ok(etalon_kbest(count_down, &n, &o, &r, sizeof(r)) == ETALON_BAD_SIZE, "nonsense in sz");
	ok(((unsigned char *)&r)[sizeof(r) / 2] == 0x5a, "a refusal leaves the result alone");
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
	ok(rc == ETALON_OK || rc == ETALON_NOT_CONVERGED, "a loop is timed: %s",
		etalon_strerror(rc));
	ok((rc == ETALON_OK) == (a.converged != 0), "converged or not, the status says the same");
	quickly(count_down, &twice, ETALON_CACHE_WARM, &b);
	/* A neighbour may halve the speed of either. */
	ok(a.ns > 1000 && b.ns > a.ns * 0.8 && b.ns < a.ns * 5,
		"twice the work takes about twice: %g and %g ns", a.ns, b.ns);
	near(a.ticks, a.ns * a.hz / 1e9, 1e-9, 0, "ticks and nanoseconds agree");
	ok(a.unit && a.samples >= 3 && a.calls >= 1 && a.error > 0, "with unit, counts and error");
	etalon_kbest(count_down, &once, NULL, &newer.r, sizeof(newer));
	ok(newer.r.sz == sizeof(newer.r) && newer.r.ns > 0 && newer.more == 0,
		"a newer caller learns how much of its result was filled");
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
	ok(cold.calls == 1, "cold: one call a sample");
	ok(cold.ns > warm.ns * 1.5, "from memory it takes longer: %g and %g ns", cold.ns, warm.ns);
}

static void pair(void)
{
	uint64_t a = etalon_ticks_start(), b = etalon_ticks_stop();

	ok(b >= a, "the pair does not go back");
}

int main(void)
{
	bad_input();
	works();
	caches();
	pair();
	return tap_done();
}
