/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shares of the elapsed time: with a ledger, from the kernel's sums, and unknown ones. */
#include "model/experiment/field.h"
#include "model/sample/sample.h"
#include "tap.h"

#include <math.h>

static struct et_measured measured(uint64_t elapsed_ns, uint64_t cpu_ns)
{
	struct et_sample s = { 0 };

	et_fields_set_missing(et_sample_fields, &s);
	s.measured.elapsed_ns = elapsed_ns;
	s.measured.cpu_ns = cpu_ns;
	return s.measured;
}

static bool equal(const double *ns, double on_cpu, double runnable, double asleep, double stolen,
	double unexplained)
{
	const double want[ET_SHARES] = { on_cpu, runnable, asleep, stolen, unexplained };
	bool same = true;

	for (int i = 0; i < ET_SHARES; i++)
		same = same && (isnan(want[i]) ? isnan(ns[i]) : fabs(ns[i] - want[i]) < 1e-9);
	return same;
}

static void by_ledger(void)
{
	struct et_measured m = measured(1000, 500);
	double ns[ET_SHARES];

	m.on_cpu_ns = 500;
	m.runnable_ns = 200;
	m.asleep_ns = 150;
	m.steal_ns = 100;
	m.wait_ns = 900; /* the ledger knows better */
	et_sample_shares(&m, ns);
	ok(equal(ns, 500, 200, 150, 100, 50), "ledger: the shares add up to the elapsed time");
	m.cpu_ns = 1000;
	et_sample_shares(&m, ns);
	ok(equal(ns, 500, 200, 150, 50, 100),
		"ledger: time stolen from parallel tasks counts in proportion to time on CPU");
	m.steal_ns = ET_UNKNOWN;
	et_sample_shares(&m, ns);
	ok(equal(ns, 500, 200, 150, NAN, 150), "ledger: unknown steal is part of the unexplained");
}

static void by_sums(void)
{
	struct et_measured m = measured(1000, 500);
	double ns[ET_SHARES];

	m.wait_ns = 200;
	m.steal_ns = 100;
	m.voluntary_switches = 2;
	et_sample_shares(&m, ns);
	ok(equal(ns, 500, 200, 200, 100, 0), "sums: the rest of a program that slept is sleep");
	m.voluntary_switches = 1;
	et_sample_shares(&m, ns);
	ok(equal(ns, 500, 200, 0, 100, 200),
		"sums: the rest of a program that never slept is unexplained");
	m.voluntary_switches = ET_UNKNOWN;
	et_sample_shares(&m, ns);
	ok(equal(ns, 500, 200, 200, 100, 0), "sums: without a count of switches it may have slept");
	m.wait_ns = 700;
	et_sample_shares(&m, ns);
	ok(equal(ns, 500, 500, 0, 0, 0), "sums: tasks that waited at the same time count once");
	m.wait_ns = ET_UNKNOWN;
	et_sample_shares(&m, ns);
	ok(equal(ns, 500, NAN, NAN, 100, 400),
		"sums: without scheduler statistics the rest is unexplained");
	m.steal_ns = ET_UNKNOWN;
	et_sample_shares(&m, ns);
	ok(equal(ns, 500, NAN, NAN, NAN, 500), "sums: unknown steal is part of the unexplained");
}

static void unknown(void)
{
	struct et_measured m = measured(1000, 1001);
	double ns[ET_SHARES];

	m.wait_ns = m.steal_ns = 0;
	et_sample_shares(&m, ns);
	ok(equal(ns, NAN, NAN, NAN, NAN, NAN), "parallel tasks without a ledger: nothing is known");
	m.cpu_ns = ET_UNKNOWN;
	et_sample_shares(&m, ns);
	ok(equal(ns, NAN, NAN, NAN, NAN, NAN), "without CPU time: nothing is known");
	m = measured(1000, 0);
	m.wait_ns = m.steal_ns = 0;
	et_sample_shares(&m, ns);
	ok(equal(ns, 0, 0, 1000, 0, 0), "no CPU time at all: the program slept");
}

int main(void)
{
	by_ledger();
	by_sums();
	unknown();
	return tap_done();
}
