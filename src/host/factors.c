/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/factors.h"
#include "base/sysroot.h"
#include "host/levels.h"

#include <ctype.h>

#define CPU "/sys/devices/system/cpu/"

static void daemons_read(const struct et_machine *m, struct et_finding *f)
{
	et_daemons_read(m, et_factor_named(f->factor)->group, f);
}

static void irqbalance_read(const struct et_machine *m, struct et_finding *f)
{
	daemons_read(m, f);
	if (f->verdict != ET_VERDICT_UNKNOWN)
		et_finding_set(f, f->verdict, "%s",
			f->verdict == ET_VERDICT_FINE ? "not running" : "running");
}

/*
 * To add a row: its reader, and a plan if it can be restored exactly; a line in
 * tests/unit/host/factors.c.
 */
const struct et_factor_row et_factor_rows[] = {
	{ "daemons", "high", "none",
		"A background process that wakes up takes the CPU and evicts the program's data "
		"from the caches.",
		"stop them while you measure: systemctl stop NAME", .read = daemons_read,
		.plan = et_daemons_plan, .group = ET_DAEMONS },
	{ "timers", "medium", "none",
		"A timer starts work in the middle of an experiment: package lists, indexes, disk "
		"scrubbing.",
		"stop them while you measure: systemctl stop NAME.timer", .read = daemons_read,
		.plan = et_daemons_plan, .group = ET_TIMERS },
	{ "time-daemon", "low", "none",
		"A time daemon wakes up now and then, and changes the rate of the clock.",
		"stop it while you measure: systemctl stop NAME", .read = daemons_read,
		.plan = et_daemons_plan, .group = ET_TIME_DAEMONS, .flags = ET_FACTOR_ON_REQUEST },
	{ "time-sync", "low", "synchronised",
		"A clock that nobody corrects runs at a rate of its own, so elapsed times drift "
		"and differ from one machine to the next.",
		"install chrony and start it: systemctl start chrony; in a container, synchronise "
		"the clock of its host",
		.read = et_factor_time_sync_read, .plan = et_factor_time_sync_plan },
	{ "network", "low", "up, unchanged",
		"A link that goes down or comes up starts daemons, and a time daemon without a "
		"network loses its sources.",
		"use a cable; etalon run watches the link and reports a change",
		.read = et_factor_network_read },
	{ "frequency-limits", "high", "minimum = maximum",
		"Between the two limits the frequency follows the load of the last milliseconds, "
		"and the program's time follows the frequency.",
		"write scaling_max_freq into scaling_min_freq below " CPU "cpufreq/policy*",
		.read = et_factor_limits_read, .plan = et_factor_limits_plan,
		.paths = { CPU "cpufreq/policy#/scaling_min_freq" },
		.flags = ET_FACTOR_KERNEL_ADJUSTS },
	{ "frequency-governor", "high", "performance",
		"Other governors raise the frequency only some time after the program has "
		"started.",
		"run cpupower frequency-set -g performance", .read = et_factor_governor_read,
		.plan = et_factor_governor_plan,
		.paths = { CPU "cpufreq/policy#/scaling_governor",
			CPU "cpufreq/policy#/energy_performance_preference" } },
	{ "turbo", "high", "off",
		"Turbo frequencies depend on temperature and on what the other cores do.",
		"write 1 into " CPU "intel_pstate/no_turbo, or 0 into " CPU "cpufreq/boost",
		.read = et_factor_turbo_read, .plan = et_factor_turbo_plan,
		.paths = { CPU "intel_pstate/no_turbo", CPU "cpufreq/boost" } },
	{ "c-states", "medium", "none slower than 10 µs",
		"A CPU in a deep idle state wakes up late, with empty caches and at a low "
		"frequency.",
		"run cpupower idle-set -D 10, or boot with intel_idle.max_cstate=1",
		.read = et_factor_idle_read, .plan = et_factor_idle_plan,
		.paths = { CPU "cpu#/cpuidle/state#/disable" } },
	{ "smt", "high", "off",
		"A program on the hyper-thread sibling takes up to half of the core's speed, and "
		"no accounting shows it.",
		"keep the sibling idle (--cpu), or write off into " CPU "smt/control; etalon does "
		"not do this because it could not restore affinities and cpusets",
		.read = et_factor_smt_read,
		/* `env` does not change it, but a design may have it as a factor. */ .paths = { CPU
			"smt/control" } },
	{ "aslr", "low", "0",
		"Addresses differ from run to run, and with them conflicts in caches and branch "
		"predictors.",
		"run sysctl kernel.randomize_va_space=0; the results then hold for one layout only",
		.read = et_factor_setting_read, .plan = et_factor_setting_plan,
		.paths = { "/proc/sys/kernel/randomize_va_space" }, .set = "0" },
	{ "transparent-huge-pages", "medium", "madvise or never",
		"Whether a program gets huge pages depends on how fragmented the memory is at that "
		"moment.",
		"write madvise into /sys/kernel/mm/transparent_hugepage/enabled",
		.read = et_factor_setting_read, .plan = et_factor_setting_plan,
		.paths = { "/sys/kernel/mm/transparent_hugepage/enabled" }, .set = "madvise",
		.only_bad = "always" },
	{ "numa-balancing", "medium", "0",
		"The kernel unmaps pages to see which CPUs use them, and migrates them between "
		"nodes.",
		"run sysctl kernel.numa_balancing=0", .read = et_factor_numa_read,
		.plan = et_factor_numa_plan, .paths = { "/proc/sys/kernel/numa_balancing" },
		.set = "0" },
	{ "swap", "medium", "none in use",
		"A page that was swapped out costs a disk access in the middle of a run.",
		"free memory, then run swapoff -a and swapon -a; etalon does not do this because "
		"programs may be killed",
		.read = et_factor_swap_read },
	{ "kernel-age", "high", "at most 2 years",
		"An old kernel has defects of timekeeping and scheduling that are mended in newer "
		"ones; of all refinements of EMP, an up-to-date Linux had the largest effect.",
		"install a newer kernel, or boot the one that is installed",
		.read = et_factor_age_read },
	{ "clocksource", "high", "a counter of the CPU",
		"Other clock sources take a microsecond and more to read, or a trap into the "
		"hypervisor.",
		"choose one from "
		"/sys/devices/system/clocksource/clocksource0/available_clocksource; "
		"the boot log shows why the kernel does not trust the counter",
		.read = et_factor_clocksource_read },
	{ "tick", "low", "250 Hz or nohz_full", "Every tick interrupts the program.",
		"boot with nohz_full= for the CPUs that you measure on",
		.read = et_factor_tick_read },
	{ "irqbalance", "medium", "not running",
		"It moves interrupts to other CPUs while you measure.",
		"run systemctl stop irqbalance", .read = irqbalance_read, .plan = et_daemons_plan,
		.group = ET_IRQBALANCE },
	{ "irq-affinity", "low", "not on every CPU",
		"An interrupt that any CPU may handle can interrupt the program.",
		"write other CPUs into /proc/irq/*/smp_affinity_list, or boot with irqaffinity=",
		.read = et_factor_irq_read },
	{ "isolated-cpus", "low", "some, for the program",
		"The scheduler places no other tasks on an isolated CPU.",
		"boot with isolcpus= and measure on these CPUs (--cpu)",
		.read = et_factor_isolated_read },
	{ "cpu-quota", "high", "none",
		"A control group that has used up its quota is throttled until the next period.",
		"run outside the limited container or slice, or raise its CPU limit",
		.read = et_factor_quota_read },
	{ "virtual-machine", "medium", "none",
		"A hypervisor lets other guests use the CPU, and does not account for all of that "
		"time.",
		"measure on the bare machine, or on dedicated CPUs",
		.read = et_factor_virtual_read },
	{ "steal", "high", "below 0.1 %",
		"Steal time is time in which the hypervisor ran another guest on this CPU.",
		"measure on another host, or at another time of day",
		.read = et_factor_steal_read },
	{ "thermal-throttling", "high", "none", "A CPU that gets too hot slows itself down.",
		"improve the cooling, lower the frequency limit, or pause between runs",
		.read = et_factor_thermal_read },
	{ "load", "high", "below 0.1 per CPU",
		"Other programs share caches, memory bandwidth and frequency with yours.",
		"wait until the machine is idle; etalon run lists the processes that ran",
		.read = et_factor_load_read },
	{ "task-delayacct", "low", "1",
		"Without it the kernel does not record how long the program waited for disks.",
		"run sysctl kernel.task_delayacct=1", .read = et_factor_setting_read,
		.plan = et_factor_setting_plan, .paths = { "/proc/sys/kernel/task_delayacct" },
		.set = "1" },
	{ 0 },
};

size_t et_factors_count(void)
{
	return ET_LENGTH(et_factor_rows) - 1;
}

bool et_factor_selected(const bool *selected, size_t row)
{
	return selected ? selected[row] : !(et_factor_rows[row].flags & ET_FACTOR_ON_REQUEST);
}

const struct et_factor_row *et_factor_named(const char *name)
{
	for (const struct et_factor_row *row = et_factor_rows; row->name; row++) {
		if (!strcmp(row->name, name))
			return row;
	}
	return NULL;
}

int et_factors_select(const char *option, const char *list, bool *selected, struct et_error *err)
{
	for (size_t i = 0; et_factor_rows[i].name; i++)
		selected[i] = !list && !(et_factor_rows[i].flags & ET_FACTOR_ON_REQUEST);
	while (list) {
		size_t len = strcspn(list, ",");
		ET_AUTO_FREE char *name = et_strndup(list, len);
		const struct et_factor_row *row = et_factor_named(name);
		if (!row)
			return et_refuse(err, "run 'etalon env check' to list the factors",
				"%s: unknown factor '%s'", option, name);
		selected[row - et_factor_rows] = true;
		list = list[len] ? list + len + 1 : NULL;
	}
	return 0;
}

void et_finding_set(struct et_finding *f, enum et_verdict verdict, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	free(f->state);
	f->state = et_strdup(text);
	f->verdict = verdict;
}

ssize_t et_setting_read(const char *root, const char *path, char *buf, size_t size)
{
	ssize_t n = et_sysroot_line(root, path, buf, size);
	const char *open = n > 0 ? strchr(buf, '[') : NULL;
	const char *close = open ? strchr(open, ']') : NULL;

	if (n < 0)
		return n;
	if (close) {
		n = close - open - 1;
		memmove(buf, open + 1, (size_t)n);
		buf[n] = '\0';
	}
	while (n > 0 && isspace((unsigned char)buf[n - 1]))
		buf[--n] = '\0';
	return n;
}

void et_factors_check(const struct et_machine *m, const bool *selected, struct et_findings *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; et_factor_rows[i].name; i++) {
		const struct et_factor_row *row = &et_factor_rows[i];
		if (!et_factor_selected(selected, i))
			continue;
		struct et_finding f = { .factor = row->name,
			.severity = row->severity,
			.why = row->why,
			.fix = row->fix,
			.changeable = row->plan != NULL,
			.verdict = ET_VERDICT_UNKNOWN,
			.state = et_strdup("unknown"),
			.wanted = et_strdup(row->wanted) };
		row->read(m, &f);
		ET_GROW(out->list, out->n, out->cap);
		out->list[out->n++] = f;
	}
}

size_t et_factors_record(const struct et_findings *findings, struct et_factor **out)
{
	struct et_factor *list = et_calloc(findings->n, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < findings->n; i++) {
		const struct et_finding *f = &findings->list[i];
		if (f->verdict == ET_VERDICT_UNKNOWN)
			continue;
		list[n++] = (struct et_factor){ et_strdup(f->factor), et_strdup(f->state),
			et_strdup(f->wanted), f->verdict == ET_VERDICT_FINE };
	}
	*out = list;
	return n;
}

/* Whether path matches the pattern, in which '#' stands for one to nine digits. */
static bool matches(const char *pattern, const char *path)
{
	for (; *pattern; pattern++) {
		if (*pattern != '#') {
			if (*pattern != *path++)
				return false;
			continue;
		}
		size_t digits = strspn(path, "0123456789");
		if (!digits || digits > 9)
			return false;
		path += digits;
	}
	return !*path;
}

static bool plain_value(const char *text)
{
	size_t n = strlen(text);

	for (const char *p = text; *p; p++) {
		if (!isgraph((unsigned char)*p))
			return false;
	}
	return n > 0 && n <= 64;
}

static const struct et_factor_row *row_of(const char *path)
{
	for (const struct et_factor_row *row = et_factor_rows; row->name; row++) {
		for (size_t i = 0; i < ET_LENGTH(row->paths) && row->paths[i]; i++) {
			if (matches(row->paths[i], path))
				return row;
		}
	}
	return NULL;
}

bool et_factors_know(const struct et_change *c)
{
	bool stops = !strcmp(c->before, "active") && !strcmp(c->after, "inactive");
	bool starts = !strcmp(c->before, "inactive") && !strcmp(c->after, "active");

	if (c->kind == ET_CHANGE_UNIT && !strcmp(c->factor, ET_SERVICES_FACTOR))
		return stops && et_services_may_stop(c->target);
	if (c->kind == ET_CHANGE_UNIT)
		return (stops || starts) && et_daemons_know_unit(c->target, starts);
	if (c->kind == ET_CHANGE_PROCESS)
		return c->pid > 1 && et_daemons_know_process(c->target);
	return plain_value(c->before) && plain_value(c->after) && row_of(c->target);
}

bool et_factors_kernel_adjusts(const struct et_change *c)
{
	const struct et_factor_row *row = c->kind == ET_CHANGE_FILE ? row_of(c->target) : NULL;

	return row && (row->flags & ET_FACTOR_KERNEL_ADJUSTS);
}
