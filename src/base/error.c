/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <stdarg.h>
#include <string.h>

static void fill(struct et_error *err, enum et_exit exit, const char *fmt, va_list ap)
{
	err->exit = exit;
	err->hint[0] = '\0';
	vsnprintf(err->what, sizeof(err->what), fmt, ap);
}

int et_fail(struct et_error *err, int errnum, enum et_exit exit, const char *fmt, ...)
{
	if (err) {
		va_list ap;

		va_start(ap, fmt);
		fill(err, exit, fmt, ap);
		va_end(ap);
	}
	return -errnum;
}

int et_fail_errno(struct et_error *err, int errnum, enum et_exit exit, const char *fmt, ...)
{
	if (err) {
		va_list ap;

		va_start(ap, fmt);
		fill(err, exit, fmt, ap);
		va_end(ap);
		size_t len = strlen(err->what);
		snprintf(err->what + len, sizeof(err->what) - len, ": %s", strerror(errnum));
	}
	return -errnum;
}

int et_hint(struct et_error *err, int rc, const char *fmt, ...)
{
	if (err) {
		va_list ap;

		va_start(ap, fmt);
		vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
		va_end(ap);
	}
	return rc;
}
