/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors of the CPUs: frequency, turbo, idle states, hyper-threads, heat, interrupts. */
#include "base/alloc.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "host/factors.h"

#include <string.h>

#define CPU "/sys/devices/system/cpu"
#define POLICIES CPU "/cpufreq"

enum { SLOW_US = 10 }; /* C1 and C1E of today's processors have a lower exit latency */

static bool is_numbered(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return !strncmp(name, prefix, n) && name[n] &&
	       strspn(name + n, "0123456789") == strlen(name + n);
}

char **et_numbered_names(const struct et_machine *m, const char *folder, const char *prefix)
{
	char **names = et_sysroot_names(m->root, folder), **to = names;

	for (char **from = names; *from; from++) {
		if (is_numbered(*from, prefix))
			*to++ = *from;
		else
			free(*from);
	}
	*to = NULL;
	return names;
}

static uint64_t read_number(const struct et_machine *m, const char *path)
{
	char buf[64];
	uint64_t value;

	if (et_sysroot_line(m->root, path, buf, sizeof(buf)) <= 0 ||
		et_parse_u64(path, buf, 0, UINT64_MAX - 1, &value, NULL))
		return ET_UNKNOWN;
	return value;
}

/* --- turbo --- */

static const struct {
	const char *path, *off;
} turbo_files[] = {
	{ CPU "/intel_pstate/no_turbo", "1" },
	{ CPU "/cpufreq/boost", "0" },
};

void et_factor_turbo_read(const struct et_machine *m, struct et_finding *f)
{
	char value[16];

	et_finding_set(f, ET_VERDICT_UNKNOWN, "no control");
	for (size_t i = 0; i < ET_LENGTH(turbo_files); i++) {
		if (et_sysroot_line(m->root, turbo_files[i].path, value, sizeof(value)) <= 0)
			continue;
		bool off = !strcmp(value, turbo_files[i].off);
		et_finding_set(
			f, off ? ET_VERDICT_FINE : ET_VERDICT_DISTURBS, "%s", off ? "off" : "on");
		return;
	}
}

void et_factor_turbo_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left)
{
	char value[16];

	(void)left;
	for (size_t i = 0; i < ET_LENGTH(turbo_files); i++) {
		if (et_sysroot_line(m->root, turbo_files[i].path, value, sizeof(value)) <= 0)
			continue;
		if (strcmp(value, turbo_files[i].off))
			et_changes_add(out, ET_CHANGE_FILE, row->name, turbo_files[i].path, value,
				turbo_files[i].off);
		return;
	}
}

/* --- frequency --- */

void et_factor_limits_read(const struct et_machine *m, struct et_finding *f)
{
	char **policies = et_numbered_names(m, POLICIES, "policy"), path[256];
	uint64_t lo = UINT64_MAX, hi = 0;
	bool equal = true;

	et_finding_set(f, ET_VERDICT_UNKNOWN, "no control");
	for (char **p = policies; *p; p++) {
		snprintf(path, sizeof(path), POLICIES "/%s/scaling_min_freq", *p);
		uint64_t min = read_number(m, path);
		snprintf(path, sizeof(path), POLICIES "/%s/scaling_max_freq", *p);
		uint64_t max = read_number(m, path);
		if (min == ET_UNKNOWN || max == ET_UNKNOWN)
			continue;
		lo = min < lo ? min : lo;
		hi = max > hi ? max : hi;
		equal = equal && min >= max;
	}
	et_strv_free(policies);
	if (hi && lo == hi)
		et_finding_set(f, ET_VERDICT_FINE, "%.0f MHz", (double)hi / 1e3);
	else if (hi)
		et_finding_set(f, equal ? ET_VERDICT_FINE : ET_VERDICT_DISTURBS, "%.0f … %.0f MHz",
			(double)lo / 1e3, (double)hi / 1e3);
}

void et_factor_limits_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left)
{
	char **policies = et_numbered_names(m, POLICIES, "policy");
	char low[256], high[256], min[32], max[32];

	(void)left;
	for (char **p = policies; *p; p++) {
		snprintf(low, sizeof(low), POLICIES "/%s/scaling_min_freq", *p);
		snprintf(high, sizeof(high), POLICIES "/%s/scaling_max_freq", *p);
		if (et_sysroot_line(m->root, low, min, sizeof(min)) > 0 &&
			et_sysroot_line(m->root, high, max, sizeof(max)) > 0 && strcmp(min, max))
			et_changes_add(out, ET_CHANGE_FILE, row->name, low, min, max);
	}
	et_strv_free(policies);
}

void et_factor_governor_read(const struct et_machine *m, struct et_finding *f)
{
	char **policies = et_numbered_names(m, POLICIES, "policy");
	char path[256], value[64], first[64] = "";
	bool fine = true, mixed = false;

	et_finding_set(f, ET_VERDICT_UNKNOWN, "no control");
	for (char **p = policies; *p; p++) {
		snprintf(path, sizeof(path), POLICIES "/%s/scaling_governor", *p);
		if (et_sysroot_line(m->root, path, value, sizeof(value)) <= 0)
			continue;
		if (!first[0])
			snprintf(first, sizeof(first), "%s", value);
		mixed = mixed || strcmp(first, value);
		fine = fine && !strcmp(value, "performance");
	}
	et_strv_free(policies);
	if (first[0])
		et_finding_set(f, fine ? ET_VERDICT_FINE : ET_VERDICT_DISTURBS, "%s%s", first,
			mixed ? " and others" : "");
}

bool et_policy_offers(
	const struct et_machine *m, const char *policy, const char *file, const char *word)
{
	char path[256], words[512];

	snprintf(path, sizeof(path), POLICIES "/%s/%s", policy, file);
	return et_sysroot_line(m->root, path, words, sizeof(words)) > 0 &&
	       et_list_has(words, " ", word, strlen(word));
}

void et_factor_governor_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left)
{
	char **policies = et_numbered_names(m, POLICIES, "policy");
	char path[256], epp[256], value[64], preference[64];

	(void)left;
	for (char **p = policies; *p; p++) {
		snprintf(path, sizeof(path), POLICIES "/%s/scaling_governor", *p);
		snprintf(epp, sizeof(epp), POLICIES "/%s/energy_performance_preference", *p);
		if (et_sysroot_line(m->root, path, value, sizeof(value)) <= 0 ||
			!strcmp(value, "performance") ||
			!et_policy_offers(m, *p, "scaling_available_governors", "performance"))
			continue;
		/* The governor also changes the energy preference, and not every driver restores
		 * it. */
		if (et_sysroot_line(m->root, epp, preference, sizeof(preference)) > 0 &&
			strcmp(preference, "performance"))
			et_changes_add(
				out, ET_CHANGE_FILE, row->name, epp, preference, "performance");
		et_changes_add(out, ET_CHANGE_FILE, row->name, path, value, "performance");
	}
	et_strv_free(policies);
}

/* --- idle states --- */

/* Calls fn for every idle state of every CPU whose exit latency exceeds SLOW_US. */
static void each_slow_state(const struct et_machine *m,
	void (*fn)(void *ctx, const char *folder, bool disabled), void *ctx)
{
	char **cpus = et_numbered_names(m, CPU, "cpu"), folder[256], path[300];

	for (char **c = cpus; *c; c++) {
		snprintf(folder, sizeof(folder), CPU "/%s/cpuidle", *c);
		char **states = et_numbered_names(m, folder, "state");
		for (char **s = states; *s; s++) {
			snprintf(folder, sizeof(folder), CPU "/%s/cpuidle/%s", *c, *s);
			snprintf(path, sizeof(path), "%s/latency", folder);
			uint64_t latency_us = read_number(m, path);
			snprintf(path, sizeof(path), "%s/disable", folder);
			uint64_t disable = read_number(m, path);
			if (latency_us != ET_UNKNOWN && latency_us > SLOW_US &&
				disable != ET_UNKNOWN)
				fn(ctx, folder, disable != 0);
		}
		et_strv_free(states);
	}
	et_strv_free(cpus);
}

struct idle {
	const struct et_machine *m;
	char names[128]; /* of the enabled slow states, each once */
	size_t slow, enabled;
	const char *factor;
	struct et_changes *out;
};

static void note_state(void *ctx, const char *folder, bool disabled)
{
	struct idle *idle = ctx;
	char path[300], name[32];
	size_t len = strlen(idle->names);

	idle->slow++;
	idle->enabled += !disabled;
	snprintf(path, sizeof(path), "%s/name", folder);
	if (disabled || et_sysroot_line(idle->m->root, path, name, sizeof(name)) <= 0 ||
		strstr(idle->names, name))
		return;
	snprintf(idle->names + len, sizeof(idle->names) - len, "%s%s", len ? ", " : "", name);
}

void et_factor_idle_read(const struct et_machine *m, struct et_finding *f)
{
	struct idle idle = { .m = m };
	char **states = et_numbered_names(m, CPU "/cpu0/cpuidle", "state");

	each_slow_state(m, note_state, &idle);
	if (idle.enabled)
		et_finding_set(f, ET_VERDICT_DISTURBS, "%s",
			idle.names[0] ? idle.names : "deep states enabled");
	else if (*states)
		et_finding_set(f, ET_VERDICT_FINE, "shallow only");
	else
		et_finding_set(f, ET_VERDICT_UNKNOWN, "no control");
	et_strv_free(states);
}

static void plan_state(void *ctx, const char *folder, bool disabled)
{
	struct idle *idle = ctx;
	char path[300];

	snprintf(path, sizeof(path), "%s/disable", folder);
	if (!disabled)
		et_changes_add(idle->out, ET_CHANGE_FILE, idle->factor, path, "0", "1");
}

void et_factor_idle_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left)
{
	struct idle idle = { .m = m, .factor = row->name, .out = out };

	(void)left;
	each_slow_state(m, plan_state, &idle);
}

/* --- hyper-threads, isolation --- */

void et_factor_smt_read(const struct et_machine *m, struct et_finding *f)
{
	char text[128];
	const char *host = m->host.virtual_machine;
	bool guest = strcmp(host, "none") && strcmp(host, "unknown"), on;

	if (et_sysroot_line(m->root, CPU "/smt/active", text, sizeof(text)) > 0)
		on = !strcmp(text, "1");
	else if (et_sysroot_line(m->root, CPU "/cpu0/topology/thread_siblings_list", text,
			 sizeof(text)) > 0)
		on = strpbrk(text, ",-") != NULL;
	else
		return;
	/* A guest does not see which of its CPUs share a core with those of other guests. */
	if (guest && !on)
		et_finding_set(f, ET_VERDICT_UNKNOWN, "hidden by the hypervisor");
	else
		et_finding_set(
			f, on ? ET_VERDICT_DISTURBS : ET_VERDICT_FINE, "%s", on ? "on" : "off");
}

void et_factor_isolated_read(const struct et_machine *m, struct et_finding *f)
{
	char list[512];
	ssize_t n = et_sysroot_line(m->root, CPU "/isolated", list, sizeof(list));

	if (n == 0)
		et_finding_set(f, ET_VERDICT_DISTURBS, "none");
	else if (n > 0)
		et_finding_set(f, ET_VERDICT_FINE, "%s", list);
}

/* --- heat --- */

static bool cooling_now(const struct et_machine *m)
{
	static const char folder[] = "/sys/class/thermal";
	char **devices = et_numbered_names(m, folder, "cooling_device"), path[256], type[64];
	bool cooling = false;

	for (char **d = devices; *d && !cooling; d++) {
		snprintf(path, sizeof(path), "%s/%s/type", folder, *d);
		if (et_sysroot_line(m->root, path, type, sizeof(type)) <= 0 ||
			(strcmp(type, "Processor") && strncmp(type, "cpufreq", 7) &&
				strncmp(type, "thermal-cpufreq", 15)))
			continue;
		snprintf(path, sizeof(path), "%s/%s/cur_state", folder, *d);
		uint64_t state = read_number(m, path);
		cooling = state != ET_UNKNOWN && state > 0;
	}
	et_strv_free(devices);
	return cooling;
}

void et_factor_thermal_read(const struct et_machine *m, struct et_finding *f)
{
	char **cpus = et_numbered_names(m, CPU, "cpu"), path[256];
	uint64_t most = 0;
	bool told = false;

	for (char **c = cpus; *c; c++) {
		snprintf(path, sizeof(path), CPU "/%s/thermal_throttle/core_throttle_count", *c);
		uint64_t count = read_number(m, path);
		if (count == ET_UNKNOWN)
			continue;
		told = true;
		most = count > most ? count : most;
	}
	et_strv_free(cpus);
	if (cooling_now(m))
		et_finding_set(f, ET_VERDICT_DISTURBS, "throttled right now");
	else if (most)
		et_finding_set(
			f, ET_VERDICT_DISTURBS, "%llu times since boot", (unsigned long long)most);
	else if (told)
		et_finding_set(f, ET_VERDICT_FINE, "none since boot");
}

/* --- interrupts --- */

void et_factor_irq_read(const struct et_machine *m, struct et_finding *f)
{
	char **irqs = et_numbered_names(m, "/proc/irq", ""), path[64], list[512];
	cpu_set_t isolated, all, allowed, common;
	size_t n = 0, touching = 0;

	if (et_sysroot_line(m->root, CPU "/isolated", list, sizeof(list)) <= 0 ||
		et_parse_cpus("isolated", list, &isolated, NULL))
		CPU_ZERO(&isolated);
	if (et_sysroot_line(m->root, CPU "/online", list, sizeof(list)) <= 0 ||
		et_parse_cpus("online", list, &all, NULL))
		CPU_ZERO(&all);
	for (char **i = irqs; *i; i++) {
		snprintf(path, sizeof(path), "/proc/irq/%s/smp_affinity_list", *i);
		if (et_sysroot_line(m->root, path, list, sizeof(list)) <= 0 ||
			et_parse_cpus("affinity", list, &allowed, NULL))
			continue;
		n++;
		CPU_AND(&common, &allowed, CPU_COUNT(&isolated) ? &isolated : &all);
		touching += CPU_COUNT(&isolated) ? CPU_COUNT(&common) > 0
						 : CPU_EQUAL(&common, &all) != 0;
	}
	et_strv_free(irqs);
	if (!n || CPU_COUNT(&all) < 2)
		return;
	et_finding_set(f, touching ? ET_VERDICT_DISTURBS : ET_VERDICT_FINE,
		"%zu of %zu allowed on %s", touching, n,
		CPU_COUNT(&isolated) ? "isolated CPUs" : "any CPU");
}
