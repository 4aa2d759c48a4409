/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/treat/load.h"
#include "base/alloc.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

struct et_loading {
	uint32_t order;    /* increases with each start */
	uint32_t spinning; /* this many are to use CPU time */
	uint32_t resting;  /* this many have completed the order */
};

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void futex_wait(uint32_t *word, uint32_t while_value, const struct timespec *limit)
{
	syscall(SYS_futex, word, FUTEX_WAIT, while_value, limit, NULL, 0);
}

static void futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* The place of a process decides how many must be wanted for it to spin. */
static _Noreturn void compete(struct et_loading *shared, uint32_t place, pid_t etalon)
{
	for (uint32_t last = 0;;) {
		uint32_t order = load(&shared->order);
		if (getppid() != etalon)
			_exit(0);
		if (order == last) {
			futex_wait(&shared->order, last, NULL);
			continue;
		}
		last = order;
		while (load(&shared->spinning) > place)
			;
		__atomic_add_fetch(&shared->resting, 1, __ATOMIC_RELEASE);
		futex_wake(&shared->resting);
	}
}

static _Noreturn void become_load(struct et_loading *shared, uint32_t place, pid_t etalon)
{
	const struct sched_param normal = { 0 };
	const struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t mask;

	/* A suspended etalon suspends its group; all other signals are for etalon alone. */
	sigaction(SIGTSTP, &dfl, NULL);
	sigfillset(&mask);
	sigdelset(&mask, SIGTSTP);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	prctl(PR_SET_NAME, "et-load");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sched_setscheduler(0, SCHED_OTHER, &normal);
	/* Locks that are inherited would outlive etalon. */
	if (syscall(SYS_close_range, 0u, ~0u, 0) < 0) {
		for (int fd = 0; fd < 1024; fd++)
			close(fd);
	}
	compete(shared, place, etalon);
}

int et_load_open(struct et_load *l, uint32_t n, struct et_error *err)
{
	struct clone_args how = { .exit_signal = 0 };
	pid_t etalon = getpid();

	*l = (struct et_load){ 0 };
	if (!n)
		return 0;
	void *shared = mmap(NULL, sizeof(*l->shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return et_fail_errno(err, errno, ET_EXIT_OUTSIDE,
			"cannot allocate memory for competing processes");
	l->shared = shared;
	l->pids = et_calloc(n, sizeof(*l->pids));
	while (l->n < n) {
		long pid = syscall(SYS_clone3, &how, sizeof(how));
		if (pid == 0)
			become_load(l->shared, l->n, etalon);
		if (pid < 0) {
			int errnum = errno;
			et_load_close(l);
			return et_hint(err,
				et_fail_errno(err, errnum, ET_EXIT_ENVIRONMENT,
					"cannot make %u competing processes", n),
				"use a smaller load, or raise the limit: ulimit -u");
		}
		l->pids[l->n++] = (pid_t)pid;
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
		if (sched_setaffinity(l->pids[i], sizeof(*cpus), cpus) < 0)
			return et_hint(err,
				et_fail_errno(err, errno, ET_EXIT_OUTSIDE,
					"cannot move a competing process to the program's CPUs"),
				"look for a process that ends processes called et-load");
	}
	l->running = true;
	l->shared->resting = 0;
	__atomic_store_n(&l->shared->spinning, n, __ATOMIC_RELEASE);
	__atomic_add_fetch(&l->shared->order, 1, __ATOMIC_RELEASE);
	futex_wake(&l->shared->order);
	return 0;
}

void et_load_stop(struct et_load *l)
{
	/* Each needs a CPU for a moment to notice it. */
	const struct timespec moment = { .tv_nsec = 10000000 };
	struct et_loading *s = l->shared;

	if (!l->running)
		return;
	l->running = false;
	__atomic_store_n(&s->spinning, 0, __ATOMIC_RELEASE);
	for (int i = 0; i < 100; i++) {
		uint32_t resting = load(&s->resting);
		if (resting >= l->n)
			return;
		futex_wait(&s->resting, resting, &moment);
	}
}

void et_load_close(struct et_load *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		kill(l->pids[i], SIGKILL);
		while (waitpid(l->pids[i], NULL, __WCLONE) < 0 && errno == EINTR)
			;
	}
	if (l->shared)
		munmap(l->shared, sizeof(*l->shared));
	free(l->pids);
	*l = (struct et_load){ 0 };
}
