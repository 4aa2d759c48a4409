/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Errors are values: they are filled where the cause is known and printed by cmd only. A function
 * that can fail returns 0 or -errno and leaves its out-parameters unchanged on failure.
 */
#ifndef ET_BASE_ERROR_H
#define ET_BASE_ERROR_H

#include "base/attr.h"

/* Exit statuses. Users' scripts rely on them. */
enum et_exit {
	ET_EXIT_DONE = 0,
	ET_EXIT_PROGRAM = 1,     /* the measured program failed, or a regression was found */
	ET_EXIT_USAGE = 2,       /* wrong usage */
	ET_EXIT_ENVIRONMENT = 3, /* privilege or kernel feature missing */
	ET_EXIT_OUTSIDE = 4,     /* the store, a file or another program failed */
};

struct et_error {
	enum et_exit exit;
	char what[512];
	char hint[512];
};

/* Fills err, which may be NULL, and returns -errnum, so that callers can `return et_fail(…)`. */
int et_fail(struct et_error *err, int errnum, enum et_exit exit, const char *fmt, ...)
	ET_PRINTF(4, 5);
/* The same, with ": strerror(errnum)" after the text. */
int et_fail_errno(struct et_error *err, int errnum, enum et_exit exit, const char *fmt, ...)
	ET_PRINTF(4, 5);
/* Reports that a file could not be opened, read or written, with a hint that suits errnum. */
int et_fail_file(struct et_error *err, int errnum, enum et_exit exit, const char *path);
/* Adds a hint, an imperative that the user can follow. Returns its argument rc. */
int et_hint(struct et_error *err, int rc, const char *fmt, ...) ET_PRINTF(3, 4);

#endif
