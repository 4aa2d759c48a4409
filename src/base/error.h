/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Errors as values: filled where the cause is known, printed by cmd only.
 * A function that can fail returns 0 or -errno and leaves its out-parameters alone on failure.
 */
#ifndef ET_BASE_ERROR_H
#define ET_BASE_ERROR_H

#include "base/attr.h"

/* Exit statuses, as users' scripts rely on them. */
enum et_exit {
	ET_EXIT_DONE = 0,
	ET_EXIT_PROGRAM = 1,     /* the measured program failed, or a regression was found */
	ET_EXIT_USAGE = 2,       /* wrong usage */
	ET_EXIT_ENVIRONMENT = 3, /* privilege or kernel feature missing */
	ET_EXIT_OUTSIDE = 4,     /* the store or another outside part failed */
};

struct et_error {
	enum et_exit exit;
	char what[512];
	char hint[512];
};

/* Fills err (which may be NULL) and returns -errnum, so that `return et_fail(…)` reads well. */
int et_fail(struct et_error *err, int errnum, enum et_exit exit, const char *fmt, ...)
	ET_PRINTF(4, 5);
/* The same with ": strerror(errnum)" behind the text. */
int et_fail_errno(struct et_error *err, int errnum, enum et_exit exit, const char *fmt, ...)
	ET_PRINTF(4, 5);
/* "path: strerror(errnum)" of a file that could not be opened, read or written, with its cure. */
int et_fail_file(struct et_error *err, int errnum, enum et_exit exit, const char *path);
/* Says the cure; returns its argument rc for chaining. */
int et_hint(struct et_error *err, int rc, const char *fmt, ...) ET_PRINTF(3, 4);

#endif
