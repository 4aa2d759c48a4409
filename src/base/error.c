/* SPDX-License-Identifier: MIT */
#include "base/error.h"

static void fill(struct et_error *err, enum et_exit exit, const char *fmt, va_list ap)
{
	if (!err)
		return;
	err->exit = exit;
	err->hint[0] = err->quoted[0] = '\0';
	vsnprintf(err->what, sizeof(err->what), fmt, ap);
}

int et_fail(struct et_error *err, int errnum, enum et_exit exit, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, exit, fmt, ap);
	va_end(ap);
	return -errnum;
}

int et_fail_hint(
	struct et_error *err, int errnum, enum et_exit exit, const char *hint, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, exit, fmt, ap);
	va_end(ap);
	return et_hint(err, -errnum, "%s", hint);
}

int et_refuse(struct et_error *err, const char *hint, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, ET_EXIT_USAGE, fmt, ap);
	va_end(ap);
	return et_hint(err, -EINVAL, "%s", hint ? hint : "");
}

int et_fail_errno(struct et_error *err, int errnum, enum et_exit exit, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, errnum == ENOMEM ? ET_EXIT_OUTSIDE : exit, fmt, ap);
	va_end(ap);
	size_t len = err ? strlen(err->what) : 0;
	if (err)
		snprintf(err->what + len, sizeof(err->what) - len, ": %s", strerror(errnum));
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

int et_quote(struct et_error *err, int rc, const char *lines)
{
	if (err)
		snprintf(err->quoted, sizeof(err->quoted), "%s", lines);
	return rc;
}

int et_fail_file(struct et_error *err, int errnum, enum et_exit exit, const char *path)
{
	int rc = et_fail_errno(err, errnum, exit, "%s", path);
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 1,
		slash ? path : ".");
	switch (errnum) {
	case ENOENT:
		if (access(*folder ? folder : "/", F_OK) < 0)
			return et_hint(err, rc,
				"there is no folder '%s': correct the path, or make it with mkdir "
				"-p",
				folder);
		return rc;
	case ENOTDIR:
		return et_hint(err, rc, "'%s' is not a folder: correct the path", folder);
	case EISDIR:
		return et_hint(err, rc, "this is a folder: name a file in it");
	case EACCES:
	case EPERM:
		return et_hint(
			err, rc, "run ls -ld '%s/' '%s' to see who has permission", folder, path);
	case EROFS:
	case ENOSPC:
		return et_hint(err, rc, "name a file on another file system (df -h lists them)");
	default:
		return rc;
	}
}
