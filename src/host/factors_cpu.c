/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors of the CPUs: frequency, turbo, idle states, hyper-threads, heat, interrupts. */
#include "base/parse.h"
#include "base/sysroot.h"
#include "host/factors.h"
#include "host/host.h"

#define CPU "/sys/devices/system/cpu"
#define POLICIES CPU "/cpufreq"

enum { SLOW_US = 10 }; /* C1 and C1E of today's processors have a lower exit latency */

char **et_numbered_names(const struct et_machine *m, const char *folder, const char *prefix)
{
	char **names = et_sysroot_names(m->root, folder), **to = names;
	size_t n = strlen(prefix);

	for (char **from = names; *from; from++) {
		if (!strncmp(*from, prefix, n) && (*from)[n] &&
			strspn(*from + n, "0123456789") == strlen(*from + n))
			*to++ = *from;
		else
			free(*from);
	}
	*to = NULL;
	return names;
}

/* --- turbo --- */

/* Returns the path of the machine's switch, or NULL; *off is the value without turbo. */
static const char *read_turbo(const struct et_machine *m, char value[static 16], const char **off)
{
	static const char *const files[][2] = { { CPU "/intel_pstate/no_turbo", "1" },
		{ CPU "/cpufreq/boost", "0" } };

	for (size_t i = 0; i < ET_LENGTH(files); i++) {
		*off = files[i][1];
		if (et_sysroot_line(m->root, files[i][0], value, 16) > 0)
			return files[i][0];
	}
	return NULL;
}

void et_factor_turbo_read(const struct et_machine *m, struct et_finding *f)
{
	const char *off;
	char value[16];

	if (!read_turbo(m, value, &off))
		et_finding_set(f, ET_VERDICT_UNKNOWN, "no control");
	else
		et_finding_set(f, et_fine_if(!strcmp(value, off)), "%s",
			strcmp(value, off) ? "on" : "off");
}

void et_factor_turbo_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left)
{
	const char *off;
	char value[16];
	const char *path = read_turbo(m, value, &off);

	(void)left;
	if (path && strcmp(value, off))
		et_changes_add(out, ET_CHANGE_FILE, row->name, path, value, off);
}

/* --- frequency --- */

void et_factor_limits_read(const struct et_machine *m, struct et_finding *f)
{
	char **policies = et_numbered_names(m, POLICIES, "policy");
	uint64_t lo = UINT64_MAX, hi = 0;
	bool equal = true;

	et_finding_set(f, ET_VERDICT_UNKNOWN, "no control");
	for (char **p = policies; *p; p++) {
		uint64_t min = et_host_number(m->root, POLICIES "/%s/scaling_min_freq", *p);
		uint64_t max = et_host_number(m->root, POLICIES "/%s/scaling_max_freq", *p);
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
		et_finding_set(f, et_fine_if(equal), "%.0f … %.0f MHz", (double)lo / 1e3,
			(double)hi / 1e3);
}

void et_factor_limits_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left)
{
	char **policies = et_numbered_names(m, POLICIES, "policy");
	char low[256], min[32], max[32];

	(void)left;
	for (char **p = policies; *p; p++) {
		snprintf(low, sizeof(low), POLICIES "/%s/scaling_min_freq", *p);
		if (et_sysroot_line(m->root, low, min, sizeof(min)) > 0 &&
			et_host_line(m->root, max, sizeof(max), POLICIES "/%s/scaling_max_freq",
				*p) > 0 &&
			strcmp(min, max))
			et_changes_add(out, ET_CHANGE_FILE, row->name, low, min, max);
	}
	et_strv_free(policies);
}

void et_factor_governor_read(const struct et_machine *m, struct et_finding *f)
{
	char **policies = et_numbered_names(m, POLICIES, "policy");
	char value[64], first[64] = "";
	bool fine = true, mixed = false;

	et_finding_set(f, ET_VERDICT_UNKNOWN, "no control");
	for (char **p = policies; *p; p++) {
		if (et_host_line(m->root, value, sizeof(value), POLICIES "/%s/scaling_governor",
			    *p) <= 0)
			continue;
		if (!first[0])
			snprintf(first, sizeof(first), "%s", value);
		mixed = mixed || strcmp(first, value);
		fine = fine && !strcmp(value, "performance");
	}
	et_strv_free(policies);
	if (first[0])
		et_finding_set(f, et_fine_if(fine), "%s%s", first, mixed ? " and others" : "");
}

bool et_policy_has_governor(const struct et_machine *m, const char *policy, const char *governor)
{
	char words[512];

	return et_host_line(m->root, words, sizeof(words),
		       POLICIES "/%s/scaling_available_governors", policy) > 0 &&
	       et_list_has(words, " ", governor, strlen(governor));
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
			!et_policy_has_governor(m, *p, "performance"))
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

struct idle {
	char names[128]; /* of the enabled slow states, each once */
	size_t enabled;
	const char *factor;
	struct et_changes *out; /* gets the changes that disable them; NULL: not needed */
};

static void look_at_state(
	const struct et_machine *m, const char *cpu, const char *state, struct idle *idle)
{
	char path[300], name[32];
	size_t len = strlen(idle->names);
	uint64_t latency_us = et_host_number(m->root, CPU "/%s/cpuidle/%s/latency", cpu, state);

	snprintf(path, sizeof(path), CPU "/%s/cpuidle/%s/disable", cpu, state);
	if (latency_us == ET_UNKNOWN || latency_us <= SLOW_US ||
		et_host_number(m->root, "%s", path) != 0)
		return;
	idle->enabled++;
	if (idle->out)
		et_changes_add(idle->out, ET_CHANGE_FILE, idle->factor, path, "0", "1");
	if (et_host_line(m->root, name, sizeof(name), CPU "/%s/cpuidle/%s/name", cpu, state) > 0 &&
		!strstr(idle->names, name))
		snprintf(idle->names + len, sizeof(idle->names) - len, "%s%s", len ? ", " : "",
			name);
}

/* Looks at every idle state of every CPU. */
static void look_at_states(const struct et_machine *m, struct idle *idle)
{
	char **cpus = et_numbered_names(m, CPU, "cpu"), folder[256];

	for (char **c = cpus; *c; c++) {
		snprintf(folder, sizeof(folder), CPU "/%s/cpuidle", *c);
		char **states = et_numbered_names(m, folder, "state");
		for (char **s = states; *s; s++)
			look_at_state(m, *c, *s, idle);
		et_strv_free(states);
	}
	et_strv_free(cpus);
}

void et_factor_idle_read(const struct et_machine *m, struct et_finding *f)
{
	struct idle idle = { 0 };
	char **states = et_numbered_names(m, CPU "/cpu0/cpuidle", "state");

	look_at_states(m, &idle);
	if (idle.enabled)
		et_finding_set(f, ET_VERDICT_DISTURBS, "%s",
			idle.names[0] ? idle.names : "deep states enabled");
	else if (*states)
		et_finding_set(f, ET_VERDICT_FINE, "shallow only");
	else
		et_finding_set(f, ET_VERDICT_UNKNOWN, "no control");
	et_strv_free(states);
}

void et_factor_idle_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left)
{
	(void)left;
	look_at_states(m, &(struct idle){ .factor = row->name, .out = out });
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
		et_finding_set(f, et_fine_if(!on), "%s", on ? "on" : "off");
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
	char **devices = et_numbered_names(m, folder, "cooling_device"), type[64];
	bool cooling = false;

	for (char **d = devices; *d && !cooling; d++) {
		if (et_host_line(m->root, type, sizeof(type), "%s/%s/type", folder, *d) <= 0 ||
			(strcmp(type, "Processor") && strncmp(type, "cpufreq", 7) &&
				strncmp(type, "thermal-cpufreq", 15)))
			continue;
		uint64_t state = et_host_number(m->root, "%s/%s/cur_state", folder, *d);
		cooling = state != ET_UNKNOWN && state > 0;
	}
	et_strv_free(devices);
	return cooling;
}

void et_factor_thermal_read(const struct et_machine *m, struct et_finding *f)
{
	char **cpus = et_numbered_names(m, CPU, "cpu");
	uint64_t most = 0;
	bool told = false;

	for (char **c = cpus; *c; c++) {
		uint64_t count =
			et_host_number(m->root, CPU "/%s/thermal_throttle/core_throttle_count", *c);
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
	char **irqs = et_numbered_names(m, "/proc/irq", "");
	cpu_set_t isolated, all, allowed, common;
	bool some = et_host_cpus(m->root, &isolated, CPU "/isolated") && CPU_COUNT(&isolated);
	size_t n = 0, touching = 0;

	et_host_cpus(m->root, &all, CPU "/online");
	for (char **i = irqs; *i; i++) {
		if (!et_host_cpus(m->root, &allowed, "/proc/irq/%s/smp_affinity_list", *i))
			continue;
		n++;
		CPU_AND(&common, &allowed, some ? &isolated : &all);
		touching += some ? CPU_COUNT(&common) > 0 : CPU_EQUAL(&common, &all) != 0;
	}
	et_strv_free(irqs);
	if (!n || CPU_COUNT(&all) < 2)
		return;
	et_finding_set(f, et_fine_if(!touching), "%zu of %zu allowed on %s", touching, n,
		some ? "isolated CPUs" : "any CPU");
}
