/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of daemons, the daemons that are left alone, and the answers of systemctl. */
#include "host/daemons.h"
#include "host/factors.h"
#include "host/services.h"
#include "tap.h"

#include <stdlib.h>
#include <sys/stat.h>

static void check_table(void)
{
	static const char *const papers[] = { "abrtd", "acpid", "atd", "auditd", "certmonger",
		"cron", "cups", "haldaemon", "postfix", "vmware", "xinetd" };
	size_t touching = 0, long_names = 0, found = 0;

	for (const struct et_daemon *d = et_daemons; d->name; d++) {
		for (size_t i = 0; i < ET_DAEMON_NAMES && d->comms[i]; i++) {
			touching += et_untouchable_reason(d->comms[i], ET_YIELDS_NEVER) != NULL;
			long_names += strlen(d->comms[i]) > 15;
		}
		for (size_t i = 0; i < ET_DAEMON_NAMES && d->units[i]; i++)
			touching += et_untouchable_reason(d->units[i], ET_YIELDS_NEVER) != NULL;
		for (size_t i = 0; i < sizeof(papers) / sizeof(papers[0]); i++)
			found += d->group == ET_DAEMONS && !strcmp(d->name, papers[i]);
	}
	ok(touching == 0, "daemons: no daemon of the table is also untouchable");
	ok(long_names == 0,
		"daemons: no process name is longer than the 15 bytes that the kernel keeps");
	ok(found == sizeof(papers) / sizeof(papers[0]),
		"daemons: the table holds the daemons of the EMP papers");
	ok(et_untouchable_reason("sshd", ET_YIELDS_NEVER) &&
			et_untouchable_reason("sshd.service", ET_YIELDS_NEVER) &&
			et_untouchable_reason("iptables", ET_YIELDS_NEVER) &&
			et_untouchable_reason("NetworkManager", ET_YIELDS_NEVER),
		"daemons: sshd, the firewall and the network are untouchable");
	ok(!et_untouchable_reason("ssh", ET_YIELDS_NEVER) &&
			!et_untouchable_reason("cron.service", ET_YIELDS_NEVER) &&
			!et_untouchable_reason(".service", ET_YIELDS_NEVER) &&
			!et_untouchable_reason("", ET_YIELDS_NEVER),
		"daemons: a part of an untouchable name is not untouchable");
	ok(et_daemons_know_unit("cron.service", false) &&
			!et_daemons_know_unit("sshd.service", false),
		"daemons: a journal may name cron.service, but not sshd.service");
	ok(et_daemons_know_unit("chrony.service", true) &&
			!et_daemons_know_unit("cron.service", true),
		"daemons: a time daemon may be started, cron may not");
	ok(et_daemons_know_process("crond") && !et_daemons_know_process("auditd") &&
			!et_daemons_know_process("sshd"),
		"daemons: a journal may name crond, but not auditd or sshd");
}

static void check_left(void)
{
	struct et_machine m;
	struct et_changes changes = { 0 };
	struct et_results left = { 0 };
	char root[512];

	snprintf(root, sizeof(root), "%s/sysroot/arm64", getenv("ET_TEST_DATA"));
	et_machine_read(&m, root, NULL, 0);
	et_daemons_plan(&m, et_factor_named("daemons"), &changes, &left);
	ok(changes.n == 1 && changes.list[0].kind == ET_CHANGE_PROCESS &&
			changes.list[0].pid == 300 && changes.list[0].start == 3000,
		"daemons: without systemd a daemon is held by SIGSTOP");
	et_changes_free(&changes);
	m.processes.list[1].ours = true;
	et_daemons_plan(&m, et_factor_named("daemons"), &changes, &left);
	ok(changes.n == 0 && left.n == 1,
		"daemons: a daemon that has started etalon is left alone");
	et_changes_free(&changes);
	et_results_free(&left);
	et_machine_free(&m);
}

static void check_answers(void)
{
	struct et_service s[4];

	et_services_parse("LoadState=loaded\nActiveState=active\n\nActiveState=inactive\n"
			  "LoadState=not-found\n\nLoadState=loaded\nActiveState=failed\n\n"
			  "LoadState=loaded\nActiveState=deactivating\n",
		4, s);
	ok(s[0].state == ET_UNIT_ACTIVE && s[1].state == ET_UNIT_ABSENT &&
			s[2].state == ET_UNIT_INACTIVE && s[3].state == ET_UNIT_CHANGING,
		"services: active, not found, failed and deactivating units");
	et_services_parse("", 4, s);
	ok(s[0].state == ET_UNIT_UNKNOWN && s[3].state == ET_UNIT_UNKNOWN,
		"services: without an answer all states are unknown");
	et_services_parse("Failed to connect to bus: No such file\n\n\n\nActiveState=active", 2, s);
	ok(s[0].state == ET_UNIT_ACTIVE && s[1].state == ET_UNIT_UNKNOWN,
		"services: an error message before the answer is skipped");
	et_services_parse("ActiveState=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
			  "\nActiveState=active\n\nActiveState=active\n\nActiveState=active\n",
		2, s);
	ok(s[0].state == ET_UNIT_UNKNOWN && s[1].state == ET_UNIT_ACTIVE,
		"services: an answer with more and longer values than queried");

	/* Answers of systemd 252. */
	et_services_parse("Id=cups.service\nRequiredBy=\nRequisiteOf=\nBoundBy=\n"
			  "ConsistsOf=cups.path cups.socket\nTriggeredBy=cups.path cups.socket\n"
			  "PropagatesStopTo=\nLoadState=loaded\n"
			  "ActiveState=active\nCanStart=yes\nCanStop=yes\nJob=\nTransient=no\n\n"
			  "Id=cups.socket\nRequiredBy=cups.service\nBoundBy=a.service\n"
			  "LoadState=loaded\nActiveState=active\nCanStart=yes\nCanStop=yes\n"
			  "Job=412\nTransient=no\n\n"
			  "Id=kerneloops.service\nLoadState=masked\nActiveState=active\n"
			  "CanStart=no\nCanStop=yes\nJob=\nTransient=no\n\n"
			  "Id=e2scrub_all.timer\nLoadState=masked\nActiveState=inactive\n"
			  "CanStart=no\nCanStop=yes\nJob=\nTransient=no\n",
		4, s);
	ok(s[0].state == ET_UNIT_ACTIVE && !s[0].irreversible,
		"services: an active service that can be started again");
	is_str(s[0].id, "cups.service", "services: the primary name of a unit");
	is_str(s[0].stops_with, "cups.path cups.socket",
		"services: the units that stop with a service");
	is_str(s[0].triggered_by, "cups.path cups.socket",
		"services: the units that trigger a service");
	ok(s[1].state == ET_UNIT_CHANGING, "services: a unit with a queued job is changing");
	is_str(s[1].stops_with, "cups.service a.service",
		"services: RequiredBy and BoundBy are joined");
	ok(s[2].state == ET_UNIT_ACTIVE && s[2].irreversible,
		"services: a unit masked while it runs is active and irreversible");
	ok(s[3].state == ET_UNIT_ABSENT, "services: a masked inactive unit is absent");
	char many[4096];
	int len = snprintf(many, sizeof(many), "ActiveState=active\nRequiredBy=");
	memset(many + len, 'x', sizeof(many) - (size_t)len - 1);
	many[sizeof(many) - 1] = '\0';
	et_services_parse(many, 1, s);
	ok(s[0].irreversible && strlen(s[0].stops_with) < sizeof(s[0].stops_with),
		"services: a unit with too many dependents is irreversible");

	const char *unit = "cron.service";
	struct et_error err = { 0 };
	et_services_read("/nonexistent/systemctl", &unit, 1, s);
	ok(s[0].state == ET_UNIT_UNKNOWN,
		"services: a systemctl that does not exist leaves the state unknown");
	et_services_read("/bin/false", &unit, 1, s);
	ok(s[0].state == ET_UNIT_UNKNOWN,
		"services: a systemctl that fails leaves the state unknown");
	ok(et_service_control("/bin/false", "stop", unit, &err) < 0 && err.what[0],
		"services: a systemctl that fails to stop a unit is an error with a message");
	ok(et_service_control("/bin/true", "stop", unit, &err) == 0,
		"services: a systemctl that succeeds");
	ok(et_service_control(NULL, "stop", unit, &err) < 0,
		"services: without systemctl stopping a unit is an error");
}

static void check_units(void)
{
	char root[512], unit[64];

	snprintf(root, sizeof(root), "%s/sysroot/laptop", getenv("ET_TEST_DATA"));
	et_process_unit(root, "412", unit, sizeof(unit));
	is_str(unit, "cron.service", "process: the service of cron");
	et_process_unit(root, "830", unit, sizeof(unit));
	is_str(unit, "postfix@-.service", "process: the service of postfix, inside a slice");
	et_process_unit(root, "900", unit, sizeof(unit));
	is_str(unit, "", "process: a user's service is not a system service");
	et_process_unit(root, "self", unit, sizeof(unit));
	is_str(unit, "", "process: a login session is not a service");
	et_process_unit(root, "4711", unit, sizeof(unit));
	is_str(unit, "", "process: a process that has ended has no service");

	struct et_process p;
	ok(et_process_read("", getpid(), &p) && p.pid == getpid() && p.parent == getppid() &&
			p.start > 0 && !p.kernel_thread,
		"process: our own process is read");
	ok(!et_process_read("", 0, &p), "process: PID 0 is refused");
}

/* Writes a program that prints the text as `systemctl list-unit-files` does. */
static void write_systemctl(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return;
	fprintf(f, "#!/bin/sh\nprintf '%%s\\n' %s\n", text);
	fclose(f);
	chmod(path, 0700);
}

static void check_digest(void)
{
	static const char one[] = "'cron.service enabled enabled' 'fstrim.timer enabled enabled'";
	static const char turned[] = "'fstrim.timer enabled disabled' 'cron.service enabled'";
	char folder[] = "/tmp/etalon-digest.XXXXXX", path[64], root[512];
	char a[17], b[17], c[17];
	struct et_machine m;

	snprintf(root, sizeof(root), "%s/sysroot/laptop", getenv("ET_TEST_DATA"));
	if (!mkdtemp(folder))
		return;
	snprintf(path, sizeof(path), "%s/systemctl", folder);
	et_machine_read(&m, root, path, 0);
	write_systemctl(path, one);
	et_services_digest(&m, a);
	write_systemctl(path, turned);
	et_services_digest(&m, b);
	ok(strlen(a) == 16 && !strcmp(a, b), "digest: it does not depend on the order of units");
	write_systemctl(path, "'cron.service enabled enabled'");
	et_services_digest(&m, c);
	ok(strlen(c) == 16 && strcmp(a, c), "digest: a unit more or less changes it");
	m.systemctl = "/bin/false";
	et_services_digest(&m, c);
	is_str(c, "", "digest: it is empty if systemd does not answer");
	m.systemctl = NULL;
	et_services_digest(&m, a);
	for (size_t i = 0; i < m.processes.n; i++) {
		if (!strcmp(m.processes.list[i].comm, "cron"))
			m.processes.list[i].state = 'T';
	}
	et_services_digest(&m, b);
	ok(strlen(a) == 16 && !strcmp(a, b), "digest: a daemon that is held still counts");
	m.processes.n = 0;
	et_services_digest(&m, b);
	ok(strlen(b) == 16 && strcmp(a, b), "digest: without systemd the daemons decide");
	et_machine_free(&m);
	unlink(path);
	rmdir(folder);
}

static const struct et_running *running(const struct et_running_list *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++) {
		if (!strcmp(r->list[i].name, name))
			return &r->list[i];
	}
	return NULL;
}

static void check_running(void)
{
	struct et_running_list r;
	struct et_machine m;
	char root[512];

	snprintf(root, sizeof(root), "%s/sysroot/laptop", getenv("ET_TEST_DATA"));
	et_machine_read(&m, root, NULL, 0);
	et_running_read(&m, &r);
	const struct et_running *cron = running(&r, "cron"), *sshd = running(&r, "sshd"),
				*tracker = running(&r, "tracker-miner-f"),
				*clock = running(&r, "systemd-timesyn"),
				*kernel = running(&r, "kthreadd");
	ok(tracker && tracker->group && !strcmp(tracker->group, "daemons") && !tracker->why[0],
		"running: a daemon that apply stops");
	ok(cron && !cron->group && !strcmp(cron->why, "systemd controls it but does not answer"),
		"running: a service of a systemd that does not answer is kept, as apply does");
	ok(sshd && sshd->why[0] && !sshd->group, "running: a process that is never stopped");
	ok(clock && clock->why[0] && !clock->group, "running: a time daemon is kept");
	ok(kernel && kernel->kernel && !kernel->why[0], "running: a kernel thread");
	free(r.list);
	m.processes.list[0].ours = true;
	snprintf(m.processes.list[1].comm, sizeof(m.processes.list[1].comm), "kworker/0:1");
	snprintf(m.processes.list[2].comm, sizeof(m.processes.list[2].comm), "kworker/1:3");
	m.processes.list[1].kernel_thread = m.processes.list[2].kernel_thread = true;
	et_running_read(&m, &r);
	kernel = running(&r, "kworker");
	ok(kernel && kernel->n == 2 && kernel->kernel,
		"running: kernel threads of a kind count as one");
	ok(!running(&r, "systemd"), "running: an ancestor of etalon is omitted");
	free(r.list);
	et_machine_free(&m);
}

int main(void)
{
	check_table();
	check_left();
	check_answers();
	check_units();
	check_digest();
	check_running();
	return tap_done();
}
