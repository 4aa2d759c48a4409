/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measuring half of kbest_accuracy.h. */
#include "base/alloc.h"
#include "base/clock.h"
#include "clock/counter.h"
#include "clock/timer.h"
#include "lab/kbest_accuracy.h"
#include "lab/lab_series.h"
#include "lab/self_timed.h"
#include "num/line.h"

#include <errno.h>
#include <etalon/etalon.h>
#include <math.h>

/* The number of block times that are kept for the calls of libetalon: 64 MiB. */
static const size_t max_stamps = 16u << 20;

struct bench {
	const struct et_kbest_accuracy_options *o;
	struct et_experiment *experiment;
	struct et_counter counter;
	double block_ns;
};

static double ns_of(const struct bench *b, double ticks)
{
	return ticks / b->counter.hz * 1e9;
}

/* The chapter's truth: a line fitted to the fastest short runs of several lengths. */
static void fit_line(const struct bench *b, struct et_line *line)
{
	enum { POINTS = 5, TRIALS = 12 };
	static const size_t blocks[POINTS] = { 4, 8, 16, 24, 32 };
	double x[POINTS], y[POINTS], sigma[POINTS];

	for (int i = 0; i < POINTS; i++) {
		double least = INFINITY, next = INFINITY;
		struct et_self_timed f;
		et_self_timed_init(&f, blocks[i], 0);
		for (int j = 0; j < TRIALS; j++) {
			uint64_t start = et_counter_start();
			et_self_timed_call(&f);
			double took = (double)(et_counter_stop() - start);
			next = fmin(next, fmax(least, took));
			least = fmin(least, took);
		}
		et_self_timed_free(&f);
		x[i] = (double)blocks[i];
		y[i] = ns_of(b, least);
		/* The distance to the second fastest estimates the uncertainty of the fastest. */
		sigma[i] = fmax(ns_of(b, next - least), 1);
	}
	et_line_fit_weighted(x, y, sigma, POINTS, line);
}

/* The value of gettimeofday(): this clock, truncated to microseconds. */
static uint64_t time_of_day_ns(void)
{
	return et_clock_read_ns(CLOCK_REALTIME) / 1000 * 1000;
}

/* Times one call with the clocks of the chapter. */
static void time_call(const struct bench *b, struct et_self_timed *f, struct et_timed_call *call)
{
	uint64_t cpu = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

	uint64_t before = time_of_day_ns();
	uint64_t start = et_counter_start();
	et_self_timed_call(f);
	uint64_t stop = et_counter_stop();
	uint64_t after = time_of_day_ns();
	call->cpu_ns = (double)(et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
	call->counter_ns = ns_of(b, (double)(stop - start));
	call->wall_ns = (double)after - (double)before;
	call->truth_ns = ns_of(b, et_self_timed_truth(f, 0));
	f->calls = 0;
}

static void time_calls(
	struct bench *b, struct et_walk *walk, size_t blocks, unsigned load, uint64_t length_ns)
{
	struct et_experiment *e = b->experiment;
	uint32_t counter = et_lab_series_add(e, "counter", load, length_ns);
	uint32_t wall = et_lab_series_add(e, "gettimeofday", load, length_ns);
	uint32_t truth = et_lab_series_add(e, "truth", load, length_ns);
	struct et_self_timed f;

	et_self_timed_init(&f, blocks, 1);
	f.cancelled = b->o->progress.cancelled;
	et_self_timed_call(&f); /* warms the cache */
	f.calls = 0;
	for (uint32_t i = 0; i < b->o->grid.runs && !walk->stopped; i++) {
		struct et_timed_call call;
		time_call(b, &f, &call);
		if (!et_walk_advance(walk, (double)length_ns * load))
			break;
		et_lab_series_add_time(e, counter, call.counter_ns, call.cpu_ns);
		et_lab_series_add_time(e, wall, call.wall_ns, NAN);
		et_lab_series_add_time(e, truth, call.truth_ns, NAN);
		b->block_ns = call.truth_ns / (double)blocks;
	}
	et_self_timed_free(&f);
}

/* Measures the same function by libetalon, with a higher time limit than its default. */
static int time_ours(struct bench *b, struct et_walk *walk, size_t blocks, unsigned load,
	uint64_t length_ns, struct et_error *err)
{
	size_t max = max_stamps / blocks;
	struct etalon_kbest_result result = { 0 };
	struct etalon_kbest_opts opts;
	struct et_self_timed f;

	etalon_kbest_opts_init(&opts, sizeof(opts));
	opts.epsilon = b->o->epsilon;
	opts.limit_ns = 30000000000;
	et_self_timed_init(&f, blocks, max < opts.max_samples ? max : opts.max_samples);
	f.cancelled = b->o->progress.cancelled;
	int status = etalon_kbest(et_self_timed_call, &f, &opts, &result, sizeof(result));
	bool finished = et_walk_advance(walk, (double)length_ns * load * b->o->grid.runs);
	double truth = ns_of(b, et_self_timed_shortest(&f));
	et_self_timed_free(&f);
	if (!finished)
		return 0;
	if (status != ETALON_OK && status != ETALON_NOT_CONVERGED)
		return et_fail(
			err, EINVAL, ET_EXIT_ENVIRONMENT, "libetalon: %s", etalon_strerror(status));
	uint32_t series = et_lab_series_add(b->experiment, "etalon", load, length_ns);
	et_lab_series_add_parameter(
		b->experiment, series, "converged", result.converged ? "yes" : "no");
	et_lab_series_add_time(b->experiment, series, result.ns, NAN);
	et_lab_series_add_single(
		b->experiment, "etalon-doubt", load, length_ns, result.error * result.ns);
	et_lab_series_add_single(b->experiment, "etalon-truth", load, length_ns, truth);
	return 0;
}

static int measure_cell(
	void *ctx, struct et_walk *walk, unsigned load, uint64_t length_ns, struct et_error *err)
{
	struct bench *b = ctx;
	double wanted = (double)length_ns / b->block_ns;
	size_t blocks = wanted > 1 ? (size_t)wanted : 1;
	struct et_line line;

	fit_line(b, &line);
	double error = hypot(line.intercept_error, (double)blocks * line.slope_error);
	et_lab_series_add_single(b->experiment, "fit", load, length_ns,
		line.intercept + (double)blocks * line.slope);
	et_lab_series_add_single(b->experiment, "fit-error", load, length_ns, error);
	time_calls(b, walk, blocks, load, length_ns);
	return walk->stopped ? 0 : time_ours(b, walk, blocks, load, length_ns, err);
}

/* Calibrates the counter, the timer interrupt and the block, before the load starts. */
static int calibrate(struct bench *b, struct et_error *err)
{
	struct et_timer timer = { 0 };

	et_counter_identify(&b->counter);
	if (et_counter_calibrate(&b->counter, 200000000))
		return et_fail(err, EOPNOTSUPP, ET_EXIT_ENVIRONMENT,
			"this processor has no counter that a program can read");
	/* Without a tick there is nothing to compensate for. After -EAGAIN the figures are usable.
	 */
	int rc = et_timer_measure(&b->counter, 2000000000, NULL, &timer);
	if (rc && rc != -EAGAIN)
		timer = (struct et_timer){ 0 };
	et_lab_series_add_single(b->experiment, "timer-interval", 0, 0, timer.tick_ns);
	et_lab_series_add_single(b->experiment, "timer-cost", 0, 0, timer.cost_ns);
	b->block_ns = ns_of(b, et_self_timed_block());
	return 0;
}

int et_kbest_accuracy_run(
	const struct et_kbest_accuracy_options *o, struct et_experiment **out, struct et_error *err)
{
	struct bench b = { .o = o, .experiment = et_lab_experiment_new() };
	int rc = calibrate(&b, err);

	b.experiment->plan.runs = o->grid.runs;
	b.experiment->plan.epsilon = o->epsilon;
	if (rc == 0)
		rc = et_grid_walk(
			&o->grid, 2.0 * o->grid.runs, &o->progress, measure_cell, &b, err);
	if (rc)
		et_experiment_free(b.experiment);
	else
		*out = b.experiment;
	return rc;
}
