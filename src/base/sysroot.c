/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sysroot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

ssize_t et_sysroot_read(const char *root, const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];
	size_t len = 0;

	if (snprintf(full, sizeof(full), "%s%s", root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	ET_AUTO_CLOSE int fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (len + 1 < size) {
		ssize_t n = read(fd, buf + len, size - 1 - len);
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	buf[len] = '\0';
	return (ssize_t)len;
}

ssize_t et_sysroot_line(const char *root, const char *path, char *buf, size_t size)
{
	ssize_t n = et_sysroot_read(root, path, buf, size);

	if (n < 0)
		return n;
	buf[strcspn(buf, "\n")] = '\0';
	return (ssize_t)strlen(buf);
}
