/* SPDX-License-Identifier: MIT */
/* Command lines that a shell runs, and those that need one. */
#pragma once

#include "base/error.h"

/*
 * Makes the vector that runs `text` by a shell: "bash --norc" becomes bash, --norc, -c, text. The
 * caller frees *out by et_strv_free. 0, or -errno with err filled if `shell` has no words.
 */
int et_shell_argv(const char *shell, const char *text, char ***out, struct et_error *err) ET_CHECK;

/* Whether the name is a builtin or a keyword of shells that is no program. */
bool et_shell_builtin(const char *name);

/*
 * Finds what only a shell interprets, outside of quotes: | & ; < > ( ) ` * ?, $ before a name, ~ at
 * the beginning of a word, NAME=value at the beginning of the text. Returns its place in text and
 * sets *len, or returns NULL.
 */
const char *et_shell_syntax(const char *text, size_t *len);
