/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/cache_effects.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "clock/counter.h"
#include "lab/lab_series.h"
#include "lib/cache.h"
#include "num/quantile.h"

#include <errno.h>
#include <etalon/etalon.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, A_BYTES = 16 << 10 };

const struct et_cache_effects_step et_cache_effects_steps[ET_CACHE_EFFECTS_STEPS] = {
	{ "A-1", 'A', "cache cleared" },
	{ "A-2", 'A', "again" },
	{ "A-3", 'A', "again" },
	{ "B-4", 'B', "for the first time" },
	{ "B-5", 'B', "again" },
	{ "A-6", 'A', "after B" },
	{ "A-7", 'A', "again" },
	{ "B-8", 'B', "after A" },
};

const struct et_cache_effects_step et_cache_effects_kbests[ET_CACHE_EFFECTS_KBESTS] = {
	{ "etalon-A-warm", 'A', "warm" },
	{ "etalon-A-cold", 'A', "cold" },
	{ "etalon-B-warm", 'B', "warm" },
	{ "etalon-B-cold", 'B', "cold" },
};

/* --- measuring --- */

struct data {
	const char *start;
	size_t bytes;
};

/* The procedure: reads one byte of each cache line. */
static void read_data(void *ctx)
{
	const struct data *d = ctx;
	uint64_t sum = 0;

	for (size_t i = 0; i < d->bytes; i += LINE)
		sum += *(const volatile char *)(d->start + i);
	__asm__ volatile("" ::"r"(sum));
}

struct bench {
	struct et_counter counter;
	struct data a, b;
	char *memory; /* the data of A and of B */
	struct et_cache cache;
};

static struct data *data_of(struct bench *b, char procedure)
{
	return procedure == 'A' ? &b->a : &b->b;
}

static int prepare(struct bench *b, struct et_error *err)
{
	struct etalon_kbest_opts opts;
	unsigned warnings = 0;

	et_counter_identify(&b->counter);
	if (et_counter_calibrate(&b->counter, 100000000))
		return et_fail(err, EOPNOTSUPP, ET_EXIT_ENVIRONMENT,
			"this processor has no counter that a program can read");
	etalon_kbest_opts_init(&opts, sizeof(opts));
	opts.cache = ETALON_CACHE_COLD;
	int status = et_cache_prepare(&b->cache, NULL, &opts, &warnings);
	if (status)
		return et_fail(
			err, ENOMEM, ET_EXIT_ENVIRONMENT, "libetalon: %s", etalon_strerror(status));
	b->a.bytes = A_BYTES;
	b->b.bytes = b->cache.bytes / 8;
	b->memory = malloc(A_BYTES + b->b.bytes);
	if (!b->memory)
		return et_fail_errno(err, ENOMEM, ET_EXIT_ENVIRONMENT, "cannot allocate the data");
	memset(b->memory, 1, A_BYTES + b->b.bytes);
	b->a.start = b->memory;
	b->b.start = b->a.start + A_BYTES;
	return 0;
}

static void run_sequence(struct bench *b, struct et_experiment *e)
{
	et_cache_clear(&b->cache);
	for (uint32_t i = 0; i < ET_CACHE_EFFECTS_STEPS; i++) {
		struct data *d = data_of(b, et_cache_effects_steps[i].procedure);
		uint64_t start = et_counter_start();
		read_data(d);
		double took = (double)(et_counter_stop() - start);
		et_lab_series_add_time(e, i, took / b->counter.hz * 1e9, NAN);
	}
}

static int time_kbest(struct bench *b, struct et_experiment *e,
	const struct et_cache_effects_step *s, struct et_error *err)
{
	struct etalon_kbest_result result = { 0 };
	struct etalon_kbest_opts opts;

	etalon_kbest_opts_init(&opts, sizeof(opts));
	opts.cache = strcmp(s->state, "cold") ? ETALON_CACHE_WARM : ETALON_CACHE_COLD;
	opts.limit_ns = 2000000000; /* on a busy machine memory times never agree within 0.1 % */
	int status =
		etalon_kbest(read_data, data_of(b, s->procedure), &opts, &result, sizeof(result));
	if (status != ETALON_OK && status != ETALON_NOT_CONVERGED)
		return et_fail(
			err, EINVAL, ET_EXIT_ENVIRONMENT, "libetalon: %s", etalon_strerror(status));
	ET_AUTO_FREE char *doubt = et_asprintf("%s-doubt", s->name);
	et_lab_series_add_single(e, s->name, 0, 0, result.ns);
	/* The experiment holds whole nanoseconds, so no value in it is more exact than 1 ns. */
	et_lab_series_add_single(e, doubt, 0, 0, fmax(result.error * result.ns, 1));
	return 0;
}

/* The sizes are stored as parameters of the first series. */
static void add_size(struct et_experiment *e, const char *of, size_t bytes)
{
	ET_AUTO_FREE char *text = et_asprintf("%zu", bytes);
	ET_AUTO_FREE char *name = et_asprintf("%s_bytes", of);

	et_lab_series_add_parameter(e, 0, name, text);
}

int et_cache_effects_run(
	const struct et_cache_effects_options *o, struct et_experiment **out, struct et_error *err)
{
	struct et_experiment *e = et_lab_experiment_new();
	uint64_t total = o->runs + ET_CACHE_EFFECTS_KBESTS;
	struct bench b = { 0 };
	bool going = true;
	int rc = prepare(&b, err);

	for (int i = 0; i < ET_CACHE_EFFECTS_STEPS; i++)
		et_lab_series_add(e, et_cache_effects_steps[i].name, 0, 0);
	e->plan.runs = o->runs;
	for (uint32_t i = 0; rc == 0 && going && i < o->runs; i++) {
		run_sequence(&b, e);
		going = et_lab_report_progress(&o->progress, i + 1, total);
	}
	for (uint32_t i = 0; rc == 0 && going && i < ET_CACHE_EFFECTS_KBESTS; i++) {
		rc = time_kbest(&b, e, &et_cache_effects_kbests[i], err);
		going = et_lab_report_progress(&o->progress, o->runs + i + 1, total);
	}
	size_t cleared = b.cache.bytes * b.cache.passes;
	et_cache_release(&b.cache);
	free(b.memory);
	if (rc) {
		et_experiment_free(e);
	} else {
		add_size(e, "A", b.a.bytes);
		add_size(e, "B", b.b.bytes);
		add_size(e, "cleared", cleared);
		*out = e;
	}
	return rc;
}

/* --- reading an experiment --- */

static struct et_cache_effects_times times_of(const struct et_command *c)
{
	struct et_cache_effects_times t = { 0, NAN, NAN, NAN };

	if (!c)
		return t;
	ET_AUTO_FREE double *x = et_command_values(c, ET_METRIC_ELAPSED, ET_SOLO, &t.n);
	et_sort(x, t.n);
	t.median_ns = et_median_sorted(x, t.n);
	if (t.n) {
		t.min_ns = x[0];
		t.max_ns = x[t.n - 1];
	}
	return t;
}

static double size_of(const struct et_command *c, const char *name)
{
	const char *text = et_lab_series_parameter(c, name);
	double bytes;

	return text && et_parse_double(name, text, &bytes, NULL) == 0 && bytes > 0 ? bytes : NAN;
}

int et_cache_effects_read(
	const struct et_experiment *e, struct et_cache_effects *out, struct et_error *err)
{
	const struct et_command *first =
		et_lab_series_find(e, et_cache_effects_steps[0].name, 0, 0);
	struct et_cache_effects c;

	if (!first)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"experiment %s was not made by etalon lab cache", e->id);
	c.a_bytes = size_of(first, "A_bytes");
	c.b_bytes = size_of(first, "B_bytes");
	c.cleared_bytes = size_of(first, "cleared_bytes");
	for (int i = 0; i < ET_CACHE_EFFECTS_STEPS; i++)
		c.steps[i] = times_of(et_lab_series_find(e, et_cache_effects_steps[i].name, 0, 0));
	for (int i = 0; i < ET_CACHE_EFFECTS_KBESTS; i++) {
		ET_AUTO_FREE char *doubt = et_asprintf("%s-doubt", et_cache_effects_kbests[i].name);
		c.kbest_ns[i] = et_lab_series_value(e, et_cache_effects_kbests[i].name, 0, 0);
		c.error_ns[i] = et_lab_series_value(e, doubt, 0, 0);
	}
	*out = c;
	return 0;
}
