/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors 0, 1 and 2 of the measured programs. They are opened once, for all runs. */
#pragma once

#include "base/error.h"
#include "model/sample/executor.h"

#include <pthread.h>

/*
 * Pipes that take the programs' output, and a thread that empties them: with --output pipe standard
 * output, which is discarded, and standard error, of which the end is kept for an error. A program
 * that writes nothing is not disturbed: the thread sleeps, and no page is touched. If it writes to
 * standard error, the thread wakes at most every 5 ms, does not preempt the program (SCHED_BATCH),
 * and reads at once only when the pipe of 1 MiB is half full. A file in memory instead would need
 * no thread, but would have no bound that the program does not notice.
 */
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

struct et_streams {
	bool seekable;       /* the input is a file, which is rewound before each run */
	bool truncated;      /* the output is a file, which is truncated before each run */
	int in_fd[ET_SLOTS]; /* one per program: each has its own offset in the input */
	int out_fd;
	int err_fd[ET_SLOTS]; /* one per program: its last lines explain a failure */
	struct et_drain drain;
	int unreadable_fd[2]; /* standard output and error, opened again for writing only, or -1 */
	int null_fd;
	struct et_own_input *own; /* inputs of single commands, one per file */
	size_t n_own;
};

struct et_own_input {
	char *path;
	int fd;
};

void et_streams_init(struct et_streams *s); /* as after et_streams_close() */
/*
 * input: a file, NULL is /dev/null. output: "null", "inherit", "pipe", a file, or NULL for "null".
 * If the programs run as another user, they must not read from an output that they inherit.
 */
int et_streams_open(struct et_streams *s, const char *input, const char *output, bool other_user,
	struct et_error *err) ET_CHECK;
/* Opens the input of a command that has its own, unless it is open; *fd is its descriptor. */
int et_streams_open_input(
	struct et_streams *s, const char *path, int *fd, struct et_error *err) ET_CHECK;
/*
 * Starts to read what programs write to pipes. If no thread can be made, standard error goes to
 * /dev/null instead; it is an error only if standard output is a pipe.
 */
int et_streams_start(struct et_streams *s, struct et_error *err) ET_CHECK;
/* Rewinds the input, truncates the output and forgets standard error, before each run. */
void et_streams_rewind(struct et_streams *s, size_t n_slots);
void et_streams_close(struct et_streams *s);
