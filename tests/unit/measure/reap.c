/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reaping: what is read about a child that has ended, and who our children are. */
#include "measure/child/reap.h"
#include "base/clock.h"
#include "measure/tree.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { NOBODY = 5000000 }; /* above PID_MAX_LIMIT, the largest PID */

static const char stat_line[] =
	"%d (a) b) Z %d 7 7 0 -1 4228364 10 0 0 0 1 2 0 0 20 0 1 0 100 0 0 "
	"18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

static void write_process(int pid, int parent)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	snprintf(text, sizeof(text), stat_line, pid, parent);
	tree_write(path, text);
}

static void zombies(void)
{
	struct et_reap_request q = { .pid = NOBODY,
		.want = ET_WANT_RUN_DELAY | ET_WANT_MIGRATIONS | ET_WANT_CPU };
	struct et_reap_result e = { .t1_ns = 10000000 };
	char path[64];

	tree_open();
	et_reap_read_zombie(tree, &q, &e);
	ok(e.cpu_ns == ET_UNKNOWN && e.run_delay_ns == ET_UNKNOWN && e.migrations == ET_UNKNOWN &&
			e.cpu == -1,
		"figures of a process without files in /proc are unknown");
	write_process(NOBODY, 1);
	snprintf(path, sizeof(path), "/proc/%d/schedstat", NOBODY);
	tree_write(path, "123456 7890 12\n");
	snprintf(path, sizeof(path), "/proc/%d/sched", NOBODY);
	tree_write(path, "a (1, #threads: 1)\n-----\nse.exec_start : 1.0\n"
			 "se.nr_migrations                   :                   42\n");
	et_reap_read_zombie(tree, &q, &e);
	ok(e.run_delay_ns == 7890, "the run delay is the second figure of schedstat");
	ok(e.migrations == 42, "migrations come from /proc/PID/sched");
	ok(e.cpu == 3, "the last CPU comes from /proc/PID/stat, whatever the name holds");
	e.t1_ns = 4000000;
	et_reap_read_zombie(tree, &q, &e);
	ok(e.run_delay_ns == 7890 && e.migrations == ET_UNKNOWN && e.cpu == -1,
		"after a run of 4 ms the slow files are not read");
	e.t1_ns = 10000000;
	q.want = 0;
	et_reap_read_zombie(tree, &q, &e);
	ok(e.run_delay_ns == ET_UNKNOWN && e.migrations == ET_UNKNOWN && e.cpu == -1,
		"files that are not wanted are not read");
	tree_write(path, "nr_migrations\n");
	q.want = ET_WANT_MIGRATIONS;
	et_reap_read_zombie(tree, &q, &e);
	ok(e.migrations == ET_UNKNOWN, "a line without a number gives no number");
	tree_close();
}

static void children(void)
{
	struct et_snapshot s;

	tree_open();
	ok(et_reap_list_children(tree, &s) == -ENOENT,
		"without /proc the children cannot be listed, which is an error");
	write_process(100, getpid());
	write_process(101, 100);
	write_process(102, getpid());
	ok(et_reap_list_children(tree, &s) == 0 && s.n == 2 && s.readings[0].pid == 100 &&
			s.readings[1].pid == 102,
		"without the kernel's list the children are found by their parent");
	et_snapshot_free(&s);
	tree_write("/proc/thread-self/children", "");
	ok(et_reap_list_children(tree, &s) == 0 && s.n == 0,
		"an empty list of the kernel means that there are none");
	tree_write("/proc/thread-self/children", "7 88 ");
	ok(et_reap_list_children(tree, &s) == 0 && s.n == 2 && s.readings[0].pid == 7 &&
			s.readings[1].pid == 88,
		"the kernel's list is preferred");
	et_snapshot_free(&s);
	tree_close();
}

/* A child that leaves a line of 50 processes, each the child of another. */
static pid_t spawn_with_line(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < 50; i++) {
			if (fork() == 0)
				continue;
			if (i == 0)
				_exit(0);
			for (;;)
				pause();
		}
		for (;;)
			pause();
	}
	return pid;
}

/* A child that leaves a sleeping child of its own. */
static pid_t spawn_with_orphan(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (fork() == 0) {
			for (;;)
				pause();
		}
		_exit(5);
	}
	return pid;
}

static void real_leftovers(void)
{
	struct et_snapshot empty = { 0 };
	struct et_reap_request q = { .began_ns = et_clock_read_ns(CLOCK_MONOTONIC) };
	struct et_reap_result e = { 0 };
	uint64_t end_ns = 0;
	struct et_reaping r = { .root = "", .children = &q, .results = &e, .n = 1 };

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	q.pid = spawn_with_orphan();
	q.end_ns = &end_ns;
	ok(et_reap_wait(&r) == 0 && e.done && WEXITSTATUS(e.status) == 5,
		"a child is waited for and its status kept");
	ok(e.t1_ns > q.began_ns && end_ns == e.t1_ns, "the time of the end of a child is copied");
	ok(e.cpu_ns != ET_UNKNOWN && e.cpu_ns > 0,
		"the CPU time of a child is read before it is reaped");
	ok(et_reap_leftovers(&r) == 0 && !e.marks,
		"without knowing who was there before no process is killed");
	r.before = &empty;
	ok(et_reap_leftovers(&r) == 0 && e.marks == ET_MARK_LEFTOVERS,
		"a process that a program left running is killed and marked");
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left");
	e.marks = 0;
	e.done = false;
	q.pid = spawn_with_line();
	ok(et_reap_wait(&r) == 0 && et_reap_leftovers(&r) == 0 && e.marks == ET_MARK_LEFTOVERS,
		"a line of processes, each the child of another, is killed");
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no process of the line is left");
	e.marks = 0;
	ok(et_reap_leftovers(&r) == 0 && !e.marks, "without leftovers there is no mark");
}

int main(void)
{
	zombies();
	children();
	real_leftovers();
	return tap_done();
}
