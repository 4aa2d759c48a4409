/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the programs that belong to etalon: those that it executes, and etalon itself for them.
 * They are beside each other in a build folder; installed, those that only etalon starts are in
 * libexec. Neither the environment nor the working directory decides, because root may be the user.
 */
#pragma once

#include "base/error.h"

int et_program_find(const char *name, char path[PATH_MAX], struct et_error *err) ET_CHECK;
/* Replaces this process by the program. Returns only after a failure. */
int et_program_execute(const char *name, char **argv, struct et_error *err) ET_CHECK;
