/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/burners.h"
#include "base/alloc.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

struct et_burning {
	uint32_t order; /* increases with each demand */
	uint32_t done;  /* burners that have completed it */
	uint64_t ns;    /* CPU time to use */
};

/* A burner writes one of these: it is ready, or may not use its CPU. It is silent if it fails. */
#define READY "+"
#define UNUSABLE "-"

static void futex_wait(uint32_t *word, uint32_t while_value, const struct timespec *limit)
{
	syscall(SYS_futex, word, FUTEX_WAIT, while_value, limit, NULL, 0);
}

static void futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* --- in the burner --- */

static _Noreturn void serve(struct et_burning *shared, pid_t etalon)
{
	for (uint32_t last = 0;;) {
		uint32_t order = __atomic_load_n(&shared->order, __ATOMIC_ACQUIRE);
		if (order == last) {
			futex_wait(&shared->order, last, NULL);
			if (getppid() != etalon)
				_exit(0);
			continue;
		}
		last = order;
		uint64_t end_ns = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + shared->ns;
		while (et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
			;
		__atomic_add_fetch(&shared->done, 1, __ATOMIC_RELEASE);
		futex_wake(&shared->done);
	}
}

static _Noreturn void become_burner(
	struct et_burning *shared, pid_t etalon, int cpu, int procs_fd, int ready_fd)
{
	const struct sched_param normal = { 0 };
	cpu_set_t one;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "et-burner");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setscheduler(0, SCHED_OTHER, &normal);
	if (getppid() != etalon)
		_exit(1);
	if (sched_setaffinity(0, sizeof(one), &one) < 0) {
		(void)!write(ready_fd, errno == EINVAL ? UNUSABLE : "?", 1);
		_exit(1);
	}
	if (write(procs_fd, "0", 1) != 1 || write(ready_fd, READY, 1) != 1)
		_exit(1);
	/* Locks that are inherited would outlive etalon. */
	if (syscall(SYS_close_range, 0u, ~0u, 0) < 0) {
		for (int fd = 0; fd < 1024; fd++)
			close(fd);
	}
	serve(shared, etalon);
}

/* --- in etalon --- */

static void end_one(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
		;
}

/* Waits for the byte of a burner; it closes the pipe if it fails. */
static int start_one(struct et_burners *b, int cpu, int procs_fd)
{
	struct clone_args how = { .exit_signal = 0 };
	int ends[2];
	char byte = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid_t etalon = getpid();
	long pid = syscall(SYS_clone3, &how, sizeof(how));
	if (pid == 0)
		become_burner(b->shared, etalon, cpu, procs_fd, ends[1]);
	int rc = pid < 0 ? -errno : 0;
	close(ends[1]);
	if (pid > 0 && (read(ends[0], &byte, 1) != 1 || byte != *READY)) {
		end_one((pid_t)pid);
		rc = byte == *UNUSABLE ? 0 : -ECHILD;
	} else if (pid > 0) {
		b->pids[b->n++] = (pid_t)pid;
	}
	close(ends[0]);
	return rc;
}

int et_burners_open(struct et_burners *b, const cpu_set_t *cpus, int procs_fd)
{
	void *shared = mmap(NULL, sizeof(struct et_burning), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int rc = 0;

	*b = (struct et_burners){ 0 };
	if (shared == MAP_FAILED)
		return -errno;
	b->shared = shared;
	b->pids = et_calloc((size_t)CPU_COUNT(cpus) + 1, sizeof(*b->pids));
	for (int cpu = 0; rc == 0 && cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, cpus))
			rc = start_one(b, cpu, procs_fd);
	}
	if (rc == 0 && b->n == 0)
		rc = -ENODEV;
	if (rc)
		et_burners_close(b);
	return rc;
}

void et_burners_burn(struct et_burners *b, uint64_t ns)
{
	const uint64_t patience_ns = 1000000000;
	const struct timespec moment = { .tv_nsec = 10000000 };
	uint64_t deadline_ns = et_clock_read_ns(CLOCK_MONOTONIC) + 4 * ns + patience_ns;
	struct et_burning *s = b->shared;

	if (!b->n || !ns)
		return;
	s->ns = ns;
	__atomic_store_n(&s->done, 0, __ATOMIC_RELAXED);
	__atomic_add_fetch(&s->order, 1, __ATOMIC_RELEASE);
	futex_wake(&s->order);
	for (;;) {
		uint32_t done = __atomic_load_n(&s->done, __ATOMIC_ACQUIRE);
		if (done >= b->n || et_clock_read_ns(CLOCK_MONOTONIC) > deadline_ns)
			return;
		futex_wait(&s->done, done, &moment);
	}
}

void et_burners_close(struct et_burners *b)
{
	for (size_t i = 0; i < b->n; i++)
		end_one(b->pids[i]);
	if (b->shared)
		munmap(b->shared, sizeof(*b->shared));
	free(b->pids);
	*b = (struct et_burners){ 0 };
}
