/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the programs of etalon, and etalon itself for them: beside each other in a build folder;
 * installed, in libexec. Neither environment nor working directory decides: root may be the user.
 */
#pragma once

#include "base/error.h"

int et_program_find(const char *name, char path[PATH_MAX], struct et_error *err) ET_CHECK;
/* Replaces this process by the program. Returns only after a failure. */
int et_program_execute(const char *name, char **argv, struct et_error *err) ET_CHECK;
