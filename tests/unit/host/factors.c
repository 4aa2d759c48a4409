/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The factors that are read from captured machines. */
#include "host/environment.h"
#include "host/watch.h"
#include "tap.h"

#include <stdlib.h>

/* 2025-01-01, so that the kernels' ages are known; the day of EMPv4 on its machine, 2013-10-17. */
static const uint64_t NOW_NS = UINT64_C(1735689600) * 1000000000;
static const uint64_t EMP_NS = UINT64_C(1381968000) * 1000000000;

static const struct {
	const char *machine, *factor, *state;
	enum et_verdict verdict;
} expected[] = {
	{ "laptop", "daemons", "cron, cups, postfix, tracker", ET_VERDICT_DISTURBS },
	{ "laptop", "timers", "apt-daily, man-db, fstrim", ET_VERDICT_DISTURBS },
	{ "laptop", "time-sync", "systemd-timesyncd", ET_VERDICT_FINE },
	{ "laptop", "network", "enp0s31f6 up, 1000 Mb/s", ET_VERDICT_FINE },
	{ "amd", "network", "eth0 up, 10000 Mb/s; wlan0 down", ET_VERDICT_DISTURBS },
	{ "arm64", "network", "enP2p1s0 up, 25000 Mb/s", ET_VERDICT_FINE },
	{ "vm", "network", "tun0 up", ET_VERDICT_FINE },
	{ "container", "network", "unknown", ET_VERDICT_UNKNOWN },
	{ "laptop", "frequency-limits", "400 … 4200 MHz", ET_VERDICT_DISTURBS },
	{ "laptop", "frequency-governor", "powersave", ET_VERDICT_DISTURBS },
	{ "laptop", "turbo", "on", ET_VERDICT_DISTURBS },
	{ "laptop", "c-states", "C2_ACPI, C3_ACPI", ET_VERDICT_DISTURBS },
	{ "laptop", "smt", "on", ET_VERDICT_DISTURBS },
	{ "laptop", "aslr", "2", ET_VERDICT_DISTURBS },
	{ "laptop", "transparent-huge-pages", "always", ET_VERDICT_DISTURBS },
	{ "laptop", "numa-balancing", "one node", ET_VERDICT_FINE },
	{ "laptop", "swap", "256 of 8192 MiB used", ET_VERDICT_DISTURBS },
	{ "laptop", "kernel-age", "0.9 years (6.1.0-18-amd64)", ET_VERDICT_FINE },
	{ "laptop", "clocksource", "tsc", ET_VERDICT_FINE },
	{ "laptop", "tick", "250 Hz", ET_VERDICT_FINE },
	{ "laptop", "irqbalance", "running", ET_VERDICT_DISTURBS },
	{ "laptop", "irq-affinity", "3 of 3 allowed on any CPU", ET_VERDICT_DISTURBS },
	{ "laptop", "isolated-cpus", "none", ET_VERDICT_DISTURBS },
	{ "laptop", "cpu-quota", "none", ET_VERDICT_FINE },
	{ "laptop", "virtual-machine", "none", ET_VERDICT_FINE },
	{ "laptop", "steal", "0 % since boot", ET_VERDICT_FINE },
	{ "laptop", "thermal-throttling", "17 times since boot", ET_VERDICT_DISTURBS },
	{ "laptop", "load", "0.52 in the last minute", ET_VERDICT_DISTURBS },
	{ "laptop", "task-delayacct", "0", ET_VERDICT_DISTURBS },
	{ "amd", "daemons", "auditd, cron, packagekit, packages", ET_VERDICT_DISTURBS },
	{ "amd", "frequency-governor", "performance and others", ET_VERDICT_DISTURBS },
	{ "amd", "turbo", "on", ET_VERDICT_DISTURBS },
	{ "amd", "smt", "off", ET_VERDICT_FINE },
	{ "amd", "numa-balancing", "1", ET_VERDICT_DISTURBS },
	{ "amd", "clocksource", "hpet", ET_VERDICT_DISTURBS },
	{ "amd", "tick", "1000 Hz", ET_VERDICT_DISTURBS },
	{ "amd", "kernel-age", "0.9 years (5.14.0-427.el9.x86_64)", ET_VERDICT_FINE },
	{ "amd", "irq-affinity", "0 of 2 allowed on any CPU", ET_VERDICT_FINE },
	{ "arm64", "timers", "no systemd", ET_VERDICT_UNKNOWN },
	{ "arm64", "time-sync", "ntpd", ET_VERDICT_FINE },
	{ "amd", "time-sync", "chronyd", ET_VERDICT_FINE },
	{ "vm", "time-sync", "no time daemon", ET_VERDICT_DISTURBS },
	{ "container", "time-sync", "no time daemon", ET_VERDICT_DISTURBS },
	{ "arm64", "turbo", "no control", ET_VERDICT_UNKNOWN },
	{ "arm64", "frequency-limits", "1000 … 3000 MHz", ET_VERDICT_DISTURBS },
	{ "arm64", "smt", "off", ET_VERDICT_FINE },
	{ "rhel6", "kernel-age", "2.4 years (2.6.32-131.0.15.el6.x86_64)", ET_VERDICT_DISTURBS },
	{ "arm64", "kernel-age", "4.7 years (4.15.0-99-generic)", ET_VERDICT_DISTURBS },
	{ "arm64", "clocksource", "arch_sys_counter", ET_VERDICT_FINE },
	{ "arm64", "tick", "1000 Hz, nohz_full 2-3", ET_VERDICT_FINE },
	{ "arm64", "isolated-cpus", "2-3", ET_VERDICT_FINE },
	{ "arm64", "irq-affinity", "1 of 2 allowed on isolated CPUs", ET_VERDICT_DISTURBS },
	{ "arm64", "cpu-quota", "0.5 CPUs", ET_VERDICT_DISTURBS },
	{ "arm64", "thermal-throttling", "throttled right now", ET_VERDICT_DISTURBS },
	{ "arm64", "task-delayacct", "unknown", ET_VERDICT_UNKNOWN },
	{ "vm", "frequency-governor", "no control", ET_VERDICT_UNKNOWN },
	{ "vm", "smt", "hidden by the hypervisor", ET_VERDICT_UNKNOWN },
	{ "vm", "virtual-machine", "unknown hypervisor", ET_VERDICT_DISTURBS },
	{ "vm", "steal", "10 % since boot", ET_VERDICT_DISTURBS },
	{ "vm", "timers", "none", ET_VERDICT_FINE },
	{ "container", "cpu-quota", "1.5 CPUs", ET_VERDICT_DISTURBS },
	{ "container", "turbo", "on", ET_VERDICT_DISTURBS },
	{ "container", "swap", "unknown", ET_VERDICT_UNKNOWN },
};

static const struct et_finding *find(const struct et_findings *f, const char *factor)
{
	for (size_t i = 0; i < f->n; i++) {
		if (!strcmp(f->list[i].factor, factor))
			return &f->list[i];
	}
	return NULL;
}

static void check_machine(const char *name)
{
	struct et_machine m;
	struct et_findings f;
	struct et_factor *record;
	char root[512];

	snprintf(root, sizeof(root), "%s/sysroot/%s", getenv("ET_TEST_DATA"), name);
	et_machine_read(&m, root, NULL, strcmp(name, "rhel6") ? NOW_NS : EMP_NS);
	et_factors_check(&m, NULL, &f);
	ok(f.n == et_factors_count() - 1 && !find(&f, "time-daemon"),
		"%s: every factor but time-daemon has a finding", name);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		if (strcmp(expected[i].machine, name))
			continue;
		const struct et_finding *x = find(&f, expected[i].factor);
		is_str(x->state, expected[i].state, "%s: the state of %s", name, x->factor);
		ok(x->verdict == expected[i].verdict, "%s: the verdict on %s", name, x->factor);
	}
	size_t n = et_factors_record(&f, &record), unknown = 0;
	for (size_t i = 0; i < f.n; i++)
		unknown += f.list[i].verdict == ET_VERDICT_UNKNOWN;
	ok(n == f.n - unknown, "%s: factors of unknown state are not recorded", name);
	for (size_t i = 0; i < n; i++) {
		free(record[i].factor);
		free(record[i].state);
		free(record[i].wanted);
	}
	free(record);
	et_findings_free(&f);
	et_machine_free(&m);
}

/* Every change that a plan makes must be one that the journal accepts. */
static void check_plans(const char *name)
{
	struct et_machine m;
	struct et_changes changes = { 0 };
	struct et_results left = { 0 };
	char root[512];
	size_t known = 0;

	snprintf(root, sizeof(root), "%s/sysroot/%s", getenv("ET_TEST_DATA"), name);
	et_machine_read(&m, root, NULL, NOW_NS);
	for (const struct et_factor_row *row = et_factor_rows; row->name; row++) {
		if (row->plan)
			row->plan(&m, row, &changes, &left);
	}
	for (size_t i = 0; i < changes.n; i++)
		known += et_factors_know(&changes.list[i]);
	ok(changes.n > 0 && known == changes.n, "%s: the journal accepts every planned change",
		name);
	et_changes_free(&changes);
	et_results_free(&left);
	et_machine_free(&m);
}

static bool knows(const char *path, const char *before, const char *after)
{
	struct et_change c = { .kind = ET_CHANGE_FILE,
		.factor = (char *)"aslr",
		.target = (char *)path,
		.before = (char *)before,
		.after = (char *)after };

	return et_factors_know(&c);
}

static bool knows_unit(const char *unit, const char *before, const char *after)
{
	struct et_change c = { .kind = ET_CHANGE_UNIT,
		.factor = (char *)"time-sync",
		.target = (char *)unit,
		.before = (char *)before,
		.after = (char *)after };

	return et_factors_know(&c);
}

static void check_units(void)
{
	ok(knows_unit("chronyd.service", "inactive", "active"),
		"know: a time daemon may have been started");
	ok(!knows_unit("cron.service", "inactive", "active") &&
			!knows_unit("sshd.service", "inactive", "active"),
		"know: no other service may have been started");
	ok(knows_unit("cron.service", "active", "inactive"),
		"know: a daemon may have been stopped");
	ok(!knows_unit("chronyd.service", "inactive", "inactive") &&
			!knows_unit("chronyd.service", "active", "active") &&
			!knows_unit("cron.service", "", "inactive") &&
			!knows_unit("cron.service", "active", "failed"),
		"know: no unit whose states are not those that etalon writes");
}

static void check_sync(const char *label, const char *daemons, const char *installed, bool inside,
	struct et_clock_sync clock, enum et_verdict verdict, const char *state)
{
	struct et_finding f = { 0 };

	et_time_sync_judge(daemons, installed, inside, &clock, &f);
	is_str(f.state, state, "time-sync: the state of %s", label);
	ok(f.verdict == verdict, "time-sync: the verdict on %s", label);
	free(f.state);
}

static void check_time_sync(void)
{
	static const struct et_clock_sync right = { true, true, 12300, 3.25 },
					  rate = { true, true, 0, -1.04 },
					  unset = { true, false, 0, 0 }, unknown = { 0 };

	check_sync("a synchronised clock", "chronyd", NULL, false, right, ET_VERDICT_FINE,
		"synchronised by chronyd (+3.2 ppm, 12.3 µs off)");
	check_sync("a daemon that has not synchronised yet", "chronyd", NULL, false, unset,
		ET_VERDICT_DISTURBS, "chronyd, not synchronised yet");
	check_sync("a daemon that does not run", NULL, "ntpd", false, rate, ET_VERDICT_DISTURBS,
		"ntpd does not run");
	check_sync("a container", NULL, NULL, true, rate, ET_VERDICT_FINE,
		"synchronised by the host (-1.0 ppm)");
	check_sync("a container whose host is not synchronised", NULL, NULL, true, unset,
		ET_VERDICT_DISTURBS, "no time daemon");
	check_sync("a daemon that has ended", NULL, NULL, false, rate, ET_VERDICT_DISTURBS,
		"no time daemon; the kernel keeps the last rate");
	check_sync("a clock of unknown state", NULL, NULL, false, unknown, ET_VERDICT_DISTURBS,
		"no time daemon");
}

/* Why `env apply` would leave a factor alone on machines that lack a part of it. */
static void check_left(const char *name, const char *list, const char *expect)
{
	struct et_machine m;
	struct et_results r = { 0 };
	struct et_error err;
	bool selected[64];
	char root[512], found[512] = "";

	snprintf(root, sizeof(root), "%s/sysroot/%s", getenv("ET_TEST_DATA"), name);
	et_machine_read(&m, root, NULL, NOW_NS);
	if (et_factors_select("--only", list, selected, &err))
		return;
	et_environment_preview(&m, selected, &r);
	for (size_t i = 0; i < r.n; i++) {
		if (r.list[i].outcome == ET_OUTCOME_LEFT)
			snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s: %s",
				found[0] ? "; " : "", r.list[i].change.factor, r.list[i].note);
	}
	is_str(found, expect, "left alone: %s of the captured %s", list, name);
	et_results_free(&r);
	et_machine_free(&m);
}

static void check_borders(void)
{
	static const char aslr[] = "/proc/sys/kernel/randomize_va_space";
	bool selected[64];
	struct et_error err;

	ok(knows(aslr, "2", "0"), "know: a file of the table");
	ok(!knows("/etc/passwd", "2", "0"), "know: no file outside the table");
	ok(!knows("/proc/sys/kernel/randomize_va_space/../core_pattern", "2", "0"),
		"know: no path with ..");
	ok(!knows(aslr, "2\nx", "0") && !knows(aslr, "", "0") && !knows(aslr, "a b", "0"),
		"know: no values with newlines or spaces, no empty ones");
	ok(knows("/sys/devices/system/cpu/cpu12/cpuidle/state3/disable", "0", "1"),
		"know: a path with numbers");
	ok(!knows("/sys/devices/system/cpu/cpu/cpuidle/state3/disable", "0", "1") &&
			!knows("/sys/devices/system/cpu/cpu1234567890/cpuidle/state3/disable", "0",
				"1"),
		"know: no path whose number is missing or too long");
	ok(et_factors_select("--only", "aslr,turbo", selected, &err) == 0, "select: two factors");
	ok(et_factors_select("--only", "aslr,", selected, &err) < 0,
		"select: an empty name is refused");
	ok(et_factors_select("--only", "asl", selected, &err) < 0,
		"select: a shortened name is refused");
	for (const struct et_factor_row *row = et_factor_rows; row->name; row++) {
		size_t n = strlen(row->why);
		ok(row->why[n - 1] == '.' && row->fix[0] && row->wanted[0] && row->read,
			"%s: the row has a reason, an instruction and a wanted state", row->name);
	}
}

/* A machine that has nothing but kernels: the one that runs, and those in /boot. */
static void check_age(const char *release, const char *version, const char *boot,
	enum et_verdict verdict, const char *state)
{
	char folder[] = "/tmp/etalon-age.XXXXXX", command[512];
	struct et_machine m;
	struct et_finding f = { .state = strdup("unknown") };

	if (!mkdtemp(folder))
		return;
	snprintf(command, sizeof(command),
		"cd %s && mkdir -p proc/sys/kernel boot && echo '%s' >proc/sys/kernel/osrelease && "
		"echo '%s' >proc/sys/kernel/version && for i in %s; do >boot/vmlinuz-$i; done",
		folder, release, version, boot);
	if (system(command))
		printf("# failed: %s\n", command);
	et_machine_read(&m, folder, NULL, NOW_NS);
	et_factor_age_read(&m, &f);
	is_str(f.state, state, "kernel-age: the state of %s with %s", release, boot);
	ok(f.verdict == verdict, "kernel-age: the verdict on %s with %s", release, boot);
	free(f.state);
	et_machine_free(&m);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		printf("# failed: %s\n", command);
}

static void check_ages(void)
{
	static const char debian[] = "#1 SMP Debian 6.1.76-1 (2024-02-01)", none[] = "#1 SMP @0";

	check_age("6.1.0-18-amd64", debian, "6.1.0-17-amd64 6.1.0-18-amd64", ET_VERDICT_FINE,
		"0.9 years (6.1.0-18-amd64)");
	check_age("6.1.0-18-amd64", debian, "6.1.0-18-amd64 6.1.0-9-amd64 6.1.0-25-amd64",
		ET_VERDICT_DISTURBS,
		"0.9 years (6.1.0-18-amd64); 6.1.0-25-amd64 waits for a reboot");
	check_age("6.1.0-18-amd64", debian, "6.1.0-18-amd64 6.1.0-25-cloud-amd64 6.1.0-25-rt-amd64",
		ET_VERDICT_FINE, "0.9 years (6.1.0-18-amd64)");
	check_age("6.1.0-18-amd64", debian, "6.1.0-25-amd64", ET_VERDICT_FINE,
		"0.9 years (6.1.0-18-amd64)");
	check_age("5.14.0-427.el9.x86_64", debian,
		"5.14.0-427.el9.x86_64 5.14.0-427.16.1.el9_4.x86_64", ET_VERDICT_DISTURBS,
		"0.9 years (5.14.0-427.el9.x86_64); 5.14.0-427.16.1.el9_4.x86_64 waits for a "
		"reboot");
	check_age("6.9.7-arch1-1", debian, "6.9.7-arch1-1 6.10.1-arch2-1", ET_VERDICT_DISTURBS,
		"0.9 years (6.9.7-arch1-1); 6.10.1-arch2-1 waits for a reboot");
	check_age("6.12.4", none, "", ET_VERDICT_FINE,
		"unknown build date (6.12 was released 2024-11)");
	check_age("6.1.44", none, "", ET_VERDICT_UNKNOWN,
		"unknown build date (6.1 was released 2022-12)");
	check_age("7.99.1", none, "", ET_VERDICT_UNKNOWN, "unknown build date (7.99.1)");
	check_age("generic", none, "", ET_VERDICT_UNKNOWN, "unknown build date (generic)");
}

int main(void)
{
	static const char *const machines[] = { "laptop", "amd", "arm64", "vm", "container" };

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		check_machine(machines[i]);
		check_plans(machines[i]);
	}
	check_machine("there-is-none");
	check_machine("rhel6");
	check_ages();
	check_borders();
	check_units();
	check_time_sync();
	check_left("laptop", "frequency-limits,frequency-governor,turbo,kernel-age", "");
	check_left("vm", "time-sync,frequency-governor,turbo,smt",
		"time-sync: systemd does not answer");
	check_left("arm64", "time-daemon,time-sync", "");
	check_left("container", "time-sync",
		"time-sync: etalon can start a service through systemd only");
	return tap_done();
}
