/* SPDX-License-Identifier: MIT */
/*
 * Errors are values: the function that knows the cause fills them, and the command prints them. A
 * function that can fail returns 0 or -errno and leaves its out-parameters unchanged on failure.
 */
#pragma once

#include "base/base.h"

/* Exit statuses. Users' scripts rely on them. */
enum et_exit {
	ET_EXIT_DONE = 0,
	ET_EXIT_PROGRAM = 1,     /* the measured program failed */
	ET_EXIT_USAGE = 2,       /* wrong usage */
	ET_EXIT_ENVIRONMENT = 3, /* privilege or kernel feature missing */
	ET_EXIT_OUTSIDE = 4,     /* the store, a file or another program failed */
	ET_EXIT_REGRESSION = 5,  /* --fail-on-regression found a regression */
};

struct et_error {
	enum et_exit exit; /* the status that the program ends with */
	char what[512];    /* what failed and why */
	char hint[512];    /* what the user can do, or "" */
	char quoted[512];  /* lines of another program that explain it, or "" */
};

/* Fills err, which may be NULL, and returns -errnum, so that callers can `return et_fail(…)`. */
int et_fail(struct et_error *err, int errnum, enum et_exit exit, const char *fmt, ...)
	ET_PRINTF(4, 5);
/* As et_fail, and appends ": " and the text of errnum. For ENOMEM, exit is ET_EXIT_OUTSIDE. */
int et_fail_errno(struct et_error *err, int errnum, enum et_exit exit, const char *fmt, ...)
	ET_PRINTF(4, 5);
/* Reports that a file could not be opened, read or written, with a hint that suits errnum. */
int et_fail_file(struct et_error *err, int errnum, enum et_exit exit, const char *path);
/* Quotes lines of another program in err, which may be NULL, and returns rc. */
int et_quote(struct et_error *err, int rc, const char *lines);
/* As et_fail, with a hint. */
int et_fail_hint(struct et_error *err, int errnum, enum et_exit exit, const char *hint,
	const char *fmt, ...) ET_PRINTF(5, 6);
/* Reports wrong usage (exit status 2) with a hint, and returns -EINVAL. */
int et_refuse(struct et_error *err, const char *hint, const char *fmt, ...) ET_PRINTF(3, 4);
/* Sets the hint of err, which may be NULL, and returns rc. */
int et_hint(struct et_error *err, int rc, const char *fmt, ...) ET_PRINTF(3, 4);
