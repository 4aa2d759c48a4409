/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stream of scheduler events: scripted records, and a real program by BPF and by perf. */
#include "base/base.h"
#include "base/clock.h"
#include "measure/observe/steal.h"
#include "measure/trace/sched_source.h"
#include "tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

struct events {
	struct et_sched_event list[64];
	size_t n;
};

static void keep(void *ctx, const struct et_sched_event *h)
{
	struct events *t = ctx;

	if (t->n < ET_LENGTH(t->list))
		t->list[t->n++] = *h;
}

static void add(struct et_sched_batch *b, uint32_t cpu, uint32_t kind, uint64_t from, uint64_t to,
	int32_t who, int32_t next)
{
	struct et_sched_record r = { .kind = kind,
		.cpu = cpu,
		.start_ns = from,
		.end_ns = to,
		.who.pid = who,
		.next.pid = next };

	et_sched_batch_add(b, &r);
}

static bool is(const struct et_sched_event *h, enum et_sched_event_kind kind, int32_t cpu,
	int32_t pid, uint64_t start_ns, uint64_t duration_ns)
{
	return h->kind == kind && h->cpu == cpu && h->pid == pid && h->start_ns == start_ns &&
	       h->duration_ns == duration_ns;
}

static void order(void)
{
	struct et_sched_batch b = { 0 };
	struct events t = { 0 };
	uint64_t edges[2] = { 0 };

	/* Records are in order of their ends: an interrupt before the stretch that contains it. */
	add(&b, 1, ET_SCHED_TIMER, 130, 140, 0, 7);
	add(&b, 1, ET_SCHED_RAN, 100, 200, 7, 8);
	add(&b, 0, ET_SCHED_RAN, 50, 60, 5, 6);
	add(&b, 1, ET_SCHED_SOFTIRQ, 250, 260, 3, 8);
	et_sched_batch_deliver(&b, edges, 2, keep, &t);
	ok(t.n == 5, "four records and the stretch that has not ended give five events");
	ok(is(&t.list[0], ET_SCHED_RAN, 0, 5, 50, 10), "events are in order of CPUs");
	ok(is(&t.list[1], ET_SCHED_RAN, 1, 7, 100, 100),
		"a stretch comes before the interrupts in it");
	ok(is(&t.list[2], ET_SCHED_TIMER, 1, 0, 130, 10),
		"an interrupt follows the stretch that contains it");
	ok(is(&t.list[3], ET_SCHED_RAN, 1, 8, 200, 60),
		"a stretch that has not ended reaches to the last record");
	ok(is(&t.list[4], ET_SCHED_SOFTIRQ, 1, 0, 250, 10),
		"an interrupt in the last stretch follows it");
	is_str(t.list[4].name, "NET_RX", "a soft interrupt has the name of its vector");

	t.n = 0;
	add(&b, 1, ET_SCHED_RAN, 200, 300, 8, 0);
	add(&b, 1, ET_SCHED_IRQ, 310, 315, 0, 0);
	et_sched_batch_deliver(&b, edges, 2, keep, &t);
	ok(t.n == 3 && is(&t.list[0], ET_SCHED_RAN, 1, 8, 260, 40),
		"a stretch continues where the last call ended");
	ok(is(&t.list[1], ET_SCHED_RAN, 1, 0, 300, 15), "an idle CPU is a stretch of PID 0");
	is_str(t.list[1].name, "idle", "PID 0 is called idle");

	t.n = 0;
	add(&b, 9, ET_SCHED_RAN, 200, 300, 8, 0);
	et_sched_batch_deliver(&b, edges, 2, keep, &t);
	ok(t.n == 0, "records of impossible CPUs are ignored");
	free(b.records);
}

/* --- a real program --- */

struct seen {
	int32_t pid;
	uint64_t ran_ns, timers, last_end_ns, overlaps;
	uint64_t *asleep_ns; /* CPU time that falling asleep and waking up cost the child */
	char name[16];
};

static void sum(void *ctx, const struct et_sched_event *h)
{
	struct seen *s = ctx;

	s->timers += h->kind == ET_SCHED_TIMER;
	if (h->kind != ET_SCHED_RAN)
		return;
	s->overlaps += h->start_ns < s->last_end_ns;
	s->last_end_ns = h->start_ns + h->duration_ns;
	if (h->pid == s->pid) {
		s->ran_ns += h->duration_ns;
		memcpy(s->name, h->name, sizeof(s->name));
	}
}

/*
 * A child that works and sleeps in turn on one CPU; returns its CPU time. Its events are read while
 * it runs, because on a busy machine those of its whole life do not fit into the buffer.
 */
static uint64_t child_works(int cpu, struct et_sched_stream *w, struct seen *s)
{
	struct rusage usage;
	uint64_t lost;
	pid_t ended = 0;
	cpu_set_t all, one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_getaffinity(0, sizeof(all), &all);
	sched_setaffinity(0, sizeof(one), &one); /* the child is there from its first instruction */
	s->pid = fork();
	if (s->pid == 0) {
		prctl(PR_SET_NAME, "etalon-worker");
		for (int i = 1; i <= 10; i++) {
			uint64_t before_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
			usleep(1000);
			*s->asleep_ns += et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns;
			while (et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) < (uint64_t)i * 10000000)
				;
		}
		_exit(0);
	}
	sched_setaffinity(0, sizeof(all), &all);
	while (ended == 0) {
		usleep(1000);
		ended = wait4(s->pid, NULL, WNOHANG, &usage);
		if (et_sched_stream_drain(w, sum, s, &lost))
			return 0;
	}
	if (ended != s->pid)
		return 0;
	return et_timeval_ns(usage.ru_utime) + et_timeval_ns(usage.ru_stime);
}

/* The number of descriptors that a measured program would inherit. */
static size_t inheritable(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	for (struct dirent *e; d && (e = readdir(d));) {
		int fd = (int)strtol(e->d_name, NULL, 10);
		if (fd > 2 && fcntl(fd, F_GETFD) == 0)
			n++;
	}
	if (d)
		closedir(d);
	return n;
}

static void real(enum et_sched_way way, const char *name)
{
	struct et_sched_stream *w = NULL;
	struct et_error err;
	struct seen s = { 0 };
	uint64_t lost = 1;
	cpu_set_t all;
	int cpu = 0;
	size_t before = inheritable();
	struct et_steal steal;

	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	if (et_sched_stream_open(way, cpu, 1 << 20, &w, &err)) {
		ok(err.exit == ET_EXIT_ENVIRONMENT && err.what[0], "%s: %s", name, err.what);
		skip("the kernel does not allow this source");
		return;
	}
	is_str(et_sched_stream_source(w)->name, name, "%s: the stream names its source", name);
	ok(inheritable() == before, "%s: every descriptor is close-on-exec", name);
	et_steal_open(&steal, "", true);
	s.asleep_ns = mmap(NULL, sizeof(*s.asleep_ns), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s.asleep_ns == MAP_FAILED)
		exit(1);
	uint64_t stolen_before = et_steal_read(&steal, NULL).steal_ns;
	uint64_t began = et_clock_read_ns(CLOCK_MONOTONIC);
	uint64_t used = child_works(cpu, w, &s);
	uint64_t took = et_clock_read_ns(CLOCK_MONOTONIC) - began;
	/*
	 * A task is charged from the moment it is chosen, before the switch: 3 ms for all of them.
	 * On a virtual CPU that was idle this moment is long, and the child has measured it.
	 */
	uint64_t unseen = 3000000 + *s.asleep_ns;
	/* The last switch may be recorded after wait4() has returned. */
	int rc = et_sched_stream_drain(w, sum, &s, &lost);
	for (int i = 0; rc == 0 && s.ran_ns + unseen <= used && i < 5000; i++) {
		usleep(1000);
		rc = et_sched_stream_drain(w, sum, &s, &lost);
	}
	ok(rc == 0 && lost == 0, "%s: no record is lost", name);
	printf("# used %.3f ms, %.3f ms to wake up, seen %.3f ms of %.3f ms\n", (double)used * 1e-6,
		(double)*s.asleep_ns * 1e-6, (double)s.ran_ns * 1e-6, (double)took * 1e-6);
	ok(used && s.ran_ns + unseen > used && s.ran_ns < took,
		"%s: the stretches cover the CPU time of the child", name);
	/* Steal is in the stretches but not in the CPU time; it is counted in ticks of 10 ms. */
	uint64_t stolen = et_steal_read(&steal, NULL).steal_ns - stolen_before + 20000000;
	ok(s.ran_ns < used + used / 50 + stolen,
		"%s: the stretches exceed the CPU time by no more than steal", name);
	et_steal_close(&steal);
	is_str(s.name, "etalon-worker", "%s: events have the name of the task", name);
	ok(s.overlaps == 0, "%s: stretches do not overlap", name);
	if (et_sched_stream_source(w)->interrupts)
		ok(s.timers > 2, "%s: timer interrupts are seen", name);
	else
		ok(s.timers == 0, "%s: there are no events of interrupts", name);
	et_sched_stream_close(w);
	munmap(s.asleep_ns, sizeof(*s.asleep_ns));
}

/* A buffer that is too small. */
static void too_small(enum et_sched_way way)
{
	struct et_sched_stream *w = NULL;
	struct et_error err;
	struct events t = { 0 };
	uint64_t lost = 0;

	if (et_sched_stream_open(way, -1, 1, &w, &err)) {
		skip("this source is not available");
		return;
	}
	/* perf reports a loss with the first record that fits again. */
	int rc = 0;
	for (int i = 0; i < 1010; i++) {
		if (i == 1000)
			rc = et_sched_stream_drain(w, keep, &t, &lost);
		usleep(10);
	}
	ok(rc == 0 && et_sched_stream_drain(w, keep, &t, &lost) == 0 && lost > 0,
		"records that do not fit into the buffer are counted as lost");
	et_sched_stream_close(w);
}

int main(void)
{
	struct et_sched_stream *w = NULL;
	struct et_error err;

	order();
	real(ET_SCHED_BPF, "bpf");
	real(ET_SCHED_PERF, "perf");
	too_small(ET_SCHED_BPF);
	too_small(ET_SCHED_PERF);
	ok(et_sched_stream_open(ET_SCHED_ANY, 100000, 4096, &w, &err) < 0 &&
			err.exit == ET_EXIT_USAGE,
		"a CPU that does not exist is refused");
	et_sched_stream_close(NULL);
	return tap_done();
}
