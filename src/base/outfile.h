/* SPDX-License-Identifier: MIT */
/*
 * Opens a file for writing, also in a shared folder: one with the sticky bit in which group or
 * others may create files, such as /tmp. Another user may have planted the name there: a symbolic
 * link to one of our files, a FIFO that blocks us, a file of theirs, or a hard link. The kernel
 * refuses these if fs.protected_symlinks, protected_fifos, protected_regular and
 * protected_hardlinks are set (proc_sys_fs(5)). We apply the same rules whatever the settings are:
 * in a shared folder, a link is followed and a file is written only if it belongs to us or to the
 * owner of the folder, and a file with several hard links is not written. The folders that the path
 * names are trusted, as they are by the kernel.
 */
#pragma once

#include "base/error.h"

#include <sys/types.h>

struct et_outfile {
	int fd;
	int dir; /* the folder that contains the file; -1: the path leads through /proc/PID/fd */
	char name[NAME_MAX + 1]; /* the file's name in it, after all symbolic links */
	bool created;            /* the file did not exist */
};

/*
 * Opens path for writing and creates it if it does not exist. flags may be O_APPEND and O_TRUNC. On
 * failure fills err with the given exit status. The caller closes both descriptors.
 */
int et_outfile_open(struct et_outfile *o, const char *path, int flags, enum et_exit exit,
	struct et_error *err) ET_CHECK;
/* The same if only the descriptor is needed: returns it or -errno. */
int et_outfile_fd(const char *path, int flags, enum et_exit exit, struct et_error *err) ET_CHECK;
/* Creates a file beside o to be renamed to it, fills temporary; returns a descriptor or -errno. */
int et_outfile_beside(
	const struct et_outfile *o, mode_t mode, char temporary[NAME_MAX + 1]) ET_CHECK;
