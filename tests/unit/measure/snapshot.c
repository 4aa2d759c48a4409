/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/observe/snapshot.h"
#include "base/clock.h"
#include "base/sysroot.h"
#include "measure/busy.h"
#include "measure/tree.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static struct et_snapshot snapshot(struct et_reading *r, size_t n)
{
	return (struct et_snapshot){ .readings = r, .n = n };
}

/* A reader of a /proc without processes, so that PIDs of a test mean nobody. */
static struct et_proc_reader nobody;

static struct et_exit_record exit_of(int32_t pid, int32_t ppid, const char *name, uint64_t cpu_ns)
{
	struct et_exit_record r = { .pid = pid,
		.tgid = pid,
		.ppid = ppid,
		.cpu_ns = cpu_ns,
		.run_delay_ns = 10,
		.block_delay_ns = 1 };

	snprintf(r.name, sizeof(r.name), "%s", name);
	return r;
}

static void differences(void)
{
	struct et_reading b[] = { { 900001, 100 }, { 900002, 50 }, { 900003, 70 }, { 900005, 9 } };
	struct et_reading a[] = { { 900001, 100 }, { 900002, 450 }, { 900003, 20 }, { 900004, 5 } };
	struct et_snapshot before = snapshot(b, 4), after = snapshot(a, 4);
	struct et_exits exits = { 0 };
	struct et_culprit *who;

	struct et_exit_record r = exit_of(900005, 1, "cron", 1009);
	et_exits_add(&exits, &r);
	r = exit_of(900006, 2, "kworker/0", 30);
	et_exits_add(&exits, &r);
	size_t n = et_snapshot_compare(&nobody, &before, &after, &exits, 900004, 4000000, &who);
	ok(n == 4, "four other processes ran (%zu)", n);
	ok(who[0].pid == 900005 && who[0].cpu_ns == 1000 && who[0].exited &&
			who[0].doubt_ns == 4000000,
		"a process that ended: its record minus its time before, short by up to a tick");
	is_str(who[0].name, "cron", "a process that ended has the name of its record");
	ok(who[1].pid == 900002 && who[1].cpu_ns == 400 && !who[1].exited && who[1].doubt_ns == 0,
		"a live process: the exact difference");
	ok(who[2].pid == 900006 && who[2].kernel_thread, "a child of kthreadd is a kernel thread");
	ok(who[3].pid == 900003 && who[3].cpu_ns == 20,
		"a PID that a new process got: all its time counts");
	free(who);
	et_exits_free(&exits);
}

/* The tasks of a program: children, grandchildren, orphans, threads. */
static void trees(void)
{
	struct et_exits exits = { 0 };
	struct et_culprit *who;
	struct et_snapshot none = { 0 };
	struct et_exit_record records[] = {
		exit_of(20, 10, "grandchild", 1), /* of 10, which ends later */
		exit_of(10, 5, "child", 2), exit_of(30, 77, "orphan", 3), /* 77 is us, the reaper */
		exit_of(40, 1, "stranger", 4), exit_of(41, 40, "stranger's", 5),
		exit_of(5, 77, "root", 6), exit_of(6, 77, "thread", 7),
		exit_of(78, 1, "ours", 8), /* a thread of us */
	};

	records[6].tgid = 5;
	records[7].tgid = 77;
	for (size_t i = 0; i < ET_LENGTH(records); i++)
		et_exits_add(&exits, &records[i]);
	struct et_tree_delays d = et_exits_claim(&exits, 5, 77);
	ok(d.tasks == 5, "five tasks belong to the program, and none of our threads (%zu)",
		d.tasks);
	ok(d.run_ns == 50 && d.block_ns == 5, "the delays of all tasks are summed");
	size_t n = et_snapshot_compare(&nobody, &none, &none, &exits, 77, 1, &who);
	ok(n == 2 && who[0].pid == 41 && who[1].pid == 40,
		"tasks of other programs are not claimed");
	free(who);
	et_exits_free(&exits);

	/* The two of a duet, one after the other: each gets its own. */
	struct et_exit_record pair[] = { exit_of(50, 1, "a", 1), exit_of(60, 1, "b", 1) };
	pair[1].run_delay_ns = 77;
	pair[1].max_rss_bytes = 4096;
	et_exits_add(&exits, &pair[0]);
	et_exits_add(&exits, &pair[1]);
	d = et_exits_claim(&exits, 50, 0);
	ok(d.tasks == 1 && d.run_ns == 10 && d.max_rss_bytes == 0,
		"the first program of a duet gets its own record");
	d = et_exits_claim(&exits, 60, 0);
	ok(d.tasks == 1 && d.run_ns == 77 && d.max_rss_bytes == 4096,
		"the second program of a duet gets its own record");
	et_exits_free(&exits);
}

static uint64_t reading_of(const struct et_snapshot *s, int32_t pid)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->readings[i].pid == pid)
			return s->readings[i].cpu_ns;
	}
	return ET_UNKNOWN;
}

/* A process created between two snapshots is in the second, also if a child of ours was created. */
static void newcomers(struct et_proc_reader *r, struct et_snapshot *s)
{
	int missed = 0, failed = 0;

	for (int i = 0; i < 50; i++) {
		failed += et_snapshot_take(r, NULL, 0, s) != 0;
		pid_t ours = fork();
		if (ours == 0)
			_exit(0);
		waitpid(ours, NULL, 0);
		pid_t other = i % 2 ? fork() : 0;
		if (i % 2 && other == 0) {
			pause();
			_exit(0);
		}
		failed += et_snapshot_take(r, &ours, 1, s) != 0;
		missed += other && reading_of(s, other) == ET_UNKNOWN;
		if (other) {
			kill(other, SIGKILL);
			waitpid(other, NULL, 0);
			failed += et_snapshot_take(r, NULL, 0, s) != 0;
			missed += reading_of(s, other) != ET_UNKNOWN;
		}
	}
	ok(missed == 0 && failed == 0,
		"new processes are in the next snapshot, ended ones are not");
}

static void real(void)
{
	struct et_snapshot before = { 0 }, after = { 0 };
	struct et_exits none = { 0 };
	struct et_culprit *who;
	struct et_proc_reader reader;
	pid_t child = fork();

	if (child == 0) {
		for (;;)
			;
	}
	wait_until_used(child, 1000000);
	ok(et_proc_reader_open(&reader, "") == 0, "/proc can be read");
	ok(et_snapshot_take(&reader, NULL, 0, &before) == 0 && before.n >= 2,
		"a snapshot holds all processes (%zu)", before.n);
	bool ascending = true;
	for (size_t i = 1; i < before.n; i++)
		ascending = ascending && before.readings[i].pid > before.readings[i - 1].pid;
	ok(ascending, "processes are in ascending order, each once");
	wait_until_used(child, 20000000);
	ok(et_snapshot_take(&reader, NULL, 0, &after) == 0, "a second snapshot can be taken");
	kill(child, SIGSTOP);
	waitpid(child, NULL, WUNTRACED);
	ok(reading_of(&after, child) > reading_of(&before, child),
		"the reading of a process that runs includes its last tick");
	size_t n = et_snapshot_compare(&reader, &before, &after, &none, getpid(), 4000000, &who);
	bool found = false, self = false;
	char name[16] = "";
	if (et_sysroot_line("", "/proc/self/comm", name, sizeof(name)) <= 0)
		tap_bail("cannot read /proc/self/comm");
	for (size_t i = 0; i < n; i++) {
		found = found || (who[i].pid == child && !strcmp(who[i].name, name) &&
					 !who[i].kernel_thread);
		self = self || who[i].pid == getpid();
	}
	ok(found && !self, "the busy process is named, this process is left out");
	free(who);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	newcomers(&reader, &after);
	et_proc_reader_close(&reader);
	et_snapshot_free(&before);
	et_snapshot_free(&after);
}

static void failures(void)
{
	struct et_proc_reader reader;
	struct et_snapshot s = { 0 };

	ok(et_proc_reader_open(&reader, "/nonexistent") == -ENOENT, "a missing /proc is an error");
	ok(et_snapshot_take(&reader, NULL, 0, &s) < 0 && s.n == 0,
		"without /proc every snapshot fails");
	et_proc_reader_close(&reader);
	if (et_proc_reader_open(&reader, "") || et_snapshot_take(&reader, NULL, 0, &s))
		tap_bail("cannot read /proc");
	int good = reader.proc_fd;
	reader.proc_fd = -1;
	reader.newest = 0;
	ok(et_snapshot_take(&reader, NULL, 0, &s) == -EBADF && s.n == 0,
		"a failed snapshot does not keep the readings of the previous one");
	reader.proc_fd = good;
	ok(et_snapshot_take(&reader, NULL, 0, &s) == 0 && reading_of(&s, getpid()) != ET_UNKNOWN,
		"the snapshot after a failed one is complete");
	et_proc_reader_close(&reader);
	et_snapshot_free(&s);
}

/* Names come from a replaced /proc, in which the PIDs are those of live processes. */
static void names(void)
{
	struct et_proc_entry list[] = { { .pid = 4 }, { .pid = 5 } };
	struct et_proc_reader r = { .root = tree, .list = list, .n = 2 };
	struct et_reading now[] = { { 4, 10 }, { 5, 20 }, { 6, 30 } };
	struct et_snapshot before = { 0 }, after = snapshot(now, 3);
	struct et_exits none = { 0 };
	struct et_culprit *c;

	tree_write("/proc/4/stat",
		"4 (kworker/0:1-events) S 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 20 0 "
		"1 0 9 0 0 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 "
		"0 0 0 0 0 0 0 0 0 0 0 0\n");
	tree_write("/proc/5/stat", "5 (a b) c) S 1 0 0 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 9 0 0 "
				   "18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 "
				   "0 0 0 0 0 0 0\n");
	size_t n = et_snapshot_compare(&r, &before, &after, &none, 0, 0, &c);
	ok(n == 3 && c[0].pid == 6 && !c[0].name[0], "a process without a stat file has no name");
	ok(!strcmp(c[1].name, "a b) c") && !c[1].kernel_thread, "a name may hold anything");
	ok(!strcmp(c[2].name, "kworker/0:1-eve") && c[2].kernel_thread,
		"a kernel thread is recognised and its name cut to 15 bytes");
	ok(list[0].named && !list[1].named, "only the names of kernel threads are remembered");
	free(c);
	tree_write("/proc/4/stat", "");
	n = et_snapshot_compare(&r, &before, &after, &none, 0, 0, &c);
	ok(n == 3 && !strcmp(c[2].name, "kworker/0:1-eve") && c[2].kernel_thread,
		"the name of a kernel thread is read once");
	free(c);
}

static void cost(void)
{
	double ms = et_snapshots_cost_ms("");

	ok(ms > 0 && ms < 10000, "two snapshots of this machine take some time: %g ms", ms);
	ok(et_snapshots_cost_ms("/nonexistent") == 0, "without /proc their time is not known");
}

int main(void)
{
	tree_open();
	nobody = (struct et_proc_reader){ .root = tree, .proc_fd = -1, .loadavg_fd = -1 };
	differences();
	trees();
	names();
	failures();
	real();
	cost();
	tree_close();
	return tap_done();
}
