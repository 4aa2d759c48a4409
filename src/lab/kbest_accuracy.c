/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/kbest_accuracy.h"
#include "base/clock.h"
#include "lab/self_timed.h"
#include "num/kbest.h"
#include "num/line.h"

const char *const et_timed_by_names[] = { "counter", "gettimeofday", NULL };

struct et_scheme_result et_scheme_judge(const struct et_scheme *s, const struct et_accuracy_cell *c,
	const struct et_kbest_accuracy *a)
{
	struct et_scheme_result v = { .scheme = *s, .ns = NAN, .truth_ns = NAN, .error = NAN };
	struct et_kbest_set set;

	et_kbest_set_init(&set, s->k);
	while (set.n < c->n_calls && !et_kbest_converged(&set, a->epsilon)) {
		const struct et_timed_call *call = &c->calls[set.n];
		double ns = s->by == ET_TIMED_COUNTER ? call->counter_ns : call->wall_ns;
		if (s->compensated && a->cost_ns > 0)
			ns = fmax(0, ns - call->ticks_met * a->cost_ns);
		et_kbest_set_add(&set, ns, call->truth_ns);
	}
	v.converged = et_kbest_converged(&set, a->epsilon);
	v.calls = set.n;
	v.predicted = et_kbest_spread(&set);
	if (set.n) {
		v.ns = set.value[0];
		v.truth_ns = set.mark[0];
		v.error = v.ns / v.truth_ns - 1;
	}
	return v;
}

double et_accuracy_share(const struct et_kbest_accuracy *a, unsigned load)
{
	double cpu = 0, elapsed = 0;

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		for (size_t j = 0; c->load == load && j < c->n_calls; j++) {
			cpu += c->calls[j].cpu_ns;
			elapsed += c->calls[j].counter_ns;
		}
	}
	return elapsed > 0 ? cpu / elapsed : NAN;
}

/* --- reading an experiment --- */

/* The values of a series of the cell: at most n, and NaN for those that it lacks. */
static double *read_series(
	const struct et_experiment *e, const struct et_accuracy_cell *c, const char *name, size_t n)
{
	size_t have;
	double *x = et_figure_values(e, name, c->load, c->length_ns, &have);

	x = et_realloc(x, n + 1, sizeof(*x));
	for (size_t i = have; i < n; i++)
		x[i] = NAN;
	return x;
}

static void read_cell(const struct et_experiment *e, struct et_accuracy_cell *c)
{
	size_t n;
	ET_AUTO_FREE double *counter = et_figure_values(e, "counter", c->load, c->length_ns, &n);
	ET_AUTO_FREE double *wall = read_series(e, c, "gettimeofday", n);
	ET_AUTO_FREE double *cpu = read_series(e, c, "cpu", n);
	ET_AUTO_FREE double *truth = read_series(e, c, "truth", n);
	ET_AUTO_FREE double *met = read_series(e, c, "ticks-met", n);

	c->calls = et_calloc(n, sizeof(*c->calls));
	for (size_t i = 0; i < n; i++) {
		struct et_timed_call call = { .counter_ns = counter[i],
			.wall_ns = wall[i],
			.cpu_ns = cpu[i],
			.truth_ns = truth[i],
			.ticks_met = fmax(met[i], 0) };
		if (call.cpu_ns >= 0 && call.counter_ns >= 0 && call.wall_ns >= 0 &&
			call.truth_ns > 0)
			c->calls[c->n_calls++] = call;
	}
	c->fit_ns = et_figure_value(e, "fit", c->load, c->length_ns);
	c->fit_error_ns = et_figure_value(e, "fit-error", c->load, c->length_ns);
	c->ours_ns = et_figure_value(e, "etalon", c->load, c->length_ns);
	c->ours_error_ns = et_figure_value(e, "etalon-doubt", c->load, c->length_ns);
	c->ours_truth_ns = et_figure_value(e, "etalon-truth", c->load, c->length_ns);
	c->ours_converged = et_figure_value(e, "converged", c->load, c->length_ns) > 0;
}

/* The figures of a cell follow each other. */
static void read_cells(const struct et_experiment *e, struct et_kbest_accuracy *a)
{
	const struct et_accuracy_cell *last = NULL;
	size_t room = 0;

	for (const struct et_figure *f = NULL; (f = et_figure_next(e, "counter", f));) {
		if (last && last->load == f->load && last->length_ns == f->length_ns)
			continue;
		ET_GROW(a->cells, a->n_cells, room);
		struct et_accuracy_cell *c = &a->cells[a->n_cells++];
		*c = (struct et_accuracy_cell){ .load = f->load, .length_ns = f->length_ns };
		read_cell(e, c);
		last = c;
	}
}

int et_kbest_accuracy_read(
	const struct et_experiment *e, struct et_kbest_accuracy *out, struct et_error *err)
{
	struct et_kbest_accuracy a = { .epsilon = e->plan.epsilon,
		.k = e->plan.k >= 1 && e->plan.k <= ET_ACCURACY_MAX_K ? e->plan.k : 3 };

	a.tick_ns = et_figure_value(e, "timer-interval", 0, 0);
	a.cost_ns = et_figure_value(e, "timer-cost", 0, 0);
	if (isnan(a.tick_ns) || isnan(a.cost_ns))
		return et_timing_foreign(e, "kbest-accuracy", err);
	a.line = (struct et_accuracy_line){
		.slope_ns = et_figure_value(e, "line_slope_ns", 0, 0),
		.intercept_ns = et_figure_value(e, "line_intercept_ns", 0, 0),
		.max_error = et_figure_value(e, "line_max_error", 0, 0),
		.r_from = et_figure_value(e, "line_r_from", 0, 0),
		.r_to = et_figure_value(e, "line_r_to", 0, 0),
	};
	read_cells(e, &a);
	*out = a;
	return 0;
}

void et_kbest_accuracy_free(void *result)
{
	struct et_kbest_accuracy *a = result;

	for (size_t i = 0; i < a->n_cells; i++)
		free(a->cells[i].calls);
	free(a->cells);
	*a = (struct et_kbest_accuracy){ 0 };
}

/* --- measuring --- */

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

/* Returns the time of the fastest call, and fills that of the second fastest. */
static double fastest_ns(const struct bench *b, size_t blocks, int calls, double *second)
{
	double least = INFINITY, next = INFINITY;
	struct et_self_timed f;

	et_self_timed_init(&f, blocks, 0);
	for (int i = 0; i < calls; i++) {
		uint64_t start = et_counter_start();
		et_self_timed_call(&f);
		double took = (double)(et_counter_stop() - start);
		next = fmin(next, fmax(least, took));
		least = fmin(least, took);
	}
	et_self_timed_free(&f);
	*second = et_timing_ns(&b->counter, next);
	return et_timing_ns(&b->counter, least);
}

/* The chapter's truth: a line fitted to the fastest short runs of several lengths. */
static void fit_line(const struct bench *b, struct et_line *line)
{
	enum { POINTS = 5, TRIALS = 12 };
	static const size_t blocks[POINTS] = { 4, 8, 16, 24, 32 };
	double x[POINTS], y[POINTS], sigma[POINTS], next;

	for (int i = 0; i < POINTS; i++) {
		x[i] = (double)blocks[i];
		y[i] = fastest_ns(b, blocks[i], TRIALS, &next);
		/* The distance to the second fastest estimates the uncertainty of the fastest. */
		sigma[i] = fmax(next - y[i], 1);
	}
	et_line_fit_weighted(x, y, sigma, POINTS, line);
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
	double end_ns =
		(double)now.ns - et_timing_ns(&b->counter, (double)(int64_t)(now.reading - stop));
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

	uint64_t before = et_clock_read_ns(CLOCK_REALTIME) / 1000;
	uint64_t start = et_counter_start();
	et_self_timed_call(f);
	uint64_t stop = et_counter_stop();
	uint64_t after = et_clock_read_ns(CLOCK_REALTIME) / 1000;
	call->cpu_ns = (double)(et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
	call->counter_ns = et_timing_ns(&b->counter, (double)(stop - start));
	/* gettimeofday() has the value of this clock, truncated to microseconds. */
	call->wall_ns = 1000 * ((double)after - (double)before);
	call->truth_ns = et_timing_ns(&b->counter, et_self_timed_truth(f, 0));
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
	int rc = et_timing_kbest(et_self_timed_call, &f, &opts, &result, err);
	bool finished = et_walk_advance(walk, (double)length_ns * load * b->o->grid.runs);
	double truth = et_timing_ns(&b->counter, et_self_timed_shortest(&f));
	et_self_timed_free(&f);
	if (rc || !finished)
		return finished ? rc : 0;
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

/* As in the chapter: ten lengths up to a millisecond, a hundred calls of each, without load. */
static void add_line(const struct bench *b)
{
	enum { POINTS = 10, CALLS = 100 };
	size_t unit = (size_t)fmax(1e5 / b->block_ns, 1);
	double x[POINTS], y[POINTS], next, max_error = 0;
	struct et_experiment *e = b->experiment;
	struct et_line line;

	for (size_t i = 0; i < POINTS; i++) {
		x[i] = (double)((i + 1) * unit);
		y[i] = fastest_ns(b, (i + 1) * unit, CALLS, &next);
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
	int rc = et_timing_calibrate(&b->counter, 200000000, err);

	if (rc)
		return rc;
	b->block_ns = et_timing_ns(&b->counter, et_self_timed_block());
	b->phase = et_tick_phase_find();
	et_figure_add(b->experiment, "timer-interval", 0, 0, b->phase.interval_ns);
	add_line(b);
	meet_ticks(b);
	return 0;
}

int et_kbest_accuracy_run(
	const struct et_kbest_accuracy_options *o, struct et_experiment *e, struct et_error *err)
{
	struct bench b = { .o = o, .experiment = e, .least = INFINITY };
	int rc = calibrate(&b, err);

	e->plan.runs = o->grid.runs;
	e->plan.epsilon = o->epsilon;
	e->plan.k = o->k;
	if (rc == 0)
		rc = et_grid_walk(
			&o->grid, 2.0 * o->grid.runs, &o->progress, measure_cell, &b, err);
	/* The least cost, so that never more is subtracted than was lost; 0: not where expected. */
	bool found = b.seen >= LEAST_SEEN && b.seen >= b.met / 4;
	et_figure_add(e, "timer-cost", 0, 0, found ? et_timing_ns(&b.counter, b.least) : 0);
	return rc;
}
