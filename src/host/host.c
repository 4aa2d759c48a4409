/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/host.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "model/experiment/machine_id.h"

#include <sys/stat.h>
#include <sys/utsname.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static ssize_t read_line(const char *root, char *buf, size_t size, const char *fmt, va_list ap)
{
	ET_AUTO_FREE char *path = et_vasprintf(fmt, ap);

	return et_sysroot_line(root, path, buf, size);
}

ssize_t et_host_line(const char *root, char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ssize_t n = read_line(root, buf, size, fmt, ap);
	va_end(ap);
	return n;
}

uint64_t et_host_number(const char *root, const char *fmt, ...)
{
	char text[64];
	uint64_t value;
	va_list ap;

	va_start(ap, fmt);
	ssize_t n = read_line(root, text, sizeof(text), fmt, ap);
	va_end(ap);
	return n > 0 && et_parse_u64("number", text, 0, UINT64_MAX - 1, &value, NULL) == 0
		       ? value
		       : ET_UNKNOWN;
}

bool et_host_cpus(const char *root, cpu_set_t *out, const char *fmt, ...)
{
	char list[1024];
	va_list ap;

	va_start(ap, fmt);
	ssize_t n = read_line(root, list, sizeof(list), fmt, ap);
	va_end(ap);
	if (n > 0 && et_parse_cpus("CPUs", list, out, NULL) == 0)
		return true;
	CPU_ZERO(out);
	return false;
}

/* Copies the value of a line "key : value" into out; returns false if there is no such line. */
static bool field(const char *text, const char *key, char *out, size_t size)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, strlen(key)))
			continue;
		const char *value = line + strcspn(line, ":\n");
		if (*value != ':')
			continue;
		value += 1 + strspn(value + 1, " \t");
		snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
		return true;
	}
	return false;
}

/* A virtual machine, and how the text by which it is known begins. */
struct known {
	const char *text, *name; /* NULL ends a list */
};

static const char *name_of(const struct known *k, const char *text, const char *otherwise)
{
	while (k->text && strncmp(text, k->text, strlen(k->text)))
		k++;
	return k->text ? k->name : otherwise;
}

/* Returns the name of the hypervisor, from CPUID leaf 0x40000000 (x86 only). */
static const char *cpuid_hypervisor(void)
{
#if defined(__x86_64__) || defined(__i386__)
	static const struct known signatures[] = { { "KVMKVMKVM", "kvm" },
		{ "VMwareVMware", "vmware" }, { "Microsoft Hv", "hyper-v" },
		{ "XenVMMXenVMM", "xen" }, { "TCGTCGTCGTCG", "qemu" },
		{ "VBoxVBoxVBox", "virtualbox" }, { "bhyve bhyve ", "bhyve" },
		{ "ACRNACRNACRN", "acrn" }, { 0 } };
	unsigned a, b, c, d;
	char signature[13] = "";

	__cpuid(0x40000000, a, b, c, d);
	memcpy(signature, &b, 4);
	memcpy(signature + 4, &c, 4);
	memcpy(signature + 8, &d, 4);
	return name_of(signatures, signature, "unknown hypervisor");
#else
	return "unknown hypervisor";
#endif
}

static const char *virtual_machine(const char *root, const char *cpuinfo)
{
	static const struct known vendors[] = { { "QEMU", "qemu" }, { "KVM", "kvm" },
		{ "VMware", "vmware" }, { "innotek", "virtualbox" }, { "Xen", "xen" },
		{ "Microsoft Corporation", "hyper-v" }, { "Amazon EC2", "amazon" },
		{ "Google", "google" }, { "Parallels", "parallels" }, { 0 } };
	char flags[4096], vendor[128];

	if (field(cpuinfo, "flags", flags, sizeof(flags))) {
		if (!strstr(flags, " hypervisor"))
			return "none";
		return *root ? "unknown hypervisor" : cpuid_hypervisor();
	}
	/* Processors without that flag (arm64): guess from the vendor of the firmware. */
	if (et_sysroot_line(root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor)) <= 0)
		return "unknown";
	return name_of(vendors, vendor, "none");
}

static uint64_t memory_bytes(const char *root)
{
	char text[4096], value[64];

	if (et_sysroot_read(root, "/proc/meminfo", text, sizeof(text)) <= 0 ||
		!field(text, "MemTotal", value, sizeof(value)))
		return ET_UNKNOWN;
	return strtoull(value, NULL, 10) * 1024;
}

/* Since Linux 5.14 a sysctl switches delay accounting, off by default; it was always on before. */
static bool block_delays_enabled(const char *root, const char *kernel)
{
	char value[16];
	int major, minor;

	if (et_sysroot_line(root, "/proc/sys/kernel/task_delayacct", value, sizeof(value)) > 0)
		return value[0] == '1';
	return sscanf(kernel, "%d.%d", &major, &minor) == 2 &&
	       (major < 5 || (major == 5 && minor < 14));
}

static void line_or(
	const char *root, const char *path, const char *otherwise, char *out, size_t size)
{
	if (et_sysroot_line(root, path, out, size) <= 0)
		snprintf(out, size, "%s", otherwise);
}

void et_host_read(const char *root, struct et_host *host)
{
	enum { CPUINFO_BYTES = 16384 }; /* enough for the entry of the first CPU */
	ET_AUTO_FREE char *cpuinfo = et_alloc(CPUINFO_BYTES);
	struct utsname names = { 0 };
	cpu_set_t online;

	memset(host, 0, sizeof(*host));
	(void)uname(&names); /* fails on a bad address only */
	snprintf(host->name, sizeof(host->name), "%s", names.nodename);
	snprintf(host->architecture, sizeof(host->architecture), "%s", names.machine);
	line_or(root, "/proc/sys/kernel/osrelease", names.release, host->kernel,
		sizeof(host->kernel));
	if (et_sysroot_read(root, "/proc/cpuinfo", cpuinfo, CPUINFO_BYTES) < 0)
		cpuinfo[0] = '\0';
	if (!field(cpuinfo, "model name", host->cpu, sizeof(host->cpu)) &&
		!field(cpuinfo, "CPU part", host->cpu, sizeof(host->cpu)))
		snprintf(host->cpu, sizeof(host->cpu), "unknown");
	host->cpus = (uint32_t)(et_host_cpus(root, &online, "/sys/devices/system/cpu/online")
					? CPU_COUNT(&online)
					: sysconf(_SC_NPROCESSORS_ONLN));
	snprintf(host->virtual_machine, sizeof(host->virtual_machine), "%s",
		virtual_machine(root, cpuinfo));
	line_or(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "unknown",
		host->clocksource, sizeof(host->clocksource));
	line_or(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "", host->governor,
		sizeof(host->governor));
	host->tick_ns = et_clock_tick_ns();
	host->memory_bytes = memory_bytes(root);
	host->block_delays = block_delays_enabled(root, host->kernel);
}

/* --- the identity --- */

#define MACHINE_FILE "/etc/etalon/machine"

/* Sets *source to where the name was found. */
static bool chosen_name(const char *root, char *out, size_t size, const char **source)
{
	const char *name = getenv("ETALON_MACHINE");

	*source = "ETALON_MACHINE";
	if (name && *name) {
		snprintf(out, size, "%s", name);
		return true;
	}
	*source = MACHINE_FILE;
	ssize_t n = et_sysroot_line(root, MACHINE_FILE, out, size);
	while (n > 0 && strchr(" \t\r", out[n - 1]))
		out[--n] = '\0';
	return n > 0;
}

/*
 * The kernel gives its first namespaces fixed numbers (PROC_UTS_INIT_INO, PROC_PID_INIT_INO). A
 * service with ProtectHostname= has a UTS namespace of its own, too, so both must differ.
 */
static bool in_container(const char *root)
{
	char uts[64], pid[64];

	return et_sysroot_link(root, "/proc/self/ns/uts", uts, sizeof(uts)) > 0 &&
	       et_sysroot_link(root, "/proc/self/ns/pid", pid, sizeof(pid)) > 0 &&
	       strcmp(uts, "uts:[4026531838]") != 0 && strcmp(pid, "pid:[4026531836]") != 0;
}

void et_host_identity(const char *root, char *out, size_t size)
{
	struct utsname names = { 0 };
	char id[64], name[ET_MACHINE_SIZE];
	const char *source;

	if (chosen_name(root, name, sizeof(name), &source) && et_machine_name_valid(name)) {
		snprintf(out, size, "%s", name);
		return;
	}
	/* systemd writes "uninitialized" into images that are to be booted for the first time. */
	if (et_sysroot_line(root, "/etc/machine-id", id, sizeof(id)) <= 0 ||
		!strcmp(id, "uninitialized"))
		id[0] = '\0';
	(void)uname(&names); /* fails on a bad address only */
	if (id[0] && !in_container(root))
		snprintf(out, size, "%016" PRIx64, et_hash_text(id));
	else
		snprintf(out, size, "%.64s %016" PRIx64, names.nodename, et_hash_text(id));
}

int et_host_identity_check(const char *root, struct et_error *err)
{
	char name[ET_MACHINE_SIZE];
	const char *source;

	if (!chosen_name(root, name, sizeof(name), &source) || et_machine_name_valid(name))
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, source[0] == '/' ? ET_EXIT_ENVIRONMENT : ET_EXIT_USAGE,
			"%s: '%s' cannot be the name of a machine", source, name),
		"use 1 to %d letters, digits, '.', '_' and '-', of which the first is a letter or "
		"digit",
		ET_MACHINE_MOST_NAME);
}

bool et_host_names_file(const char *path, int fd)
{
	struct stat open, named;

	return fstat(fd, &open) == 0 && stat(path, &named) == 0 && open.st_ino == named.st_ino &&
	       open.st_dev == named.st_dev;
}

double et_host_load(const char *root)
{
	char text[128];
	double load;

	if (et_sysroot_line(root, "/proc/loadavg", text, sizeof(text)) <= 0 ||
		sscanf(text, "%lf", &load) != 1)
		return NAN;
	return load;
}
