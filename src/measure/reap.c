/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/reap.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/sysroot.h"
#include "clock/counter.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* Programs shorter than this are not asked how often they migrated: it would cost too much. */
static const uint64_t LONG_ENOUGH_NS = 5000000;

static struct et_ended *entry_of(struct et_ended *ended, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++) {
		if (ended[i].pid == pid && !ended[i].done)
			return &ended[i];
	}
	return NULL;
}

/* The CPU it last ran on: the 39th field of its stat, the 37th behind its name. */
static int last_cpu(pid_t pid)
{
	char path[48], buf[1024];
	int cpu = -1;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (et_sysroot_read("", path, buf, sizeof(buf)) <= 0)
		return -1;
	const char *p = strrchr(buf, ')');
	for (int i = 0; p && i < 37; i++)
		p = strchr(p + 1, ' ');
	return p && sscanf(p, "%d", &cpu) == 1 ? cpu : -1;
}

/*
 * What /proc still tells of a process that has ended and is not reaped yet. Dear (10 µs a file):
 * the caller says what it needs.
 */
static void read_zombie(struct et_ended *e)
{
	char path[48], buf[4096];
	clockid_t clock;
	struct timespec t;
	unsigned long long cpu, delay;

	e->cpu_ns = e->run_delay_ns = e->migrations = ET_UNKNOWN;
	if (clock_getcpuclockid(e->pid, &clock) == 0 && clock_gettime(clock, &t) == 0)
		e->cpu_ns = et_timespec_ns(t);
	if (e->want & ET_WANT_RUN_DELAY) {
		snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)e->pid);
		if (et_sysroot_read("", path, buf, sizeof(buf)) > 0 &&
			sscanf(buf, "%llu %llu", &cpu, &delay) == 2)
			e->run_delay_ns = delay;
	}
	e->cpu = -1;
	if (!(e->want & ET_WANT_MIGRATIONS) || e->t1_ns - e->began_ns < LONG_ENOUGH_NS)
		return;
	if (e->want & ET_WANT_CPU)
		e->cpu = last_cpu(e->pid);
	snprintf(path, sizeof(path), "/proc/%d/sched", (int)e->pid);
	if (et_sysroot_read("", path, buf, sizeof(buf)) > 0) {
		const char *line = strstr(buf, "nr_migrations");
		const char *colon = line ? strchr(line, ':') : NULL;
		if (colon)
			e->migrations = strtoull(colon + 1, NULL, 10);
	}
}

static bool was_there(const struct et_snapshot *before, int32_t pid)
{
	for (size_t i = 0; i < before->n; i++) {
		if (before->readings[i].pid == pid)
			return true;
	}
	return false;
}

/*
 * A descendant that nobody waited for: its time belongs to the program of its process group, unless
 * it was there before the program (a server that a preparation had left running). False when it has
 * not ended yet.
 */
static bool reap_orphan(
	struct et_ended *ended, size_t n, const struct et_snapshot *before, pid_t pid)
{
	pid_t group = getpgid(pid);
	struct rusage usage;
	size_t owner = 0;

	for (size_t i = 0; i < n; i++) {
		if (ended[i].pid == group)
			owner = i;
	}
	if (wait4(pid, NULL, WNOHANG, &usage) != pid)
		return false;
	if (!was_there(before, pid))
		ended[owner].orphan_cpu_ns +=
			et_timeval_ns(usage.ru_utime) + et_timeval_ns(usage.ru_stime);
	return true;
}

/* The program reads from or writes to a terminal that is not its own: it would wait for ever. */
static bool wants_terminal(int signal)
{
	return signal == SIGTTIN || signal == SIGTTOU;
}

static bool held_up(int code)
{
	return code == CLD_STOPPED || code == CLD_TRAPPED || code == CLD_CONTINUED;
}

static void take_end(struct et_ended *e, bool alone)
{
	if (e->end_ns)
		__atomic_store_n(e->end_ns, e->t1_ns, __ATOMIC_RELEASE);
	read_zombie(e);
	/* What it left in its own process group must not disturb a partner that still runs. */
	if (!alone)
		kill(-e->pid, SIGKILL);
	/* From now on the number may be given to another group. */
	if (e->group)
		*e->group = 0;
	wait4(e->pid, &e->status, 0, &e->usage);
	e->done = true;
}

/* Whoever runs on only to accompany the others has nothing left to do. */
static void end_endless(const struct et_ended *ended, size_t n, size_t running)
{
	for (size_t i = 0; running == 1 && i < n; i++) {
		if (!ended[i].done && ended[i].endless)
			kill(ended[i].pid, SIGKILL);
	}
}

int et_reap_wait(
	struct et_ended *ended, size_t n, const struct et_snapshot *before, bool stops_are_ours)
{
	size_t running = n;
	int rc = 0;

	while (running) {
		siginfo_t info = { 0 };
		if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | WNOWAIT) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC), ticks = et_counter_stop();
		struct et_ended *e = entry_of(ended, n, info.si_pid);
		if (held_up(info.si_code)) {
			/* Going on is news as well: we may have been stopped with it. */
			waitid(P_PID, (id_t)info.si_pid, &info, WSTOPPED | WCONTINUED);
			if (info.si_code != CLD_CONTINUED && wants_terminal(info.si_status)) {
				kill(-info.si_pid, SIGKILL);
				kill(info.si_pid, SIGKILL);
				rc = -EIO;
			}
			if (e && !stops_are_ours)
				e->marks |= ET_MARK_STOPPED;
		} else if (e) {
			e->t1_ns = now_ns;
			e->t1_ticks = ticks;
			take_end(e, n == 1 || ended[n - 1].endless);
			end_endless(ended, n, --running);
		} else {
			reap_orphan(ended, n, before, info.si_pid);
		}
	}
	return rc;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       info.si_pid == pid;
}

void et_reap_alternate(
	const struct et_ended ended[2], uint64_t beat_ns, const volatile sig_atomic_t *stop)
{
	struct timespec next;
	int runs = 0;

	clock_gettime(CLOCK_MONOTONIC, &next);
	kill(-ended[1].pid, SIGSTOP);
	while (!*stop && !has_ended(ended[0].pid) && !has_ended(ended[1].pid)) {
		uint64_t at = et_timespec_ns(next) + beat_ns;
		next = (struct timespec){ .tv_sec = (time_t)(at / 1000000000u),
			.tv_nsec = (long)(at % 1000000000u) };
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR &&
			!*stop)
			;
		kill(-ended[runs].pid, SIGSTOP);
		runs = !runs;
		kill(-ended[runs].pid, SIGCONT);
	}
	kill(-ended[0].pid, SIGCONT);
	kill(-ended[1].pid, SIGCONT);
}

static int32_t parent_of(int32_t pid)
{
	char path[32], buf[512];
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (et_sysroot_read("", path, buf, sizeof(buf)) <= 0)
		return 0;
	const char *close = strrchr(buf, ')');
	if (!close || sscanf(close + 1, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

/* Children of ours, from the kernel's own list, or where it keeps none by asking every process. */
static void list_children(struct et_snapshot *out)
{
	ET_AUTO_FCLOSE FILE *f = fopen("/proc/thread-self/children", "re");
	struct et_proc_reader watch;
	int pid;

	out->n = 0;
	while (f && fscanf(f, "%d", &pid) == 1) {
		ET_GROW(out->readings, out->n, out->cap);
		out->readings[out->n++] = (struct et_reading){ .pid = pid };
	}
	if (f)
		return;
	struct et_snapshot all = { 0 };
	et_proc_reader_open(&watch);
	et_snapshot_take(&watch, NULL, 0, &all);
	et_proc_reader_close(&watch);
	for (size_t i = 0; i < all.n; i++) {
		if (parent_of(all.readings[i].pid) != getpid())
			continue;
		ET_GROW(out->readings, out->n, out->cap);
		out->readings[out->n++] = all.readings[i];
	}
	et_snapshot_free(&all);
}

/* Kills each child of ours that is new and reaps those that have ended; returns how many are left.
 */
static size_t kill_children(
	struct et_ended *ended, size_t n, const struct et_snapshot *before, bool *any)
{
	struct et_snapshot now = { 0 };
	size_t left = 0;

	list_children(&now);
	for (size_t i = 0; i < now.n; i++) {
		int32_t pid = now.readings[i].pid;
		if (was_there(before, pid))
			continue;
		*any = true;
		/* What became another user's with a setuid program is not ours to kill. */
		bool ours = kill(pid, SIGKILL) == 0;
		if (!reap_orphan(ended, n, before, pid) && ours)
			left++;
	}
	et_snapshot_free(&now);
	return left;
}

void et_reap_leftovers(struct et_ended *ended, size_t n, const struct et_snapshot *before)
{
	enum {
		TRIES = 2000
	}; /* a millisecond apart: what is killed ends unless the kernel holds it */
	siginfo_t info = { 0 };
	bool any = false;

	/* No child at all: the usual case, for one system call. */
	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return;
	/* Killing one hands us its children: again until none is left. */
	for (int i = 0; i < TRIES; i++) {
		bool more = false;
		size_t left = kill_children(ended, n, before, &more);
		any = any || more;
		if (!left && (!more || i > 0))
			break;
		if (left)
			usleep(1000);
	}
	if (any)
		ended[0].marks |= ET_MARK_LEFTOVERS;
}
