/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs programs of others and returns their output. No shell is involved. A program is found as by
 * execvp(3), inherits our environment with LC_ALL=C and no descriptors but its own three, has a
 * process group of its own, so that Ctrl-C does not end it halfway, and is killed if etalon dies.
 */
#pragma once

#include "base/error.h"

#include <signal.h>

struct et_program_run {
	char *const *argv; /* NULL ends it */
	const char *input; /* its standard input; NULL: empty */
	size_t input_bytes;
	char *const *environment; /* NAME=VALUE replaces ours, NAME removes it; or NULL */
	unsigned seconds;         /* after which its process group is killed */
	size_t most_bytes;        /* of standard output; a longer output is an error */
	/* If this becomes other than 0, nobody waits any longer; or NULL. */
	const volatile sig_atomic_t *stop;
};

struct et_answer {
	/* 0, or -errno: not started, -ETIMEDOUT, -EINTR by `stop`, -EMSGSIZE: too much output. */
	int rc;
	int status;       /* its exit status, or 128 and the number of the signal that ended it */
	int signal;       /* that ended it, or 0: an exit status may be larger than 128, too */
	char *out;        /* standard output, which ends with '\0'; never NULL */
	size_t n;         /* its length */
	char errors[512]; /* the end of standard error, without the last newline */
};

/* Words of a command line, which ends with NULL. Free with et_strv_free(words.argv). */
struct et_words {
	char **argv;
	size_t n, room;
};
void et_words_add(struct et_words *w, const char *fmt, ...) ET_PRINTF(2, 3);
/* Adds words as they are; NULL ends them. */
void et_words_add_all(struct et_words *w, const char *const *words);

/* A here-document of a shell, which ends with a line that the text does not contain. */
char *et_here_document(const char *text);

/* Runs n programs at the same time and waits for all of them. Free the answers. */
void et_commands_run(const struct et_program_run *commands, struct et_answer *answers, size_t n);
void et_answers_free(struct et_answer *answers, size_t n);

/*
 * Runs one program. Returns the rc of its answer, which must be freed in any case; err explains it.
 * An exit status other than 0 is no error here.
 */
int et_command_run(
	const struct et_program_run *c, struct et_answer *answer, struct et_error *err) ET_CHECK;

/* Fills err for a program that ended with an exit status other than 0, and quotes its messages. */
int et_command_failed(const struct et_program_run *c, const struct et_answer *answer,
	struct et_error *err) ET_CHECK;
