/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sensible first plan for a command. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

int et_doe_write_first(const char *command, FILE *out, struct et_error *err) ET_CHECK;
/* Whether a program is linked with a library of OpenMP. */
bool et_doe_uses_openmp(const char *path);
/* The comment by which editors find the schema, if it is installed. */
void et_doe_write_schema_line(FILE *out);
