/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/events.h"
#include "base/alloc.h"
#include "profile/sampling/record.h"

#include <errno.h>
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

static struct perf_event_attr sampling(const struct et_event_kind *kind, uint64_t period)
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

static int take_ring(struct et_cpu_events *c, int rc)
{
	if (rc)
		return rc;
	if (take_id(c, c->samples.fd))
		return 0;
	rc = -errno;
	et_perf_ring_close(&c->samples);
	return rc;
}

struct sizes {
	size_t samples, side;
};

static int open_cpu_group(struct et_cpu_events *c, const struct et_event_kind *kind, size_t each,
	int group_fd, int cpu, struct sizes size)
{
	/* The period is set before each run; no event begins with this one. */
	struct perf_event_attr attr = sampling(kind, UINT64_C(1) << 40), side = side_band(kind);
	int rc = et_perf_ring_open_group(&side, group_fd, cpu, size.side, &c->side);

	if (rc == 0)
		rc = take_ring(c,
			et_perf_ring_open_group(&attr, group_fd, cpu, size.samples, &c->samples));
	while (rc == 0 && c->n < each)
		rc = add_event(c, &attr, group_fd, cpu);
	if (rc == 0 && ioctl(c->side.fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		rc = -errno;
	return rc;
}

static int open_cpu_task(struct et_cpu_events *c, const struct et_event_kind *kind, pid_t pid,
	uint64_t period, int cpu, struct sizes size)
{
	struct perf_event_attr attr = sampling(kind, period), side = side_band(kind);

	attr.inherit = attr.enable_on_exec = side.inherit = side.enable_on_exec = 1;
	int rc = et_perf_ring_open(&side, pid, cpu, size.side, &c->side);
	if (rc == 0)
		rc = take_ring(c, et_perf_ring_open(&attr, pid, cpu, size.samples, &c->samples));
	return rc;
}

/* --- all CPUs --- */

static struct sizes sizes_of(const struct et_event_kind *kind, const cpu_set_t *cpus)
{
	size_t n = (size_t)CPU_COUNT(cpus);
	bool stacks = kind->sample_type & PERF_SAMPLE_STACK_USER;

	n = n ? n : 1;
	return (struct sizes){ ring_bytes(stacks ? STACKS_BYTES : SAMPLES_BYTES, n),
		ring_bytes(SIDE_BYTES, n) };
}

static void begin_opening(
	struct et_events *e, const struct et_event_kind *kind, const cpu_set_t *cpus)
{
	*e = (struct et_events){ .knows_lost = !kind->old_kernel };
	e->cpus = et_calloc((size_t)CPU_COUNT(cpus) + 1, sizeof(*e->cpus));
}

/* Keeps the CPU's events, or drops them if the CPU is offline. */
static int settle(struct et_events *e, int rc)
{
	if (rc)
		close_cpu(&e->cpus[e->n]);
	else
		e->n++;
	return rc == -ENODEV ? 0 : rc;
}

static int finish_opening(struct et_events *e, int rc)
{
	if (rc == 0 && e->n == 0)
		rc = -ENODEV;
	if (rc)
		et_events_close(e);
	return rc;
}

int et_events_open_group(struct et_events *e, const struct et_event_kind *kind, size_t each,
	int group_fd, const cpu_set_t *cpus)
{
	struct sizes size = sizes_of(kind, cpus);
	int rc = 0;

	begin_opening(e, kind, cpus);
	for (int cpu = 0; rc == 0 && cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, cpus))
			rc = settle(
				e, open_cpu_group(&e->cpus[e->n], kind, each, group_fd, cpu, size));
	}
	return finish_opening(e, rc);
}

int et_events_open_task(struct et_events *e, const struct et_event_kind *kind, pid_t pid,
	uint64_t period, const cpu_set_t *cpus)
{
	struct sizes size = sizes_of(kind, cpus);
	int rc = 0;

	begin_opening(e, kind, cpus);
	for (int cpu = 0; rc == 0 && cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, cpus))
			rc = settle(e, open_cpu_task(&e->cpus[e->n], kind, pid, period, cpu, size));
	}
	return finish_opening(e, rc);
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
