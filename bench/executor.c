/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows where the overhead of a run goes. The executor runs in a loop, and the linker's --wrap puts
 * a clock around each of its stages, so that the measured code is the shipped code.
 *
 *   bench-executor RUNS [--raw] [--] PROGRAM [ARG…]
 *
 * Prints a table of medians and means per run in microseconds; with --raw it prints one line
 * "wall_us elapsed_us snapshot_us" per run for bench/spawn.
 */
#include "base/base.h"
#include "base/clock.h"
#include "host/host.h"
#include "measure/child/child.h"
#include "measure/child/reap.h"
#include "measure/child/runner.h"
#include "measure/observe/snapshot.h"
#include "measure/observe/steal.h"
#include "measure/observe/taskstats.h"
#include "num/moments.h"
#include "num/quantile.h"

#include <string.h>

extern char **environ;

enum stage {
	STAGE_TAKE,    /* both snapshots */
	STAGE_COMPARE, /* which processes used CPU time between them */
	STAGE_DRAIN,   /* exit records, before and after */
	STAGE_STEAL,   /* /proc/stat, before and after */
	STAGE_CLAIM,   /* which records are the program's own */
	STAGE_SPAWN,   /* from the call until the child's start time */
	STAGE_WINDOW,  /* the program: its reported elapsed time */
	STAGE_REAP,    /* from the end of the window until the child is gone */
	STAGE_LEFTOVERS,
	STAGE_USAGE, /* the cgroup's CPU time, read by the parent */
	STAGE_REST,
	STAGE_WALL,
	STAGES,
};

static const char *const stage_names[] = { "snapshot: take (2)", "snapshot: compare",
	"snapshot: exit records (2)", "steal (2)", "snapshot: claim", "spawn until start time",
	"window (elapsed time)", "end until reaped", "leftovers", "cgroup", "rest", "wall" };

static uint64_t spent_ns[STAGES];
static uint64_t start_time_ns; /* of the child of the current run */

static uint64_t now_ns(void)
{
	return et_clock_read_ns(CLOCK_MONOTONIC);
}

/* --- the wrappers: GNU ld redirects calls of X to __wrap_X; __real_X is the original --- */

int __real_et_snapshot_take(
	struct et_proc_reader *w, const int32_t *ours, size_t n_ours, struct et_snapshot *image);
int __wrap_et_snapshot_take(
	struct et_proc_reader *w, const int32_t *ours, size_t n_ours, struct et_snapshot *image);
int __wrap_et_snapshot_take(
	struct et_proc_reader *w, const int32_t *ours, size_t n_ours, struct et_snapshot *image)
{
	uint64_t t = now_ns();
	int rc = __real_et_snapshot_take(w, ours, n_ours, image);

	spent_ns[STAGE_TAKE] += now_ns() - t;
	return rc;
}

size_t __real_et_snapshot_compare(struct et_proc_reader *w, const struct et_snapshot *before,
	const struct et_snapshot *after, const struct et_exits *exits, int32_t self,
	uint64_t tick_ns, struct et_culprit **out);
size_t __wrap_et_snapshot_compare(struct et_proc_reader *w, const struct et_snapshot *before,
	const struct et_snapshot *after, const struct et_exits *exits, int32_t self,
	uint64_t tick_ns, struct et_culprit **out);
size_t __wrap_et_snapshot_compare(struct et_proc_reader *w, const struct et_snapshot *before,
	const struct et_snapshot *after, const struct et_exits *exits, int32_t self,
	uint64_t tick_ns, struct et_culprit **out)
{
	uint64_t t = now_ns();
	size_t n = __real_et_snapshot_compare(w, before, after, exits, self, tick_ns, out);

	spent_ns[STAGE_COMPARE] += now_ns() - t;
	return n;
}

int __real_et_taskstats_drain(struct et_taskstats *t,
	void (*fn)(void *ctx, const struct et_exit_record *r), void *ctx, bool *lost);
int __wrap_et_taskstats_drain(struct et_taskstats *t,
	void (*fn)(void *ctx, const struct et_exit_record *r), void *ctx, bool *lost);
int __wrap_et_taskstats_drain(struct et_taskstats *t,
	void (*fn)(void *ctx, const struct et_exit_record *r), void *ctx, bool *lost)
{
	uint64_t began = now_ns();
	int rc = __real_et_taskstats_drain(t, fn, ctx, lost);

	spent_ns[STAGE_DRAIN] += now_ns() - began;
	return rc;
}

struct et_stolen __real_et_steal_read(struct et_steal *s, const cpu_set_t *cpus);
struct et_stolen __wrap_et_steal_read(struct et_steal *s, const cpu_set_t *cpus);
struct et_stolen __wrap_et_steal_read(struct et_steal *s, const cpu_set_t *cpus)
{
	uint64_t t = now_ns();
	struct et_stolen value = __real_et_steal_read(s, cpus);

	spent_ns[STAGE_STEAL] += now_ns() - t;
	return value;
}

struct et_tree_delays __real_et_exits_claim(struct et_exits *exits, int32_t root, int32_t reaper);
struct et_tree_delays __wrap_et_exits_claim(struct et_exits *exits, int32_t root, int32_t reaper);
struct et_tree_delays __wrap_et_exits_claim(struct et_exits *exits, int32_t root, int32_t reaper)
{
	uint64_t t = now_ns();
	struct et_tree_delays d = __real_et_exits_claim(exits, root, reaper);

	spent_ns[STAGE_CLAIM] += now_ns() - t;
	return d;
}

pid_t __real_et_child_spawn(const struct et_child_setup *setup, struct et_start *start, bool held);
pid_t __wrap_et_child_spawn(const struct et_child_setup *setup, struct et_start *start, bool held);
pid_t __wrap_et_child_spawn(const struct et_child_setup *setup, struct et_start *start, bool held)
{
	uint64_t t = now_ns();
	pid_t pid = __real_et_child_spawn(setup, start, held);

	start_time_ns = start->t0_ns;
	spent_ns[STAGE_SPAWN] += start->t0_ns - t;
	return pid;
}

int __real_et_reap_wait(const struct et_reaping *r);
int __wrap_et_reap_wait(const struct et_reaping *r);
int __wrap_et_reap_wait(const struct et_reaping *r)
{
	int rc = __real_et_reap_wait(r);

	spent_ns[STAGE_REAP] += now_ns() - r->results[0].t1_ns;
	spent_ns[STAGE_WINDOW] += r->results[0].t1_ns - start_time_ns;
	return rc;
}

int __real_et_reap_leftovers(const struct et_reaping *r);
int __wrap_et_reap_leftovers(const struct et_reaping *r);
int __wrap_et_reap_leftovers(const struct et_reaping *r)
{
	uint64_t t = now_ns();
	int rc = __real_et_reap_leftovers(r);

	spent_ns[STAGE_LEFTOVERS] += now_ns() - t;
	return rc;
}

uint64_t __real_et_cgroup_usage_ns(enum et_cpu_source source, int usage_fd);
uint64_t __wrap_et_cgroup_usage_ns(enum et_cpu_source source, int usage_fd);
uint64_t __wrap_et_cgroup_usage_ns(enum et_cpu_source source, int usage_fd)
{
	uint64_t t = now_ns(), value = __real_et_cgroup_usage_ns(source, usage_fd);

	/* Between vfork and execve, where the child shares our memory, it is part of spawn. */
	if (start_time_ns)
		spent_ns[STAGE_USAGE] += now_ns() - t;
	return value;
}

/* --- the loop --- */

static void check(int rc, const struct et_error *err)
{
	if (!rc)
		return;
	fprintf(stderr, "bench-executor: %s\n", err->what);
	exit(1);
}

static void one_run(const struct et_executor *x, double row[STAGES])
{
	struct et_request q = { .arrangement = ET_SOLO };
	struct et_sample samples[2];
	struct et_error err;

	memset(spent_ns, 0, sizeof(spent_ns));
	start_time_ns = 0;
	uint64_t t = now_ns();
	check(x->run(x->ctx, &q, samples, &err), &err);
	spent_ns[STAGE_WALL] = now_ns() - t;
	uint64_t named = 0;
	for (int s = 0; s < STAGE_REST; s++)
		named += spent_ns[s];
	spent_ns[STAGE_REST] = spent_ns[STAGE_WALL] > named ? spent_ns[STAGE_WALL] - named : 0;
	for (int s = 0; s < STAGES; s++)
		row[s] = (double)spent_ns[s] / 1e3;
	et_sample_free(&samples[0]);
}

static double image_us(const double row[STAGES])
{
	return row[STAGE_TAKE] + row[STAGE_COMPARE] + row[STAGE_DRAIN] + row[STAGE_CLAIM];
}

static void print_table(double (*rows)[STAGES], size_t n)
{
	ET_AUTO_FREE double *column = et_calloc(n, sizeof(*column));

	printf("%-26s %10s %10s\n", "us per run", "median", "mean");
	for (int s = 0; s < STAGES; s++) {
		for (size_t i = 0; i < n; i++)
			column[i] = rows[i][s];
		double mean = et_mean(column, n);
		et_sort(column, n);
		printf("%-26s %10.2f %10.2f\n", stage_names[s], et_median_sorted(column, n), mean);
	}
}

int main(int argc, char **argv)
{
	size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int at = 2;
	bool raw = argc > at && !strcmp(argv[at], "--raw");

	at += raw;
	at += argc > at && !strcmp(argv[at], "--");
	if (runs < 1 || runs > 1000000 || argc <= at) {
		fprintf(stderr, "usage: bench-executor RUNS [--raw] [--] PROGRAM [ARG...]\n");
		return 2;
	}
	struct et_command command = { .name = argv[at], .text = argv[at], .argv = &argv[at] };
	struct et_experiment e = { .commands = &command, .n_commands = 1 };
	struct et_interrupt interrupt = { 0 };
	struct et_runner *r = NULL;
	struct et_error err;
	double(*rows)[STAGES] = et_calloc(runs, sizeof(*rows)), warm[STAGES];

	et_host_read("", &e.host);
	check(et_runner_open(&e, environ, &interrupt, &r, &err), &err);
	struct et_executor x = et_runner_executor(r);
	one_run(&x, warm);
	for (size_t i = 0; i < runs; i++)
		one_run(&x, rows[i]);
	et_runner_close(r);
	for (size_t i = 0; raw && i < runs; i++)
		printf("%.3f %.3f %.3f\n", rows[i][STAGE_WALL], rows[i][STAGE_WINDOW],
			image_us(rows[i]));
	if (!raw)
		print_table(rows, runs);
	free(rows);
	return 0;
}
