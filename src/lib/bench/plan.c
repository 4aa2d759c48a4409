/* SPDX-License-Identifier: MIT */
#include "lib/bench/plan.h"

#include <math.h>

enum {
	USUAL_PROCESSES = 10,
	LEAST_VALUES = 5, /* of a function that is longer than its share */
	/* A slice of fewer samples would mostly consist of what is done before the first. */
	FEW_SAMPLES = 3,
	SHRINKS = 40,
	MOST_PROCESSES = 1000,
};

static const double CASE_NS = 700e6;
static const double PAIRED_CASE_NS = 4e9, PAIRED_NS = 12e9; /* of a case, and of all of them */
static const double SHRINK = 0.8; /* of the time per case, until all fits */

static unsigned times(const struct et_plan_request *q)
{
	return q->repetitions ? q->repetitions : 1;
}

/* How many slices a process and its partner take of a case. */
static double slices_of(const struct et_plan_request *q, const struct et_plan_case *c)
{
	return (q->pairs ? 2.0 : 1.0) * c->slices;
}

static unsigned between(double x, unsigned lo, unsigned hi)
{
	if (!(x > lo))
		return lo;
	return x < hi ? (unsigned)x : hi;
}

/* Plans one case that may take budget_ns, over at most `processes`. */
static struct et_plan_case plan_case(const struct et_plan_request *q, double sample_ns,
	double budget_ns, unsigned processes, unsigned least)
{
	/* Short slices of a pair are taken in the order new, old, old, new. */
	struct et_plan_case c = { .processes = processes, .slices = q->pairs ? 2 : 1 };

	if (isnan(sample_ns))
		return (struct et_plan_case){ 0 };
	double limit_ns = q->case_limit_ns * times(q);
	budget_ns = fmin(budget_ns, limit_ns);
	c.duration_ns = budget_ns / processes / slices_of(q, &c);
	if (FEW_SAMPLES * sample_ns <= c.duration_ns)
		return c;
	/* One sample per process, in as many processes as there is time for. */
	c.slices = 1;
	c.duration_ns = 0;
	if (!q->processes) {
		double value_ns = sample_ns * slices_of(q, &c);

		c.processes = between(budget_ns / value_ns, least, 2 * processes);
		if (c.processes * value_ns > limit_ns)
			c.processes = between(limit_ns / value_ns, 1, c.processes);
	}
	return c;
}

/* Plans all cases with a part of the time that they should have. */
static void plan_all(const struct et_plan_request *q, double scale, unsigned processes,
	struct et_bench_plan *out)
{
	unsigned least = scale < 1 ? 1 : LEAST_VALUES * times(q);

	out->processes = 1;
	out->total_ns = 0;
	least = least < processes ? least : processes;
	for (size_t i = 0; i < q->n; i++) {
		struct et_plan_case *c = &out->cases[i];

		*c = plan_case(q, q->sample_ns[i], q->case_ns * times(q) * scale, processes, least);
		if (c->processes > out->processes)
			out->processes = c->processes;
		if (c->processes)
			out->total_ns += c->processes * slices_of(q, c) *
					 fmax(c->duration_ns, q->sample_ns[i]);
	}
	out->total_ns += (out->processes - 1) * q->start_ns * (q->pairs ? 2 : 1);
}

/* More time gives more processes, not longer slices, for the interval; starting them takes time. */
static double processes_of(const struct et_plan_request *q)
{
	double case_ns = fmin(q->case_ns, q->case_limit_ns);
	double n = USUAL_PROCESSES * case_ns / et_plan_case_ns(q->n, q->pairs);
	double starts = (double)q->n * case_ns / fmax(q->start_ns, 1);

	return fmax(fmin(fmin(n, starts), MOST_PROCESSES), USUAL_PROCESSES);
}

void et_plan_make(const struct et_plan_request *q, struct et_bench_plan *out)
{
	unsigned processes = (q->processes ? q->processes : (unsigned)processes_of(q)) * times(q);
	double scale = 1;

	plan_all(q, scale, processes, out);
	for (int i = 0; i < SHRINKS && out->total_ns > q->left_ns; i++) {
		/* At most half of the time may go into starting processes. */
		if (!q->processes && processes * q->start_ns > q->left_ns / 2)
			processes = processes > 1 ? processes - 1 : 1;
		scale *= SHRINK;
		plan_all(q, scale, processes, out);
	}
}

double et_plan_case_ns(size_t n, bool pairs)
{
	if (!pairs)
		return CASE_NS;
	return fmin(fmax(PAIRED_NS / (double)n, 2 * CASE_NS), PAIRED_CASE_NS);
}

double et_plan_usual_ns(size_t n, double case_ns, bool pairs)
{
	return fmin(case_ns, et_plan_case_ns(n, pairs)) / USUAL_PROCESSES / (pairs ? 4 : 1);
}

bool et_plan_takes(const struct et_bench_plan *p, size_t which, unsigned i)
{
	size_t part = p->cases[which].processes;

	return i * part % p->processes < part;
}
