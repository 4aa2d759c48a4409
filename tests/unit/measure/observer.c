/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observers of a test around real runs: their order, and holding the child before execve(). */
#include "measure/observe/observer.h"
#include "base/base.h"
#include "base/clock.h"
#include "base/parse.h"
#include "host/host.h"
#include "measure/child/run.h"
#include "measure/child/runner.h"
#include "tap.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

static struct et_interrupt interrupt;
static struct et_error err;

/* The record of the observers of this test; calls has one letter per call. */
static struct {
	char calls[64];
	pid_t pid;
	bool before_exec;     /* the child was still a copy of this process in attach() */
	uint64_t attached_ns; /* when attach() returned */
	uint64_t t0_ns;
	int attach_result;
} seen;

static void note(char what)
{
	size_t n = strlen(seen.calls);

	if (n + 1 < sizeof(seen.calls)) {
		seen.calls[n] = what;
		seen.calls[n + 1] = '\0';
	}
}

static int open_one(const struct et_observer_setup *setup, void **self, struct et_error *e)
{
	static int any;

	(void)setup;
	(void)e;
	note('o');
	*self = &any;
	return 0;
}

static void close_one(void *self)
{
	(void)self;
	note('c');
}

static bool runs_our_file(pid_t pid)
{
	struct stat ours, theirs;
	char path[32];

	/* By stat(): valgrind changes the answer of readlink() for /proc/self/exe. */
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat("/proc/self/exe", &ours) == 0 && stat(path, &theirs) == 0 &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

static int attach(void *self, struct et_run *run, struct et_error *e)
{
	(void)self;
	note('a');
	seen.pid = run->waits[0].pid;
	seen.before_exec = runs_our_file(seen.pid);
	seen.attached_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	return seen.attach_result ? et_fail(e, -seen.attach_result, ET_EXIT_OUTSIDE, "no attach")
				  : 0;
}

/* vfork() returns after execve(); valgrind makes it a fork(), so the child may need a moment. */
static int attach_unheld(void *self, struct et_run *run, struct et_error *e)
{
	for (int i = 0; i < 5000 && runs_our_file(run->waits[0].pid); i++)
		usleep(1000);
	return attach(self, run, e);
}

static void outer_before(void *self, struct et_run *run)
{
	(void)self;
	(void)run;
	note('1');
}

static void inner_before(void *self, struct et_run *run)
{
	(void)self;
	(void)run;
	note('2');
}

static void inner_after(void *self, struct et_run *run)
{
	(void)self;
	(void)run;
	note('3');
}

static void outer_after(void *self, struct et_run *run)
{
	(void)self;
	(void)run;
	note('4');
}

static void outer_fill(void *self, struct et_run *run, struct et_sample *samples)
{
	(void)self;
	seen.t0_ns = run->read[0].start.t0_ns;
	samples[0].measured.blocked_ns = 4711;
	note('5');
}

static void inner_fill(void *self, struct et_run *run, struct et_sample *samples)
{
	(void)self;
	(void)run;
	note(samples[0].measured.elapsed_ns > 0 && samples[0].measured.elapsed_ns != ET_UNKNOWN
			? '6'
			: '-');
}

static const struct et_observer outer = { .name = "outer",
	.open = open_one,
	.before = outer_before,
	.after = outer_after,
	.fill = outer_fill,
	.close = close_one };
static const struct et_observer inner = { .name = "inner",
	.open = open_one,
	.before = inner_before,
	.attach = attach_unheld,
	.after = inner_after,
	.fill = inner_fill,
	.close = close_one };
static const struct et_observer holding = { .name = "holding",
	.holds_child = true,
	.open = open_one,
	.attach = attach,
	.fill = outer_fill,
	.close = close_one };

/* Runs the command with up to two observers. */
static int run_with(const struct et_observer *a, const struct et_observer *b, const char *command,
	struct et_sample *out)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));
	struct et_runner *r = NULL;
	struct et_request q = { .arrangement = ET_SOLO };
	int keep = seen.attach_result;

	memset(&seen, 0, sizeof(seen));
	seen.attach_result = keep;
	et_host_read("", &e->host);
	e->n_commands = 1;
	e->commands = et_calloc(1, sizeof(*e->commands));
	e->commands[0].name = et_strdup(command);
	int rc = et_split_words(command, &e->commands[0].argv, &err);
	if (rc == 0)
		rc = et_runner_open(e, environ, &interrupt, &r, &err);
	if (rc == 0)
		rc = et_runner_observe(r, a, &err);
	if (rc == 0 && b)
		rc = et_runner_observe(r, b, &err);
	if (rc == 0) {
		struct et_executor x = et_runner_executor(r);
		struct et_sample samples[ET_SLOTS];
		rc = x.run(x.ctx, &q, samples, &err);
		if (rc == 0)
			*out = samples[0];
	}
	et_runner_close(r);
	et_experiment_free(e);
	if (rc == 0)
		et_sample_free(out);
	return rc;
}

static void order(void)
{
	struct et_sample s;

	ok(run_with(&outer, &inner, "true", &s) == 0, "a program runs with two more observers");
	is_str(seen.calls, "oo12a3456cc",
		"before() and fill() are called in the order of opening, after() in reverse");
	ok(s.measured.blocked_ns == 4711, "an observer enters its figure into the sample");
}

static void held(void)
{
	struct et_sample s;

	ok(run_with(&holding, NULL, "sh -c 'exit 3'", &s) == 0 && s.measured.exit_code == 3,
		"a program that is held at its start line runs after its release");
	ok(seen.pid > 0 && seen.before_exec, "the observer sees the child before execve()");
	ok(seen.t0_ns >= seen.attached_ns,
		"the t0 of a held program comes after the observer has attached");
	ok(s.measured.cpu_ns > 0 && s.measured.cpu_ns <= s.measured.elapsed_ns,
		"a held program has CPU time and elapsed time");
	/* It may have called execve() or not: nothing holds it. */
	ok(run_with(&inner, NULL, "true", &s) == 0 && seen.pid > 0,
		"an observer that does not hold the program gets its PID");
}

static void failures(void)
{
	struct et_sample s;

	seen.attach_result = -ENODEV;
	ok(run_with(&holding, NULL, "true", &s) == -ENODEV && !strcmp(err.what, "no attach"),
		"an observer that cannot attach to a held program fails the run");
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD,
		"the held program of a failed run is gone");
	ok(run_with(&inner, NULL, "sleep 100", &s) == -ENODEV,
		"an observer that cannot attach to a running program fails the run");
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD,
		"the running program of a failed run is gone");
	ok(interrupt.groups[0] == 0 && interrupt.groups[1] == 0,
		"signals have no process group to go to afterwards");
	seen.attach_result = 0;
}

/* The observer of snapshots where there is no /proc. */
static void no_snapshot(void)
{
	struct et_experiment e = { 0 };
	struct et_observer_setup setup = { .root = "/nonexistent", .e = &e };
	struct et_exits exits = { 0 };
	struct et_run run = { .n = 1, .n_children = 1, .exits = &exits };
	struct et_sample s = { 0 };
	void *self = NULL;

	ok(et_observe_snapshots.open(&setup, &self, &err) == 0 && self,
		"a missing /proc does not end the experiment");
	et_observe_snapshots.before(self, &run);
	ok(run.before == NULL, "a failed snapshot is not handed to others");
	et_observe_snapshots.after(self, &run);
	et_observe_snapshots.fill(self, &run, &s);
	ok(s.ruling.marks == ET_MARK_NO_SNAPSHOT && s.measured.n_culprits == 0,
		"a sample without snapshots is marked and has no culprits");
	et_observe_snapshots.close(self);
}

int main(void)
{
	order();
	held();
	no_snapshot();
	failures();
	return tap_done();
}
