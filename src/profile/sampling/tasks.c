/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/tasks.h"

void et_tasks_begin(struct et_tasks *t, uint64_t short_ns)
{
	et_tasks_free(t);
	*t = (struct et_tasks){ .short_ns = short_ns };
	t->threads.width = t->processes.width = sizeof(uint64_t);
}

void et_tasks_free(struct et_tasks *t)
{
	et_hash_free(&t->threads);
	et_hash_free(&t->processes);
}

/* Numbers come from records, and a key must not be 0. */
static uint64_t *at(struct et_hash *h, pid_t number)
{
	return et_hash_put(h, (uint64_t)(uint32_t)number + 1);
}

void et_tasks_fork(struct et_tasks *t, pid_t process, pid_t thread, uint64_t time_ns)
{
	uint64_t *threads = at(&t->processes, process);

	if (process == thread) /* the number may have been another's, whose exit was lost */
		*threads = 0;
	++*threads;
	*at(&t->threads, thread) = time_ns;
}

void et_tasks_exec(struct et_tasks *t, pid_t process, uint64_t time_ns)
{
	uint64_t *began_ns = at(&t->threads, process);

	*at(&t->processes, process) = 1;
	if (!*began_ns)
		*began_ns = time_ns;
}

bool et_tasks_exit(struct et_tasks *t, pid_t process, pid_t thread, uint64_t time_ns)
{
	uint64_t *began_ns = at(&t->threads, thread);
	uint64_t *threads = at(&t->processes, process);

	t->ended++;
	t->ended_early += *began_ns && time_ns - *began_ns < t->short_ns;
	*began_ns = 0;
	*threads -= *threads > 0;
	return *threads == 0;
}
