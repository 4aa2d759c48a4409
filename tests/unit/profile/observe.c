/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Real programs through the runner with the profiler. The program is this test itself, started with
 * the name of a workload. The assertions also hold on a busy machine.
 */
#include "profile/sampling/observe.h"
#include "base/base.h"
#include "base/clock.h"
#include "base/parse.h"
#include "host/host.h"
#include "measure/child/runner.h"
#include "profile/sampling/burners.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

extern char **environ;

static struct et_interrupt interrupt;
static struct et_error err;
static const char *self;

/* --- workloads --- */

__attribute__((noinline)) static void burn(uint64_t ns)
{
	uint64_t end_ns = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
		for (volatile int i = 0; i < 500; i++)
			;
	}
}

static void *burn_some(void *ctx)
{
	burn(*(uint64_t *)ctx);
	return NULL;
}

static void threads(int n, uint64_t ns)
{
	for (int i = 0; i < n; i++) {
		pthread_t t;
		if (pthread_create(&t, NULL, burn_some, &ns))
			exit(1);
		pthread_join(t, NULL);
	}
}

static void forks(int n, uint64_t ns)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			burn(ns);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			exit(1);
	}
}

/* Runs a loop that no file contains, in fresh memory each time. */
static void jit(int n, uint64_t ns)
{
#if defined(__x86_64__)
	/* mov %rdi,%rax; 1: dec %rax; jne 1b; ret */
	static const unsigned char code[] = { 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb,
		0xc3 };
	for (int i = 0; i < n; i++) {
		void *p = mmap(
			NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			exit(1);
		memcpy(p, code, sizeof(code));
		mprotect(p, 4096, PROT_READ | PROT_EXEC);
		void (*loop)(uint64_t);
		memcpy(&loop, &p, sizeof(loop));
		uint64_t end_ns = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
		while (et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
			loop(100000);
		munmap(p, 4096);
	}
#else
	(void)n;
	burn(ns);
#endif
}

/* Ends at once: the leak sanitizer would make one more thread. */
static _Noreturn void work(char **argv)
{
	int n = atoi(argv[2]);
	uint64_t ns = (uint64_t)atoi(argv[3]) * 1000;

	if (!strcmp(argv[1], "threads"))
		threads(n, ns);
	else if (!strcmp(argv[1], "forks"))
		forks(n, ns);
	else if (!strcmp(argv[1], "jit"))
		jit(n, ns);
	else
		burn(ns);
	_exit(0);
}

/* --- running them --- */

static struct et_experiment *experiment(const struct et_profile_plan *plan, const char *workload)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));
	ET_AUTO_FREE char *command = et_asprintf("%s %s", self, workload);

	et_host_read("", &e->host);
	e->n_commands = 1;
	e->commands = et_calloc(1, sizeof(*e->commands));
	e->commands[0].name = et_strdup(workload);
	if (et_split_words(command, &e->commands[0].argv, &err))
		tap_bail("%s", err.what);
	e->profile = et_profile_new(plan);
	e->plan.seed = 7;
	return e;
}

/* Runs it n times. NULL if it could not be done; then err says why. */
static struct et_experiment *profile(
	const struct et_profile_plan *plan, const char *workload, int runs)
{
	struct et_experiment *e = experiment(plan, workload);
	struct et_runner *r = NULL;
	struct et_request q = { .arrangement = ET_SOLO };
	int rc = et_runner_open(e, environ, &interrupt, &r, &err);

	if (rc == 0)
		rc = et_runner_observe(r, &et_observe_profile, &err);
	for (int i = 0; rc == 0 && i < runs; i++) {
		struct et_sample s[2];
		struct et_executor x = et_runner_executor(r);
		rc = x.run(x.ctx, &q, s, &err);
		if (rc == 0) {
			et_experiment_add(e, &s[0]);
			et_sample_free(&s[0]);
		}
	}
	et_runner_close(r);
	if (rc == 0)
		return e;
	et_experiment_free(e);
	return NULL;
}

static uint64_t samples_in(const struct et_profile *p, const char *name)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n_runs; i++) {
		for (size_t k = 0; k < p->runs[i].n_counts; k++) {
			uint32_t node = p->runs[i].counts[k].node;
			const struct et_profile_function *f =
				&p->functions[p->nodes[node].function];
			if (!strcmp(f->name, name))
				n += p->runs[i].counts[k].samples;
		}
	}
	return n;
}

static uint64_t all_samples(const struct et_profile *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n_runs; i++)
		n += p->runs[i].samples;
	return n;
}

static uint64_t overruns(const struct et_profile *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n_runs; i++)
		n += p->runs[i].overruns;
	return n;
}

static double counted_ms(const struct et_profile *p)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < p->n_runs; i++)
		ns += p->runs[i].counted;
	return (double)ns / 1e6;
}

static void show(const struct et_profile *p)
{
	for (size_t i = 0; i < p->n_runs; i++) {
		const struct et_profile_run *r = &p->runs[i];
		printf("# run %zu: %llu samples, period %.0f, counted %.3f ms, lost %llu, overruns "
		       "%llu, throttled %llu, tasks %llu, short %llu\n",
			i, (unsigned long long)r->samples, r->period, (double)r->counted / 1e6,
			(unsigned long long)r->lost, (unsigned long long)r->overruns,
			(unsigned long long)r->throttled, (unsigned long long)r->tasks,
			(unsigned long long)r->short_tasks);
	}
}

static void one_thread(void)
{
	struct et_experiment *e = profile(&et_default_profile_plan, "burn 1 50000", 4);

	if (!e)
		tap_bail("%s", err.what);
	const struct et_profile *p = e->profile;
	show(p);
	ok(p->n_runs == 4, "each run has its counts");
	double due = counted_ms(p), got = (double)(all_samples(p) + overruns(p));
	ok(p->kernel_allowed ? fabs(got - due) < 0.2 * due + 8 : got > 0 && got < 1.2 * due + 8,
		"a loop has a sample per millisecond, unless it was in the kernel: %llu in %.1f ms",
		(unsigned long long)all_samples(p), due);
	ok(p->runs[0].throttled == 0 && p->runs[0].lost == 0, "nothing is throttled or lost");
	ok(samples_in(p, "burn") > 0, "the function that loops is found: %llu",
		(unsigned long long)samples_in(p, "burn"));
	et_experiment_free(e);
}

/* Samples per counted millisecond are one, whatever the tasks are. */
static void sees_all(const char *workload, uint64_t tasks, const char *label)
{
	struct et_experiment *e = profile(&et_default_profile_plan, workload, 1);

	if (!e)
		tap_bail("%s: %s", workload, err.what);
	const struct et_profile *p = e->profile;
	const struct et_profile_run *r = &p->runs[0];
	double due = counted_ms(p), got = (double)r->samples;
	show(p);
	if (p->way == ET_PROFILE_CGROUP) {
		/* An overrun is a sample that the timer, not the profiler, has missed. */
		ok(got > 0.9 * due - 8 - (double)r->overruns && got < 1.1 * due + 8,
			"%s: %.0f samples in %.1f ms", label, got, due);
	} else {
		ok(r->short_tasks > tasks / 2,
			"%s: inherited events know how many tasks were too short: %llu", label,
			(unsigned long long)r->short_tasks);
	}
	ok(r->tasks == tasks + 1, "%s: %llu tasks have ended", label, (unsigned long long)r->tasks);
	et_experiment_free(e);
}

static void short_program(void)
{
	struct et_profile_plan plan = et_default_profile_plan;

	plan.rate_hz = 20; /* a period is much longer than the program */
	plan.fixed = true;
	struct et_experiment *e = profile(&plan, "burn 1 1", 1);
	if (!e)
		tap_bail("%s", err.what);
	ok(e->profile->n_runs == 1 && all_samples(e->profile) <= 1,
		"a program that ends before its first sample has a run without counts");
	et_experiment_free(e);
}

static void generated_code(void)
{
	struct et_experiment *e = profile(&et_default_profile_plan, "jit 20 3000", 1);
	uint64_t n = 0;

	if (!e)
		tap_bail("%s", err.what);
	const struct et_profile *p = e->profile;
	for (size_t k = 0; k < p->runs[0].n_counts; k++) {
		uint32_t f = p->nodes[p->runs[0].counts[k].node].function;
		if (p->functions[f].space == ET_SPACE_UNKNOWN ||
			p->functions[f].space == ET_SPACE_JIT)
			n += p->runs[0].counts[k].samples;
	}
#if defined(__x86_64__)
	ok(n > all_samples(p) / 2, "samples in generated code are counted: %llu of %llu",
		(unsigned long long)n, (unsigned long long)all_samples(p));
#else
	skip("this test generates code for x86-64 only");
#endif
	et_experiment_free(e);
}

static void chains(void)
{
	struct et_profile_plan plan = et_default_profile_plan;

	plan.chains = ET_CHAINS_FP;
	struct et_experiment *e = profile(&plan, "burn 1 50000", 1);
	if (!e)
		tap_bail("%s", err.what);
	const struct et_profile *p = e->profile;
	bool below = false, deep = false;
	for (size_t i = 1; i < p->n_nodes; i++) {
		below = below || p->nodes[i].parent >= i;
		deep = deep || p->nodes[i].parent != ET_PROFILE_ROOT;
	}
	ok(!below && deep, "call chains make a tree of %zu contexts", p->n_nodes);
	et_experiment_free(e);
}

/* 10,000 samples per second with their chains fill half of a ring in less than half a second. */
static void long_run(void)
{
	struct et_profile_plan plan = et_default_profile_plan;

	plan.chains = ET_CHAINS_FP;
	plan.rate_hz = 10000;
	struct et_experiment *e = profile(&plan, "burn 1 600000", 1);
	if (!e)
		tap_bail("%s", err.what);
	show(e->profile);
	const struct et_profile_run *r = &e->profile->runs[0];
	double due = (double)r->counted / r->period; /* with the time of execve() */
	ok(r->lost == 0, "a run that takes more than its ring holds loses nothing");
	ok(!e->profile->kernel_allowed ||
			fabs((double)(r->samples + r->overruns) - due) < 0.05 * due + 16,
		"a run that takes more than its ring holds has all its samples: %llu of %.0f",
		(unsigned long long)r->samples, due);
	et_experiment_free(e);
}

/* The same run has the same periods, another run others. */
static void reproducible(void)
{
	struct et_profile_plan plan = et_default_profile_plan;

	snprintf(plan.event, sizeof(plan.event), "cpu-clock");
	plan.rate_hz = 0;
	plan.period = 1234567;
	plan.fixed = true;
	struct et_experiment *e = profile(&plan, "burn 1 5000", 2);
	if (!e)
		tap_bail("%s", err.what);
	ok(e->profile->runs[0].period == 1234567 && e->profile->runs[1].period == 1234567,
		"a fixed period is exactly the one that was asked for");
	is_str(e->profile->event, "cpu-clock", "the event that was used is recorded");
	et_experiment_free(e);
}

static void refusals(void)
{
	struct et_profile_plan plan = et_default_profile_plan;

	plan.rate_hz = 1e9;
	ok(!profile(&plan, "burn 1 1", 1) && err.exit == ET_EXIT_USAGE &&
			strstr(err.what, "perf_event_max_sample_rate") && *err.hint,
		"a rate above the kernel's limit is refused: %s", err.what);
	plan.rate_hz = 0;
	plan.period = 1;
	ok(!profile(&plan, "burn 1 1", 1) && err.exit == ET_EXIT_USAGE &&
			!strncmp(err.hint, "use a period of at least ", 25) &&
			strtod(err.hint + 25, NULL) > 1,
		"a period that is too short is refused with the shortest: %s", err.hint);
}

static void burners_fail(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct et_squad b;
	cpu_set_t cpus;

	if (fd < 0 || sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		tap_bail("the CPUs are not known");
	ok(et_burners_open(&b, &cpus, fd) < 0 && b.n == 0,
		"burners that cannot enter the control group are an error");
	close(fd);
}

static void everything(void)
{
	one_thread();
	sees_all("threads 300 300", 300, "300 threads of 0.3 ms");
	sees_all("forks 1000 100", 1000, "1000 children of 0.1 ms");
	short_program();
	generated_code();
	chains();
	long_run();
	reproducible();
	refusals();
}

/* Whether anything can be sampled at all. */
static bool possible(void)
{
	struct et_experiment *e = profile(&et_default_profile_plan, "burn 1 1", 1);

	if (e)
		printf("# %s, %s\n", e->profile->event, et_profile_way_names[e->profile->way]);
	et_experiment_free(e);
	return e;
}

/* As a user without rights: no control group can be made, so the events are inherited. */
static int unprivileged(void)
{
	struct et_experiment *e = NULL;
	char path[32];

	/* The user may be unable to enter the folder of this file. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", open(self, O_RDONLY | O_CLOEXEC));
	self = path;
	/* A process that changes its user may not be traced, and neither may its children. */
	if (setgid(65534) < 0 || setuid(65534) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0 ||
		!(e = profile(&et_default_profile_plan, "threads 200 300", 1))) {
		printf("# %s\n", err.what);
		fflush(stdout);
		return 2;
	}
	const struct et_profile_run *r = &e->profile->runs[0];
	show(e->profile);
	fflush(stdout);
	bool fine =
		e->profile->way == ET_PROFILE_INHERITED && r->tasks == 201 && r->short_tasks > 100;
	et_experiment_free(e);
	return fine ? 0 : 1;
}

static void without_rights(void)
{
	int status;

	if (geteuid() != 0) {
		skip("inherited events: they were tested already, without root");
		return;
	}
	pid_t pid = fork();
	if (pid == 0)
		_exit(unprivileged());
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		skip("inherited events: another user may not sample or run this file");
	else
		ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
			"a user without rights learns how many threads were too short to be seen");
}

int main(int argc, char **argv)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (argc > 3)
		work(argv);
	path[n > 0 ? n : 0] = '\0';
	self = path;
	burners_fail();
	if (!possible()) {
		ok(err.exit == ET_EXIT_ENVIRONMENT && *err.what,
			"without perf events the reason is given: %s", err.what);
		skip(err.what);
		return tap_done();
	}
	everything();
	without_rights();
	return tap_done();
}
