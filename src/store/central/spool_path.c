/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the spool is. */
#include "base/alloc.h"
#include "base/folder.h"
#include "store/central/spool.h"

#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* File systems of several machines: the numbers that linux/magic.h lacks are in their sources. */
static const unsigned long shared_systems[] = {
	NFS_SUPER_MAGIC, AFS_SUPER_MAGIC, AFS_FS_MAGIC, CODA_SUPER_MAGIC, V9FS_MAGIC,
	SMB_SUPER_MAGIC, CEPH_SUPER_MAGIC, OCFS2_SUPER_MAGIC,
	FUSE_SUPER_MAGIC, /* sshfs, glusterfs and others; local ones are rare */
	0xff534d42,       /* cifs */
	0xfe534d42,       /* smb2 */
	0x0bd00bd0,       /* lustre */
	0x47504653,       /* gpfs */
	0x19830326,       /* beegfs */
	0x01161970,       /* gfs2 */
	0xa501fcf5,       /* vxfs */
};

/* Of the nearest folder that exists. A folder that cannot be asked is not local. */
static bool is_local(const char *folder)
{
	ET_AUTO_FREE char *path = et_strdup(folder);
	struct statfs fs;

	while (statfs(path, &fs)) {
		if (errno != ENOENT || !strcmp(path, "/") || !strcmp(path, "."))
			return false;
		char *above = et_folder_of(path);
		free(path);
		path = above;
	}
	for (size_t i = 0; i < ET_LENGTH(shared_systems); i++) {
		if ((unsigned long)fs.f_type == shared_systems[i])
			return false;
	}
	return true;
}

/* Another user can have made a folder of that name in /var/tmp before us. */
static int check_folder(const char *folder, struct et_error *err)
{
	struct stat st;

	if (mkdir(folder, 0700) && errno != EEXIST)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, folder);
	if (lstat(folder, &st))
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, folder);
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IRWXG | S_IRWXO)))
		return 0;
	return et_hint(err,
		et_fail(err, EPERM, ET_EXIT_OUTSIDE,
			"%s: the spool must be in a folder that only this user can enter", folder),
		"remove it, or name another file on a local disk with ETALON_SPOOL");
}

int et_spool_path(const char *given, const char *folder, char **out, struct et_error *err)
{
	if (given && *given) {
		*out = et_strdup(given);
		return 0;
	}
	if (is_local(folder)) {
		*out = et_asprintf("%s/spool.db", folder);
		return 0;
	}
	ET_AUTO_FREE char *own = et_asprintf("/var/tmp/etalon-%u", (unsigned)geteuid());
	int rc = check_folder(own, err);
	if (!rc)
		*out = et_asprintf("%s/spool.db", own);
	return rc;
}
