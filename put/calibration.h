/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many increments a second this kind of CPU makes undisturbed: found once, then kept. */
#ifndef ET_PUT_CALIBRATION_H
#define ET_PUT_CALIBRATION_H

#include "base/error.h"

/* The CPU's model, as far as the kernel tells it; the key of what is kept. */
void et_cpu_model(const char *sysroot, char *buf, size_t size);

/*
 * The fastest of many short blocks of this thread's CPU time, in increments a second: noise only
 * ever slows down, so the fastest is the nearest to the undisturbed machine. Takes 0.1 to 0.3 s.
 */
double et_calibrate_inc(void);

/*
 * Reads and writes dir/inc.json, one rate for each CPU model. Reading refuses with -EBADMSG what is
 * not such a file (and the caller calibrates anew), with -ENOENT when the model is not in it.
 */
int et_calibration_read(
	const char *dir, const char *cpu, double *rate, struct et_error *err) ET_CHECK;
/* Makes dir with its parents (0700); the file is replaced at once or not at all, 0600. */
int et_calibration_write(
	const char *dir, const char *cpu, double rate, struct et_error *err) ET_CHECK;

#endif
