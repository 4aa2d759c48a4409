/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measuring half of kbest_accuracy.h. */
#include "base/alloc.h"
#include "base/clock.h"
#include "clock/counter.h"
#include "lab/kbest_accuracy.h"
#include "lab/self_timed.h"
#include "lab/ticks_met.h"
#include "model/experiment/figure.h"
#include "num/line.h"

#include <errno.h>
#include <etalon/etalon.h>
#include <math.h>

/* The number of block times that are kept for the calls of libetalon: 64 MiB. */
static const size_t max_stamps = 16u << 20;

enum {
	PREEMPTED_NS = 1000000, /* a longer interruption is a time slice of another process */
	LEAST_SEEN = 10,        /* timer interrupts */
	COST_NS = 20000000,     /* length of the calls that show what a timer interrupt costs … */
	COST_CALLS = 30,        /* … and their number: 150 interrupts at 250 Hz */
};

struct bench {
	const struct et_kbest_accuracy_options *o;
	struct et_experiment *experiment;
	struct et_counter counter;
	double block_ns;
	struct et_tick_phase phase;
	size_t met, seen; /* timer interrupts, and those that made a call longer */
	double least;     /* the shortest such lengthening, in counter ticks */
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

static uint64_t read_counter(void *ctx)
{
	(void)ctx;
	return et_counter_read();
}

/* The timer interrupts that the recorded call met, which ended when the counter showed stop. */
static double ticks_met(struct bench *b, const struct et_self_timed *f, uint64_t stop)
{
	struct et_anchor now = et_anchor_take(read_counter, NULL, CLOCK_MONOTONIC);
	double end_ns = (double)now.ns - ns_of(b, (double)(int64_t)(now.reading - stop));
	double per_ns = b->counter.hz / 1e9;

	struct et_ticks_met t = et_ticks_met_count(f->ticks, f->blocks,
		et_tick_phase_since(&b->phase, end_ns) * per_ns, b->phase.interval_ns * per_ns,
		PREEMPTED_NS * per_ns);
	b->met += t.met;
	b->seen += t.seen;
	b->least = fmin(b->least, t.least);
	return (double)t.met;
}

/* Times one call with the clocks of the chapter. */
static void time_call(struct bench *b, struct et_self_timed *f, struct et_timed_call *call)
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
	call->ticks_met = ticks_met(b, f, stop);
	f->calls = 0;
}

static void time_calls(
	struct bench *b, struct et_walk *walk, size_t blocks, unsigned load, uint64_t length_ns)
{
	struct et_experiment *e = b->experiment;
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
		et_figure_add(e, "counter", load, length_ns, call.counter_ns);
		et_figure_add(e, "cpu", load, length_ns, call.cpu_ns);
		et_figure_add(e, "gettimeofday", load, length_ns, call.wall_ns);
		et_figure_add(e, "truth", load, length_ns, call.truth_ns);
		et_figure_add(e, "ticks-met", load, length_ns, call.ticks_met);
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
	et_figure_add(b->experiment, "etalon", load, length_ns, result.ns);
	et_figure_add(b->experiment, "converged", load, length_ns, result.converged);
	et_figure_add(b->experiment, "etalon-doubt", load, length_ns, result.error * result.ns);
	et_figure_add(b->experiment, "etalon-truth", load, length_ns, truth);
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
	et_figure_add(b->experiment, "fit", load, length_ns,
		line.intercept + (double)blocks * line.slope);
	et_figure_add(b->experiment, "fit-error", load, length_ns, error);
	time_calls(b, walk, blocks, load, length_ns);
	return walk->stopped ? 0 : time_ours(b, walk, blocks, load, length_ns, err);
}

/* Learns what a timer interrupt costs, before the load starts. */
static void meet_ticks(struct bench *b)
{
	struct et_self_timed f;

	et_self_timed_init(&f, (size_t)fmax(COST_NS / b->block_ns, 1), 1);
	for (int i = 0; i < COST_CALLS; i++) {
		et_self_timed_call(&f);
		ticks_met(b, &f, et_counter_read());
		f.calls = 0;
	}
	et_self_timed_free(&f);
}

/*
 * The smallest cost of all timer interrupts of the experiment, so that never more is subtracted
 * than a call lost. 0 if they are not found where they should be.
 */
static double tick_cost_ns(const struct bench *b)
{
	return b->seen >= LEAST_SEEN && b->seen >= b->met / 4 ? ns_of(b, b->least) : 0;
}

/* The fastest of a number of calls, in ns. */
static double fastest_ns(const struct bench *b, size_t blocks, int calls)
{
	double least = INFINITY;
	struct et_self_timed f;

	et_self_timed_init(&f, blocks, 0);
	for (int i = 0; i < calls; i++) {
		uint64_t start = et_counter_start();
		et_self_timed_call(&f);
		least = fmin(least, (double)(et_counter_stop() - start));
	}
	et_self_timed_free(&f);
	return ns_of(b, least);
}

/* As in the chapter: ten lengths up to a millisecond, a hundred calls of each, without load. */
static void add_line(const struct bench *b)
{
	enum { POINTS = 10, CALLS = 100 };
	size_t unit = (size_t)fmax(1e5 / b->block_ns, 1);
	double x[POINTS], y[POINTS], max_error = 0;
	struct et_experiment *e = b->experiment;
	struct et_line line;

	for (size_t i = 0; i < POINTS; i++) {
		x[i] = (double)((i + 1) * unit);
		y[i] = fastest_ns(b, (i + 1) * unit, CALLS);
	}
	et_line_fit(x, y, POINTS, &line);
	for (int i = 0; i < POINTS; i++)
		max_error = fmax(max_error, fabs((line.intercept + line.slope * x[i]) / y[i] - 1));
	et_figure_add(e, "line_slope_ns", 0, 0, line.slope);
	et_figure_add(e, "line_intercept_ns", 0, 0, line.intercept);
	et_figure_add(e, "line_max_error", 0, 0, max_error);
	et_figure_add(e, "line_r_from", 0, 0, x[0]);
	et_figure_add(e, "line_r_to", 0, 0, x[POINTS - 1]);
}

/* Calibrates the counter, the timer interrupt and the block, before the load starts. */
static int calibrate(struct bench *b, struct et_error *err)
{
	et_counter_identify(&b->counter);
	if (et_counter_calibrate(&b->counter, 200000000))
		return et_fail(err, EOPNOTSUPP, ET_EXIT_ENVIRONMENT,
			"this processor has no counter that a program can read");
	b->block_ns = ns_of(b, et_self_timed_block());
	b->phase = et_tick_phase_find();
	et_figure_add(b->experiment, "timer-interval", 0, 0, b->phase.interval_ns);
	add_line(b);
	meet_ticks(b);
	return 0;
}

int et_kbest_accuracy_run(
	const struct et_kbest_accuracy_options *o, struct et_experiment **out, struct et_error *err)
{
	struct bench b = {
		.o = o, .experiment = et_figures_new("kbest-accuracy"), .least = INFINITY
	};
	int rc = calibrate(&b, err);

	b.experiment->plan.runs = o->grid.runs;
	b.experiment->plan.epsilon = o->epsilon;
	b.experiment->plan.k = o->k;
	if (rc == 0)
		rc = et_grid_walk(
			&o->grid, 2.0 * o->grid.runs, &o->progress, measure_cell, &b, err);
	if (rc) {
		et_experiment_free(b.experiment);
	} else {
		et_figure_add(b.experiment, "timer-cost", 0, 0, tick_cost_ns(&b));
		*out = b.experiment;
	}
	return rc;
}
