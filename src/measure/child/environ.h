/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The environment and identity of the measured programs: those of the user, without etalon's. */
#pragma once

#include "base/error.h"

#include <sys/types.h>

struct et_identity {
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	int n_groups;
	char *home, *name, *shell;
};

/* -ENOENT if there is no such user. */
int et_identity_find(const char *user, struct et_identity *out, struct et_error *err) ET_CHECK;
void et_identity_free(struct et_identity *id);

/* Checks that a list of names ("A,B") contains only variables that envp has. */
int et_environ_check(const char *names, char *const *envp, struct et_error *err) ET_CHECK;
/*
 * Copies envp without our own variables (ETALON_…), and without PGPASSWORD and PGPASSFILE if
 * ETALON_STORE is a PostgreSQL server: those passwords are for etalon, not for the program. For
 * another identity it copies only those that cannot hold secrets or change what the program does
 * (PATH, TERM, TZ and the locale) and those in the list of names `pass` (NULL: none), and sets
 * HOME, USER, LOGNAME and SHELL. id is NULL if there is no other identity.
 */
char **et_environ_make(char *const *envp, const struct et_identity *id, const char *pass);
/* Appends HYPERFINE_ITERATION and ETALON_ITERATION, which et_environ_number sets. */
char **et_environ_with_number(char **envp);
/* Sets them to the number of the run, or to "warmup-N". Makes no system call. */
void et_environ_number(char **envp, bool warmup, uint32_t n);
/*
 * Appends ET_PAD_VARIABLE, instead of one that is there, whose value et_environ_pad() gives up to
 * ET_MOST_PAD bytes: it moves all strings of the arguments and of the environment, which the kernel
 * puts below it on the stack.
 */
#define ET_PAD_VARIABLE "ETALON_PAD"
char **et_environ_with_pad(char **envp);
void et_environ_pad(char **envp, size_t bytes); /* makes no system call */
const char *et_environ_get(char *const *envp, const char *name);
