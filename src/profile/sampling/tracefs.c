/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/parse.h"
#include "profile/sampling/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/mount.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Names of probes begin with this and our process id, so that two of us do not meet. */
#define GROUP "etalon_"

/* Mounts it nowhere: only our descriptor leads there. Returns -errno. */
static int mount_unseen(void)
{
	int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);

	if (context < 0)
		return -errno;
	int dir = -1;
	if (!syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		dir = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	int rc = dir < 0 ? -errno : dir;
	close(context);
	return rc;
}

static int write_line(const struct et_tracefs *t, const char *line)
{
	size_t n = strlen(line);

	return write(t->probes, line, n) == (ssize_t)n ? 0 : errno ? -errno : -EIO;
}

static void remove_probe(const struct et_tracefs *t, pid_t pid, uint32_t number)
{
	char line[80];

	snprintf(line, sizeof(line), "-:" GROUP "%d/f%" PRIu32 "\n", (int)pid, number);
	(void)!write_line(t, line);
}

/* The kernel refuses to remove a probe that is in use. */
static void remove_stale(const struct et_tracefs *t)
{
	int fd = openat(t->dir, "uprobe_events", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0;
	int pid;
	uint32_t number;

	if (!f)
		return et_cleanup_close(&fd);
	while (getline(&line, &room, f) > 0) {
		if (sscanf(line, "p:" GROUP "%d/f%" SCNu32 " ", &pid, &number) == 2 && pid > 0 &&
			kill(pid, 0) < 0 && errno == ESRCH)
			remove_probe(t, pid, number);
	}
	free(line);
	fclose(f);
}

int et_tracefs_open(struct et_tracefs *t)
{
	*t = (struct et_tracefs){ .dir = mount_unseen(), .probes = -1 };
	if (t->dir < 0) {
		int rc = t->dir;
		t->dir = -1;
		return rc;
	}
	t->probes = openat(t->dir, "uprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
	if (t->probes < 0) {
		int rc = -errno;
		et_tracefs_close(t);
		return rc;
	}
	remove_stale(t);
	return 0;
}

void et_tracefs_close(struct et_tracefs *t)
{
	et_cleanup_close(&t->probes);
	et_cleanup_close(&t->dir);
	*t = (struct et_tracefs){ -1, -1 };
}

static int read_id(const struct et_tracefs *t, uint32_t number, uint64_t *id)
{
	char path[80], text[32];

	snprintf(path, sizeof(path), "events/" GROUP "%d/f%" PRIu32 "/id", (int)getpid(), number);
	ET_AUTO_CLOSE int fd = openat(t->dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return fd < 0 ? -errno : -EIO;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return et_parse_u64("id", text, 0, UINT32_MAX, id, NULL);
}

int et_tracefs_define(
	struct et_tracefs *t, uint32_t number, const char *path, uint64_t offset, uint64_t *id)
{
	/* A definition is a line of words, in which a hash begins a comment. */
	if (path[0] != '/' || strpbrk(path, " \t\n\v\f\r#"))
		return -EINVAL;
	ET_AUTO_FREE char *line = et_asprintf("p:" GROUP "%d/f%" PRIu32 " %s:0x%" PRIx64 "\n",
		(int)getpid(), number, path, offset);
	int rc = write_line(t, line);
	if (rc)
		return rc;
	rc = read_id(t, number, id);
	if (rc)
		et_tracefs_remove(t, number);
	return rc;
}

void et_tracefs_remove(struct et_tracefs *t, uint32_t number)
{
	remove_probe(t, getpid(), number);
}
