/* SPDX-License-Identifier: MIT */
/*
 * The files that results are written to. They are opened before anything is timed; an old file
 * stays as it is until the new one is whole.
 */
#pragma once

#include "base/outfile.h"
#include "lib/bench/model.h"

#include <stdio.h>

struct et_bench_file {
	const char *path; /* NULL: not wanted; "-": standard output */
	void (*write)(const struct et_bench_results *r, FILE *out);
	struct et_outfile target;
	bool open;
};

bool et_bench_file_is_stdout(const struct et_bench_file *f);
/* Fails if the file cannot be written. A file that does not exist is not there afterwards either.
 */
int et_bench_file_open(struct et_bench_file *f, struct et_error *err) ET_CHECK;
int et_bench_file_write(
	struct et_bench_file *f, const struct et_bench_results *r, struct et_error *err) ET_CHECK;
void et_bench_file_close(struct et_bench_file *f);
