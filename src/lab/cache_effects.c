/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/cache_effects.h"
#include "lib/time/cache.h"
#include "num/quantile.h"

enum { LINE = 64, A_BYTES = 16 << 10, APART = 1 << 20 };

const struct et_cache_effects_step et_cache_effects_calls[ET_CACHE_EFFECTS_CALLS] = {
	{ "call-1", "A", "b1", "c+m+p+d" },
	{ "call-2", "A", "b2", "c+d" },
	{ "call-3", "A", "b3", "c+d" },
	{ "call-4", "A", "b1", "c" },
	{ "call-5", "B", "b1", "c+p" },
	{ "call-6", "B", "b2", "c" },
};

const struct et_cache_effects_step et_cache_effects_steps[ET_CACHE_EFFECTS_STEPS] = {
	{ "A-1", "A", "cache cleared", NULL },
	{ "A-2", "A", "again", NULL },
	{ "A-3", "A", "again", NULL },
	{ "B-4", "B", "for the first time", NULL },
	{ "B-5", "B", "again", NULL },
	{ "A-6", "A", "after B", NULL },
	{ "A-7", "A", "again", NULL },
	{ "B-8", "B", "after A", NULL },
};

const struct et_cache_effects_step et_cache_effects_kbests[ET_CACHE_EFFECTS_KBESTS] = {
	{ "etalon-A-warm", "A", "warm", NULL },
	{ "etalon-A-cold", "A", "cold", NULL },
	{ "etalon-A-cold-data", "A", "data cold, code warm", NULL },
	{ "etalon-B-warm", "B", "warm", NULL },
	{ "etalon-B-cold", "B", "cold", NULL },
};

/* --- what is timed --- */

/*
 * In a page of its own, so that loading it into the instruction cache loads none of the others, and
 * not merged with a function of the same instructions: gcc would, without noipa, and the statement
 * of OWN_CODE differs from function to function.
 */
#ifdef __clang__
#define OWN_PAGE __attribute__((noinline, aligned(4096)))
#else
#define OWN_PAGE __attribute__((noipa, aligned(4096)))
#endif
#define OWN_CODE(name) __asm__ volatile("# " name)

enum { DOUBLES = 8 }; /* one cache line */

/* Memory of which one byte per cache line is read. */
struct data {
	const char *start;
	size_t bytes;
};

OWN_PAGE static void start_counter(uint64_t *started)
{
	*started = et_counter_start();
}

OWN_PAGE static double get_counter(const uint64_t *started)
{
	return (double)(et_counter_stop() - *started);
}

/* Returns the ticks of one call, as the chapter's start_counter() and get_counter() measure it. */
OWN_PAGE static double ticks_of(void (*procedure)(double *p), double *p)
{
	uint64_t started;

	start_counter(&started);
	procedure(p);
	return get_counter(&started);
}

/* The chapter's store zeros, whose time today's store buffers hide; so these load the data. */
static inline __attribute__((always_inline)) void halve(double *p)
{
	for (int i = 0; i < DOUBLES; i++)
		p[i] *= 0.5;
}

OWN_PAGE static void procedure_a(double *p)
{
	OWN_CODE("A");
	halve(p);
}

OWN_PAGE static void procedure_b(double *p)
{
	OWN_CODE("B");
	halve(p);
}

static inline __attribute__((always_inline)) void read_lines(const struct data *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->bytes; i += LINE)
		sum += (uint64_t) * (const volatile char *)(d->start + i);
	__asm__ volatile("" ::"r"(sum));
}

OWN_PAGE static void read_a(void *data)
{
	OWN_CODE("A");
	read_lines(data);
}

OWN_PAGE static void read_b(void *data)
{
	OWN_CODE("B");
	read_lines(data);
}

/* --- measuring --- */

struct bench {
	struct et_counter counter;
	struct data a, b, other; /* other: as large as that of A, for cold data */
	double *small[3];        /* b1, b2, b3: a cache line each, in distant pages */
	char *memory;            /* all of them */
	struct et_cache cache;
};

/* All far apart, and A's not next to B's, which are read upwards: a prefetcher would load them. */
static int place_data(struct bench *b, struct et_error *err)
{
	size_t size_b = b->cache.bytes / 8, size = 5 * APART + 2 * A_BYTES + size_b;

	b->memory = malloc(size);
	if (!b->memory)
		return et_fail_errno(err, ENOMEM, ET_EXIT_ENVIRONMENT, "cannot allocate the data");
	memset(b->memory, 1, size);
	uintptr_t line = ((uintptr_t)b->memory + APART - 1) / APART * APART;
	for (size_t i = 0; i < ET_LENGTH(b->small); i++) {
		b->small[i] = (double *)(line + i * APART + i * 5 * LINE);
		for (int j = 0; j < DOUBLES; j++)
			b->small[i][j] = 1;
	}
	const char *rest = (const char *)line + 3 * APART;
	b->a = (struct data){ rest, A_BYTES };
	b->other = (struct data){ rest + A_BYTES, A_BYTES };
	b->b = (struct data){ rest + APART, size_b };
	return 0;
}

static int prepare(struct bench *b, struct et_error *err)
{
	struct etalon_kbest_opts opts;
	unsigned warnings = 0;
	int rc = et_timing_calibrate(&b->counter, 100000000, err);

	if (rc)
		return rc;
	etalon_kbest_opts_init(&opts, sizeof(opts));
	opts.cache = ETALON_CACHE_COLD;
	int status = et_cache_prepare(&b->cache, NULL, &opts, &warnings);
	if (status)
		return et_fail(
			err, ENOMEM, ET_EXIT_ENVIRONMENT, "libetalon: %s", etalon_strerror(status));
	return place_data(b, err);
}

/* The times are added to the experiment after the sequence: adding them would load the cache. */
static void run_chapter(struct bench *b, struct et_experiment *e)
{
	double ticks[ET_CACHE_EFFECTS_CALLS];

	et_cache_clear(&b->cache);
	ticks[0] = ticks_of(procedure_a, b->small[0]);
	ticks[1] = ticks_of(procedure_a, b->small[1]);
	ticks[2] = ticks_of(procedure_a, b->small[2]);
	ticks[3] = ticks_of(procedure_a, b->small[0]);
	ticks[4] = ticks_of(procedure_b, b->small[0]);
	ticks[5] = ticks_of(procedure_b, b->small[1]);
	for (uint32_t i = 0; i < ET_CACHE_EFFECTS_CALLS; i++)
		et_figure_add(e, et_cache_effects_calls[i].name, 0, 0,
			et_timing_ns(&b->counter, ticks[i]));
}

static void run_sequence(struct bench *b, struct et_experiment *e)
{
	et_cache_clear(&b->cache);
	for (uint32_t i = 0; i < ET_CACHE_EFFECTS_STEPS; i++) {
		bool is_a = *et_cache_effects_steps[i].procedure == 'A';
		uint64_t start = et_counter_start();
		if (is_a)
			read_a(&b->a);
		else
			read_b(&b->b);
		double took = (double)(et_counter_stop() - start);
		et_figure_add(
			e, et_cache_effects_steps[i].name, 0, 0, et_timing_ns(&b->counter, took));
	}
}

static int time_kbest(struct bench *b, struct et_experiment *e,
	const struct et_cache_effects_step *s, struct et_error *err)
{
	bool is_a = *s->procedure == 'A';
	struct etalon_kbest_result result = { 0 };
	struct etalon_kbest_opts opts;

	etalon_kbest_opts_init(&opts, sizeof(opts));
	opts.cache = !strcmp(s->state, "warm")   ? ETALON_CACHE_WARM
		     : !strcmp(s->state, "cold") ? ETALON_CACHE_COLD
						 : ETALON_CACHE_COLD_DATA;
	opts.other_arg = &b->other;
	opts.limit_ns = 2000000000; /* on a busy machine memory times never agree within 0.1 % */
	int rc = et_timing_kbest(is_a ? read_a : read_b, is_a ? &b->a : &b->b, &opts, &result, err);
	if (rc)
		return rc;
	ET_AUTO_FREE char *doubt = et_asprintf("%s-doubt", s->name);
	et_figure_add(e, s->name, 0, 0, result.ns);
	et_figure_add(e, doubt, 0, 0, result.error * result.ns);
	return 0;
}

int et_cache_effects_run(uint32_t runs, const struct et_lab_progress *progress,
	struct et_experiment *e, struct et_error *err)
{
	uint64_t total = runs + ET_CACHE_EFFECTS_KBESTS;
	struct bench b = { 0 };
	bool going = true;
	int rc = prepare(&b, err);

	e->plan.runs = runs;
	for (uint32_t i = 0; rc == 0 && going && i < runs; i++) {
		run_chapter(&b, e);
		run_sequence(&b, e);
		going = et_lab_report_progress(progress, i + 1, total);
	}
	for (uint32_t i = 0; rc == 0 && going && i < ET_CACHE_EFFECTS_KBESTS; i++) {
		rc = time_kbest(&b, e, &et_cache_effects_kbests[i], err);
		going = et_lab_report_progress(progress, runs + i + 1, total);
	}
	et_figure_add(e, "A_bytes", 0, 0, (double)b.a.bytes);
	et_figure_add(e, "B_bytes", 0, 0, (double)b.b.bytes);
	et_figure_add(e, "cleared_bytes", 0, 0, (double)(b.cache.bytes * b.cache.passes));
	et_figure_add(e, "clears", 0, 0, (double)b.cache.clears);
	et_figure_add(e, "failures", 0, 0, (double)b.cache.failures);
	et_cache_release(&b.cache);
	free(b.memory);
	return rc;
}

/* --- reading an experiment --- */

static struct et_cache_effects_times times_of(
	const struct et_experiment *e, const struct et_cache_effects_step *s)
{
	struct et_cache_effects_times t = { 0, NAN, NAN, NAN, s->procedure, s->state };
	ET_AUTO_FREE double *x = et_figure_values(e, s->name, 0, 0, &t.n);

	t.median_ns = et_median(x, t.n);
	if (t.n) {
		t.min_ns = x[0];
		t.max_ns = x[t.n - 1];
	}
	return t;
}

static double number_of(const struct et_experiment *e, const char *name)
{
	double n = et_figure_value(e, name, 0, 0);

	return n >= 0 ? n : NAN;
}

struct et_cache_effects_parts et_cache_effects_solve(const double ns[ET_CACHE_EFFECTS_CALLS])
{
	struct et_cache_effects_parts s = { .c_ns = (ns[3] + ns[5]) / 2 };

	s.d_ns = (ns[1] + ns[2]) / 2 - s.c_ns;
	s.p_ns = ns[4] - s.c_ns;
	s.m_ns = ns[0] - s.c_ns - s.d_ns - s.p_ns;
	return s;
}

int et_cache_effects_read(const struct et_experiment *e, void *result, struct et_error *err)
{
	double medians[ET_CACHE_EFFECTS_CALLS];
	struct et_cache_effects c;

	if (!et_figure_exists(e, et_cache_effects_calls[0].name))
		return et_timing_foreign(e, "cache", err);
	c.a_bytes = number_of(e, "A_bytes");
	c.b_bytes = number_of(e, "B_bytes");
	c.cleared_bytes = number_of(e, "cleared_bytes");
	c.clears = (uint64_t)fmax(number_of(e, "clears"), 0);
	c.failures = (uint64_t)fmax(number_of(e, "failures"), 0);
	for (int i = 0; i < ET_CACHE_EFFECTS_CALLS; i++) {
		c.calls[i] = times_of(e, &et_cache_effects_calls[i]);
		medians[i] = c.calls[i].median_ns;
	}
	c.parts = et_cache_effects_solve(medians);
	for (int i = 0; i < ET_CACHE_EFFECTS_STEPS; i++)
		c.steps[i] = times_of(e, &et_cache_effects_steps[i]);
	for (int i = 0; i < ET_CACHE_EFFECTS_KBESTS; i++) {
		ET_AUTO_FREE char *doubt = et_asprintf("%s-doubt", et_cache_effects_kbests[i].name);
		c.kbest_ns[i] = et_figure_value(e, et_cache_effects_kbests[i].name, 0, 0);
		c.error_ns[i] = et_figure_value(e, doubt, 0, 0);
	}
	*(struct et_cache_effects *)result = c;
	return 0;
}
