/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/sample_of_run.h"
#include "base/clock.h"
#include "base/u64.h"
#include "model/experiment/field.h"
#include "model/sample/sample.h"

#include <sys/wait.h>

/*
 * wait4() cuts user and system time to whole microseconds (ns_to_kernel_old_timeval), so their sum
 * is less than 2 µs short. A difference of up to twice that is no descendant: fork() alone takes
 * longer.
 */
static const uint64_t RUSAGE_ROUNDING_NS = 4000;

/*
 * A program left its control group (a login, a container) if wait4() reports more CPU time than the
 * group counted. The two are not read at the same instant, version 2 counts in microseconds, and
 * etalon's own time is subtracted, so small differences mean nothing. The values are our choice.
 */
static const uint64_t ESCAPED_NS = 2000000;
enum { ESCAPED_ONE_IN = 50 };

/*
 * The run delay of a process's first thread stands for the whole program if that process used all
 * but 5 % and 1 ms of the program's CPU time. Otherwise other processes did much of the work, and
 * nothing is known about their delays. The values are our choice.
 */
static const uint64_t ONE_PROCESS_NS = 1000000;
enum { ONE_PROCESS_ONE_IN = 20 };

/*
 * The kernel reports an end some microseconds before the last stretch of the task is over, so CPU
 * time may exceed elapsed time by that. A larger excess comes from a second task that ran in
 * parallel: the bound is low where exit records do not show that there was one task only. The
 * values are our choice.
 */
static const uint64_t LAST_STRETCH_NS = 200000, LAST_STRETCH_SURELY_NS = 20000;

/* CPU time by wait4(): the child, the descendants that it waited for, and orphans. */
static uint64_t waited_cpu_ns(const struct et_readings *r)
{
	const struct et_reap_result *e = &r->end;
	uint64_t waited = et_timeval_ns(e->usage.ru_utime) + et_timeval_ns(e->usage.ru_stime);

	/* Without descendants the CPU clock of the process is more precise. */
	if (e->cpu_ns != ET_UNKNOWN && waited < e->cpu_ns + RUSAGE_ROUNDING_NS)
		waited = e->cpu_ns;
	return et_minus_u64(waited, r->start.own_cpu_ns) + e->orphan_cpu_ns;
}

/* CPU time of the whole process tree since t0. */
static void fill_cpu_time(const struct et_readings *r, struct et_sample *s)
{
	struct et_measured *m = &s->measured;
	uint64_t waited = waited_cpu_ns(r);

	m->cpu_ns = waited;
	m->cpu_source = ET_CPU_BY_WAIT4;
	if (r->group_source == ET_CPU_BY_WAIT4 || r->group_cpu_ns == ET_UNKNOWN ||
		r->start.usage_ns == ET_UNKNOWN)
		return;
	uint64_t used = et_minus_u64(r->group_cpu_ns, r->start.usage_ns);
	if (r->group_has_etalon)
		used = et_minus_u64(used, et_minus_u64(r->etalon_cpu_ns, r->start.parent_cpu_ns));
	if (used + used / ESCAPED_ONE_IN + ESCAPED_NS < waited) {
		s->ruling.marks |= ET_MARK_ESCAPED;
		return;
	}
	m->cpu_ns = used;
	m->cpu_source = r->group_source;
}

static void fill_delays(const struct et_readings *r, struct et_measured *m)
{
	const struct et_reap_result *e = &r->end;
	uint64_t before_ns = r->start.run_delay_ns;

	if (r->tree.tasks) {
		m->wait_ns = et_minus_u64(r->tree.run_ns, before_ns);
		if (r->block_delays)
			m->blocked_ns = r->tree.block_ns;
	} else if (e->run_delay_ns != ET_UNKNOWN && e->cpu_ns != ET_UNKNOWN &&
		   m->cpu_ns <= e->cpu_ns + e->cpu_ns / ONE_PROCESS_ONE_IN + ONE_PROCESS_NS) {
		m->wait_ns = et_minus_u64(e->run_delay_ns, before_ns);
	}
}

/*
 * The kernel adds up the pages that each CPU counts when they are some dozens, so that figures are
 * off by that.
 */
static const uint64_t RSS_DOUBT_BYTES = 256 * 1024;

/*
 * execve() lets a process keep its peak: that of etalon after vfork(), of the copy after fork().
 * Without exit records a smaller peak of the program is not visible.
 */
static void fill_memory(const struct et_readings *r, struct et_measured *m)
{
	uint64_t peak = (uint64_t)r->end.usage.ru_maxrss * 1024;

	if (r->has_exit_records)
		peak = r->tree.max_rss_bytes;
	if (peak > (r->has_exit_records ? 0 : r->start.rss_bytes + RSS_DOUBT_BYTES))
		m->max_rss_bytes = peak;
}

/*
 * A serial program cannot use more CPU time than elapses, nor wait longer than the rest. The wait
 * may exceed it because the delay before t0 is not always known exactly.
 */
static void fit_into_window(struct et_measured *m, size_t tasks)
{
	uint64_t excess = et_minus_u64(m->cpu_ns, m->elapsed_ns);
	uint64_t most = tasks == 1 ? LAST_STRETCH_NS : tasks == 0 ? LAST_STRETCH_SURELY_NS : 0;

	if (excess && excess < most)
		m->cpu_ns = m->elapsed_ns;
	uint64_t rest = et_minus_u64(m->elapsed_ns, m->cpu_ns);
	if (tasks <= 1 && m->wait_ns != ET_UNKNOWN && m->wait_ns > rest)
		m->wait_ns = rest;
}

/* User and system time are sampled at ticks; only their ratio is used. */
static void split_cpu_time(const struct rusage *usage, struct et_measured *m)
{
	uint64_t user = et_timeval_ns(usage->ru_utime), system = et_timeval_ns(usage->ru_stime);
	double share = user + system ? (double)user / (double)(user + system) : 0;

	m->user_ns = (uint64_t)((double)m->cpu_ns * share);
	m->system_ns = m->cpu_ns - m->user_ns;
}

/* Steal is counted in ticks: of a serial program it cannot exceed the unexplained time. */
static uint64_t stolen_ns(const struct et_readings *r, const struct et_measured *m)
{
	uint64_t share = et_steal_share_ns(r->stolen[0], r->stolen[1], m->cpu_ns);

	if (share == ET_UNKNOWN || m->cpu_ns > m->elapsed_ns)
		return share;
	uint64_t waited = m->wait_ns == ET_UNKNOWN ? 0 : m->wait_ns;
	uint64_t rest = et_minus_u64(m->elapsed_ns, m->cpu_ns + waited);
	return share < rest ? share : rest;
}

static void fill_counts(const struct et_readings *r, struct et_measured *m)
{
	const struct rusage *usage = &r->end.usage;

	m->voluntary_switches = (uint64_t)usage->ru_nvcsw;
	m->involuntary_switches = (uint64_t)usage->ru_nivcsw;
	m->major_faults = (uint64_t)usage->ru_majflt;
	m->minor_faults = (uint64_t)usage->ru_minflt;
	/* /proc counts the migrations of the first thread only. */
	m->cpu_migrations = r->one_cpu ? 0 : r->tree.tasks > 1 ? ET_UNKNOWN : r->end.migrations;
}

void et_sample_of_run(const struct et_readings *r, struct et_sample *s)
{
	struct et_measured *m = &s->measured;
	int status = r->end.status;

	memset(s, 0, sizeof(*s));
	et_fields_set_missing(et_sample_fields, s);
	s->ruling.marks = r->end.marks | (r->lost_exit_records ? ET_MARK_LOST_RECORDS : 0) |
			  (r->has_exit_records ? 0 : ET_MARK_NO_EXITS) |
			  (r->suspended ? ET_MARK_STOPPED : 0);
	m->started_wall_ns = r->started_wall_ns;
	m->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	m->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	m->elapsed_ns = et_minus_u64(r->end.t1_ns, r->start.t0_ns);
	if (r->end.t1_ticks > r->start.t0_ticks)
		m->counter_ticks = r->end.t1_ticks - r->start.t0_ticks;
	fill_cpu_time(r, s);
	fill_delays(r, m);
	fill_memory(r, m);
	fit_into_window(m, r->tree.tasks);
	split_cpu_time(&r->end.usage, m);
	fill_counts(r, m);
	m->steal_ns = stolen_ns(r, m);
	et_shares_without_ledger(m); /* the ledger knows better, if there is one */
	m->pace_ns = r->pace_ns;
	m->pace_loops = r->pace_loops;
}
