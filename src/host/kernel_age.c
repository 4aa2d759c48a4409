/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The factor kernel-age. Of all refinements of EMP, an up-to-date Linux had the largest effect:
 * that of RHEL 6.1, 2.4 years after its release, made the standard deviation four times as large.
 */
#include "base/alloc.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "host/factors.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

static const double YEAR_S = 365.25 * 86400, MOST_YEARS = 2;

/* --- dates --- */

/* Finds the build date: "… (2024-02-01)" on Debian, else "… Thu Jan 11 10:10:11 UTC 2024". */
static bool build_date(const char *version, struct tm *out)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct tm tm = { 0 };
	char month[4];

	for (const char *p = strchr(version, '('); p; p = strchr(p + 1, '(')) {
		if (sscanf(p, "(%4d-%2d-%2d)", &tm.tm_year, &tm.tm_mon, &tm.tm_mday) != 3)
			continue;
		tm.tm_year -= 1900;
		tm.tm_mon -= 1;
		*out = tm;
		return tm.tm_year > 90 && tm.tm_mon >= 0 && tm.tm_mon < 12;
	}
	for (const char *p = version; *p; p++) {
		if (sscanf(p, " %3s %2d %*d:%*d:%*d %*s %4d", month, &tm.tm_mday, &tm.tm_year) != 3)
			continue;
		const char *at = strlen(month) == 3 ? strstr(months, month) : NULL;
		if (!at || (at - months) % 3)
			continue;
		tm.tm_mon = (int)(at - months) / 3;
		tm.tm_year -= 1900;
		*out = tm;
		return tm.tm_year > 90;
	}
	return false;
}

/* The months in which Linux 5.0 and 6.0, and those after them, were released. */
static const char *const five[] = { "2019-03", "2019-05", "2019-07", "2019-09", "2019-11",
	"2020-01", "2020-03", "2020-05", "2020-08", "2020-10", "2020-12", "2021-02", "2021-04",
	"2021-06", "2021-08", "2021-10", "2022-01", "2022-03", "2022-05", "2022-07" };
static const char *const six[] = { "2022-10", "2022-12", "2023-02", "2023-04", "2023-06", "2023-08",
	"2023-10", "2024-01", "2024-03", "2024-05", "2024-07", "2024-09", "2024-11", "2025-01",
	"2025-03", "2025-05", "2025-07", "2025-09", "2025-11" };

/* Returns the month of the release "6.1.0-18-amd64" is based on, with its name in base; or NULL. */
static const char *release_month(const char *release, char *base, size_t size)
{
	unsigned major, minor;

	if (sscanf(release, "%3u.%3u", &major, &minor) != 2)
		return NULL;
	snprintf(base, size, "%u.%u", major, minor);
	if (major == 5 && minor < ET_LENGTH(five))
		return five[minor];
	return major == 6 && minor < ET_LENGTH(six) ? six[minor] : NULL;
}

static double years_since(const struct et_machine *m, struct tm *tm)
{
	return ((double)m->wall_ns / 1e9 - (double)timegm(tm)) / YEAR_S;
}

/* --- a kernel that waits for a reboot --- */

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

/* Compares the numbers before the first word: 5.14.0-427.16.1.el9_4 is newer than 5.14.0-427.el9.
 */
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

/* --- the finding --- */

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
		et_finding_set(f, years <= MOST_YEARS ? ET_VERDICT_FINE : ET_VERDICT_DISTURBS,
			"%.1f years (%s)", years > 0 ? years : 0, m->host.kernel);
	} else {
		judge_by_release(m, f);
	}
	if (newer) {
		ET_AUTO_FREE char *state = et_strdup(f->state);
		et_finding_set(f, ET_VERDICT_DISTURBS, "%s; %s waits for a reboot", state, newer);
	}
}
