/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/snapshot.h"
#include "base/clock.h"
#include "base/sysroot.h"
#include "tap.h"

#include <signal.h>
#include <sys/wait.h>

static struct et_snapshot image(struct et_reading *r, size_t n)
{
	return (struct et_snapshot){ .readings = r, .n = n };
}

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
	struct et_snapshot before = image(b, 4), after = image(a, 4);
	struct et_exits exits = { 0 };
	struct et_culprit *who;

	struct et_exit_record r = exit_of(900005, 1, "cron", 1009);
	et_exits_add(&exits, &r);
	r = exit_of(900006, 2, "kworker/0", 30);
	et_exits_add(&exits, &r);
	size_t n = et_snapshot_compare(NULL, &before, &after, &exits, 900004, 4000000, &who);
	ok(n == 4, "four others ran (%zu)", n);
	ok(who[0].pid == 900005 && who[0].cpu_ns == 1000 && who[0].exited &&
			who[0].doubt_ns == 4000000,
		"one that ended, less what it had before, with a tick of doubt");
	is_str(who[0].name, "cron", "by its name");
	ok(who[1].pid == 900002 && who[1].cpu_ns == 400 && !who[1].exited && who[1].doubt_ns == 0,
		"one that lives on, exactly");
	ok(who[2].pid == 900006 && who[2].kernel_thread, "a kernel thread that came and went");
	ok(who[3].pid == 900003 && who[3].cpu_ns == 20, "a number that was given away again");
	free(who);
	et_exits_free(&exits);
}

/* A program's own tasks: children, grandchildren, orphans, threads; not other people's. */
static void trees(void)
{
	struct et_exits exits = { 0 };
	struct et_culprit *who;
	struct et_snapshot none = { 0 };
	struct et_exit_record records[] = {
		exit_of(20, 10, "grandchild", 1), /* of 10, which ends later */
		exit_of(10, 5, "child", 2),
		exit_of(30, 77, "orphan", 3), /* 77 is us, the reaper */
		exit_of(40, 1, "stranger", 4),
		exit_of(41, 40, "stranger's", 5),
		exit_of(5, 77, "root", 6),
		exit_of(6, 77, "thread", 7),
	};

	records[6].tgid = 5;
	for (size_t i = 0; i < ET_LENGTH(records); i++)
		et_exits_add(&exits, &records[i]);
	struct et_tree_delays d = et_exits_claim(&exits, 5, 77);
	ok(d.tasks == 5, "five tasks belong to the program (%zu)", d.tasks);
	ok(d.run_ns == 50 && d.block_ns == 5, "delays of all of them");
	size_t n = et_snapshot_compare(NULL, &none, &none, &exits, 77, 1, &who);
	ok(n == 2 && who[0].pid == 41 && who[1].pid == 40, "the strangers are left");
	free(who);
	et_exits_free(&exits);

	/* The two of a duet, one after the other: each gets its own. */
	struct et_exit_record pair[] = { exit_of(50, 1, "a", 1), exit_of(60, 1, "b", 1) };
	pair[1].run_delay_ns = 77;
	pair[1].max_rss_bytes = 4096;
	et_exits_add(&exits, &pair[0]);
	et_exits_add(&exits, &pair[1]);
	d = et_exits_claim(&exits, 50, 0);
	ok(d.tasks == 1 && d.run_ns == 10 && d.max_rss_bytes == 0, "the first of a pair");
	d = et_exits_claim(&exits, 60, 0);
	ok(d.tasks == 1 && d.run_ns == 77 && d.max_rss_bytes == 4096, "and the second alone");
	et_exits_free(&exits);
}

static uint64_t reading_of(const struct et_snapshot *im, int32_t pid)
{
	for (size_t i = 0; i < im->n; i++) {
		if (im->readings[i].pid == pid)
			return im->readings[i].cpu_ns;
	}
	return ET_UNKNOWN;
}

/* Somebody born between two pictures is in the second, whether or not a child of ours was, too. */
static void newcomers(struct et_proc_reader *w, struct et_snapshot *image)
{
	int missed = 0;

	for (int i = 0; i < 50; i++) {
		et_snapshot_take(w, NULL, 0, image);
		pid_t ours = fork();
		if (ours == 0)
			_exit(0);
		waitpid(ours, NULL, 0);
		pid_t other = i % 2 ? fork() : 0;
		if (i % 2 && other == 0) {
			pause();
			_exit(0);
		}
		et_snapshot_take(w, &ours, 1, image);
		missed += other && reading_of(image, other) == ET_UNKNOWN;
		if (other) {
			kill(other, SIGKILL);
			waitpid(other, NULL, 0);
			et_snapshot_take(w, NULL, 0, image);
			missed += reading_of(image, other) != ET_UNKNOWN;
		}
	}
	ok(missed == 0, "who is born is seen, who is gone is not");
}

/* A process that is running while the picture is taken: the reading is not a tick behind. */
static void real(void)
{
	struct et_snapshot before = { 0 }, after = { 0 };
	struct et_exits none = { 0 };
	struct et_culprit *who;
	struct et_proc_reader watch;
	pid_t child = fork();

	if (child == 0) {
		for (;;)
			;
	}
	usleep(20000);
	ok(et_proc_reader_open(&watch) == 0, "watch");
	ok(et_snapshot_take(&watch, NULL, 0, &before) == 0 && before.n >= 2, "%zu processes",
		before.n);
	bool ascending = true;
	for (size_t i = 1; i < before.n; i++)
		ascending = ascending && before.readings[i].pid > before.readings[i - 1].pid;
	ok(ascending, "in ascending order, each once");
	usleep(50000);
	et_snapshot_take(&watch, NULL, 0, &after);
	kill(child, SIGSTOP);
	waitpid(child, NULL, WUNTRACED);
	ok(reading_of(&after, child) > reading_of(&before, child), "the busy child moved on");
	size_t n = et_snapshot_compare(&watch, &before, &after, &none, getpid(), 4000000, &who);
	bool found = false, self = false;
	char name[16] = "";
	if (et_sysroot_line("", "/proc/self/comm", name, sizeof(name)) <= 0)
		tap_bail("cannot read /proc/self/comm");
	for (size_t i = 0; i < n; i++) {
		found = found || (who[i].pid == child && !strcmp(who[i].name, name) &&
					 !who[i].kernel_thread);
		self = self || who[i].pid == getpid();
	}
	ok(found && !self, "and is named; we are not");
	free(who);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	newcomers(&watch, &after);
	et_proc_reader_close(&watch);
	et_snapshot_free(&before);
	et_snapshot_free(&after);
}

int main(void)
{
	differences();
	trees();
	real();
	return tap_done();
}
