/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that a command reads whole. */
#ifndef ET_CMD_INPUT_H
#define ET_CMD_INPUT_H

#include "base/error.h"

/*
 * All bytes of the file ("-": of the standard input), or a few more than most when there are more
 * than that: the reader refuses them. Caller frees.
 */
int et_input_read(
	const char *path, size_t most, char **data, size_t *size, struct et_error *err) ET_CHECK;

#endif
