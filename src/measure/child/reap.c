/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/reap.h"
#include "base/clock.h"
#include "base/parse.h"
#include "base/procstat.h"
#include "base/sysroot.h"
#include "clock/counter.h"
#include "measure/child/wakeup_prio.h"

#include <signal.h>
#include <sys/wait.h>

/* Below this duration reading /proc/PID/sched (some 20 µs) would cost too much. */
static const uint64_t LONG_ENOUGH_NS = 5000000;

/* --- what /proc holds about a process that has ended and is not reaped yet --- */

/* /proc/PID/schedstat: "CPU time, time on a run queue without a CPU, time slices". */
static uint64_t read_run_delay_ns(const char *root, pid_t pid)
{
	char path[48], buf[128];
	unsigned long long cpu_ns, delay_ns;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	if (et_sysroot_read(root, path, buf, sizeof(buf)) <= 0 ||
		sscanf(buf, "%llu %llu", &cpu_ns, &delay_ns) != 2)
		return ET_UNKNOWN;
	return delay_ns;
}

/* A line "se.nr_migrations : 3" of /proc/PID/sched, which needs CONFIG_SCHED_DEBUG. */
static uint64_t read_migrations(const char *root, pid_t pid)
{
	char path[48], buf[4096];
	unsigned long long n;

	snprintf(path, sizeof(path), "/proc/%d/sched", (int)pid);
	if (et_sysroot_read(root, path, buf, sizeof(buf)) <= 0)
		return ET_UNKNOWN;
	const char *line = strstr(buf, "nr_migrations");
	const char *colon = line ? strchr(line, ':') : NULL;
	return colon && sscanf(colon + 1, "%llu", &n) == 1 ? n : ET_UNKNOWN;
}

void et_reap_read_zombie(
	const char *root, const struct et_reap_request *q, struct et_reap_result *out)
{
	struct et_procstat stat;
	struct timespec t;

	out->cpu_ns = out->run_delay_ns = out->migrations = ET_UNKNOWN;
	out->cpu = -1;
	if (clock_gettime(et_clock_of_process(q->pid), &t) == 0)
		out->cpu_ns = et_timespec_ns(t);
	if (q->want & ET_WANT_RUN_DELAY)
		out->run_delay_ns = read_run_delay_ns(root, q->pid);
	if (!(q->want & ET_WANT_MIGRATIONS) || out->t1_ns - q->began_ns < LONG_ENOUGH_NS)
		return;
	if ((q->want & ET_WANT_CPU) && et_procstat_read(root, q->pid, &stat) == 0)
		out->cpu = stat.processor;
	out->migrations = read_migrations(root, q->pid);
}

/* --- waiting --- */

/* The index of the child, or n if pid is none of them. */
static size_t index_of(const struct et_reaping *r, pid_t pid)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->children[i].pid == pid && !r->results[i].done)
			return i;
	}
	return r->n;
}

static bool was_there(const struct et_reaping *r, int32_t pid)
{
	if (!r->before)
		return true;
	for (size_t i = 0; i < r->before->n; i++) {
		if (r->before->readings[i].pid == pid)
			return true;
	}
	return false;
}

/*
 * A descendant that its parent did not wait for came to us, because we are the subreaper. Its time
 * belongs to the program of its process group. False if it has not ended yet.
 */
static bool reap_orphan(const struct et_reaping *r, pid_t pid)
{
	pid_t group = getpgid(pid);
	struct rusage usage;
	size_t owner = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->children[i].pid == group)
			owner = i;
	}
	if (wait4(pid, NULL, WNOHANG, &usage) != pid)
		return false;
	if (!was_there(r, pid))
		r->results[owner].orphan_cpu_ns +=
			et_timeval_ns(usage.ru_utime) + et_timeval_ns(usage.ru_stime);
	return true;
}

static void take_end(const struct et_reaping *r, size_t i)
{
	const struct et_reap_request *q = &r->children[i];
	struct et_reap_result *out = &r->results[i];
	bool has_partner = r->n > 1 && !r->children[r->n - 1].endless;

	if (q->end_ns)
		__atomic_store_n(q->end_ns, out->t1_ns, __ATOMIC_RELEASE);
	et_reap_read_zombie(r->root, q, out);
	/* Its remaining process group must not disturb a partner that still runs. */
	if (has_partner)
		kill(-q->pid, SIGKILL);
	/* Once it is reaped the number may be given to another group. */
	if (q->group)
		*q->group = 0;
	wait4(q->pid, &out->status, 0, &out->usage);
	out->done = true;
}

static void end_endless(const struct et_reaping *r, size_t running)
{
	for (size_t i = 0; running == 1 && i < r->n; i++) {
		if (!r->results[i].done && r->children[i].endless)
			kill(r->children[i].pid, SIGKILL);
	}
}

/* A child or descendant was stopped or continued. -EIO if it had to be killed. */
static int take_stop(const struct et_reaping *r, pid_t pid, size_t child)
{
	siginfo_t info = { 0 };

	waitid(P_PID, (id_t)pid, &info, WSTOPPED | WCONTINUED);
	/* CLD_CONTINUED counts as well: we may have been stopped together with the child. */
	if (child < r->n && !r->stops_are_ours)
		r->results[child].marks |= ET_MARK_STOPPED;
	/* A program that stops because the terminal is not its own would wait for ever. */
	if (info.si_code == CLD_CONTINUED ||
		(info.si_status != SIGTTIN && info.si_status != SIGTTOU))
		return 0;
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	return -EIO;
}

int et_reap_wait(const struct et_reaping *r)
{
	size_t running = r->n;
	int rc = 0;

	while (running) {
		siginfo_t info = { 0 };
		if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | WNOWAIT) < 0) {
			if (errno != EINTR)
				return -errno;
			if (r->given_up && *r->given_up)
				return -ETIMEDOUT;
			continue;
		}
		uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC), ticks = et_counter_stop();
		size_t i = index_of(r, info.si_pid);
		if (info.si_code == CLD_STOPPED || info.si_code == CLD_TRAPPED ||
			info.si_code == CLD_CONTINUED) {
			int failed = take_stop(r, info.si_pid, i);
			rc = failed ? failed : rc;
		} else if (i < r->n) {
			r->results[i].t1_ns = now_ns;
			r->results[i].t1_ticks = ticks;
			take_end(r, i);
			end_endless(r, --running);
		} else {
			reap_orphan(r, info.si_pid);
		}
	}
	return rc;
}

/* --- processes that a program left running --- */

static void add_pid(struct et_snapshot *s, int32_t pid)
{
	ET_GROW(s->readings, s->n, s->cap);
	s->readings[s->n++] = (struct et_reading){ .pid = pid };
}

/* The kernel's own list of children, "12 34 ", which needs CONFIG_PROC_CHILDREN. */
static bool list_by_kernel(const char *root, struct et_snapshot *out)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/proc/thread-self/children", root);
	ET_AUTO_FCLOSE FILE *f = fopen(path, "re");
	int pid;

	while (f && fscanf(f, "%d", &pid) == 1)
		add_pid(out, pid);
	return f != NULL;
}

int et_reap_list_children(const char *root, struct et_snapshot *out)
{
	struct et_procstat stat;
	size_t seen = 0;

	*out = (struct et_snapshot){ 0 };
	if (list_by_kernel(root, out))
		return 0;
	char **names = et_sysroot_names(root, "/proc");
	for (char **name = names; *name; name++) {
		int32_t pid = (int32_t)strtol(*name, NULL, 10);
		seen += pid > 0;
		if (pid > 0 && et_procstat_read(root, pid, &stat) == 0 && stat.ppid == getpid())
			add_pid(out, pid);
	}
	et_strv_free(names);
	return seen ? 0 : -ENOENT; /* not even ourselves: /proc is not mounted, or hidden from us */
}

/* One pass over our children that are new: kills each, reaps those that have ended. */
struct pass {
	bool any;    /* there were some */
	size_t left; /* were killed and have not ended yet */
	size_t reaped;
};

static int kill_children(const struct et_reaping *r, struct pass *p)
{
	struct et_snapshot now;
	int rc = et_reap_list_children(r->root, &now);

	*p = (struct pass){ 0 };
	for (size_t i = 0; rc == 0 && i < now.n; i++) {
		pid_t pid = now.readings[i].pid;
		if (was_there(r, pid))
			continue;
		p->any = true;
		/* Fails for a setuid program, which belongs to another user. */
		bool killed = kill(pid, SIGKILL) == 0;
		if (reap_orphan(r, pid))
			p->reaped++;
		else if (killed)
			p->left++;
	}
	et_snapshot_free(&now);
	return rc;
}

/* The children of a process that ends come to us, so the list is read until none has ended. */
static int kill_all(const struct et_reaping *r, bool *any)
{
	const uint64_t patience_ns = 20000000, most_ns = 5000000000;
	uint64_t began_ns = et_clock_read_ns(CLOCK_MONOTONIC), since_ns = 0;
	struct et_wakeup_prio hurry = { 0 };
	int rc = 0;

	for (;;) {
		struct pass p;
		rc = kill_children(r, &p);
		*any = *any || p.any;
		if (rc || (!p.left && !p.reaped))
			break;
		since_ns = et_clock_read_ns(CLOCK_MONOTONIC) - began_ns;
		if (since_ns > most_ns) {
			rc = -ETIMEDOUT;
			break;
		}
		if (!hurry.raised && since_ns > patience_ns)
			et_wakeup_prio_hurry(&hurry);
		/* A killed process ends soon, unless it is stuck in the kernel. */
		if (p.left)
			usleep(1000);
	}
	et_wakeup_prio_lower(&hurry);
	return rc;
}

int et_reap_leftovers(const struct et_reaping *r)
{
	siginfo_t info = { 0 };
	bool any = false;

	/* Usually there is no child at all, and one system call shows it. */
	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return 0;
	int rc = kill_all(r, &any);
	if (any)
		r->results[0].marks |= ET_MARK_LEFTOVERS;
	return rc;
}
