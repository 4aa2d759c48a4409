/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets: /proc and /sys, answers of systemctl, and the journal of changes. */
#include "host/machine.h"
#include "base/base.h"
#include "base/procstat.h"
#include "base/sysroot.h"
#include "fuzz.h"
#include "host/environment.h"
#include "host/host.h"
#include "host/journal_text.h"
#include "host/services.h"
#include "lib/time/cache.h"
#include "measure/child/cgroup.h"
#include "measure/child/reap.h"
#include "measure/observe/steal.h"
#include "put/calibration.h"

#include <string.h>
#include <sys/mman.h>

/* --- /proc and /sys --- */

static void read_processes(const char *root, const struct et_processes *p)
{
	char unit[128], pid[16];

	for (size_t i = 0; i < p->n && i < 8; i++) {
		snprintf(pid, sizeof(pid), "%d", p->list[i].pid);
		et_process_unit(root, pid, unit, sizeof(unit));
		FUZZ_CHECK(strlen(unit) < sizeof(unit));
		(void)et_process_in_container(root, p->list[i].pid);
		(void)et_process_cmdline_has(root, p->list[i].pid, "cron");
	}
}

static void read_steal(void)
{
	char text[65536];
	cpu_set_t two;

	CPU_ZERO(&two);
	CPU_SET(0, &two);
	CPU_SET(1, &two);
	if (et_sysroot_read("", "/proc/stat", text, sizeof(text)) <= 0)
		return;
	struct et_stolen some = et_steal_parse(text, &two, 100);
	struct et_stolen all = et_steal_parse(text, NULL, 100);
	(void)et_steal_share_ns(some, all, 1000000);
}

/* Files about our children. */
static void read_children(void)
{
	struct et_reap_request q = { .pid = 1, .want = ~0u };
	struct et_reap_result result = { .t1_ns = 1 };
	struct et_snapshot children;

	et_reap_read_zombie("", &q, &result);
	(void)!et_reap_list_children("", &children);
	et_snapshot_free(&children);
}

/* A whole machine: its description, its factors, what would be changed, and our cgroup. */
static int fuzz_proc(const uint8_t *data, size_t size)
{
	static const char *const controllers[] = { "cpuacct", "" };
	struct et_findings findings = { 0 };
	struct et_results results = { 0 };
	struct et_machine m;
	char folder[4096], cpu[128];
	int accepted = 0;

	/* The root is empty: functions that open files themselves put it before the path. */
	fuzz_tree_set(size ? (const char *)data : "", size);
	et_machine_read(&m, "", NULL, UINT64_C(1763196906000000000));
	et_factors_check(&m, NULL, &findings);
	for (size_t i = 0; i < findings.n; i++)
		accepted |= findings.list[i].verdict != ET_VERDICT_UNKNOWN;
	et_environment_preview(&m, NULL, &results);
	for (size_t i = 0; i < results.n; i++) {
		if (results.list[i].outcome == ET_OUTCOME_PLANNED)
			FUZZ_CHECK(et_factors_know(&results.list[i].change));
	}
	read_processes("", &m.processes);
	for (size_t i = 0; i < ET_LENGTH(controllers); i++) {
		if (et_cgroup_find("", controllers[i], folder, sizeof(folder)))
			FUZZ_CHECK(strlen(folder) < sizeof(folder));
	}
	(void)et_host_load("");
	et_cpu_model("", cpu, sizeof(cpu));
	FUZZ_CHECK(strlen(cpu) < sizeof(cpu));
	read_steal();
	read_children();
	(void)et_cache_bytes("", NULL);
	et_results_free(&results);
	et_findings_free(&findings);
	et_machine_free(&m);
	fuzz_tree_set(NULL, 0);
	return accepted;
}

static const char *const proc_tokens[] = { "\n@/proc/stat\n", "\n@/proc/self/cgroup\n",
	"\n@/proc/self/mountinfo\n", "\n@/proc/loadavg\n", "\n@/proc/cpuinfo\n",
	"\n@/proc/1/stat\n", "\n@/sys/devices/system/cpu/online\n",
	"\n@/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor\n", "\n@/proc/swaps\n",
	"\n@/proc/version\n", "\n@/proc/net/route\n", "00000000", " ", "\n", ":", "-", ",", "0-3",
	"cpu0", "cgroup2", "cpuacct", "[always]", "(", ")", "..", "%s", "0::/", "(2026-01-01)",
	"Jan", NULL };

FUZZ_TARGET(proc) = { "proc", fuzz_proc, 1000, .tokens = proc_tokens,
	.input = "'/proc' and '/sys' of a machine: host, factors, processes, cgroups, steal",
	.holds = "every planned change is one that the journal accepts" };

/* One file alone, thousands of times per second; and the file of a cgroup's CPU time. */
static int fuzz_procstat(const uint8_t *data, size_t size)
{
	static int fd = -1;
	ET_AUTO_FREE char *text = fuzz_text(data, size);
	struct et_procstat s;

	if (fd < 0)
		fd = memfd_create("usage", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size) {
		(void)et_cgroup_usage_ns(ET_CPU_BY_CPUACCT, fd);
		(void)et_cgroup_usage_ns(ET_CPU_BY_CPU_STAT, fd);
	}
	if (et_procstat_parse(text, &s))
		return 0;
	FUZZ_CHECK(strlen(s.comm) < sizeof(s.comm));
	return 1;
}

FUZZ_TARGET(procstat) = { "procstat", fuzz_procstat, 20000,
	.tokens = TOKENS("(", ")", " ", "R", "-1"),
	.input = "'/proc/PID/stat'; the CPU time of a cgroup", .holds = "names are terminated" };

/* --- systemctl --- */

static int fuzz_services(const uint8_t *data, size_t size)
{
	enum { UNITS = 4 };
	ET_AUTO_FREE char *text = fuzz_text(data, size);
	struct et_service units[UNITS];
	int known = 0;

	for (size_t n = 1; n <= UNITS; n++) {
		et_services_parse(text, n, units);
		for (size_t i = 0; i < n; i++) {
			FUZZ_CHECK(strlen(units[i].id) < sizeof(units[i].id));
			FUZZ_CHECK(strlen(units[i].stops_with) < sizeof(units[i].stops_with));
			FUZZ_CHECK(strlen(units[i].triggered_by) < sizeof(units[i].triggered_by));
			known |= units[i].state != ET_UNIT_UNKNOWN;
		}
	}
	return known;
}

static const char *const unit_tokens[] = { "Id=", "ActiveState=", "active", "inactive", "failed",
	"LoadState=", "loaded", "masked", "not-found", "CanStart=no", "CanStop=no", "Transient=yes",
	"Job=", "TriggeredBy=", "ConsistsOf=", "BoundBy=", "RequiredBy=", "RequisiteOf=",
	"PropagatesStopTo=", "\n", "\n\n", "=", " ", "cron.service", "chrony.service", "inactive",
	"active", NULL };

FUZZ_TARGET(services) = { "services", fuzz_services, 10000, .tokens = unit_tokens,
	.input = "the output of 'systemctl show'", .holds = "names are terminated" };

/* --- the journal --- */

static void free_journal(struct et_journal *j)
{
	for (size_t i = 0; i < j->n; i++) {
		et_change_free(&j->entries[i].change);
		free(j->entries[i].observed);
	}
	free(j->entries);
	free(j->sessions);
}

/* Writes a line with the right checksum; a line that is too long stays as it is. */
static void repair_line(FILE *out, const char *line, size_t length)
{
	enum { CHECKSUM = 17 };
	struct et_journal_line l = { 0 };

	if (length > CHECKSUM && length < sizeof(l.text)) {
		l.n = length - CHECKSUM;
		memcpy(l.text, line, l.n);
		if (et_journal_line_end(&l) == 0) {
			fwrite(l.text, 1, l.n, out);
			return;
		}
	}
	fprintf(out, "%.*s\n", (int)length, line);
}

/* Checksums would stop every mutant: each line but the title gets the right one. */
static char *repair(const char *data, size_t size, size_t *n)
{
	const char *end = data + size, *p = data, *newline;
	char *text = NULL;
	FILE *out = open_memstream(&text, n);

	while (p < end && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		if (p == data)
			fwrite(p, 1, (size_t)(newline + 1 - p), out);
		else
			repair_line(out, p, (size_t)(newline - p));
		p = newline + 1;
	}
	fwrite(p, 1, (size_t)(end - p), out);
	fclose(out);
	return text;
}

/* Lines that are too long are counted: quoting may lengthen a line of a foreign journal. */
static void put_line(FILE *out, const struct et_journal_line *l, int rc, size_t *too_long)
{
	if (rc)
		++*too_long;
	else
		fwrite(l->text, 1, l->n, out);
}

static void put_entry(FILE *out, const struct et_journal_entry *e, size_t *too_long)
{
	struct et_journal_line l;

	put_line(out, &l, et_journal_line_change(&l, e->id, e->session, &e->change), too_long);
	if (e->observed)
		put_line(out, &l, et_journal_line_mark(&l, "made", e->id, e->observed), too_long);
	if (e->restored)
		put_line(out, &l, et_journal_line_mark(&l, "back", e->id, NULL), too_long);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void check_entry(const struct et_journal_entry *a, const struct et_journal_entry *b)
{
	FUZZ_CHECK(a->id == b->id && a->session == b->session && a->restored == b->restored);
	FUZZ_CHECK(a->change.kind == b->change.kind && a->change.pid == b->change.pid);
	FUZZ_CHECK(a->change.start == b->change.start);
	FUZZ_CHECK(same_text(a->change.factor, b->change.factor));
	FUZZ_CHECK(same_text(a->change.target, b->change.target));
	FUZZ_CHECK(same_text(a->change.before, b->change.before));
	FUZZ_CHECK(same_text(a->change.after, b->change.after));
	FUZZ_CHECK(same_text(a->observed, b->observed));
}

/* Entries that were read from a journal are written to another one and read again. */
static void check_rewritten(const struct et_journal *j)
{
	struct et_journal again = { .fd = -1 };
	struct et_journal_line l;
	char *text = NULL;
	size_t size, lost = 0, too_long = 0;
	FILE *out = open_memstream(&text, &size);

	fputs(ET_JOURNAL_TITLE "\n", out);
	for (size_t i = 0; i < j->n_sessions; i++) {
		if (j->sessions[i].pid)
			put_line(out, &l, et_journal_line_session(&l, &j->sessions[i]), &too_long);
		else
			lost++; /* its line was damaged */
	}
	for (size_t i = 0; i < j->n; i++)
		put_entry(out, &j->entries[i], &too_long);
	fclose(out);
	FUZZ_CHECK(et_journal_parse(&again, text, size) == 0);
	FUZZ_CHECK(!again.damaged || too_long);
	if (!too_long) {
		FUZZ_CHECK(again.n == j->n && (lost || again.n_sessions == j->n_sessions));
		for (size_t i = 0; i < j->n; i++)
			check_entry(&j->entries[i], &again.entries[i]);
	}
	free(text);
	free_journal(&again);
}

static int parse_journal(const char *text, size_t size)
{
	struct et_journal j = { .fd = -1 };

	if (et_journal_parse(&j, text, size)) {
		FUZZ_CHECK(!j.n && !j.n_sessions);
		return 0;
	}
	for (size_t i = 0; i < j.n; i++) {
		FUZZ_CHECK(et_journal_find_session(&j, j.entries[i].session) != NULL);
		FUZZ_CHECK(et_factors_know(&j.entries[i].change));
	}
	FUZZ_CHECK(et_journal_pending(&j, -1) <= j.n);
	if (j.n < 1000)
		check_rewritten(&j);
	int accepted = j.n > 0;
	free_journal(&j);
	return accepted;
}

static int fuzz_journal(const uint8_t *data, size_t size)
{
	size_t n;
	ET_AUTO_FREE char *repaired = repair((const char *)data, size, &n);

	(void)parse_journal((const char *)data, size);
	return parse_journal(repaired, n);
}

static const char *const journal_tokens[] = { "etalon-journal 1\n", "begin ", "change ", "made ",
	"again ", "back ", "apply", "run", "aslr", "file", "unit", "process", "%", "%20", "%0a",
	"%00", "%zz", "\n", " ", "/proc/sys/kernel/randomize_va_space", "cron.service", NULL };

FUZZ_TARGET(journal) = { "journal", fuzz_journal, 5000, .tokens = journal_tokens,
	.input = "the journal of changes, with its checksums repaired",
	.holds = "written again and read: the same changes" };
