/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a whole file into memory. */
#pragma once

#include "base/error.h"

/*
 * Reads all bytes of the file ("-" is standard input). Of a file with more than `most` bytes it
 * reads more than that many, perhaps not all: the caller must refuse them. Caller frees *data.
 */
int et_input_read(
	const char *path, size_t most, char **data, size_t *size, struct et_error *err) ET_CHECK;
/* The same of an open file; `name` is for errors. */
int et_input_read_stream(FILE *f, const char *name, size_t most, char **data, size_t *size,
	struct et_error *err) ET_CHECK;

struct et_experiment;
/* Makes the experiment of a record that etalon wrote; `name` is for errors. The caller frees it. */
int et_input_record(const char *data, size_t size, const char *name, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
