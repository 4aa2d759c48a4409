/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/keeper.h"
#include "base/clock.h"
#include "base/parse.h"
#include "base/procstat.h"
#include "base/sysroot.h"
#include "measure/child/cgroup.h"
#include "measure/child/squad.h"

#include <linux/kcmp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

struct work {
	pid_t etalon;
	pid_t groups[ET_SLOTS]; /* 0: ended */
	int marks[ET_KEEPER_MARKS];
};

struct process {
	pid_t pid, parent, group;
	bool ours;
	bool ended; /* it waits for its parent to reap it, which some never do */
};

struct processes {
	struct process *list;
	size_t n, cap;
};

static bool shares_file(const struct work *w, pid_t pid)
{
	for (size_t i = 0; i < ET_KEEPER_MARKS; i++) {
		for (int fd = 0; w->marks[i] >= 0 && fd < 3; fd++) {
			long order = syscall(SYS_kcmp, getpid(), pid, KCMP_FILE, w->marks[i], fd);
			if (order == 0)
				return true;
			if (order < 0 && errno != EBADF)
				return false; /* it is gone, or belongs to another user */
		}
	}
	return false;
}

static int newest_first(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return ET_ORDER(y->pid, x->pid);
}

/* Stops the processes of programs: a fork bomb would be gone before the end of the list. */
static struct processes list_processes(const struct work *w)
{
	char **names = et_sysroot_names("", "/proc");
	struct processes all = { 0 };
	struct et_procstat stat;

	for (char **name = names; *name; name++) {
		pid_t pid = (pid_t)strtol(*name, NULL, 10);
		if (pid <= 0 || pid == getpid())
			continue;
		ET_GROW(all.list, all.n, all.cap);
		all.list[all.n++] = (struct process){ .pid = pid };
	}
	et_strv_free(names);
	if (all.n)
		qsort(all.list, all.n, sizeof(*all.list), newest_first);
	for (size_t i = 0; i < all.n; i++) {
		struct process *p = &all.list[i];
		p->ours = shares_file(w, p->pid) && kill(p->pid, SIGSTOP) == 0;
		p->ended = et_procstat_read("", p->pid, &stat) < 0;
		if (p->ended)
			continue;
		p->ended = stat.state == 'Z' || stat.state == 'X';
		p->parent = stat.ppid;
		p->group = stat.pgrp;
	}
	return all;
}

static bool is_ours(const struct processes *all, pid_t pid)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i].pid == pid)
			return all->list[i].ours;
	}
	return false;
}

static void add_descendants(struct processes *all)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < all->n; i++) {
			struct process *p = &all->list[i];
			if (!p->ours && is_ours(all, p->parent))
				p->ours = more = true;
		}
	}
}

static bool has_members(const struct processes *all, pid_t group)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i].group == group && !all->list[i].ended)
			return true;
	}
	return false;
}

/*
 * Returns how many processes and groups were killed. kill(2) succeeds on zombies as well, and in
 * many containers process 1 reaps none of them.
 */
static size_t kill_once(struct work *w)
{
	struct processes all = list_processes(w);
	struct et_sweep sweep = { 0 };
	size_t n = 0;

	add_descendants(&all);
	for (size_t i = 0; i < all.n; i++)
		n += all.list[i].ours && kill(all.list[i].pid, SIGKILL) == 0 && !all.list[i].ended;
	for (size_t i = 0; i < ET_SLOTS; i++) {
		/* A group that has ended may become another one with the same number. */
		if (w->groups[i] > 0 && kill(-w->groups[i], SIGKILL) < 0)
			w->groups[i] = 0;
		n += w->groups[i] > 0 && has_members(&all, w->groups[i]);
	}
	free(all.list);
	et_cgroup_sweep_all("", &sweep);
	return n + sweep.ended;
}

static void kill_all(struct work *w)
{
	const uint64_t most_ns = 5000000000;
	uint64_t began_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	int quiet = 0;

	/* A child that etalon has just forked may hold the lock of the group for a moment. */
	while (quiet < 5 && et_clock_read_ns(CLOCK_MONOTONIC) - began_ns < most_ns) {
		quiet = kill_once(w) ? 0 : quiet + 1;
		usleep(2000);
	}
}

/* Closes all descriptors but the marks: an inherited lock would outlive etalon. */
static void close_others(const struct work *w)
{
	for (unsigned fd = 0; fd != ~0u;) {
		unsigned next = ~0u; /* the lowest mark from fd on */
		for (size_t i = 0; i < ET_KEEPER_MARKS; i++) {
			if (w->marks[i] >= (int)fd && (unsigned)w->marks[i] < next)
				next = (unsigned)w->marks[i];
		}
		if (next > fd && syscall(SYS_close_range, fd, next - 1, 0) < 0)
			_exit(1); /* before Linux 5.9: rather no keeper than one that holds locks */
		fd = next == ~0u ? next : next + 1;
	}
}

static _Noreturn void keep(struct work *w, const struct et_interrupt *interrupt)
{
	sigset_t all;
	int any;

	/* Signals of the terminal, and to all processes of a name, are not for the keeper. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "et-keeper");
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	close_others(w);
	while (getppid() == w->etalon)
		sigwait(&all, &any);
	for (size_t i = 0; i < ET_SLOTS; i++)
		w->groups[i] = interrupt->groups[i];
	kill_all(w);
	_exit(0);
}

pid_t et_keeper_start(const struct et_interrupt *interrupt, const int marks[static ET_KEEPER_MARKS])
{
	struct work w = { .etalon = getpid() };

	for (size_t i = 0; i < ET_KEEPER_MARKS; i++)
		w.marks[i] = marks[i] > 2 ? marks[i] : -1;
	pid_t pid = et_squad_fork();
	if (pid == 0)
		keep(&w, interrupt);
	return pid > 0 ? pid : 0;
}

void et_keeper_stop(pid_t keeper)
{
	if (keeper > 0)
		et_squad_end(keeper);
}
