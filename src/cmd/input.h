/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a whole file into memory. */
#ifndef ET_CMD_INPUT_H
#define ET_CMD_INPUT_H

#include "base/error.h"

/*
 * Reads all bytes of the file ("-" is standard input). Of a file with more than `most` bytes it
 * reads more than that many, perhaps not all: the caller must refuse them. Caller frees *data.
 */
int et_input_read(
	const char *path, size_t most, char **data, size_t *size, struct et_error *err) ET_CHECK;

#endif
