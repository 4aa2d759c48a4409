/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic from readings to a sample, without any process. */
#include "measure/child/sample_of_run.h"
#include "tap.h"

#include <signal.h>

static const uint64_t MS = 1000000, US = 1000;

static struct timeval us(long n)
{
	return (struct timeval){ .tv_sec = n / 1000000, .tv_usec = n % 1000000 };
}

/*
 * A run of 100 ms that used 60 ms of CPU time, 40 of them in user mode: one task, in a control
 * group of its own that etalon shares, with exit records.
 */
static struct et_readings readings(void)
{
	return (struct et_readings){ .started_wall_ns = 77,
		.start = { .t0_ns = 500 * MS,
			.t0_ticks = 1000,
			.own_cpu_ns = 300 * US,
			.usage_ns = 2000 * MS,
			.parent_cpu_ns = 900 * MS,
			.run_delay_ns = 1 * MS },
		.end = { .done = true,
			.t1_ns = 600 * MS,
			.t1_ticks = 3000,
			.usage = { .ru_utime = us(40200),
				.ru_stime = us(20099),
				.ru_maxrss = 3000,
				.ru_nvcsw = 1,
				.ru_nivcsw = 2,
				.ru_majflt = 3,
				.ru_minflt = 4 },
			.cpu_ns = 60300 * US,
			.run_delay_ns = 11 * MS,
			.migrations = 5,
			.cpu = -1 },
		.group_source = ET_CPU_BY_CPUACCT,
		.group_cpu_ns = 2061 * MS,
		.group_has_etalon = true,
		.etalon_cpu_ns = 901 * MS,
		.has_exit_records = true,
		.block_delays = true,
		.tree = { .run_ns = 6 * MS, .block_ns = 2 * MS, .tasks = 1, .max_rss_bytes = 5000 },
		.pace_ns = ET_UNKNOWN,
		.pace_loops = ET_UNKNOWN };
}

static struct et_sample sample(const struct et_readings *r)
{
	struct et_sample s;

	et_sample_of_run(r, &s);
	return s;
}

static void usual(void)
{
	struct et_readings r = readings();
	struct et_sample s = sample(&r);
	const struct et_measured *m = &s.measured;

	ok(m->elapsed_ns == 100 * MS && m->counter_ticks == 2000, "elapsed time is t1 minus t0");
	ok(m->started_wall_ns == 77 && m->exit_code == 0 && m->signal == 0 && !s.ruling.marks,
		"an undisturbed run has no marks");
	ok(m->cpu_ns == 60 * MS && m->cpu_source == ET_CPU_BY_CPUACCT,
		"CPU time is the group's since t0 without etalon's own");
	ok(m->user_ns + m->system_ns == m->cpu_ns && m->user_ns > 39 * MS && m->user_ns < 41 * MS,
		"user and system time share the CPU time in the ratio of wait4");
	ok(m->wait_ns == 5 * MS && m->blocked_ns == 2 * MS,
		"delays are those of the exit records, without the delay before t0");
	ok(m->max_rss_bytes == 5000, "peak memory is that of the exit records");
	ok(m->voluntary_switches == 1 && m->involuntary_switches == 2 && m->major_faults == 3 &&
			m->minor_faults == 4 && m->cpu_migrations == 5,
		"switches, faults and migrations are copied");
	ok(m->others_ns == ET_UNKNOWN && m->idle_ns == ET_UNKNOWN &&
			m->probe_before_ns == ET_UNKNOWN && m->pace_ns == ET_UNKNOWN &&
			!m->n_culprits,
		"figures of observers are unknown");
	r.pace_ns = 12;
	r.pace_loops = 34;
	s = sample(&r);
	ok(s.measured.pace_ns == 12 && s.measured.pace_loops == 34,
		"the figures of the reference loop are copied");
	r = readings();
	r.end.t1_ticks = 999;
	ok(sample(&r).measured.counter_ticks == ET_UNKNOWN,
		"a counter that ran backwards gives no figure");
	r.block_delays = false;
	ok(sample(&r).measured.blocked_ns == ET_UNKNOWN,
		"block delays that the kernel does not count are unknown");
}

static void status_and_marks(void)
{
	struct et_readings r = readings();

	r.end.status = 7 << 8;
	ok(sample(&r).measured.exit_code == 7, "the exit status is kept");
	r.end.status = SIGKILL;
	struct et_sample s = sample(&r);
	ok(s.measured.exit_code == -1 && s.measured.signal == SIGKILL, "the signal is kept");
	r.end.marks = ET_MARK_LEFTOVERS;
	r.lost_exit_records = r.suspended = true;
	ok(sample(&r).ruling.marks == (ET_MARK_LEFTOVERS | ET_MARK_LOST_RECORDS | ET_MARK_STOPPED),
		"leftovers, lost records and a suspended etalon are marked");
	r.has_exit_records = false;
	ok(sample(&r).ruling.marks & ET_MARK_NO_EXITS, "missing exit records are marked");
}

static void by_wait4(void)
{
	struct et_readings r = readings();

	r.group_source = ET_CPU_BY_WAIT4;
	struct et_sample s = sample(&r);
	ok(s.measured.cpu_ns == 60 * MS && s.measured.cpu_source == ET_CPU_BY_WAIT4,
		"without a group the process's CPU clock counts, without the time before t0");
	r.end.usage.ru_stime = us(20103);
	ok(sample(&r).measured.cpu_ns == 60 * MS,
		"3 us more than the CPU clock are the rounding of wait4");
	r.end.usage.ru_stime = us(20104);
	ok(sample(&r).measured.cpu_ns == 60004 * US,
		"4 us more than the CPU clock are a descendant's");
	r.end.orphan_cpu_ns = 1 * MS;
	ok(sample(&r).measured.cpu_ns == 61004 * US, "orphans count");
	r = readings();
	r.group_cpu_ns = ET_UNKNOWN;
	ok(sample(&r).measured.cpu_source == ET_CPU_BY_WAIT4,
		"a group that cannot be read after the run is not used");
	r = readings();
	r.start.usage_ns = ET_UNKNOWN;
	ok(sample(&r).measured.cpu_source == ET_CPU_BY_WAIT4,
		"a group that could not be read before the run is not used");
	r = readings();
	r.end.cpu_ns = ET_UNKNOWN;
	r.group_source = ET_CPU_BY_WAIT4;
	ok(sample(&r).measured.cpu_ns == 59999 * US,
		"without the CPU clock the sum of wait4 counts");
}

static void by_group(void)
{
	struct et_readings r = readings();

	r.group_has_etalon = false;
	ok(sample(&r).measured.cpu_ns == 61 * MS, "etalon is subtracted only from its own group");
	r = readings();
	r.group_source = ET_CPU_BY_CPU_STAT;
	ok(sample(&r).measured.cpu_source == ET_CPU_BY_CPU_STAT,
		"the version of the group is kept");
	/* 60 ms by wait4: 56.9 + 56.9/50 + 2 = 60.04 ms, 56.8 + 56.8/50 + 2 = 59.94 ms */
	r = readings();
	r.group_cpu_ns = 2000 * MS + 1 * MS + 56900 * US;
	struct et_sample s = sample(&r);
	ok(!s.ruling.marks && s.measured.cpu_ns == 56900 * US,
		"a group that counted up to 2 %% and 2 ms less than wait4 is believed");
	r.group_cpu_ns = 2000 * MS + 1 * MS + 56800 * US;
	s = sample(&r);
	ok(s.ruling.marks == ET_MARK_ESCAPED && s.measured.cpu_ns == 60 * MS &&
			s.measured.cpu_source == ET_CPU_BY_WAIT4,
		"a program that left its group is marked, and wait4 counts");
	r.group_cpu_ns = 0;
	ok(sample(&r).ruling.marks == ET_MARK_ESCAPED, "a counter that fell does not wrap around");
}

static void delays_without_records(void)
{
	struct et_readings r = readings();

	r.has_exit_records = false;
	r.tree = (struct et_tree_delays){ 0 };
	ok(sample(&r).measured.wait_ns == 10 * MS,
		"without exit records the delay of the first thread counts");
	/* 60.3 + 60.3/20 + 1 = 64.315 ms */
	r.group_cpu_ns = 2001 * MS + 64300 * US;
	ok(sample(&r).measured.wait_ns == 10 * MS,
		"a helper of 5 %% and 1 ms does not change that");
	r.group_cpu_ns = 2001 * MS + 64400 * US;
	ok(sample(&r).measured.wait_ns == ET_UNKNOWN,
		"the delay is unknown if other processes did much of the work");
	r = readings();
	r.has_exit_records = false;
	r.tree = (struct et_tree_delays){ 0 };
	r.end.run_delay_ns = ET_UNKNOWN;
	ok(sample(&r).measured.wait_ns == ET_UNKNOWN, "a delay that was not read is unknown");
	r.end.run_delay_ns = 11 * MS;
	r.end.cpu_ns = ET_UNKNOWN;
	ok(sample(&r).measured.wait_ns == ET_UNKNOWN,
		"the delay is unknown if the first process's CPU time is");
}

static void memory(void)
{
	struct et_readings r = readings();

	r.has_exit_records = false;
	r.tree = (struct et_tree_delays){ 0 };
	r.start.rss_bytes = 4000 * 1024;
	ok(sample(&r).measured.max_rss_bytes == ET_UNKNOWN,
		"a peak below etalon's own is unknown without exit records");
	r.end.usage.ru_maxrss = 4256;
	ok(sample(&r).measured.max_rss_bytes == ET_UNKNOWN,
		"a peak that is above etalon's own by the pages that CPUs count is unknown");
	r.end.usage.ru_maxrss = 4257;
	ok(sample(&r).measured.max_rss_bytes == (uint64_t)4257 * 1024,
		"a peak above etalon's own is the program's");
	r.has_exit_records = true;
	ok(sample(&r).measured.max_rss_bytes == ET_UNKNOWN,
		"the peak is unknown if the program's exit record was lost");
}

static void window(void)
{
	static const struct {
		size_t tasks;
		uint64_t excess_ns;
		bool fits;
		const char *what;
	} cases[] = {
		{ 1, 199999, true, "one task: 0.2 ms above elapsed time are its last stretch" },
		{ 1, 200000, false, "one task: a larger excess is kept" },
		{ 0, 19999, true, "unknown tasks: 20 us above elapsed time are the last stretch" },
		{ 0, 20000, false, "unknown tasks: a larger excess may be a second task" },
		{ 2, 1, false, "two tasks may use more CPU time than elapses" },
	};

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		struct et_readings r = readings();
		r.tree.tasks = cases[i].tasks;
		r.end.run_delay_ns = ET_UNKNOWN;
		r.group_cpu_ns = 2001 * MS + 100 * MS + cases[i].excess_ns;
		struct et_sample s = sample(&r);
		ok(s.measured.cpu_ns == 100 * MS + (cases[i].fits ? 0 : cases[i].excess_ns), "%s",
			cases[i].what);
	}
	struct et_readings r = readings();
	r.tree.run_ns = 51 * MS;
	ok(sample(&r).measured.wait_ns == 40 * MS,
		"one task cannot wait longer than elapsed time minus CPU time");
	r.tree.tasks = 2;
	ok(sample(&r).measured.wait_ns == 50 * MS, "two tasks can");
	ok(sample(&r).measured.cpu_migrations == ET_UNKNOWN,
		"migrations of several tasks are unknown");
	r.one_cpu = true;
	ok(sample(&r).measured.cpu_migrations == 0, "on a single CPU nothing migrates");
	r = readings();
	r.tree.run_ns = 0;
	ok(sample(&r).measured.wait_ns == 0, "a delay smaller than that before t0 is 0");
}

static void steal(void)
{
	struct et_readings r = readings();

	r.stolen[0] = (struct et_stolen){ 100 * MS, 1000 * MS };
	r.stolen[1] = (struct et_stolen){ 120 * MS, 1060 * MS };
	ok(sample(&r).measured.steal_ns == 20 * MS,
		"a program that alone was busy lost all the steal");
	r.stolen[1].busy_ns = 1120 * MS;
	ok(sample(&r).measured.steal_ns == 10 * MS, "a program with half the work lost half of it");
	r.stolen[1] = (struct et_stolen){ 200 * MS, 1060 * MS };
	ok(sample(&r).measured.steal_ns == 35 * MS,
		"one task cannot lose more than its unexplained time");
	r.group_cpu_ns = 2001 * MS + 150 * MS;
	r.tree.tasks = 2;
	r.stolen[1].busy_ns = 1150 * MS;
	ok(sample(&r).measured.steal_ns == 100 * MS, "tasks in parallel can");
	r.stolen[0].steal_ns = ET_UNKNOWN;
	ok(sample(&r).measured.steal_ns == ET_UNKNOWN, "steal that was not read is unknown");
}

int main(void)
{
	usual();
	status_and_marks();
	by_wait4();
	by_group();
	delays_without_records();
	memory();
	window();
	steal();
	return tap_done();
}
