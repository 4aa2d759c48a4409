/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/events.h"
#include "base/clock.h"
#include "base/sysroot.h"
#include "measure/child/privilege.h"
#include "num/rng.h"
#include "profile/sampling/record.h"

#include <assert.h>
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

/* The attributes of an event that samples, disabled. */
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

static int open_cpu(
	struct et_cpu_events *c, const struct et_events_target *t, int cpu, size_t n_cpus)
{
	bool of_task = t->group_fd < 0, stacks = t->kind->sample_type & PERF_SAMPLE_STACK_USER;
	size_t bytes = ring_bytes(stacks ? STACKS_BYTES : SAMPLES_BYTES, n_cpus);
	/* No event of a group begins with this period. */
	struct perf_event_attr attr = sampling(t->kind, of_task ? t->period : UINT64_C(1) << 40);
	struct perf_event_attr side = side_band(t->kind);
	unsigned long flags = of_task ? 0 : PERF_FLAG_PID_CGROUP;
	int whose = of_task ? t->pid : t->group_fd;

	attr.inherit = attr.enable_on_exec = side.inherit = side.enable_on_exec = of_task;
	int rc = et_perf_ring_open(
		&side, whose, cpu, flags, ring_bytes(SIDE_BYTES, n_cpus), &c->side);
	if (rc == 0)
		rc = et_perf_ring_open(&attr, whose, cpu, flags, bytes, &c->samples);
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

int et_events_open(struct et_events *e, const struct et_events_target *t, const cpu_set_t *cpus)
{
	size_t n = (size_t)CPU_COUNT(cpus);
	int rc = 0;

	*e = (struct et_events){ .knows_lost = !t->kind->old_kernel };
	e->cpus = et_calloc(n + 1, sizeof(*e->cpus));
	for (int cpu = 0; rc == 0 && cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		rc = open_cpu(&e->cpus[e->n], t, cpu, n);
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

/* --- which event is sampled --- */

#define PARANOID "kernel.perf_event_paranoid"

static const struct et_event_kind cpu_clock = { .name = "cpu-clock",
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.per_ns = 1 };
static const struct et_event_kind cycles = {
	.name = "cycles", .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES
};

/* Opens the event for ourselves. Returns the descriptor or -errno. */
static int try_open(const struct et_event_kind *k, uint64_t period)
{
	struct perf_event_attr attr = sampling(k, period);

	attr.build_id = !k->old_kernel;
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Finds out what the kernel allows of an event. 0 or -errno. */
static int probe(struct et_event_kind *k)
{
	int fd = try_open(k, 1000000000);

	if (fd == -EINVAL) {
		k->old_kernel = true;
		fd = try_open(k, 1000000000);
	}
	if ((fd == -EACCES || fd == -EPERM) && !k->user_only) {
		k->user_only = k->forbidden_kernel = true;
		fd = try_open(k, 1000000000);
	}
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Counts the cycles of some milliseconds, because a rate is per second and a period in cycles. */
static double cycles_per_ns(const struct et_event_kind *k)
{
	const uint64_t long_enough_ns = 5000000;
	int fd = try_open(k, 0);
	uint64_t value[2] = { 0 };

	if (fd < 0)
		return 1;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	uint64_t began_ns = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID), now_ns = began_ns;
	while (now_ns - began_ns < long_enough_ns)
		now_ns = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	ssize_t n = read(fd, value, sizeof(value));
	close(fd);
	double rate = (double)value[0] / (double)(now_ns - began_ns);
	return n > 0 && rate > 0 ? rate : 1;
}

static void add_chains(struct et_event_kind *k, const struct et_profile_plan *plan)
{
	k->user_only = plan->user_only;
	k->sample_type = ET_SAMPLE_TYPE;
	if (plan->chains != ET_CHAINS_NONE)
		k->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (plan->chains == ET_CHAINS_DWARF) {
		k->regs = et_unwind_registers();
		k->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	}
}

int et_event_refused(const char *root, int errnum, struct et_error *err)
{
	char level[16];

	if (errnum == ENOSYS)
		return et_fail_hint(err, errnum, ET_EXIT_ENVIRONMENT,
			"use a kernel with CONFIG_PERF_EVENTS, or read the profile of another "
			"profiler: --from FILE",
			"this kernel has no perf events, so nothing can be sampled");
	if (errnum == EMFILE)
		return et_hint(err,
			et_fail_errno(err, errnum, ET_EXIT_ENVIRONMENT, "cannot open perf events"),
			"raise the limit of open files: ulimit -n");
	if (errnum != EACCES && errnum != EPERM)
		return et_fail_errno(
			err, errnum, ET_EXIT_ENVIRONMENT, "cannot open a perf event to sample");
	if (et_sysroot_line(root, "/proc/sys/kernel/perf_event_paranoid", level, sizeof(level)) <=
		0)
		snprintf(level, sizeof(level), "unknown");
	else if (strtol(level, NULL, 10) <= 2)
		/* The setting would allow it, so something else does not. */
		return et_hint_privilege(err,
			et_fail_errno(err, errnum, ET_EXIT_ENVIRONMENT,
				"the kernel does not let us sample this program, although " PARANOID
				" is %s",
				level),
			"CAP_PERFMON",
			"check whether the program is setuid or not readable, or whether a "
			"container (seccomp) or a security module forbids perf_event_open");
	return et_hint_privilege(err,
		et_fail(err, errnum, ET_EXIT_ENVIRONMENT,
			"sampling a program needs " PARANOID
			" at most 2, or CAP_PERFMON (it is %s)",
			level),
		"CAP_PERFMON", "set " PARANOID " to 2 or lower: sysctl " PARANOID "=2");
}

static int check_rate(const char *root, const struct et_profile_plan *plan, double period_ns,
	struct et_error *err)
{
	char line[32];
	double hz = plan->rate_hz > 0 ? plan->rate_hz : 1e9 / period_ns, most;

	if (et_sysroot_line(
		    root, "/proc/sys/kernel/perf_event_max_sample_rate", line, sizeof(line)) <= 0)
		return 0;
	most = strtod(line, NULL);
	if (most <= 0 || hz <= most)
		return 0;
	if (plan->period)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"a period of %llu is %.6g samples per second, more than "
				"kernel.perf_event_max_sample_rate allows: %.6g",
				(unsigned long long)plan->period, hz, most),
			"use a period of at least %.0f", ceil((double)plan->period * (hz / most)));
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"%.6g samples per second are more than kernel.perf_event_max_sample_rate "
			"allows: %.6g",
			hz, most),
		"use a lower rate, or raise it: sysctl kernel.perf_event_max_sample_rate=%.0f",
		ceil(hz));
}

int et_event_choose(const char *root, const struct et_profile_plan *plan, struct et_event_kind *out,
	struct et_error *err)
{
	struct et_event_kind k = cycles;
	int rc = -ENOENT;

	add_chains(&k, plan);
	if (strcmp(plan->event, "cpu-clock") != 0)
		rc = probe(&k);
	bool absent = rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODEV;
	if (absent && !strcmp(plan->event, "cycles"))
		return et_fail_hint(err, ENOENT, ET_EXIT_ENVIRONMENT,
			"use the event cpu-clock; virtual machines often have no counters",
			"this machine has no hardware counter of cycles");
	if (rc && !strcmp(plan->event, "cycles"))
		return et_event_refused(root, -rc, err);
	if (rc) {
		k = cpu_clock;
		add_chains(&k, plan);
		rc = probe(&k);
	} else {
		k.per_ns = cycles_per_ns(&k);
	}
	if (rc)
		return et_event_refused(root, -rc, err);
	rc = check_rate(root, plan, et_event_period(&k, plan) / k.per_ns, err);
	if (rc == 0)
		*out = k;
	return rc;
}

double et_event_period(const struct et_event_kind *kind, const struct et_profile_plan *plan)
{
	if (plan->period)
		return (double)plan->period;
	return kind->per_ns * 1e9 / (plan->rate_hz > 0 ? plan->rate_hz : 1000);
}

/* --- periods --- */

/* Keeps the numbers apart from those that the schedule draws from the same seed. */
static const uint64_t STREAM = UINT64_C(0x70726f66696c6500);

static uint64_t whole(double period)
{
	return period < 1 ? 1 : (uint64_t)llround(period);
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
	/* The rate of a single event varies with its period: little, as runs are compared. */
	if (n == 1)
		out->period[0] = whole((fixed ? 1 : 0.9 + 0.2 * et_rng_uniform(&rng)) * mean);
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
