/* SPDX-License-Identifier: MIT */
#include "base/sysroot.h"

#include <dirent.h>
#include <fcntl.h>

/* Writes root+path to full, which has PATH_MAX bytes. Returns 0 or -errno. */
static int join(const char *root, const char *path, char *full)
{
	int n = snprintf(full, PATH_MAX, "%s%s", root, path);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

ssize_t et_sysroot_read(const char *root, const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];
	size_t len = 0;

	if (join(root, path, full))
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

ssize_t et_sysroot_link(const char *root, const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];

	if (join(root, path, full))
		return -ENAMETOOLONG;
	ssize_t n = readlink(full, buf, size - 1);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return n;
}

bool et_sysroot_exists(const char *root, const char *path)
{
	char full[PATH_MAX];

	return !join(root, path, full) && !access(full, F_OK);
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

char **et_sysroot_names(const char *root, const char *path)
{
	struct dirent **entries = NULL;
	char full[PATH_MAX];
	int n = join(root, path, full) ? 0 : scandir(full, &entries, visible, versionsort);
	if (n < 0 && errno == ENOMEM)
		et_out_of_memory();
	char **names = et_calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*names));

	for (int i = 0; i < n; i++) {
		names[i] = et_strdup(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return names;
}

static int write_value(const char *full, int flags, const char *value)
{
	ET_AUTO_CLOSE int fd = open(full, O_WRONLY | O_CLOEXEC | flags, 0644);
	size_t len = strlen(value);

	if (fd < 0)
		return -errno;
	/* The kernel accepts a setting only if a single write() contains all of it. */
	ssize_t n = write(fd, value, len);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

int et_sysroot_write(const char *root, const char *path, const char *value)
{
	char full[PATH_MAX], fresh[PATH_MAX + 4], line[256];
	int rc = join(root, path, full);

	if (rc || !*root)
		return rc ? rc : write_value(full, 0, value);
	/*
	 * In a captured tree, replace the file by a new one, so that the change is atomic there
	 * too. Append a newline, because the kernel prints one when a setting is read.
	 */
	if (access(full, W_OK) < 0)
		return -errno;
	if (snprintf(line, sizeof(line), "%s\n", value) >= (int)sizeof(line))
		return -EINVAL;
	snprintf(fresh, sizeof(fresh), "%s.new", full);
	rc = write_value(fresh, O_CREAT | O_TRUNC, line);
	if (rc == 0 && rename(fresh, full) < 0)
		rc = -errno;
	return rc;
}
