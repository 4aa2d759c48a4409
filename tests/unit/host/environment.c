/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes and restores changes on a captured laptop, with the process killed before and after every
 * single step, and with every single step failing.
 */
#include "host/environment.h"
#include "faulty.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[] = "/tmp/etalon-env.XXXXXX";
static char tree[64], journal[64];
static bool clean; /* the tree is as captured */

static void fresh_tree(void)
{
	char command[512];

	/* A tree that was restored exactly need not be copied again. */
	unlink(journal);
	if (clean)
		return;
	snprintf(command, sizeof(command), "rm -rf %s && cp -a %s/sysroot/laptop %s", tree,
		getenv("ET_TEST_DATA"), tree);
	if (system(command))
		printf("# cannot copy\n");
	clean = true;
}

/* A written setting has lost its brackets, so that file is compared by its value. */
static bool as_before(void)
{
	char command[512], value[64];

	/* The tree holds absolute links: diff must not follow them to this machine's files. */
	snprintf(command, sizeof(command),
		"diff -r -q --no-dereference -x enabled %s/sysroot/laptop %s",
		getenv("ET_TEST_DATA"), tree);
	clean = system(command) == 0 &&
		et_setting_read(tree, "/sys/kernel/mm/transparent_hugepage/enabled", value,
			sizeof(value)) > 0 &&
		!strcmp(value, "always");
	return clean;
}

/* Returns 0, 1 if a change failed, or -errno. */
static int apply(struct faulty_ops *h)
{
	struct et_machine m;
	struct et_journal *j;
	struct et_results r = { 0 };
	struct et_error err;
	bool selected[64];

	int rc = et_factors_select("--only",
		"frequency-limits,frequency-governor,turbo,c-states,aslr,transparent-huge-pages,"
		"task-delayacct",
		selected, &err);
	if (rc)
		return rc;
	read_faulty(&m, tree, h);
	rc = et_journal_open(journal, true, &j, &err);
	if (rc == 0) {
		et_journal_begin(j, ET_OWNER_APPLY, m.boot_id, 1);
		rc = et_environment_apply(&m, j, selected, &r, &err);
		if (rc == 0)
			rc = et_results_count(&r, ET_OUTCOME_FAILED) > 0;
		et_journal_close(j);
	}
	et_results_free(&r);
	et_machine_free(&m);
	return rc;
}

static int restore(struct faulty_ops *h)
{
	struct et_machine m;
	struct et_journal *j;
	struct et_results r = { 0 };
	struct et_error err;

	int rc = et_journal_open(journal, false, &j, &err);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	read_faulty(&m, tree, h);
	et_environment_restore(&m, j, ET_ALL_SESSIONS, &r);
	rc = et_results_count(&r, ET_OUTCOME_FAILED) > 0 ||
	     et_results_count(&r, ET_OUTCOME_FOREIGN) > 0 || j->damaged;
	et_journal_close(j);
	et_results_free(&r);
	et_machine_free(&m);
	return rc;
}

/* Runs fn in a child; returns whether the child died at that step. */
static bool dies(int (*fn)(struct faulty_ops *), enum mode mode, int at)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct faulty_ops h = { mode, at, 0 };
		fn(&h);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 9;
}

static void check_kills(enum mode mode, const char *when)
{
	struct faulty_ops works = { 0 };
	int killed = 0, back = 0, twice = 0;

	for (int at = 0;; at++) {
		fresh_tree();
		if (!dies(apply, mode, at)) {
			restore(&works);
			break;
		}
		killed++;
		back += restore(&works) == 0 && as_before() && access(journal, F_OK) < 0;
	}
	ok(killed >= 14 && back == killed, "restore: etalon killed %s each of %d changes", when,
		killed);
	killed = back = 0;
	for (int at = 0;; at++) {
		fresh_tree();
		apply(&works);
		if (!dies(restore, mode, at))
			break;
		killed++;
		/* Apply once more after a restore that was killed. */
		if (at % 2) {
			twice++;
			apply(&works);
		}
		back += restore(&works) == 0 && as_before() && access(journal, F_OK) < 0;
	}
	ok(killed >= 14 && back == killed && twice > 0,
		"restore: etalon killed %s each of %d steps of restore, with further applies", when,
		killed);
}

static void check_failures(void)
{
	int failed = 0, back = 0, n = 0;

	for (int at = 0; at < 14; at++, n++) {
		struct faulty_ops fails = { FAILS, at, 0 }, works = { 0 };
		fresh_tree();
		failed += apply(&fails) == 1;
		back += restore(&works) == 0 && as_before();
	}
	ok(failed == n && back == n,
		"apply: a change that fails is reported, and the others are restored");
	failed = back = 0;
	for (int at = 0; at < 14; at++) {
		/* Step number `at` fails. */
		struct faulty_ops fails = { FAILS, at, 0 }, works = { 0 };
		fresh_tree();
		apply(&works);
		works = (struct faulty_ops){ 0 };
		int rc = restore(&fails);
		/* A later pass of the same restore may have succeeded. */
		failed += rc == 0 || access(journal, F_OK) == 0;
		back += restore(&works) == 0 && as_before() && access(journal, F_OK) < 0;
	}
	ok(failed == n && back == n,
		"restore: a step that fails stays in the journal and is tried again");
}

/* Runs fn while files cannot grow beyond this size, in a child; returns its result. */
static int on_full_disk(int (*fn)(struct faulty_ops *), struct faulty_ops *h, off_t bytes)
{
	struct rlimit limit = { (rlim_t)bytes, (rlim_t)bytes };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		int rc = fn(h);
		_exit(rc < 0 ? 2 : rc);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A restore whose marks are lost can be repeated; a change that cannot be recorded is not made. */
static void check_full_disk(void)
{
	struct faulty_ops works = { 0 };
	int failed = 0, back = 0, n = 0, refused = 0;
	struct stat st = { 0 };

	for (int at = 0; at < 14; at += 3, n++) {
		struct faulty_ops fails = { FAILS, at, 0 };
		fresh_tree();
		apply(&works);
		stat(journal, &st);
		int rc = on_full_disk(restore, &fails, st.st_size);
		failed += rc == 0 || access(journal, F_OK) == 0;
		back += restore(&works) == 0 && as_before() && access(journal, F_OK) < 0;
	}
	ok(failed == n && back == n,
		"full disk: a restore that cannot be marked is repeated without harm");
	fresh_tree();
	apply(&works);
	stat(journal, &st);
	restore(&works);
	for (back = n = 0; n * 211 < st.st_size; n++) {
		fresh_tree();
		refused += on_full_disk(apply, &works, n * 211) != 0;
		back += restore(&works) == 0 && as_before() && access(journal, F_OK) < 0;
	}
	ok(refused > 0 && back == n,
		"full disk: an apply that runs out of space at any of %d sizes is restored", n);
}

/* A real process of our own with the name of a daemon. */
static void check_process(void)
{
	char program[80], name[] = "atd", seconds[] = "100";
	char *argv[] = { name, seconds, NULL };
	struct et_process p;
	struct et_change c = { .kind = ET_CHANGE_PROCESS, .target = name };
	int status;

	snprintf(program, sizeof(program), "%s/atd", folder);
	char command[200];
	snprintf(command, sizeof(command), "cp /bin/sleep %s", program);
	if (system(command))
		printf("# cannot copy\n");
	pid_t pid = fork();
	if (pid == 0) {
		execv(program, argv);
		_exit(1);
	}
	do {
		usleep(1000);
	} while (!et_process_read("", pid, &p) || strcmp(p.comm, name));
	c.pid = pid;
	c.start = p.start;
	ok(et_env_ops_real.signal("", &c, SIGSTOP) == 0, "signal: SIGSTOP is sent to a process");
	ok(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status),
		"signal: the process stops");
	c.start++;
	ok(et_env_ops_real.signal("", &c, SIGCONT) == -ESRCH,
		"signal: a process with another start time is not signalled");
	c.start--;
	c.target = (char *)"cron";
	ok(et_env_ops_real.signal("", &c, SIGCONT) == -ESRCH,
		"signal: a process with another name is not signalled");
	c.target = name;
	ok(et_env_ops_real.signal(tree, &c, SIGCONT) == -ENOTSUP,
		"signal: a process of a captured tree is not signalled");
	ok(et_env_ops_real.signal("", &c, SIGCONT) == 0, "signal: SIGCONT is sent to a process");
	ok(waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status),
		"signal: the process continues");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ok(et_env_ops_real.signal("", &c, SIGCONT) == -ESRCH,
		"signal: a process that has ended is -ESRCH");
	unlink(program);
}

int main(void)
{
	char command[100];

	if (!mkdtemp(folder))
		return 1;
	snprintf(tree, sizeof(tree), "%s/tree", folder);
	snprintf(journal, sizeof(journal), "%s/env.journal", folder);
	check_kills(DIES_BEFORE, "before");
	check_kills(DIES_AFTER, "after");
	check_failures();
	check_full_disk();
	check_process();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? 1 : tap_done();
}
