/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors 0, 1 and 2 of the measured programs. They are opened once, for all runs. */
#pragma once

#include "measure/child/drain.h"
#include "model/sample/executor.h"

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
