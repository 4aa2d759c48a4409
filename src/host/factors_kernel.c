/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors of the kernel and its surroundings: memory, clocks, ticks, quotas, load, its age. */
#include "base/parse.h"
#include "base/sysroot.h"
#include "host/factors.h"
#include "host/host.h"
#include "model/sample/sample.h"

#include <ctype.h>
#include <time.h>

/* --- single settings --- */

static bool setting_disturbs(const struct et_factor_row *row, const char *value)
{
	return row->only_bad ? !strcmp(value, row->only_bad) : strcmp(value, row->set) != 0;
}

void et_factor_setting_read(const struct et_machine *m, struct et_finding *f)
{
	const struct et_factor_row *row = et_factor_named(f->factor);
	char value[64];

	if (et_setting_read(m->root, row->paths[0], value, sizeof(value)) > 0)
		et_finding_set(f, et_fine_if(!setting_disturbs(row, value)), "%s", value);
}

void et_factor_setting_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left)
{
	const char *path = row->paths[0];
	char value[64];

	(void)left;
	if (et_setting_read(m->root, path, value, sizeof(value)) > 0 &&
		setting_disturbs(row, value))
		et_changes_add(out, ET_CHANGE_FILE, row->name, path, value, row->set);
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
		et_factor_setting_read(m, f);
	else if (et_sysroot_exists(m->root, "/sys/devices/system/node/online"))
		et_finding_set(f, ET_VERDICT_FINE, "one node");
}

void et_factor_numa_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left)
{
	if (many_nodes(m))
		et_factor_setting_plan(m, row, out, left);
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
		"hyperv_clocksource_tsc_page", "timebase", "stp", "tod", "riscv_clocksource",
		NULL };
	const char *name = m->host.clocksource;

	if (strcmp(name, "unknown"))
		et_finding_set(f, et_fine_if(et_name_index(counters, name) >= 0), "%s", name);
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
	et_finding_set(f, et_fine_if(hz <= 250 || list[0]), "%ld Hz%s%s", hz,
		list[0] ? ", nohz_full " : "", list);
}

/* --- control groups --- */

/* The quota of a cgroup in CPUs ("150000 100000", "max 100000", "-1"); INFINITY: none. */
static double quota_in(const struct et_machine *m, const char *folder, bool version2)
{
	char text[64], more[64];
	double quota, per;

	if (et_host_line(m->root, text, sizeof(text), "%s/%s", folder,
		    version2 ? "cpu.max" : "cpu.cfs_quota_us") <= 0)
		return INFINITY;
	if (!version2 &&
		et_host_line(m->root, more, sizeof(more), "%s/cpu.cfs_period_us", folder) <= 0)
		return INFINITY;
	bool known = version2 ? sscanf(text, "%lf %lf", &quota, &per) == 2
			      : sscanf(text, "%lf", &quota) == 1 && sscanf(more, "%lf", &per) == 1;
	return known && quota > 0 && per > 0 ? quota / per : INFINITY;
}

/* Returns the lowest quota of a cgroup and its ancestors. Inside a container some may not exist. */
static double tightest(
	const struct et_machine *m, const char *mount, const char *group, bool version2)
{
	char folder[PATH_MAX];
	double least = INFINITY;
	int n = snprintf(folder, sizeof(folder), "%s%s", mount, group);

	if (n < 0 || n >= (int)sizeof(folder))
		return least;
	for (;;) {
		least = fmin(least, quota_in(m, folder, version2));
		char *slash = strrchr(folder, '/');
		if (strlen(folder) <= strlen(mount) || !slash)
			return least;
		*slash = '\0';
	}
}

void et_factor_quota_read(const struct et_machine *m, struct et_finding *f)
{
	static const struct {
		const char *controller, *mounts[2];
	} versions[] = { { "cpu", { "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct" } },
		{ "", { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" } } };
	char group[PATH_MAX];
	double least = INFINITY;

	for (size_t v = 0; v < ET_LENGTH(versions); v++) {
		int rc = et_process_cgroup(
			m->root, "self", versions[v].controller, group, sizeof(group));
		if (rc < 0)
			return;
		for (size_t i = 0; rc && i < 2; i++)
			least = fmin(least, tightest(m, versions[v].mounts[i], group, v == 1));
	}
	if (isfinite(least))
		et_finding_set(f, ET_VERDICT_DISTURBS, "%.3g CPUs", least);
	else
		et_finding_set(f, ET_VERDICT_FINE, "none");
}

/* --- the hypervisor and other programs --- */

void et_factor_virtual_read(const struct et_machine *m, struct et_finding *f)
{
	const char *name = m->host.virtual_machine;

	if (strcmp(name, "unknown"))
		et_finding_set(f, et_fine_if(!strcmp(name, "none")), "%s", name);
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
	et_finding_set(f, et_fine_if(percent < 0.1), "%.2g %% since boot", percent);
}

void et_factor_load_read(const struct et_machine *m, struct et_finding *f)
{
	double load = et_host_load(m->root);

	if (!isnan(load))
		et_finding_set(f, et_fine_if(load < 0.1 * (m->host.cpus ? m->host.cpus : 1)),
			"%.2f in the last minute", load);
}

/*
 * --- the age of the kernel ---
 *
 * Of all refinements of EMP, an up-to-date Linux had the largest effect: that of RHEL 6.1, 2.4
 * years after its release, made the standard deviation four times as large.
 */

static const double YEAR_S = 365.25 * 86400, MOST_YEARS = 2;

/* Finds the build date: "… (2024-02-01)" on Debian, else "… Thu Jan 11 10:10:11 UTC 2024". */
static bool build_date(const char *version, struct tm *out)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char month[4];

	*out = (struct tm){ 0 };
	for (const char *p = strchr(version, '('); p; p = strchr(p + 1, '(')) {
		if (sscanf(p, "(%4d-%2d-%2d)", &out->tm_year, &out->tm_mon, &out->tm_mday) != 3)
			continue;
		out->tm_year -= 1900;
		out->tm_mon -= 1;
		return out->tm_year > 90 && out->tm_mon >= 0 && out->tm_mon < 12;
	}
	for (const char *p = version; *p; p++) {
		if (sscanf(p, " %3s %2d %*d:%*d:%*d %*s %4d", month, &out->tm_mday,
			    &out->tm_year) != 3)
			continue;
		const char *at = strlen(month) == 3 ? strstr(months, month) : NULL;
		if (!at || (at - months) % 3)
			continue;
		out->tm_mon = (int)(at - months) / 3;
		out->tm_year -= 1900;
		return out->tm_year > 90;
	}
	return false;
}

/* The months in which Linux 5.0 and 6.0, and those after them, were released. */
static const char *const released[][20] = {
	{ "2019-03", "2019-05", "2019-07", "2019-09", "2019-11", "2020-01", "2020-03", "2020-05",
		"2020-08", "2020-10", "2020-12", "2021-02", "2021-04", "2021-06", "2021-08",
		"2021-10", "2022-01", "2022-03", "2022-05", "2022-07" },
	{ "2022-10", "2022-12", "2023-02", "2023-04", "2023-06", "2023-08", "2023-10", "2024-01",
		"2024-03", "2024-05", "2024-07", "2024-09", "2024-11", "2025-01", "2025-03",
		"2025-05", "2025-07", "2025-09", "2025-11" },
};

/* Returns the month of the release "6.1.0-18-amd64" is based on, with its name in base; or NULL. */
static const char *release_month(const char *release, char *base, size_t size)
{
	unsigned major, minor;

	if (sscanf(release, "%3u.%3u", &major, &minor) != 2 || major < 5 || major > 6 ||
		minor >= ET_LENGTH(released[0]))
		return NULL;
	snprintf(base, size, "%u.%u", major, minor);
	return released[major - 5][minor];
}

static double years_since(const struct et_machine *m, struct tm *tm)
{
	return ((double)m->wall_ns / 1e9 - (double)timegm(tm)) / YEAR_S;
}

/*
 * Copies the words of a release that are no numbers, without digits at their ends: "amd64" of
 * 6.1.0-18-amd64, "cloud-amd" of 6.1.0-18-cloud-amd64. Kernels of other kinds are no successors.
 */
static void kind_of(const char *release, char *out, size_t size)
{
	size_t n = 0;

	for (const char *p = release; *p; p += strspn(p, "-+")) {
		size_t len = strcspn(p, "-+"), shown = len;
		while (shown && isdigit((unsigned char)p[shown - 1]))
			shown--;
		if (!isdigit((unsigned char)*p) && n + shown + 1 < size) {
			memcpy(out + n, p, shown);
			n += shown;
			out[n++] = '-';
		}
		p += len;
	}
	out[n] = '\0';
}

/* Compares the numbers before the first word: 5.14.0-427.16.el9_4 is newer than 5.14.0-427.el9. */
static int compare(const char *a, const char *b)
{
	const char *x = a, *y = b;

	while (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
		char *x_end, *y_end;
		unsigned long p = strtoul(x, &x_end, 10), q = strtoul(y, &y_end, 10);
		if (p != q)
			return p < q ? -1 : 1;
		x = x_end + strspn(x_end, ".-");
		y = y_end + strspn(y_end, ".-");
	}
	if (isdigit((unsigned char)*x) || isdigit((unsigned char)*y))
		return isdigit((unsigned char)*x) ? 1 : -1;
	return strverscmp(a, b);
}

static bool is_newer(const char *release, const char *than)
{
	char a[128], b[128];

	kind_of(release, a, sizeof(a));
	kind_of(than, b, sizeof(b));
	return !strcmp(a, b) && compare(release, than) > 0;
}

/*
 * Returns the newest installed kernel if it is newer than the one that runs, or NULL. If the one
 * that runs is not installed here, as in a container, the others say nothing about the machine. The
 * caller frees it.
 */
static char *find_newer(const struct et_machine *m)
{
	static const char prefix[] = "vmlinuz-";
	char **names = et_sysroot_names(m->root, "/boot");
	const char *newest = m->host.kernel;
	bool installed = false;

	for (char **name = names; *name; name++) {
		if (strncmp(*name, prefix, strlen(prefix)))
			continue;
		const char *release = *name + strlen(prefix);
		installed = installed || !strcmp(release, m->host.kernel);
		if (is_newer(release, newest))
			newest = release;
	}
	char *found = installed && newest != m->host.kernel ? et_strdup(newest) : NULL;
	et_strv_free(names);
	return found;
}

/* A kernel is built at or after the release of its base, so the base tells its greatest age. */
static void judge_by_release(const struct et_machine *m, struct et_finding *f)
{
	char base[16];
	const char *month = release_month(m->host.kernel, base, sizeof(base));
	struct tm tm = { .tm_mday = 1 };

	if (!month || sscanf(month, "%4d-%2d", &tm.tm_year, &tm.tm_mon) != 2) {
		et_finding_set(f, ET_VERDICT_UNKNOWN, "unknown build date (%s)", m->host.kernel);
		return;
	}
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	et_finding_set(f, years_since(m, &tm) <= MOST_YEARS ? ET_VERDICT_FINE : ET_VERDICT_UNKNOWN,
		"unknown build date (%s was released %s)", base, month);
}

void et_factor_age_read(const struct et_machine *m, struct et_finding *f)
{
	ET_AUTO_FREE char *newer = find_newer(m);
	char version[256];
	struct tm tm;

	if (et_sysroot_line(m->root, "/proc/sys/kernel/version", version, sizeof(version)) > 0 &&
		build_date(version, &tm)) {
		double years = years_since(m, &tm);
		et_finding_set(f, et_fine_if(years <= MOST_YEARS), "%.1f years (%s)",
			years > 0 ? years : 0, m->host.kernel);
	} else {
		judge_by_release(m, f);
	}
	if (newer) {
		ET_AUTO_FREE char *state = et_strdup(f->state);
		et_finding_set(f, ET_VERDICT_DISTURBS, "%s; %s waits for a reboot", state, newer);
	}
}
