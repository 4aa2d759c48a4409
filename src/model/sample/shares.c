/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/sample/shares.h"
#include "base/u64.h"

#include <math.h>

const struct et_share_row et_share_rows[ET_SHARES] = {
	[ET_SHARE_ON_CPU] = { "on CPU", "on_cpu_ns" },
	[ET_SHARE_RUNNABLE] = { "runnable while others ran", "runnable_ns" },
	[ET_SHARE_ASLEEP] = { "asleep or waiting", "asleep_ns" },
	[ET_SHARE_STOLEN] = { "stolen", "stolen_ns" },
	[ET_SHARE_UNEXPLAINED] = { "unexplained", "unexplained_ns" },
};

/* The last switch of a task, when it exits, counts as voluntary, too. */
enum { SWITCHES_OF_EXIT = 1 };

void et_shares_without_ledger(struct et_measured *m)
{
	m->on_cpu_ns = m->runnable_ns = m->asleep_ns = ET_UNKNOWN;
	if (m->cpu_ns == ET_UNKNOWN || m->elapsed_ns == ET_UNKNOWN || m->cpu_ns > m->elapsed_ns)
		return;
	uint64_t rest = m->elapsed_ns - m->cpu_ns;
	m->on_cpu_ns = m->cpu_ns;
	if (m->wait_ns == ET_UNKNOWN)
		return;
	m->runnable_ns = m->wait_ns < rest ? m->wait_ns : rest;
	rest -= m->runnable_ns;
	if (m->steal_ns != ET_UNKNOWN)
		rest = et_minus_u64(rest, m->steal_ns);
	m->asleep_ns = m->voluntary_switches > SWITCHES_OF_EXIT ? rest : 0;
}

static double known(uint64_t ns)
{
	return ns == ET_UNKNOWN ? NAN : (double)ns;
}

void et_sample_shares(const struct et_measured *m, double ns[ET_SHARES])
{
	struct et_measured own = *m;

	if (own.on_cpu_ns == ET_UNKNOWN) /* a record of an older etalon, or of another tool */
		et_shares_without_ledger(&own);
	ns[ET_SHARE_ON_CPU] = known(own.on_cpu_ns);
	ns[ET_SHARE_RUNNABLE] = known(own.runnable_ns);
	ns[ET_SHARE_ASLEEP] = known(own.asleep_ns);
	double rest = known(own.elapsed_ns) - ns[ET_SHARE_ON_CPU];
	for (int i = ET_SHARE_RUNNABLE; i <= ET_SHARE_ASLEEP; i++)
		rest -= isnan(ns[i]) ? 0 : ns[i];
	rest = rest < 0 ? 0 : rest;
	/* Steal is the sum over the CPUs of the program, like its CPU time, and counted in ticks.
	 */
	double part = own.cpu_ns ? ns[ET_SHARE_ON_CPU] / (double)own.cpu_ns : 1;
	double stolen = known(own.steal_ns) * part;
	ns[ET_SHARE_STOLEN] = stolen > rest ? rest : stolen;
	ns[ET_SHARE_UNEXPLAINED] = rest - (isnan(ns[ET_SHARE_STOLEN]) ? 0 : ns[ET_SHARE_STOLEN]);
	if (isnan(rest))
		ns[ET_SHARE_STOLEN] = NAN;
}
