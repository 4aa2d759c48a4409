/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real programs through the runner. The assertions also hold on a busy machine. */
#include "measure/child/runner.h"
#include "base/base.h"
#include "base/clock.h"
#include "base/parse.h"
#include "host/host.h"
#include "measure/child/cgroup.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

static struct et_interrupt interrupt;
static struct et_error err;

static struct et_experiment *experiment(const char *const *commands, size_t n)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	et_host_read("", &e->host);
	e->n_commands = n;
	e->commands = et_calloc(n, sizeof(*e->commands));
	for (size_t i = 0; i < n; i++) {
		e->commands[i].name = et_strdup(commands[i]);
		if (et_split_words(commands[i], &e->commands[i].argv, &err))
			tap_bail("%s", err.what);
	}
	return e;
}

static int run_one(const char *command, struct et_sample *out)
{
	struct et_experiment *e = experiment(&command, 1);
	struct et_runner *r = NULL;
	struct et_sample samples[2];
	struct et_request q = { .arrangement = ET_SOLO };
	int rc = et_runner_open(e, environ, &interrupt, &r, &err);

	if (rc == 0) {
		struct et_executor x = et_runner_executor(r);
		rc = x.run(x.ctx, &q, samples, &err);
	}
	if (rc == 0) {
		*out = samples[0];
		et_sample_free(out);
	}
	et_runner_close(r);
	et_experiment_free(e);
	return rc;
}

static void plain(void)
{
	struct et_sample s;

	ok(run_one("true", &s) == 0 && s.measured.exit_code == 0 && s.measured.signal == 0,
		"a program that succeeds has exit code 0 and no signal");
	ok(s.measured.elapsed_ns > 0 && s.measured.cpu_ns > 0 &&
			s.measured.cpu_ns <= s.measured.elapsed_ns,
		"CPU time is between 0 and the elapsed time (%g, %g us)",
		(double)s.measured.cpu_ns / 1e3, (double)s.measured.elapsed_ns / 1e3);
	ok(s.measured.user_ns + s.measured.system_ns == s.measured.cpu_ns,
		"user and system time add up to the CPU time");
	ok(s.measured.max_rss_bytes > 100000 && s.measured.minor_faults > 10,
		"peak memory and page faults are recorded");
	ok(run_one("sh -c 'exit 7'", &s) == 0 && s.measured.exit_code == 7,
		"the exit status is recorded");
	ok(run_one("sh -c 'kill -9 $$'", &s) == 0 && s.measured.signal == SIGKILL &&
			s.measured.exit_code == -1,
		"the signal that ended a program is recorded");
	ok(run_one("sleep 0.05", &s) == 0 && s.measured.elapsed_ns >= 50000000 &&
			s.measured.cpu_ns < 50000000,
		"sleeping is elapsed time, not CPU time");
	ok(run_one("./nosuch", &s) == -ENOENT && !strcmp(err.what, "./nosuch: No such file or "
								   "directory"),
		"a program that does not exist is refused: %s", err.what);
	ok(run_one("/etc/passwd", &s) == -EACCES, "a file that is not executable is refused: %s",
		err.what);
}

/* Peak memory is that of this child, not of the largest child so far. */
static void memory_is_per_child(void)
{
	struct et_sample big, small;

	ok(run_one("sh -c 'x=$(head -c 60000000 /dev/zero | tr \"\\\\0\" a)'", &big) == 0,
		"a program "
		"with a large peak of memory runs");
	/* Without exit records a peak below our own is unknown, never that of the first. */
	ok(run_one("true", &small) == 0 &&
			(small.measured.max_rss_bytes == ET_UNKNOWN ||
				small.measured.max_rss_bytes < big.measured.max_rss_bytes / 2),
		"a small program after a large one has its own peak");
}

static void descendants(void)
{
	struct et_sample s;
	uint64_t began = et_clock_read_ns(CLOCK_MONOTONIC);

	ok(run_one("sh -c '(while :; do :; done) & sleep 0.2'", &s) == 0,
		"a program may leave a busy child");
	ok(s.ruling.marks & ET_MARK_LEFTOVERS, "a program that leaves a child is marked");
	ok(s.measured.cpu_ns > 20000000, "the CPU time of a child that was left counts (%g ms)",
		(double)s.measured.cpu_ns / 1e6);
	ok(et_clock_read_ns(CLOCK_MONOTONIC) - began < 60000000000u,
		"a child that was left is ended");
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child of ours is left");
	/* A daemon: new session, parent gone. */
	ok(run_one("sh -c 'setsid sh -c \"sleep 100\" & exit 0'", &s) == 0,
		"a program may leave a daemon");
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "a daemon that was left is ended");
}

static double children_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3;
}

/* Control group and wait4 must agree on a program whose children are all waited for. */
static void sources_agree(enum et_cpu_source source)
{
	struct et_cgroup g;

	if (!et_cgroup_open_source(&g, "", source)) {
		skip("no such control group can be made here");
		return;
	}
	double waited = children_ns();
	uint64_t own = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t usage = et_cgroup_usage_ns(g.source, g.usage_fd[0]);
	pid_t pid = fork();
	if (pid == 0) {
		for (volatile long i = 0; i < 40000000; i++)
			;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	usleep(1000);
	own = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - own;
	usage = et_cgroup_usage_ns(g.source, g.usage_fd[0]) - usage - own;
	waited = children_ns() - waited;
	near((double)usage, waited, 0.002, 100000, "%s and wait4 agree",
		et_cpu_source_names[source]);
	et_cgroup_close(&g);
}

static void duets(void)
{
	static const char *const commands[] = {
		"sh -c 'i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done'",
		"sh -c 'i=0; while [ $i -lt 160000 ]; do i=$((i+1)); done'",
	};
	struct et_experiment *e = experiment(commands, 2);
	struct et_runner *r = NULL;
	struct et_sample s[2];
	struct et_request q = { .arrangement = ET_DUET, .partner = 1, .overlap = true };

	ok(et_runner_open(e, environ, &interrupt, &r, &err) == 0, "a runner can be opened");
	struct et_executor x = et_runner_executor(r);
	for (int swap = 0; swap < 2; swap++) {
		q.swap = swap;
		ok(x.run(x.ctx, &q, s, &err) == 0, "a duet runs, swapped: %d", swap);
		double ratio = (double)s[1].measured.cpu_ns / (double)s[0].measured.cpu_ns;
		ok(ratio > 1.5 && ratio < 10,
			"duet: the second program has four times the work (%.2f)", ratio);
		ok(s[0].measured.cpu_ns <= s[0].measured.elapsed_ns &&
				s[1].measured.cpu_ns <= s[1].measured.elapsed_ns,
			"duet: CPU time does not exceed elapsed time");
		ok(s[0].measured.elapsed_ns > s[0].measured.cpu_ns + s[0].measured.cpu_ns / 4,
			"duet: the programs share a CPU");
		et_sample_free(&s[0]);
		et_sample_free(&s[1]);
	}
	q.overlap = false;
	ok(x.run(x.ctx, &q, s, &err) == 0 && (s[0].ruling.marks & ET_MARK_NO_OVERLAP),
		"duet: programs that run in turn are marked");
	et_sample_free(&s[0]);
	et_sample_free(&s[1]);
	et_runner_close(r);
	et_experiment_free(e);
}

/* The reference loop runs beside a program and is neither the program nor a culprit. */
static void paced(uint64_t metronome_ns)
{
	static const char *const commands[] = {
		"sh -c 'i=0; while [ $i -lt 160000 ]; do i=$((i+1)); done'", "sh -c 'sleep 0.05 &'"
	};
	struct et_experiment *e = experiment(commands, 2);
	struct et_runner *r = NULL;
	struct et_sample s[2];
	struct et_request q = { .arrangement = ET_PACED };
	bool seen = false;
	char name[16]; /* that no other test has which runs now; the loop inherits it */

	snprintf(name, sizeof(name), "run %d", (int)getpid());
	prctl(PR_SET_NAME, name);
	e->plan.pace = true;
	e->plan.metronome_ns = metronome_ns;
	if (et_runner_open(e, environ, &interrupt, &r, &err)) {
		skip(err.what); /* a single CPU */
		et_experiment_free(e);
		return;
	}
	struct et_executor x = et_runner_executor(r);
	ok(x.run(x.ctx, &q, s, &err) == 0, "a program and the reference loop can run together");
	ok(s[0].measured.pace_loops > 100 && s[0].measured.pace_loops != ET_UNKNOWN,
		"pace: the reference loop runs (%llu laps)",
		(unsigned long long)s[0].measured.pace_loops);
	ok(s[0].measured.pace_ns > 5000 * s[0].measured.pace_loops &&
			s[0].measured.pace_ns < s[0].measured.elapsed_ns + 100000000,
		"pace: the reference loop records its CPU time");
	ok(s[0].measured.elapsed_ns > s[0].measured.cpu_ns + s[0].measured.pace_ns / 2,
		"pace: the reference loop runs on the program's CPU");
	for (size_t i = 0; i < s[0].measured.n_culprits; i++)
		seen = seen ||
		       (s[0].measured.culprits[i].exited &&
			       s[0].measured.culprits[i].cpu_ns > s[0].measured.pace_ns / 2 &&
			       !strcmp(s[0].measured.culprits[i].name, name));
	ok(!seen, "pace: the reference loop is no culprit");
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child of ours is left");
	ok(!(s[0].ruling.marks & (ET_MARK_LEFTOVERS | ET_MARK_STOPPED)),
		"pace: the sample has no marks");
	et_sample_free(&s[0]);
	q.command = 1;
	ok(x.run(x.ctx, &q, s, &err) == 0 && (s[0].ruling.marks & ET_MARK_LEFTOVERS),
		"pace: a process that the program left is marked");
	et_sample_free(&s[0]);
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD,
		"pace: a process that the program left is ended");
	et_runner_close(r);
	et_experiment_free(e);
}

static void probed(void)
{
	static const char *const command[] = { "sleep 0.02" };
	struct et_experiment *e = experiment(command, 1);
	struct et_runner *r = NULL;
	struct et_sample s[2];
	struct et_request q = { .arrangement = ET_SOLO };

	for (int on = 0; on < 2; on++) {
		e->plan.probe = on;
		ok(et_runner_open(e, environ, &interrupt, &r, &err) == 0, "a runner can be opened");
		struct et_executor x = et_runner_executor(r);
		ok(x.run(x.ctx, &q, s, &err) == 0, "a program runs with the probe %s",
			on ? "on" : "off");
		ok((s[0].measured.probe_before_ns != ET_UNKNOWN) == on &&
				(s[0].measured.probe_after_ns != ET_UNKNOWN) == on,
			"the readings of a probe that is %s are %s", on ? "on" : "off",
			on ? "known" : "unknown");
		et_sample_free(&s[0]);
		et_runner_close(r);
	}
	et_experiment_free(e);
}

/* The program inherits no descriptor and no signal mask of etalon. */
static void clean_child(void)
{
	struct et_sample s;

	ok(run_one("sh -c 'for f in 3 4 5 6 7 8 9; do test ! -e /proc/$$/fd/$f || exit 1; done'",
		   &s) == 0 &&
			s.measured.exit_code == 0,
		"a program has no descriptors beyond 0, 1, 2");
	ok(run_one("grep -q SigBlk:.0000000000000000 /proc/self/status", &s) == 0 &&
			s.measured.exit_code == 0,
		"a program has no signal blocked");
	ok(run_one("sh -c 'test \"$(cut -d\\  -f41 /proc/$$/stat)\" = 0'", &s) == 0 &&
			s.measured.exit_code == 0,
		"a program has the ordinary scheduling policy, whatever etalon has");
	/* Bit 12, SIGPIPE, which we ignore ourselves, is not set. */
	signal(SIGPIPE, SIG_IGN);
	ok(run_one("grep -Eq SigIgn:.[0-9a-f]{12}[02468ace][0-9a-f]{3}$ /proc/self/status", &s) ==
				0 &&
			s.measured.exit_code == 0,
		"a signal that etalon ignores is not ignored by the program");
	signal(SIGPIPE, SIG_DFL);
}

static void competitor(void)
{
	char marker[64], text[128];
	const char *const command[] = { text };

	snprintf(marker, sizeof(marker), "/tmp/etalon-competitor.%d", (int)getpid());
	snprintf(text, sizeof(text), "sh -c '>%s; sleep 0.3'", marker);
	struct et_experiment *e = experiment(command, 1);
	struct et_runner *r = NULL;
	struct et_sample s[2];
	struct et_request q = { .arrangement = ET_SOLO };
	pid_t busy;
	bool found = false;

	ok(et_runner_open(e, environ, &interrupt, &r, &err) == 0, "a runner can be opened");
	struct et_executor x = et_runner_executor(r);
	busy = fork();
	if (busy == 0) {
		while (access(marker, F_OK)) /* it begins after the first snapshot */
			usleep(1000);
		for (;;)
			;
	}
	ok(x.run(x.ctx, &q, s, &err) == 0, "a program runs beside a competitor");
	for (size_t i = 0; i < s[0].measured.n_culprits; i++)
		found = found || (s[0].measured.culprits[i].pid == busy &&
					 s[0].measured.culprits[i].cpu_ns > 20000000);
	ok(found, "a competitor is listed with its CPU time");
	ok(kill(busy, 0) == 0, "a competitor is not killed: it is not the program's");
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	unlink(marker);
	et_sample_free(&s[0]);
	et_runner_close(r);
	et_experiment_free(e);
}

int main(void)
{
	plain();
	memory_is_per_child();
	descendants();
	sources_agree(ET_CPU_BY_CPUACCT);
	sources_agree(ET_CPU_BY_CPU_STAT);
	duets();
	paced(0);
	paced(1000000);
	probed();
	clean_child();
	competitor();
	return tap_done();
}
