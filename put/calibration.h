/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rate at which `put inc` increments on this CPU model, measured once and kept in a file. */
#pragma once

#include "base/error.h"

/* Fills buf with the name of the CPU model, under which its rate is kept. */
void et_cpu_model(const char *sysroot, char *buf, size_t size);

/*
 * Measures the rate in increments per second of this thread's CPU time. It takes the fastest of
 * many short blocks, because noise only slows a block down. This takes 0.1 to 0.3 s.
 */
double et_calibrate_inc(void);

/*
 * Reads the rate of a CPU model from dir/inc.json. Returns -ENOENT if there is no file or the model
 * is not in it, -EBADMSG if the file is not valid, or another -errno. The caller can calibrate
 * after any of these.
 */
int et_calibration_read(
	const char *dir, const char *cpu, double *rate, struct et_error *err) ET_CHECK;
/*
 * Writes the rate of a CPU model into that file, which is replaced atomically and has mode 0600.
 * Creates dir and its parents with mode 0700 if they are missing.
 */
int et_calibration_write(
	const char *dir, const char *cpu, double rate, struct et_error *err) ET_CHECK;
