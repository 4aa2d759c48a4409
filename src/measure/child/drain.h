/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pipes that take the programs' output, and a thread that empties them: standard output with
 * --output pipe, which is discarded, and standard error, of which the end is kept for the error of
 * a run that fails.
 *
 * A program that writes nothing is not disturbed: the thread sleeps, and no page is touched. If it
 * writes to standard error, the thread wakes at most every 5 ms, does not preempt the program
 * (SCHED_BATCH), and reads at once only when the pipe of 1 MiB is half full. A file in memory
 * instead would need no thread, but would have no bound that the program does not notice.
 */
#pragma once

#include "base/error.h"
#include "model/sample/executor.h"

#include <pthread.h>
#include <stddef.h>

enum { ET_DRAIN_TAIL = 4096 };

struct et_drain_pipe {
	int read_fd, write_fd; /* -1: there is none */
	size_t n;              /* bytes in tail */
	char tail[ET_DRAIN_TAIL];
};

struct et_drain {
	struct et_drain_pipe err[ET_SLOTS], out;
	int null_fd, stop_fd;
	bool running;
	pthread_t thread;
	pthread_mutex_t lock; /* of the tails */
};

void et_drain_init(struct et_drain *d);
/* Opens the pipes of standard error, and that of standard output if `output`. */
int et_drain_open(struct et_drain *d, bool output, struct et_error *err) ET_CHECK;
/* Starts the thread, after the process has only the CPUs that it may use. 0 or -errno. */
int et_drain_start(struct et_drain *d, struct et_error *err) ET_CHECK;
/* Forgets what earlier runs wrote to standard error. One system call per slot. */
void et_drain_forget(struct et_drain *d, size_t n_slots);
/* Copies the last lines, at most three, that the program of the slot wrote to standard error. */
void et_drain_last_lines(struct et_drain *d, size_t slot, char *out, size_t size);
void et_drain_close(struct et_drain *d); /* after et_drain_init it may always be called */
