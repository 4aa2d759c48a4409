/* SPDX-License-Identifier: MIT */
/* The time of a benchmark program is divided among its cases and processes. */
#include "lib/bench/plan.h"
#include "tap.h"

#include <math.h>

enum { CASES = 4 };

static const double MS = 1e6;

static struct et_plan_request usual(const double *sample_ns, size_t n)
{
	return (struct et_plan_request){
		.sample_ns = sample_ns,
		.n = n,
		.case_ns = 700 * MS,
		.case_limit_ns = 10e9,
		.left_ns = INFINITY,
		.start_ns = 10 * MS,
	};
}

static unsigned takers(const struct et_bench_plan *p, size_t which)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->processes; i++)
		n += et_plan_takes(p, which, i);
	return n;
}

static void defaults(void)
{
	const double samples[CASES] = { 0.02 * MS, 100 * MS, 500 * MS, 30 * MS };
	struct et_plan_case cases[CASES] = { 0 };
	struct et_bench_plan p = { .cases = cases };
	struct et_plan_request q = usual(samples, CASES);

	et_plan_make(&q, &p);
	ok(cases[0].processes == 10 && cases[0].slices == 1, "plan: a slice in each of them");
	near(cases[0].duration_ns, 70 * MS, 1e-9, 0, "plan: a tenth of the time each");
	ok(cases[1].processes == 7 && cases[1].duration_ns == 0,
		"plan: 100 ms are longer than a tenth: one sample in each of seven processes");
	ok(cases[2].processes == 5, "plan: 0.5 s has five values although that takes longer");
	ok(cases[3].processes == 20 && cases[3].duration_ns == 0,
		"plan: 30 ms are almost half a slice: one sample in each of twenty processes");
	/* 700 + 7 x 100 + 5 x 500 + 20 x 30 + 19 further processes */
	near(p.total_ns, (700 + 700 + 2500 + 600 + 190) * MS, 1e-9, 0,
		"plan: the total is predicted");
	ok(takers(&p, 0) == 10 && takers(&p, 1) == 7 && takers(&p, 2) == 5 && takers(&p, 3) == 20,
		"plan: as many processes take part as planned");
	q.n = 1;
	et_plan_make(&q, &p);
	ok(p.processes == 10, "plan: ten processes");
	near(et_plan_usual_ns(1, 700 * MS, false), cases[0].duration_ns, 1e-9, 0,
		"plan: the usual slice is the planned one");
	ok(et_plan_takes(&p, 2, 0), "plan: the first process takes part");
	q.case_ns = 5000 * MS;
	et_plan_make(&q, &p);
	ok(p.processes == 71, "plan: more time gives more processes");
	near(cases[0].duration_ns, 5000 * MS / 71, 1e-9, 0, "plan: and no longer slices");
	near(et_plan_usual_ns(1, 5000 * MS, false), 70 * MS, 1e-9, 0,
		"plan: so that samples are not longer");
	q.start_ns = 200 * MS;
	et_plan_make(&q, &p);
	ok(p.processes == 25, "plan: starting them takes at most as long as the slices");
	q.processes = 4;
	et_plan_make(&q, &p);
	ok(p.processes == 4, "plan: the user's number holds");
}

static void limits(void)
{
	const double samples[CASES] = { 0.02 * MS, 3000 * MS, NAN, NAN };
	struct et_plan_case cases[CASES] = { 0 };
	struct et_bench_plan p = { .cases = cases };
	struct et_plan_request q = usual(samples, CASES);

	et_plan_make(&q, &p);
	ok(cases[1].processes == 3, "limits: 3 s fit into 10 s three times");
	ok(cases[2].processes == 0 && takers(&p, 2) == 0, "limits: a failed case takes no time");
	q.left_ns = 4000 * MS;
	et_plan_make(&q, &p);
	ok(p.total_ns <= q.left_ns && cases[1].processes == 1,
		"limits: the whole program ends in time, with one sample at least");
	q.left_ns = 1;
	et_plan_make(&q, &p);
	ok(cases[0].processes >= 1 && cases[1].processes == 1,
		"limits: without any time there is one sample");
	q = usual(samples, 1);
	q.left_ns = 100 * MS;
	et_plan_make(&q, &p);
	ok(p.total_ns <= q.left_ns && p.processes >= 4,
		"limits: a tenth of a second is still divided among processes");
}

static void wishes(void)
{
	const double samples[2] = { 0.02 * MS, 500 * MS };
	struct et_plan_case cases[2] = { 0 };
	struct et_bench_plan p = { .cases = cases };
	struct et_plan_request q = usual(samples, 2);

	q.processes = 3;
	et_plan_make(&q, &p);
	ok(p.processes == 3 && cases[1].processes == 3, "wishes: three processes");
	q.repetitions = 4;
	et_plan_make(&q, &p);
	ok(p.processes == 12, "wishes: four repetitions have four times as many");
	near(cases[0].duration_ns, 700 * MS / 3, 1e-9, 0, "wishes: and take four times as long");
	ok(et_plan_case_ns(9, false) == 700 * MS, "wishes: 0.7 s per case unless asked for more");
	ok(et_plan_case_ns(1, true) == 4000 * MS && et_plan_case_ns(6, true) == 2000 * MS &&
			et_plan_case_ns(1000, true) == 1400 * MS,
		"pairs: 4 s for one case, twice the usual time for many");
	q = usual(samples, 2);
	q.pairs = true;
	q.case_ns = 4000 * MS;
	et_plan_make(&q, &p);
	ok(cases[0].slices == 2 && cases[1].slices == 1,
		"pairs: two slices of each program, one of a long function");
	near(cases[0].duration_ns, 100 * MS, 1e-9, 0, "pairs: four slices share a process's time");
	ok(cases[1].processes == 5, "pairs: both programs take their time");
}

int main(void)
{
	defaults();
	limits();
	wishes();
	return tap_done();
}
