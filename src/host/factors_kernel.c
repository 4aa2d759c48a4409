/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors of the kernel and its surroundings: memory, clocks, ticks, quotas, hypervisor, load. */
#include "base/alloc.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "host/factors.h"
#include "host/host.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define ASLR "/proc/sys/kernel/randomize_va_space"
#define HUGE_PAGES "/sys/kernel/mm/transparent_hugepage/enabled"
#define NUMA "/proc/sys/kernel/numa_balancing"
#define DELAYACCT "/proc/sys/kernel/task_delayacct"

/* --- single settings --- */

static void read_setting(
	const struct et_machine *m, const char *path, const char *good, struct et_finding *f)
{
	char value[64];

	if (et_setting_read(m->root, path, value, sizeof(value)) > 0)
		et_finding_set(f, strcmp(value, good) ? ET_VERDICT_DISTURBS : ET_VERDICT_FINE, "%s",
			value);
}

static void plan_setting(const struct et_machine *m, const char *path, const char *good,
	const char *factor, struct et_changes *out)
{
	char value[64];

	if (et_setting_read(m->root, path, value, sizeof(value)) > 0 && strcmp(value, good))
		et_changes_add(out, ET_CHANGE_FILE, factor, path, value, good);
}

void et_factor_aslr_read(const struct et_machine *m, struct et_finding *f)
{
	read_setting(m, ASLR, "0", f);
}

void et_factor_aslr_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left)
{
	(void)left;
	plan_setting(m, ASLR, "0", factor, out);
}

void et_factor_delayacct_read(const struct et_machine *m, struct et_finding *f)
{
	read_setting(m, DELAYACCT, "1", f);
}

void et_factor_delayacct_plan(const struct et_machine *m, const char *factor,
	struct et_changes *out, struct et_results *left)
{
	(void)left;
	plan_setting(m, DELAYACCT, "1", factor, out);
}

void et_factor_huge_pages_read(const struct et_machine *m, struct et_finding *f)
{
	char value[64];

	if (et_setting_read(m->root, HUGE_PAGES, value, sizeof(value)) > 0)
		et_finding_set(f, strcmp(value, "always") ? ET_VERDICT_FINE : ET_VERDICT_DISTURBS,
			"%s", value);
}

void et_factor_huge_pages_plan(const struct et_machine *m, const char *factor,
	struct et_changes *out, struct et_results *left)
{
	char value[64];

	(void)left;
	if (et_setting_read(m->root, HUGE_PAGES, value, sizeof(value)) > 0 &&
		!strcmp(value, "always"))
		et_changes_add(out, ET_CHANGE_FILE, factor, HUGE_PAGES, value, "madvise");
}

/* With one node there is nothing to balance. */
static bool many_nodes(const struct et_machine *m)
{
	char list[256];

	return et_sysroot_line(m->root, "/sys/devices/system/node/online", list, sizeof(list)) >
		       0 &&
	       strpbrk(list, ",-");
}

void et_factor_numa_read(const struct et_machine *m, struct et_finding *f)
{
	if (many_nodes(m))
		read_setting(m, NUMA, "0", f);
	else if (et_sysroot_exists(m->root, "/sys/devices/system/node/online"))
		et_finding_set(f, ET_VERDICT_FINE, "one node");
}

void et_factor_numa_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left)
{
	(void)left;
	if (many_nodes(m))
		plan_setting(m, NUMA, "0", factor, out);
}

/* --- memory --- */

void et_factor_swap_read(const struct et_machine *m, struct et_finding *f)
{
	char text[8192];
	unsigned long long size, used, total = 0, in_use = 0;

	if (et_sysroot_read(m->root, "/proc/swaps", text, sizeof(text)) <= 0)
		return;
	/* "Filename Type Size Used Priority", in KiB; the first line is the heading. */
	for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
		if (sscanf(line + 1, "%*s %*s %llu %llu", &size, &used) == 2) {
			total += size;
			in_use += used;
		}
	}
	if (in_use)
		et_finding_set(f, ET_VERDICT_DISTURBS, "%.0f of %.0f MiB used",
			(double)in_use / 1024, (double)total / 1024);
	else if (total)
		et_finding_set(f, ET_VERDICT_FINE, "%.0f MiB, none used", (double)total / 1024);
	else
		et_finding_set(f, ET_VERDICT_FINE, "none");
}

/* --- clocks and ticks --- */

void et_factor_clocksource_read(const struct et_machine *m, struct et_finding *f)
{
	/* The vDSO reads these without a system call. */
	static const char *const counters[] = { "tsc", "arch_sys_counter", "kvm-clock",
		"hyperv_clocksource_tsc_page", "timebase", "stp", "tod", "riscv_clocksource" };
	const char *name = m->host.clocksource;
	bool fine = false;

	if (!strcmp(name, "unknown"))
		return;
	for (size_t i = 0; i < ET_LENGTH(counters); i++)
		fine = fine || !strcmp(name, counters[i]);
	et_finding_set(f, fine ? ET_VERDICT_FINE : ET_VERDICT_DISTURBS, "%s", name);
}

/* Ticks per second: of this machine from its coarse clock, of a captured tree from CONFIG_HZ. */
static long ticks_per_second(const struct et_machine *m)
{
	char path[PATH_MAX];
	ET_AUTO_FREE char *text = NULL;
	enum { CONFIG_BYTES = 512 * 1024 };

	if (!*m->root)
		return m->host.tick_ns ? (long)(1000000000 / m->host.tick_ns) : 0;
	text = et_alloc(CONFIG_BYTES);
	snprintf(path, sizeof(path), "/boot/config-%s", m->host.kernel);
	if (et_sysroot_read(m->root, path, text, CONFIG_BYTES) <= 0)
		return 0;
	const char *line = strstr(text, "\nCONFIG_HZ=");
	return line ? strtol(line + 11, NULL, 10) : 0;
}

void et_factor_tick_read(const struct et_machine *m, struct et_finding *f)
{
	char list[512] = "";
	long hz = ticks_per_second(m);

	if (et_sysroot_line(m->root, "/sys/devices/system/cpu/nohz_full", list, sizeof(list)) < 0 ||
		!isdigit((unsigned char)list[0]))
		list[0] = '\0';
	if (hz <= 0)
		return;
	et_finding_set(f, hz <= 250 || list[0] ? ET_VERDICT_FINE : ET_VERDICT_DISTURBS,
		"%ld Hz%s%s", hz, list[0] ? ", nohz_full " : "", list);
}

/* --- control groups --- */

/* Returns the quota of a cgroup in CPUs ("150000 100000", "max 100000", "-1"), or 0 for none. */
static double quota_in(const struct et_machine *m, const char *folder, bool version2)
{
	char path[PATH_MAX + 32], text[64], period[64];
	double quota, per;

	snprintf(path, sizeof(path), "%s/%s", folder, version2 ? "cpu.max" : "cpu.cfs_quota_us");
	if (et_sysroot_line(m->root, path, text, sizeof(text)) <= 0)
		return 0;
	if (version2)
		return sscanf(text, "%lf %lf", &quota, &per) == 2 && per > 0 ? quota / per : 0;
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
	if (et_sysroot_line(m->root, path, period, sizeof(period)) <= 0 ||
		sscanf(text, "%lf", &quota) != 1 || sscanf(period, "%lf", &per) != 1)
		return 0;
	return quota > 0 && per > 0 ? quota / per : 0;
}

/* Returns the lowest quota of a cgroup and its ancestors. Inside a container some may not exist. */
static double tightest(
	const struct et_machine *m, const char *mount, const char *group, bool version2)
{
	char folder[PATH_MAX];
	double least = 0;
	int n = snprintf(folder, sizeof(folder), "%s%s", mount, group);

	if (n < 0 || n >= (int)sizeof(folder))
		return 0;
	for (;;) {
		double quota = quota_in(m, folder, version2);
		if (quota > 0 && (least == 0 || quota < least))
			least = quota;
		char *slash = strrchr(folder, '/');
		if (strlen(folder) <= strlen(mount) || !slash)
			return least;
		*slash = '\0';
	}
}

static bool has_controller(const char *names, size_t len)
{
	for (const char *p = names; p < names + len; p += strspn(p, ",")) {
		size_t n = strcspn(p, ",:");
		if (n == 3 && !memcmp(p, "cpu", 3))
			return true;
		p += n;
		if (*p != ',')
			break;
	}
	return false;
}

void et_factor_quota_read(const struct et_machine *m, struct et_finding *f)
{
	static const char *const unified[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	static const char *const old[] = { "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct" };
	char text[8192], group[PATH_MAX];
	double least = 0;

	if (et_sysroot_read(m->root, "/proc/self/cgroup", text, sizeof(text)) <= 0)
		return;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		const char *names = strchr(line, ':'),
			   *path = names ? strchr(names + 1, ':') : NULL;
		if (!path)
			continue;
		bool version2 = path == names + 1;
		if (!version2 && !has_controller(names + 1, (size_t)(path - names - 1)))
			continue;
		snprintf(group, sizeof(group), "%.*s", (int)strcspn(path + 1, "\n"), path + 1);
		for (size_t i = 0; i < 2; i++) {
			double quota = tightest(m, version2 ? unified[i] : old[i], group, version2);
			if (quota > 0 && (least == 0 || quota < least))
				least = quota;
		}
	}
	if (least > 0)
		et_finding_set(f, ET_VERDICT_DISTURBS, "%.3g CPUs", least);
	else
		et_finding_set(f, ET_VERDICT_FINE, "none");
}

/* --- the hypervisor and other programs --- */

void et_factor_virtual_read(const struct et_machine *m, struct et_finding *f)
{
	const char *name = m->host.virtual_machine;

	if (strcmp(name, "unknown"))
		et_finding_set(f, strcmp(name, "none") ? ET_VERDICT_DISTURBS : ET_VERDICT_FINE,
			"%s", name);
}

void et_factor_steal_read(const struct et_machine *m, struct et_finding *f)
{
	char text[512];
	unsigned long long t[8], total = 0;

	if (et_sysroot_read(m->root, "/proc/stat", text, sizeof(text)) <= 0 ||
		sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2],
			&t[3], &t[4], &t[5], &t[6], &t[7]) != 8)
		return;
	for (size_t i = 0; i < ET_LENGTH(t); i++)
		total += t[i];
	if (!total)
		return;
	double percent = 100 * (double)t[7] / (double)total;
	et_finding_set(f, percent < 0.1 ? ET_VERDICT_FINE : ET_VERDICT_DISTURBS,
		"%.2g %% since boot", percent);
}

void et_factor_load_read(const struct et_machine *m, struct et_finding *f)
{
	double load = et_host_load(m->root);

	if (isnan(load))
		return;
	et_finding_set(f,
		load < 0.1 * (m->host.cpus ? m->host.cpus : 1) ? ET_VERDICT_FINE
							       : ET_VERDICT_DISTURBS,
		"%.2f in the last minute", load);
}
