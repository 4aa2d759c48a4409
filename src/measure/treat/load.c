/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/treat/load.h"

#include <signal.h>

struct et_loading {
	struct et_squad_board board;
	uint32_t spinning; /* this many are to use CPU time */
};

/* The place of a process decides how many must be wanted for it to spin. */
struct place {
	const uint32_t *spinning;
	uint32_t number;
};

static void spin(void *ctx)
{
	const struct place *p = ctx;

	while (__atomic_load_n(p->spinning, __ATOMIC_ACQUIRE) > p->number)
		;
}

static struct et_loading *shared_of(struct et_load *l)
{
	return (void *)l->squad.board;
}

static _Noreturn void become_load(struct et_load *l, pid_t etalon)
{
	const struct sigaction dfl = { .sa_handler = SIG_DFL };
	struct place place = { &shared_of(l)->spinning, (uint32_t)l->squad.n };
	sigset_t mask;

	/* A suspended etalon suspends its group; all other signals are for etalon alone. */
	sigaction(SIGTSTP, &dfl, NULL);
	sigfillset(&mask);
	sigdelset(&mask, SIGTSTP);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	et_squad_enter("et-load");
	et_squad_serve(l->squad.board, etalon, spin, &place);
}

int et_load_open(struct et_load *l, uint32_t n, struct et_error *err)
{
	pid_t etalon = getpid();

	*l = (struct et_load){ 0 };
	if (!n)
		return 0;
	int rc = et_squad_open(&l->squad, sizeof(struct et_loading), n);
	if (rc)
		return et_fail_errno(err, -rc, ET_EXIT_OUTSIDE,
			"cannot allocate memory for competing processes");
	while (l->squad.n < n) {
		pid_t pid = et_squad_fork();
		if (pid == 0)
			become_load(l, etalon);
		if (pid < 0) {
			et_load_close(l);
			return et_hint(err,
				et_fail_errno(err, -pid, ET_EXIT_ENVIRONMENT,
					"cannot make %u competing processes", n),
				"use a smaller load, or raise the limit: ulimit -u");
		}
		l->squad.pids[l->squad.n++] = pid;
	}
	return 0;
}

int et_load_start(struct et_load *l, uint32_t n, const cpu_set_t *cpus, struct et_error *err)
{
	cpu_set_t own;

	if (!n)
		return 0;
	if (!cpus && sched_getaffinity(0, sizeof(own), &own) == 0)
		cpus = &own;
	for (uint32_t i = 0; cpus && i < n; i++) {
		if (sched_setaffinity(l->squad.pids[i], sizeof(*cpus), cpus) < 0)
			return et_hint(err,
				et_fail_errno(err, errno, ET_EXIT_OUTSIDE,
					"cannot move a competing process to the program's CPUs"),
				"look for a process that ends processes called et-load");
	}
	l->running = true;
	__atomic_store_n(&shared_of(l)->spinning, n, __ATOMIC_RELEASE);
	et_squad_order(&l->squad);
	return 0;
}

void et_load_stop(struct et_load *l)
{
	const uint64_t patience_ns = 1000000000;

	if (!l->running)
		return;
	l->running = false;
	__atomic_store_n(&shared_of(l)->spinning, 0, __ATOMIC_RELEASE);
	/* Each needs a CPU for a moment to notice it. */
	et_squad_wait(&l->squad, patience_ns);
}

void et_load_close(struct et_load *l)
{
	et_squad_close(&l->squad);
	*l = (struct et_load){ 0 };
}
