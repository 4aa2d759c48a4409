/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads records of daemons from JSON in the form of the EMP papers' data: an object short_run and
 * optionally long_run, each with samples, sample_seconds, and either the arrays central and
 * l_samples or the array all. The text is not trusted: every error (exit status 2) names the place
 * in it.
 */
#pragma once

#include "base/error.h"
#include "model/sample/daemon.h"

/* No machine has more daemons than this, and no record more samples. */
enum { ET_DAEMONS_MOST_NAMES = 10000, ET_DAEMONS_MOST_SAMPLES = 1000000 };
/* A text is held in memory as a whole; what is read from it needs at most 20 times its size. */
#define ET_DAEMONS_MOST_BYTES ((size_t)256 << 20)

/* name is that of the file, for errors. On success et_daemon_record_free frees *out. */
int et_daemon_record_read(const char *data, size_t size, const char *name,
	struct et_daemon_record *out, struct et_error *err) ET_CHECK;
/*
 * True if the text is the native record of an experiment ("etalon": 1), which et_import reads, and
 * not a record of daemons.
 */
bool et_daemon_record_is_native(const char *data, size_t size);
