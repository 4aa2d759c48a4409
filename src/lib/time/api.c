/* SPDX-License-Identifier: MIT */
/*
 * The public calls: K-best on the real machine, the sentences for statuses and warnings, the
 * version, and those about time: the stopwatch, ticks (their rate, conversion and cost) and
 * inactive periods. The stopwatch must not allocate, print or call anything that may block.
 */
#include "base/clock.h"
#include "clock/activity.h"
#include "lib/time/cache.h"
#include "lib/time/kbest.h"
#include "num/quantile.h"

/*
 * The sizes in the first version, whose last members were clear_bytes and warnings. Later versions
 * append members: those that the sz of an older caller does not include keep their defaults.
 */
#define FIRST_OPTS (offsetof(struct etalon_kbest_opts, clear_bytes) + sizeof(size_t))
#define FIRST_RESULT (offsetof(struct etalon_kbest_result, warnings) + sizeof(unsigned))

enum {
	MAX_SIZE = 4096, /* a larger sz is an uninitialised one */
	EMPTY_PAIRS = 1001,
};

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

/* Measures with the requested clock, or with the raw clock if the counter cannot be trusted. */
static int measure(void (*fn)(void *), void *arg, const struct etalon_kbest_opts *o,
	struct et_cache *cache, struct etalon_kbest_result *r)
{
	struct et_timebase *other = o->clock == ETALON_CLOCK_COUNTER ? NULL : &calibration.raw;
	const struct et_clock_choice *c = et_clock_here();

	if (!calibration.done) {
		et_timebase_raw(&calibration.raw);
		et_timebase_calibrate(&calibration.raw);
		calibration.raw.warnings = c->warnings;
		if (c->clock == ETALON_CLOCK_COUNTER)
			et_clock_choice_timebase(c, &calibration.counter);
		calibration.done = true;
	}
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

	if (!fn || !result)
		return ETALON_BAD_FUNCTION;
	if (et_kbest_size_bad(sz, FIRST_RESULT))
		return ETALON_BAD_SIZE;
	int rc = et_kbest_opts_complete(opts, &o);
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

/* --- statuses and warnings; a warning fits into 80 columns --- */

static const char *const statuses[] = {
	[-ETALON_OK] = "success",
	[-ETALON_NOT_CONVERGED] =
		"K samples did not agree within epsilon; the result is the best so far",
	[-ETALON_BAD_FUNCTION] = "the function or the result is NULL",
	[-ETALON_BAD_SIZE] = "sz is not the size of this struct in any version of the library",
	[-ETALON_BAD_K] = "K must be from 1 to 64",
	[-ETALON_BAD_EPSILON] = "epsilon must be finite and at least 0",
	[-ETALON_BAD_SAMPLES] = "max_samples must be at least k",
	[-ETALON_BAD_CACHE] =
		"cache must be warm or cold, clear_memory at least as large as the cache, "
		"and cold data needs other_arg or a working set",
	[-ETALON_BAD_CLOCK] =
		"the requested clock does not exist or cannot be trusted on this machine",
	[-ETALON_NO_MEMORY] = "not enough memory to clear the cache with",
	[-ETALON_BAD_PRIORITY] = "priority must be ETALON_PRIORITY_AUTO or ETALON_PRIORITY_KEEP",
	[-ETALON_BAD_DURATION] = "a duration or threshold must be finite and not negative",
};

const char *etalon_strerror(int status)
{
	bool known = status <= 0 && status > -(int)ET_LENGTH(statuses);

	return known ? statuses[-status] : "unknown status";
}

static const struct {
	unsigned warning;
	const char *text;
} warnings[] = {
	{ ETALON_WARNING_SPREAD,
		"the K shortest samples did not agree: take more or raise epsilon" },
	{ ETALON_WARNING_PREEMPTED,
		"almost every sample was preempted, so this is the thread's CPU time" },
	{ ETALON_WARNING_SLOW, "the processor ran below its full speed: the time may be too long" },
	{ ETALON_WARNING_NOT_INVARIANT,
		"the processor's counter has no fixed rate: another clock is used" },
	{ ETALON_WARNING_BACKWARDS,
		"the processor's counter went backwards: another clock is used" },
	{ ETALON_WARNING_NO_TICK_COST,
		"the cost of timer interrupts is unknown and was not subtracted" },
	{ ETALON_WARNING_INTERRUPTS,
		"interrupts vary by more than epsilon: repeat on a quieter machine" },
	{ ETALON_WARNING_OVERHEAD,
		"about as short as an empty call: use ETALON_LOOP, or do more per call" },
	{ ETALON_WARNING_CACHE_SIZE,
		"the size of the last-level cache is unknown: 64 MiB were cleared" },
	{ ETALON_WARNING_NOT_COLD,
		"the caches were not cold after clearing: the time is a lower limit" },
	{ ETALON_WARNING_BELOW_FLOOR,
		"shorter at reduced speed than at full speed: this is the median" },
	{ ETALON_WARNING_CALLS_DIFFER,
		"some calls regularly take far longer than others: this is the mean" },
	{ ETALON_WARNING_THREADS,
		"there are more threads than CPUs for them, so that they take turns" },
	{ ETALON_WARNING_RATES,
		"other programs had the CPUs for part of the time: rates are too low" },
};

const char *etalon_warning_text(unsigned warning)
{
	for (size_t i = 0; i < ET_LENGTH(warnings); i++)
		if (warnings[i].warning == warning)
			return warnings[i].text;
	return "";
}

/* At run time; it may differ from the one that was compiled for. */
const char *etalon_version(void)
{
	return ET_VERSION;
}

/* --- the stopwatch and ticks --- */

void etalon_stopwatch_start(struct etalon_stopwatch *watch)
{
	watch->start_ns = et_clock_read_ns(CLOCK_MONOTONIC);
}

uint64_t etalon_stopwatch_ns(const struct etalon_stopwatch *watch)
{
	return et_clock_read_ns(CLOCK_MONOTONIC) - watch->start_ns;
}

#if !defined(__x86_64__) && !defined(__aarch64__)
uint64_t etalon_ticks_start(void)
{
	return et_clock_read_ns(CLOCK_MONOTONIC_RAW);
}

uint64_t etalon_ticks_stop(void)
{
	return et_clock_read_ns(CLOCK_MONOTONIC_RAW);
}
#endif

/* Without a counter, ticks are nanoseconds of CLOCK_MONOTONIC_RAW; there is no warning then. */
static bool trusted(const struct et_clock_choice *c)
{
	return c->clock == ETALON_CLOCK_COUNTER || !c->warnings;
}

static void put(double *at, double value)
{
	if (at)
		*at = value;
}

int etalon_ticks_rate(double *hz, double *uncertainty)
{
	const struct et_clock_choice *c = et_clock_here();
	bool good = trusted(c);

	put(hz, good ? c->hz : NAN);
	put(uncertainty, good ? c->hz_uncertainty : NAN);
	return good ? ETALON_OK : ETALON_BAD_CLOCK;
}

double etalon_ticks_ns(double ticks)
{
	const struct et_clock_choice *c = et_clock_here();

	return trusted(c) ? ticks / c->hz * 1e9 : NAN;
}

int etalon_ticks_cost(double *ticks, double *uncertainty)
{
	double x[EMPTY_PAIRS];

	for (size_t i = 0; i < EMPTY_PAIRS; i++) {
		uint64_t t0 = etalon_ticks_start(), t1 = etalon_ticks_stop();

		x[i] = t1 > t0 ? (double)(t1 - t0) : 0;
	}
	put(ticks, et_median(x, EMPTY_PAIRS));
	/* Interrupted pairs are far fewer than a quarter; one tick is the resolution. */
	put(uncertainty, fmax((et_quantile_sorted(x, EMPTY_PAIRS, 0.75) -
				      et_quantile_sorted(x, EMPTY_PAIRS, 0.25)) /
					 2,
				 0.3));
	return ETALON_OK;
}

/* --- inactive periods --- */

/* 2^63 ticks are more than a hundred years. */
static uint64_t ticks_of(double ns, double hz)
{
	return (uint64_t)fmin(ns / 1e9 * hz, 0x1p63);
}

struct listing {
	struct etalon_period *list;
	size_t n, capacity;
};

static void keep_period(const struct et_activity *a, struct et_gap gap, void *ctx)
{
	struct listing *l = ctx;
	double tick_ns = 1e9 / a->hz;

	if (l->n < l->capacity)
		l->list[l->n++] = (struct etalon_period){ (double)(gap.start - a->begin) * tick_ns,
			(double)(gap.end - a->begin) * tick_ns };
}

int et_inactive_find(const struct et_inactive_clock *c, double threshold_ns, double duration_ns,
	struct etalon_period *list, size_t capacity, struct etalon_inactivity *out)
{
	double tick_ns = 1e9 / c->hz;
	struct listing l = { list, 0, list ? capacity : 0 };
	struct et_activity a;

	if (et_activity_init(&a, NULL, 1) != 0)
		return ETALON_NO_MEMORY;
	a.read = c->read;
	a.ctx = c->ctx;
	a.hz = c->hz;
	a.threshold = ticks_of(threshold_ns, c->hz);
	if (threshold_ns == 0) {
		a.threshold = et_activity_threshold(&a);
		threshold_ns = (double)a.threshold / a.hz * 1e9;
	}
	a.duration = ticks_of(duration_ns, c->hz);
	a.most = l.capacity ? l.capacity : UINT64_MAX;
	a.keep = keep_period;
	a.keep_ctx = &l;
	int rc = et_activity_spin(&a); /* it fails only if it is to move to a CPU */
	*out = (struct etalon_inactivity){
		.periods = a.gaps,
		.inactive_ns = (double)a.gap_ticks * tick_ns,
		.elapsed_ns = (double)(a.end - a.begin) * tick_ns,
		.threshold_ns = threshold_ns,
	};
	et_activity_free(&a);
	return rc || a.ended == ET_ACTIVITY_BACKWARDS ? ETALON_BAD_CLOCK : ETALON_OK;
}

static uint64_t read_raw(void *ctx)
{
	(void)ctx;
	return et_clock_read_ns(CLOCK_MONOTONIC_RAW);
}

int etalon_inactive(double threshold_ns, double duration_ns, struct etalon_period *list,
	size_t capacity, struct etalon_inactivity *out)
{
	const struct et_inactive_clock raw = { read_raw, NULL, 1e9 };
	struct et_inactive_clock counter = { NULL, NULL, 0 };
	struct etalon_inactivity found;
	int rc = ETALON_BAD_CLOCK;

	if (!(threshold_ns >= 0 && duration_ns >= 0 && isfinite(threshold_ns) &&
		    isfinite(duration_ns)))
		return ETALON_BAD_DURATION;
	found.clock = et_clock_here()->clock;
	counter.hz = et_clock_here()->hz;
	if (found.clock == ETALON_CLOCK_COUNTER) {
		rc = et_inactive_find(&counter, threshold_ns, duration_ns, list, capacity, &found);
		found.clock = ETALON_CLOCK_COUNTER;
	}
	if (rc == ETALON_BAD_CLOCK) {
		rc = et_inactive_find(&raw, threshold_ns, duration_ns, list, capacity, &found);
		found.clock = ETALON_CLOCK_RAW;
	}
	if (rc == ETALON_OK && out)
		*out = found;
	return rc;
}
