/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/events.h"
#include "base/alloc.h"
#include "num/rng.h"
#include "profile/sampling/record.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>

/* --- rings and events of one CPU --- */

/* Half of a ring of samples is 13 s at 1000 samples per second of CPU time. */
enum {
	SAMPLES_BYTES = 1 << 20,
	STACKS_BYTES = 1 << 23, /* each sample has a copy of a stack */
	SIDE_BYTES = 1 << 19,
	ALL_BYTES = 1 << 26, /* of the samples of all CPUs together */
	LEAST_BYTES = 1 << 16,
};

/* Bytes of the stack that a sample copies, as perf record does by default. */
enum { STACK_BYTES = 8192 };

static size_t ring_bytes(size_t wanted, size_t n_cpus)
{
	size_t share = ALL_BYTES / n_cpus;

	if (wanted > share)
		wanted = share;
	return wanted < LEAST_BYTES ? LEAST_BYTES : wanted;
}

struct perf_event_attr et_event_attr(const struct et_event_kind *kind, uint64_t period)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = kind->type,
		.config = kind->config,
		.sample_period = period,
		.sample_type = kind->sample_type,
		.read_format = kind->old_kernel ? 0 : PERF_FORMAT_LOST,
		.disabled = 1,
		.exclude_kernel = kind->user_only,
		.exclude_hv = kind->user_only,
		.exclude_callchain_kernel = kind->user_only,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1 }; /* at half of the ring */

	if (kind->sample_type & PERF_SAMPLE_STACK_USER) {
		attr.exclude_callchain_user = 1;
		attr.sample_regs_user = kind->regs;
		attr.sample_stack_user = STACK_BYTES;
	}
	return attr;
}

static struct perf_event_attr side_band(const struct et_event_kind *kind)
{
	return (struct perf_event_attr){ .size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = ET_SIDE_TYPE,
		.read_format = kind->old_kernel ? 0 : PERF_FORMAT_LOST,
		.disabled = 1,
		.exclude_kernel = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.build_id = !kind->old_kernel,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1 };
}

static void close_cpu(struct et_cpu_events *c)
{
	for (size_t i = 1; i < c->n; i++)
		close(c->fd[i]);
	if (c->n)
		et_perf_ring_close(&c->samples);
	if (c->side.page)
		et_perf_ring_close(&c->side);
	*c = (struct et_cpu_events){ 0 };
}

void et_events_close(struct et_events *e)
{
	for (size_t i = 0; i < e->n; i++)
		close_cpu(&e->cpus[i]);
	free(e->cpus);
	*e = (struct et_events){ 0 };
}

static bool take_id(struct et_cpu_events *c, int fd)
{
	if (ioctl(fd, PERF_EVENT_IOC_ID, &c->id[c->n]) < 0)
		return false;
	c->fd[c->n++] = fd;
	return true;
}

/* Opens a further event, whose samples go into the ring of the first. */
static int add_event(
	struct et_cpu_events *c, const struct perf_event_attr *attr, int group_fd, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, group_fd, cpu, -1,
		PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, c->fd[0]) == 0 && take_id(c, fd))
		return 0;
	int rc = -errno;
	close(fd);
	return rc;
}

struct sizes {
	size_t samples, side;
};

/* Whose events are opened: those of a group, or of a task. */
struct target {
	const struct et_event_kind *kind;
	size_t each;  /* events per CPU */
	int group_fd; /* -1: of a task */
	pid_t pid;
	uint64_t period;
};

static int open_ring(const struct target *t, const struct perf_event_attr *attr, int cpu,
	size_t bytes, struct et_perf_ring *out)
{
	return t->group_fd < 0 ? et_perf_ring_open(attr, t->pid, cpu, bytes, out)
			       : et_perf_ring_open_group(attr, t->group_fd, cpu, bytes, out);
}

static int open_cpu(struct et_cpu_events *c, const struct target *t, int cpu, struct sizes size)
{
	struct perf_event_attr attr = et_event_attr(t->kind, t->period), side = side_band(t->kind);
	bool of_task = t->group_fd < 0;

	attr.inherit = attr.enable_on_exec = side.inherit = side.enable_on_exec = of_task;
	int rc = open_ring(t, &side, cpu, size.side, &c->side);
	if (rc == 0)
		rc = open_ring(t, &attr, cpu, size.samples, &c->samples);
	if (rc == 0 && !take_id(c, c->samples.fd)) {
		rc = -errno;
		et_perf_ring_close(&c->samples);
	}
	while (rc == 0 && c->n < t->each)
		rc = add_event(c, &attr, t->group_fd, cpu);
	if (rc == 0 && !of_task && ioctl(c->side.fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		rc = -errno;
	return rc;
}

/* --- all CPUs --- */

static int open_all(struct et_events *e, const struct target *t, const cpu_set_t *cpus)
{
	size_t n = (size_t)CPU_COUNT(cpus);
	bool stacks = t->kind->sample_type & PERF_SAMPLE_STACK_USER;
	struct sizes size = { ring_bytes(stacks ? STACKS_BYTES : SAMPLES_BYTES, n ? n : 1),
		ring_bytes(SIDE_BYTES, n ? n : 1) };
	int rc = 0;

	*e = (struct et_events){ .knows_lost = !t->kind->old_kernel };
	e->cpus = et_calloc(n + 1, sizeof(*e->cpus));
	for (int cpu = 0; rc == 0 && cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		rc = open_cpu(&e->cpus[e->n], t, cpu, size);
		if (rc == 0)
			e->n++;
		else
			close_cpu(&e->cpus[e->n]);
		if (rc == -ENODEV) /* the CPU is offline */
			rc = 0;
	}
	if (rc == 0 && e->n == 0)
		rc = -ENODEV;
	if (rc)
		et_events_close(e);
	return rc;
}

int et_events_open_group(struct et_events *e, const struct et_event_kind *kind, size_t each,
	int group_fd, const cpu_set_t *cpus)
{
	/* The period is set before each run; no event begins with this one. */
	const struct target t = {
		.kind = kind, .each = each, .group_fd = group_fd, .period = UINT64_C(1) << 40
	};

	return open_all(e, &t, cpus);
}

int et_events_open_task(struct et_events *e, const struct et_event_kind *kind, pid_t pid,
	uint64_t period, const cpu_set_t *cpus)
{
	const struct target t = {
		.kind = kind, .each = 1, .group_fd = -1, .pid = pid, .period = period
	};

	return open_all(e, &t, cpus);
}

void et_events_set(struct et_events *e, const struct et_periods *periods)
{
	for (size_t c = 0; c < e->n; c++) {
		for (size_t i = 0; i < e->cpus[c].n; i++) {
			uint64_t period = periods->period[i];
			ioctl(e->cpus[c].fd[i], PERF_EVENT_IOC_PERIOD, &period);
			ioctl(e->cpus[c].fd[i], PERF_EVENT_IOC_RESET, 0);
		}
	}
}

void et_events_enable(const struct et_events *e, size_t i)
{
	for (size_t c = 0; c < e->n; c++)
		ioctl(e->cpus[c].fd[i], PERF_EVENT_IOC_ENABLE, 0);
}

void et_events_disable(const struct et_events *e)
{
	for (size_t c = 0; c < e->n; c++) {
		for (size_t i = 0; i < e->cpus[c].n; i++)
			ioctl(e->cpus[c].fd[i], PERF_EVENT_IOC_DISABLE, 0);
	}
}

/* As read_format has it. */
struct reading {
	uint64_t value, lost;
};

static struct reading read_event(const struct et_events *e, int fd)
{
	struct reading r = { 0 };
	size_t size = e->knows_lost ? sizeof(r) : sizeof(r.value);

	if (read(fd, &r, size) != (ssize_t)size)
		return (struct reading){ 0 };
	return r;
}

void et_events_begin(struct et_events *e)
{
	for (size_t c = 0; c < e->n; c++)
		e->cpus[c].begun = read_event(e, e->cpus[c].fd[0]).value;
}

void et_events_read(
	struct et_events *e, const struct et_periods *periods, struct et_events_read *out)
{
	*out = (struct et_events_read){ 0 };
	for (size_t k = 0; k < e->n; k++) {
		struct et_cpu_events *c = &e->cpus[k];
		for (size_t i = 0; i < c->n; i++) {
			struct reading r = read_event(e, c->fd[i]);
			out->due += et_periods_due(r.value, periods->period[i]);
			out->lost += r.lost - c->lost[i];
			c->lost[i] = r.lost;
			if (i == 0)
				out->counted += r.value - c->begun;
		}
		struct reading side = read_event(e, c->side.fd);
		out->lost += side.lost - c->side_lost;
		c->side_lost = side.lost;
	}
}

/* --- periods --- */

/* Keeps the numbers apart from those that the schedule draws from the same seed. */
static const uint64_t STREAM = UINT64_C(0x70726f66696c6500);

static uint64_t whole(double period)
{
	return period < 1 ? 1 : (uint64_t)llround(period);
}

/*
 * A single event cannot keep the rate and vary the period. It varies little, because the counts of
 * runs are compared with each other.
 */
static void draw_one(struct et_rng *rng, double mean, bool fixed, struct et_periods *out)
{
	double w = fixed ? 1 : 0.9 + 0.2 * et_rng_uniform(rng);

	out->period[0] = whole(w * mean);
}

void et_periods_draw(
	uint64_t seed, uint64_t run, double mean, size_t n, bool fixed, struct et_periods *out)
{
	double w[ET_MOST_EVENTS], sum = 0;
	struct et_rng rng;

	assert(n >= 1 && n <= ET_MOST_EVENTS && (n == 1 || !fixed));
	et_rng_seed(&rng, seed ^ STREAM, run);
	*out = (struct et_periods){ .n = n };
	for (size_t i = 0; i < n; i++) {
		w[i] = 0.5 + et_rng_uniform(&rng);
		sum += 1 / w[i];
	}
	for (size_t i = 0; i < n; i++)
		out->period[i] = whole(w[i] * mean * sum);
	if (n == 1)
		draw_one(&rng, mean, fixed, out);
	for (size_t i = 0; i < n; i++)
		out->passed[i] = et_rng_uniform(&rng);
}

size_t et_periods_events(double mean_ns)
{
	const double most_ns = 1e8;
	double n = most_ns / mean_ns;

	return n < 1 ? 1 : n > ET_MOST_EVENTS ? ET_MOST_EVENTS : (size_t)n;
}

double et_periods_mean(const struct et_periods *p)
{
	double rate = 0;

	for (size_t i = 0; i < p->n; i++)
		rate += 1 / (double)p->period[i];
	return 1 / rate;
}

uint64_t et_periods_due(uint64_t counted, uint64_t period)
{
	return counted / period;
}

uint64_t et_periods_overruns(uint64_t due, uint64_t taken, uint64_t lost)
{
	return taken + lost < due ? due - taken - lost : 0;
}
