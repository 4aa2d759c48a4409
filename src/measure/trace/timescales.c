/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/trace/timescales.h"
#include "base/clock.h"
#include "clock/timer.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { BATCHES = 201, LEAST_BATCHES = 11 };

static const uint64_t BUDGET_NS = 300000000; /* of one event */

extern char **environ;

/* The state that the events share. */
struct bench {
	int cpu, other_cpu; /* other_cpu is -1 if there is only one */
	int to_peer, from_peer;
	pid_t peer;
	pthread_t sleeper;
	_Atomic uint32_t call; /* the futex on which the sleeper sleeps */
	atomic_bool asleep, stop;
	_Atomic uint64_t woken_ns;
};

struct event {
	const char *name, *what;
	/* These return 0, or an errno: then `missing`, or the errno's text, is the reason. */
	int (*batch)(struct bench *b, double *ns); /* the mean of one batch */
	int (*open)(struct bench *b);              /* or NULL, as `close` */
	void (*close)(struct bench *b);
	const char *missing;
};

static double now(void)
{
	return (double)et_clock_read_ns(CLOCK_MONOTONIC);
}

/* --- arithmetic and system calls --- */

/* Keeps a number in a register of its kind, and the compiler from computing with it. */
#if defined(__x86_64__)
#define HIDE(x) __asm__ volatile("" : "+x"(x))
#elif defined(__aarch64__)
#define HIDE(x) __asm__ volatile("" : "+w"(x))
#else
#define HIDE(x) __asm__ volatile("" : "+m"(x))
#endif

static int divide(struct bench *b, double *ns)
{
	enum { TIMES = 10000 };
	double x = 3, begin = now();

	(void)b;
	for (int i = 0; i < TIMES; i++) {
		x = 7 / x;
		HIDE(x);
	}
	*ns = (now() - begin) / TIMES;
	return 0;
}

static int read_clock(struct bench *b, double *ns)
{
	enum { TIMES = 1000 };
	double begin = now();

	(void)b;
	for (int i = 0; i < TIMES; i++)
		et_clock_read_ns(CLOCK_MONOTONIC);
	*ns = (now() - begin) / TIMES;
	return 0;
}

static int call_system(struct bench *b, double *ns)
{
	enum { TIMES = 500 };
	double begin = now();

	(void)b;
	for (int i = 0; i < TIMES; i++)
		syscall(SYS_getppid);
	*ns = (now() - begin) / TIMES;
	return 0;
}

/* --- page faults --- */

static int fault_pages(struct bench *b, double *ns)
{
	enum { PAGES = 64 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(
		NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)b;
	if (memory == MAP_FAILED)
		return errno;
	/* A huge page would be one fault for all. */
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	double begin = now();
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)memory)[i * page] = 1;
	*ns = (now() - begin) / PAGES;
	munmap(memory, PAGES * page);
	return 0;
}

/* --- a context switch: two processes on one CPU, of which always one waits for the other --- */

static int open_peer(struct bench *b)
{
	int there[2], back[2];

	if (pipe2(there, O_CLOEXEC))
		return errno;
	if (pipe2(back, O_CLOEXEC)) {
		int error = errno;
		close(there[0]);
		close(there[1]);
		return error;
	}
	b->peer = fork();
	if (b->peer == 0) {
		/* Ctrl-C is for the parent: if it ends, the pipe does. */
		const struct sigaction ignore = { .sa_handler = SIG_IGN };
		sigaction(SIGINT, &ignore, NULL);
		sigaction(SIGTERM, &ignore, NULL);
		char byte;
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	int error = b->peer < 0 ? errno : 0;
	close(there[0]);
	close(back[1]);
	b->to_peer = there[1];
	b->from_peer = back[0];
	if (error) {
		close(b->to_peer);
		close(b->from_peer);
	}
	return error;
}

static int switch_context(struct bench *b, double *ns)
{
	enum { ROUNDS = 20 };
	double begin = now();
	char byte = 0;

	for (int i = 0; i < ROUNDS; i++) {
		if (write(b->to_peer, &byte, 1) != 1 || read(b->from_peer, &byte, 1) != 1)
			return EPIPE;
	}
	*ns = (now() - begin) / (2 * ROUNDS);
	return 0;
}

static void close_peer(struct bench *b)
{
	close(b->to_peer); /* the peer reads the end of the file, and ends */
	close(b->from_peer);
	while (waitpid(b->peer, NULL, 0) < 0 && errno == EINTR)
		;
}

/* --- a wake-up: from the call that wakes a thread on another CPU until that thread runs --- */

static void *sleep_and_wake(void *ctx)
{
	struct bench *b = ctx;
	uint32_t seen = 0;

	while (!atomic_load(&b->stop)) {
		atomic_store(&b->asleep, true);
		while (atomic_load(&b->call) == seen)
			syscall(SYS_futex, &b->call, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
		atomic_store(&b->woken_ns, et_clock_read_ns(CLOCK_MONOTONIC));
		seen = atomic_load(&b->call);
	}
	return NULL;
}

static int open_sleeper(struct bench *b)
{
	pthread_attr_t attr;
	cpu_set_t set;

	if (b->other_cpu < 0)
		return ENOTSUP;
	CPU_ZERO(&set);
	CPU_SET((size_t)b->other_cpu, &set);
	int rc = pthread_attr_init(&attr);
	if (rc)
		return rc;
	atomic_store(&b->stop, false);
	rc = pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	if (rc == 0)
		rc = pthread_create(&b->sleeper, &attr, sleep_and_wake, b);
	pthread_attr_destroy(&attr);
	return rc;
}

static void call_sleeper(struct bench *b)
{
	atomic_fetch_add(&b->call, 1);
	syscall(SYS_futex, &b->call, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static int wake(struct bench *b, double *ns)
{
	const struct timespec falls_asleep = { .tv_nsec = 200000 };

	while (!atomic_load(&b->asleep))
		sched_yield();
	nanosleep(&falls_asleep, NULL);
	atomic_store(&b->asleep, false);
	atomic_store(&b->woken_ns, 0);
	double begin = now();
	call_sleeper(b);
	while (!atomic_load(&b->woken_ns))
		sched_yield();
	*ns = (double)atomic_load(&b->woken_ns) - begin;
	return 0;
}

static void close_sleeper(struct bench *b)
{
	atomic_store(&b->stop, true);
	call_sleeper(b);
	pthread_join(b->sleeper, NULL);
}

/* --- threads and processes --- */

static void *do_nothing(void *ctx)
{
	return ctx;
}

static int make_thread(struct bench *b, double *ns)
{
	pthread_t thread;
	double begin = now();
	int rc = pthread_create(&thread, NULL, do_nothing, b);

	if (rc)
		return rc;
	pthread_join(thread, NULL);
	*ns = now() - begin;
	return 0;
}

static int make_process(struct bench *b, double *ns)
{
	char name[] = "true";
	char *argv[] = { name, NULL };
	double begin = now();
	int status;
	pid_t pid;

	(void)b;
	int rc = posix_spawnp(&pid, name, NULL, NULL, argv, environ);
	if (rc)
		return rc;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno;
	}
	*ns = now() - begin;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ENOEXEC;
}

/* --- all of them --- */

static const struct event events[] = {
	{ "division", "a floating-point division", .batch = divide },
	{ "clock-reading", "a reading of CLOCK_MONOTONIC", .batch = read_clock },
	{ "system-call", "a system call that does nothing (getppid)", .batch = call_system },
	{ "page-fault", "the first access to a page of memory (minor fault)",
		.batch = fault_pages },
	{ "context-switch", "a switch to another process on the CPU, by a pipe", switch_context,
		open_peer, close_peer, NULL },
	{ "wake-up", "waking a thread that sleeps on another CPU", wake, open_sleeper,
		close_sleeper, "this needs a second CPU" },
	{ "thread", "creating a thread and waiting for its end", .batch = make_thread },
	{ "process", "starting a program (true) and waiting for its end", .batch = make_process },
};

static int take_batches(const struct event *e, struct bench *b, struct et_timescale *out)
{
	uint64_t begin_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	double ns[BATCHES], first;
	size_t n = 0;
	int rc = e->batch(b, &first); /* the first one meets cold caches */

	while (rc == 0 && n < BATCHES &&
		(n < LEAST_BATCHES || et_clock_read_ns(CLOCK_MONOTONIC) - begin_ns < BUDGET_NS)) {
		rc = e->batch(b, &ns[n]);
		n += rc == 0;
	}
	out->ns = et_spread_of(ns, rc ? 0 : n);
	return rc;
}

static void measure_event(const struct event *e, struct bench *b, struct et_timescale *out)
{
	*out = (struct et_timescale){ .name = e->name, .what = e->what };
	out->ns = et_spread_of(NULL, 0);
	int rc = e->open ? e->open(b) : 0;

	if (rc == 0) {
		rc = take_batches(e, b, out);
		if (e->close)
			e->close(b);
	}
	if (rc)
		out->missing = e->missing && rc == ENOTSUP ? e->missing : strerror(rc);
}

/* The timer interrupt occurs by itself: a spinning thread sees it (clock/timer.h). */
static void measure_timer(const struct et_pulse *pulse, struct et_timescales *out)
{
	const struct et_timer_options how = {
		.limit_ns = 2000000000, .pulse = pulse, .tick_at_ns = ET_UNKNOWN
	};
	struct et_timescale *cost = &out->list[out->n++], *interval = &out->list[out->n++];
	struct et_counter counter;
	struct et_timer t;

	et_counter_identify(&counter);
	if (counter.invariant && et_counter_calibrate(&counter, 50000000))
		counter.hz = 0;
	int rc = et_timer_spin(&counter, &how, &t);
	bool found = rc == 0 || rc == -EAGAIN;
	const struct et_clock_spread none = et_spread_of(NULL, 0);
	*cost = (struct et_timescale){ "timer-interrupt", "the gap that a timer interrupt makes",
		.ns = none };
	*interval = (struct et_timescale){ "timer-interval",
		"from one timer interrupt to the next, by the kernel", .ns = none };
	if (found && t.candidates == 1)
		cost->ns = t.cost;
	else
		cost->missing = found && t.candidates ? "several series of gaps may be it"
						      : "no interrupt was seen alone";
	if (found && t.tick_ns > 0) {
		double tick = t.tick_ns;
		interval->ns = et_spread_of(&tick, 1);
	} else {
		interval->missing = "no timer interrupt was found";
	}
}

static int other_cpu(const cpu_set_t *allowed, int cpu)
{
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (i != cpu && CPU_ISSET((size_t)i, allowed))
			return i;
	}
	return -1;
}

int et_timescales_measure(int cpu, const struct et_pulse *pulse, struct et_timescales *out)
{
	struct bench b = { 0 };
	cpu_set_t allowed, here;

	memset(out, 0, sizeof(*out));
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -errno;
	out->cpu = b.cpu = cpu >= 0 ? cpu : sched_getcpu();
	out->total = ET_LENGTH(events) + 2;
	b.other_cpu = other_cpu(&allowed, b.cpu);
	CPU_ZERO(&here);
	CPU_SET((size_t)b.cpu, &here);
	if (sched_setaffinity(0, sizeof(here), &here))
		return -errno;
	for (size_t i = 0; i < ET_LENGTH(events) && et_pulse_beat(pulse); i++)
		measure_event(&events[i], &b, &out->list[out->n++]);
	if (et_pulse_beat(pulse))
		measure_timer(pulse, out);
	out->cut_short = out->n < out->total || !et_pulse_beat(pulse);
	/* This fails only if all these CPUs are offline; the kernel has moved the thread then. */
	sched_setaffinity(0, sizeof(allowed), &allowed);
	return 0;
}
