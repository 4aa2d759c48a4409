/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * URLs of stores on the command line may have passwords. All users of the machine can read the
 * arguments of a process (ps, /proc/PID/cmdline), and commands print them in messages and hints.
 */
#pragma once

#include "base/option.h"

/* const char *: a URL, from which passwords are erased where it is among the arguments. */
et_option_set et_set_url;
/* The same for any text that outlives the caller, an argument or a variable, or NULL. */
void et_secret_hide(char *argument);
/* Moves a variable's value to where /proc/PID/environ does not show it; getenv() finds it. */
void et_secret_move(const char *variable);
/* Returns the URL as it was given: for et_store_open only, never to be printed or recorded. */
const char *et_secret_url(const char *shown);
/* Copies a message without the passwords of URLs in it. Caller frees. */
char *et_secret_remove(const char *text);
