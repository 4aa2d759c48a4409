/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which event a profile samples, and what to say if the machine or the kernel refuses. */
#include "base/clock.h"
#include "base/sysroot.h"
#include "measure/child/privilege.h"
#include "profile/sampling/events.h"
#include "profile/sampling/record.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

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
	struct perf_event_attr attr = et_event_attr(k, period);

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

static bool is_absent(int rc)
{
	return rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODEV;
}

/* The setting would allow it, so something else does not. */
static int refused_otherwise(int errnum, const char *level, struct et_error *err)
{
	return et_hint_privilege(err,
		et_fail_errno(err, errnum, ET_EXIT_ENVIRONMENT,
			"the kernel does not let us sample this program, although " PARANOID
			" is %s",
			level),
		"CAP_PERFMON",
		"check whether the program is setuid or not readable, or whether a container "
		"(seccomp) or a security module forbids perf_event_open");
}

int et_event_refused(const char *root, int errnum, struct et_error *err)
{
	char level[16];

	if (errnum == ENOSYS)
		return et_hint(err,
			et_fail(err, errnum, ET_EXIT_ENVIRONMENT,
				"this kernel has no perf events, so nothing can be sampled"),
			"use a kernel with CONFIG_PERF_EVENTS, or read the profile of another "
			"profiler: --from FILE");
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
		return refused_otherwise(errnum, level, err);
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

static int no_cycles(struct et_error *err)
{
	return et_hint(err,
		et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT,
			"this machine has no hardware counter of cycles"),
		"use the event cpu-clock; virtual machines often have no counters");
}

int et_event_choose(const char *root, const struct et_profile_plan *plan, struct et_event_kind *out,
	struct et_error *err)
{
	struct et_event_kind k = cycles;
	int rc = -ENOENT;

	add_chains(&k, plan);
	if (strcmp(plan->event, "cpu-clock") != 0)
		rc = probe(&k);
	if (rc && !strcmp(plan->event, "cycles"))
		return is_absent(rc) ? no_cycles(err) : et_event_refused(root, -rc, err);
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
