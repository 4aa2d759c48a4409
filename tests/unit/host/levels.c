/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Goes through the treatments of a design on a captured laptop, back and forth, with the process
 * killed before and after every single write: the original state is restored each time.
 */
#include "host/levels.h"
#include "base/base.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "faulty.h"
#include "tap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CPU "/sys/devices/system/cpu/"
#define HUGE_PAGES "/sys/kernel/mm/transparent_hugepage/enabled"

static char folder[] = "/tmp/etalon-levels.XXXXXX";
static char tree[64], journal[64];

static void fresh_tree(void)
{
	char command[512];

	unlink(journal);
	snprintf(command, sizeof(command), "rm -rf %s && cp -a %s/sysroot/laptop %s", tree,
		getenv("ET_TEST_DATA"), tree);
	if (system(command))
		printf("# cannot copy\n");
}

static const char *value(const char *path)
{
	static char now[64];

	return et_setting_read(tree, path, now, sizeof(now)) < 0 ? "?" : now;
}

static bool as_before(void)
{
	char command[512];

	snprintf(command, sizeof(command),
		"diff -r -q --no-dereference -x enabled %s/sysroot/laptop %s",
		getenv("ET_TEST_DATA"), tree);
	return system(command) == 0 && !strcmp(value(HUGE_PAGES), "always") &&
	       access(journal, F_OK) < 0;
}

static void add(struct et_design *d, const char *name, enum et_kind kind, const char *levels)
{
	struct et_design_factor *f = et_design_add_factor(d, name);

	f->kind = kind;
	if (et_split_words(levels, &f->levels, NULL) == 0)
		f->n_levels = et_strv_length(f->levels);
}

/* Every combination of 3 × 2 × 2 × 2 levels. */
static struct et_design *make_design(void)
{
	struct et_design *d = et_design_new();

	add(d, "pages", ET_KIND_HUGE_PAGES, "always madvise never");
	add(d, "gov", ET_KIND_GOVERNOR, "powersave performance");
	add(d, "turbo", ET_KIND_TURBO, "on off");
	add(d, "smt", ET_KIND_SMT, "on off");
	et_design_add_program(d, "p");
	for (uint32_t i = 0; i < 24; i++)
		et_design_add_treatment(d, (uint32_t[]){ i % 3, i / 3 % 2, i / 6 % 2, i / 12 });
	return d;
}

static bool has_state(const struct et_design *d, uint32_t i)
{
	const uint32_t *l = d->treatments[i].levels;

	return !strcmp(value(HUGE_PAGES), d->factors[0].levels[l[0]]) &&
	       !strcmp(value(CPU "cpufreq/policy0/scaling_governor"), d->factors[1].levels[l[1]]) &&
	       !strcmp(value(CPU "cpufreq/policy1/scaling_governor"), d->factors[1].levels[l[1]]) &&
	       !strcmp(value(CPU "cpufreq/policy1/energy_performance_preference"),
		       l[1] ? "performance" : "balance_performance") &&
	       !strcmp(value(CPU "intel_pstate/no_turbo"), l[2] ? "1" : "0") &&
	       !strcmp(value(CPU "smt/control"), l[3] ? "off" : "on");
}

/* Sets treatments in an order with many changes; returns how many were not set, or -errno. */
static int walk(struct faulty_ops *h, bool restore)
{
	struct et_design *d = make_design();
	struct et_levels *l = NULL;
	struct et_journal *j = NULL;
	struct et_machine m;
	struct et_error err = { 0 };
	int wrong = 0;

	read_faulty(&m, tree, h);
	int rc = et_journal_open(journal, true, &j, &err);
	if (rc == 0) {
		et_journal_begin(j, ET_OWNER_RUN, m.boot_id, 1);
		rc = et_levels_open(&m, j, d, &l, &err);
	}
	for (uint32_t i = 0; rc == 0 && i < 30; i++) {
		uint32_t t = i * 7 % 24;
		rc = et_levels_set(l, t, &err);
		wrong += !has_state(d, t) || et_levels_differ(l, t);
	}
	if (rc)
		printf("# %s\n", err.what);
	et_levels_close(l);
	if (restore && j)
		wrong += !et_environment_restore(&m, j, (int64_t)j->n_sessions, NULL);
	et_journal_close(j);
	et_machine_free(&m);
	et_design_free(d);
	return rc ? rc : wrong;
}

static int restore(void)
{
	struct faulty_ops works = { 0 };
	struct et_machine m;
	struct et_journal *j;
	struct et_error err;
	int rc = et_journal_open(journal, false, &j, &err);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	read_faulty(&m, tree, &works);
	bool whole = et_environment_restore(&m, j, ET_STALE_RUNS, NULL);
	et_journal_close(j);
	et_machine_free(&m);
	return !whole;
}

static bool dies(enum mode mode, int at)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct faulty_ops h = { mode, at, 0 };
		walk(&h, true);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 9;
}

static void check_kills(enum mode mode, const char *when)
{
	int killed = 0, back = 0;

	for (int at = 0;; at += 5) {
		fresh_tree();
		if (!dies(mode, at))
			break;
		killed++;
		back += restore() == 0 && as_before();
	}
	ok(killed > 15 && back == killed,
		"levels: the original state is restored after a kill %s each of %d writes", when,
		killed);
}

/* A change back and forth between two values needs no line of the journal. */
static void check_journal_size(void)
{
	struct faulty_ops works = { 0 };
	struct stat st = { 0 };

	fresh_tree();
	ok(walk(&works, false) == 0, "levels: every treatment is set, in any order");
	stat(journal, &st);
	/* 7 targets: begin, change and made of each; again and made where huge pages differ. */
	ok(works.steps > 60 && st.st_size > 0 && st.st_size < 8000,
		"levels: the journal stays small: %d writes, %lld bytes", works.steps,
		(long long)st.st_size);
	ok(restore() == 0 && as_before(), "levels: the next etalon restores the original state");
	fresh_tree();
	works = (struct faulty_ops){ 0 };
	ok(walk(&works, true) == 0 && as_before(),
		"levels: the end of the session restores the original state");
}

/* --- levels that cannot be set --- */

static int check(const char *root, enum et_kind kind, const char *level, struct et_error *err)
{
	struct et_machine m;
	struct et_design *d = et_design_new();

	add(d, "f", kind, level);
	et_machine_read(&m, root, NULL, 1);
	memset(err, 0, sizeof(*err));
	int rc = et_levels_check(&m, &d->factors[0], 0, err);
	et_machine_free(&m);
	et_design_free(d);
	return rc;
}

static void check_refusals(void)
{
	struct et_error err;
	char vm[512], file[600];

	fresh_tree();
	int failed = check(tree, ET_KIND_SERVICES, "as-is", &err);
	failed = check(tree, ET_KIND_GOVERNOR, "performance", &err) || failed;
	failed = check(tree, ET_KIND_SMT, "off", &err) || failed;
	failed = check(tree, ET_KIND_TURBO, "off", &err) || failed;
	failed = check(tree, ET_KIND_HUGE_PAGES, "never", &err) || failed;
	ok(!failed, "check: the captured laptop can set its factors");
	ok(check(tree, ET_KIND_GOVERNOR, "ondemand", &err) && err.exit == ET_EXIT_ENVIRONMENT &&
			strstr(err.what, "no governor 'ondemand'"),
		"check: a governor that the machine lacks is refused");
	ok(check(tree, ET_KIND_SERVICES, "multi-user.target", &err) &&
			err.exit == ET_EXIT_ENVIRONMENT && strstr(err.what, "systemd"),
		"check: services need systemd");
	ok(check(tree, ET_KIND_SERVICES, "halt", &err) && err.exit == ET_EXIT_USAGE,
		"check: a level of services that is none is wrong usage");
	snprintf(file, sizeof(file), "%s" CPU "smt/control", tree);
	if (chmod(file, 0644) == 0)
		(void)!et_sysroot_write(tree, CPU "smt/control", "notsupported");
	ok(check(tree, ET_KIND_SMT, "off", &err) && err.exit == ET_EXIT_ENVIRONMENT &&
			strstr(err.what, "notsupported"),
		"check: SMT that the processor lacks is refused");
	snprintf(vm, sizeof(vm), "%s/sysroot/vm", getenv("ET_TEST_DATA"));
	ok(check(vm, ET_KIND_GOVERNOR, "performance", &err) && err.exit == ET_EXIT_ENVIRONMENT &&
			strstr(err.what, "no cpufreq"),
		"check: a machine without cpufreq has no governor");
	ok(check(vm, ET_KIND_TURBO, "on", &err) && err.exit == ET_EXIT_ENVIRONMENT,
		"check: a machine without a switch for turbo refuses it");
	if (geteuid() == 0)
		skip("runs as root: only root may set a level");
	else
		ok(access(HUGE_PAGES, F_OK) < 0 || (check("", ET_KIND_HUGE_PAGES, "never", &err) &&
							   err.exit == ET_EXIT_ENVIRONMENT &&
							   strstr(err.hint, "sudo")),
			"check: a level that only root may set is refused");
}

static bool known(enum et_change_kind kind, const char *factor, const char *target,
	const char *before, const char *after)
{
	struct et_change c = { kind, (char *)factor, (char *)target, 0, 0, (char *)before,
		(char *)after };

	return et_factors_know(&c);
}

static void check_forged(void)
{
	ok(known(ET_CHANGE_FILE, "smt", CPU "smt/control", "on", "off"),
		"journal: a change of SMT is known");
	ok(!known(ET_CHANGE_FILE, "smt", CPU "smt/control/../../../../etc/passwd", "on", "off") &&
			!known(ET_CHANGE_FILE, "governor", "/etc/shadow", "a", "b"),
		"journal: a file that no factor has is refused");
	ok(known(ET_CHANGE_UNIT, "services", "gdm.service", "active", "inactive") &&
			known(ET_CHANGE_UNIT, "services", "cups.socket", "active", "inactive"),
		"journal: a service that a level stopped is known");
	ok(!known(ET_CHANGE_UNIT, "services", "gdm.service", "inactive", "active") &&
			!known(ET_CHANGE_UNIT, "daemons", "gdm.service", "active", "inactive"),
		"journal: a service that a level would not stop is refused");
	ok(!known(ET_CHANGE_UNIT, "services", "systemd-poweroff.service", "active", "inactive") &&
			!known(ET_CHANGE_UNIT, "services", "rescue.service", "active",
				"inactive") &&
			!known(ET_CHANGE_UNIT, "services", "sshd.service", "active", "inactive") &&
			!known(ET_CHANGE_UNIT, "services", "reboot.target", "active", "inactive") &&
			!known(ET_CHANGE_UNIT, "services", "--now.service", "active", "inactive") &&
			!known(ET_CHANGE_UNIT, "services", "a b.service", "active", "inactive"),
		"journal: units of the system, and names that are none, are refused");
}

int main(void)
{
	char command[100];

	if (!mkdtemp(folder))
		return 1;
	snprintf(tree, sizeof(tree), "%s/tree", folder);
	snprintf(journal, sizeof(journal), "%s/env.journal", folder);
	check_journal_size();
	check_kills(DIES_BEFORE, "before");
	check_kills(DIES_AFTER, "after");
	check_refusals();
	check_forged();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? 1 : tap_done();
}
