/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cold caches: the probe tells hits from misses, clearing makes it miss, and a cold time depends
 * neither on the memory that is written nor on chance.
 */
#include "lib/time/cache.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 4 };

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

/* The least share of misses after use, the mean share after a flush, that of good clears. */
struct found {
	double hit, flushed, evicted;
};

static struct found probe_once(struct et_cache *c)
{
	struct found f = { .hit = 1 };

	/* An interrupt makes hits look like misses, and never the other way round. */
	for (int i = 0; i < 20; i++) {
		et_cache_touch(c);
		f.hit = fmin(f.hit, et_cache_probe(c));
		et_cache_touch(c);
		et_cache_flush(c->probe, (size_t)128 * 4096);
		f.flushed += et_cache_probe(c) / 20;
	}
	for (int i = 0; i < 20; i++)
		et_cache_clear(c);
	f.evicted = 1 - (double)c->failures / (double)c->clears;
	return f;
}

/* Returns false if this machine shows no misses. */
static bool probe(const struct etalon_kbest_opts *o)
{
	struct found f = { 0 };
	bool good = false;

	for (int i = 0; i < TRIES && !good; i++) {
		unsigned warnings = 0;
		struct et_cache c;
		bool shown;
		if (et_cache_prepare(&c, NULL, o, &warnings) != ETALON_OK)
			tap_bail("cannot prepare");
		shown = c.miss > 0;
		if (shown)
			f = probe_once(&c);
		et_cache_release(&c);
		if (!shown)
			return false;
		good = f.hit < 0.1 && f.flushed > 0.8 && f.evicted > 0.7;
	}
	if (!ok(f.hit < 0.1, "cache: the probe finds lines that were just used"))
		printf("# misses %.3f\n", f.hit);
	if (!ok(f.flushed > 0.8, "cache: the probe misses lines that were flushed"))
		printf("# misses %.3f\n", f.flushed);
	if (!ok(f.evicted > 0.7, "cache: the probe misses after clearing"))
		printf("# %.3f of the clears\n", f.evicted);
	return true;
}

/*
 * Reads each line once, in an order that no prefetcher guesses, and each only after the one before:
 * otherwise memory is read nearly as fast as a cache. The multiplier and the odd constant visit
 * each of 2^k lines once; every byte that is read is 1.
 */
static void walk(void *arg)
{
	const unsigned char *p = arg;
	size_t bytes, line = 0;

	memcpy(&bytes, p, sizeof(bytes));
	for (size_t n = bytes / 64, i = 0; i < n; i++)
		line = (line * 1664525 + 1013904222 + p[line * 64 + 63]) & (n - 1);
	ETALON_KEEP(line);
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

/* Clears *cold if the probe says that clearing failed. */
static double time_with(void *arg, struct etalon_kbest_opts *o, bool *cold)
{
	struct etalon_kbest_result r;
	int rc = etalon_kbest(walk, arg, o, &r, sizeof(r));

	if (rc != ETALON_OK && rc != ETALON_NOT_CONVERGED)
		tap_bail("etalon_kbest returns %d", rc);
	if (r.warnings & ETALON_WARNING_NOT_COLD)
		*cold = false;
	return r.ns;
}

/* A check that fails is no failure if clearing failed each time, and the probe says so. */
static void check(bool holds, bool ever_cold, const char *what, double a, double b)
{
	if (!holds && !ever_cold)
		skip("cache: the probe says that clearing fails");
	else if (!ok(holds, "cache: %s", what))
		printf("# %.0f against %.0f ns\n", a, b);
}

/*
 * Is the second time more than `factor` times the first? Other processes share the cache and the
 * memory, so one of several tries is enough; times that do not differ fail in all of them.
 */
static void longer(
	const struct etalon_kbest_opts pair[2], void *arg, double factor, const char *what)
{
	struct etalon_kbest_opts first = pair[0], second = pair[1];
	bool holds = false, ever_cold = false;
	double a = NAN, b = NAN;

	for (int i = 0; i < TRIES && !holds; i++) {
		bool cold = true;
		a = time_with(arg, &first, &cold);
		b = time_with(arg, &second, &cold);
		holds = b > factor * a;
		ever_cold = ever_cold || cold;
	}
	check(holds, ever_cold, what, b, a);
}

/* Times with memory of one, two and four times the last level. */
static bool cold_times(
	void *arg, size_t last, struct etalon_kbest_opts o, double *least, double *most)
{
	bool cold = true;

	*least = INFINITY;
	*most = 0;
	for (size_t n = last; n <= 4 * last; n *= 2) {
		double ns;
		o.clear_memory = calloc(n, 1);
		if (!o.clear_memory)
			tap_bail("no memory");
		o.clear_bytes = n;
		ns = time_with(arg, &o, &cold);
		free(o.clear_memory);
		*least = fmin(*least, ns);
		*most = fmax(*most, ns);
	}
	return cold;
}

/* The same whatever is written; one of several tries is enough here, too. */
static void independent(size_t bytes, size_t last, const char *same, const char *slower)
{
	struct etalon_kbest_opts o[2];
	bool holds = false, ever_cold = false;
	double least = NAN, most = NAN;
	void *arg = data(bytes);

	etalon_kbest_opts_init(&o[0], sizeof(o[0]));
	o[0].limit_ns = 600000000;
	o[0].max_samples = 60;
	o[1] = o[0];
	o[1].cache = ETALON_CACHE_COLD;
	for (int i = 0; i < TRIES && !holds; i++) {
		bool cold = cold_times(arg, last, o[1], &least, &most);
		ever_cold = ever_cold || cold;
		holds = most < 1.6 * least;
	}
	check(holds, ever_cold, same, least, most);
	longer(o, arg, 1.5, slower);
	free(arg);
}

static void modes(void)
{
	enum { BYTES = 16 << 10 };
	struct etalon_kbest_opts warm, cold_data, same, set, other_set;
	void *arg = data(BYTES), *other = data(BYTES);

	etalon_kbest_opts_init(&warm, sizeof(warm));
	warm.limit_ns = 600000000;
	warm.max_samples = 100;
	cold_data = set = warm;
	cold_data.cache = ETALON_CACHE_COLD_DATA;
	cold_data.other_arg = other;
	same = cold_data;
	same.other_arg = arg;
	set.cache = ETALON_CACHE_COLD;
	set.working_set = arg;
	set.working_set_bytes = BYTES;
	other_set = set;
	other_set.working_set = other;
	longer((struct etalon_kbest_opts[]){ warm, cold_data }, arg, 1.5,
		"another argument loads the code and not the data");
	longer((struct etalon_kbest_opts[]){ same, cold_data }, arg, 1.25,
		"the same argument would load the data");
	longer((struct etalon_kbest_opts[]){ warm, set }, arg, 1.5, "a working set is cleared");
	/* Other data may share the cache's sets with the argument, so it is put elsewhere each
	 * time. */
	void *elsewhere[3 * TRIES] = { NULL };
	bool holds = false, ever_cold = false;
	double a = NAN, b = NAN;
	for (size_t i = 0; i < 3 * TRIES && !holds; i++) {
		bool cold = true;
		other_set.working_set = elsewhere[i] = data(BYTES);
		a = time_with(arg, &other_set, &cold);
		b = time_with(arg, &set, &cold);
		holds = b > 1.25 * a;
		ever_cold = ever_cold || cold;
	}
	check(holds, ever_cold, "only the working set is cleared", b, a);
	for (size_t i = 0; i < 3 * TRIES; i++)
		free(elsewhere[i]);
	free(arg);
	free(other);
}

int main(void)
{
	struct etalon_kbest_opts o;
	size_t last = et_cache_bytes("", NULL);

	median();
	verdict();
	etalon_kbest_opts_init(&o, sizeof(o));
	o.cache = ETALON_CACHE_COLD;
	if (!last || last > 64 << 20 || !probe(&o)) {
		skip("cache: this machine shows no misses, or its cache is too large for a test");
	} else {
		independent(64 << 10, last, "64 KiB are as cold whatever memory is written",
			"64 KiB take longer than with a warm cache");
		independent(1 << 20, last, "1 MiB is as cold whatever memory is written",
			"1 MiB takes longer than with a warm cache");
		modes();
	}
	return tap_done();
}
