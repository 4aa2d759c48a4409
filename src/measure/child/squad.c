/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/squad.h"
#include "base/clock.h"

#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void futex_wait(uint32_t *word, uint32_t while_value, const struct timespec *limit)
{
	syscall(SYS_futex, word, FUTEX_WAIT, while_value, limit, NULL, 0);
}

static void futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

pid_t et_squad_fork(void)
{
	struct clone_args how = { .exit_signal = 0 };
	long pid = syscall(SYS_clone3, &how, sizeof(how));

	return pid < 0 ? -errno : (pid_t)pid;
}

void et_squad_end(pid_t pid)
{
	kill(pid, SIGKILL); /* a program may have stopped it */
	while (waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
		;
}

int et_squad_open(struct et_squad *c, size_t board_bytes, size_t most)
{
	void *board =
		mmap(NULL, board_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*c = (struct et_squad){ 0 };
	if (board == MAP_FAILED)
		return -errno;
	c->board = board;
	c->board_bytes = board_bytes;
	c->pids = et_calloc(most + 1, sizeof(*c->pids));
	return 0;
}

void et_squad_enter(const char *name)
{
	const struct sched_param normal = { 0 };

	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sched_setscheduler(0, SCHED_OTHER, &normal);
}

_Noreturn void et_squad_serve(
	struct et_squad_board *board, pid_t etalon, void (*work)(void *ctx), void *ctx)
{
	if (syscall(SYS_close_range, 0u, ~0u, 0) < 0) {
		for (int fd = 0; fd < 1024; fd++)
			close(fd);
	}
	for (uint32_t last = 0;;) {
		uint32_t order = __atomic_load_n(&board->order, __ATOMIC_ACQUIRE);
		if (getppid() != etalon)
			_exit(0);
		if (order == last) {
			futex_wait(&board->order, last, NULL);
			continue;
		}
		last = order;
		work(ctx);
		__atomic_add_fetch(&board->done, 1, __ATOMIC_RELEASE);
		futex_wake(&board->done);
	}
}

void et_squad_order(struct et_squad *c)
{
	__atomic_store_n(&c->board->done, 0, __ATOMIC_RELAXED);
	__atomic_add_fetch(&c->board->order, 1, __ATOMIC_RELEASE);
	futex_wake(&c->board->order);
}

void et_squad_wait(struct et_squad *c, uint64_t most_ns)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	uint64_t deadline_ns = et_clock_read_ns(CLOCK_MONOTONIC) + most_ns;

	for (;;) {
		uint32_t done = __atomic_load_n(&c->board->done, __ATOMIC_ACQUIRE);
		if (done >= c->n || et_clock_read_ns(CLOCK_MONOTONIC) > deadline_ns)
			return;
		futex_wait(&c->board->done, done, &moment);
	}
}

void et_squad_close(struct et_squad *c)
{
	for (size_t i = 0; i < c->n; i++)
		et_squad_end(c->pids[i]);
	if (c->board)
		munmap(c->board, c->board_bytes);
	free(c->pids);
	*c = (struct et_squad){ 0 };
}
