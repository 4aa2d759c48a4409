/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which users can put contents into the file of a store. A record has commands, and resuming it
 * runs them: root must not do this with a file that another user could have written. `sudo etalon
 * run --resume` with the HOME of that user would otherwise run that user's commands as root.
 */
#include "base/folder.h"
#include "store/sqlite/sqlite.h"

#include <pwd.h>
#include <sys/stat.h>

/*
 * The user who owns the root folder controls all others anyway. In a user namespace this is the
 * machine's root, which is not number 0 there.
 */
static bool is_trusted(uid_t uid)
{
	struct stat top;

	return uid == geteuid() || uid == 0 || (stat("/", &top) == 0 && uid == top.st_uid);
}

static bool others_can_write(const struct stat *st)
{
	return st->st_mode & (S_IWGRP | S_IWOTH); /* the group's bits include an ACL's */
}

static int refuse(const char *store, const char *what, const struct stat *st, struct et_error *err)
{
	const struct passwd *user = is_trusted(st->st_uid) ? NULL : getpwuid(st->st_uid);
	ET_AUTO_FREE char *who = is_trusted(st->st_uid) ? et_strdup("other users can write")
				 : user                 ? et_asprintf("user %s owns", user->pw_name)
					: et_asprintf("user %u owns", (unsigned)st->st_uid);

	return et_fail_hint(err, EPERM, ET_EXIT_OUTSIDE,
		"run etalon as the user of the store, use 'sudo -H', or name a store in a folder "
		"that only root can write with --store",
		"%s: root does not write this store, because %s %s", store, who, what);
}

/* The file itself, or one that SQLite or etalon keeps beside it. */
static int check_file(const char *store, const char *path, struct et_error *err)
{
	struct stat st;

	if (lstat(path, &st))
		return 0;
	bool open_to_others = others_can_write(&st) && !S_ISLNK(st.st_mode); /* a link is always */
	if (is_trusted(st.st_uid) && !open_to_others)
		return 0;
	return refuse(store, path, &st, err);
}

/*
 * Checks a folder and those that contain it. Others must not write to the folder itself, where they
 * could make a log that SQLite merges into the store. Above it, a sticky folder such as /tmp keeps
 * others from renaming what is not theirs.
 */
static int check_folders(
	const char *store, const char *folder, bool contains_store, struct et_error *err)
{
	ET_AUTO_FREE char *path = et_strdup(folder);

	for (bool first = contains_store;; first = false) {
		struct stat st;
		if (stat(path, &st))
			return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
		bool sticky = (st.st_mode & S_ISVTX) && !first;
		if (!is_trusted(st.st_uid) || (others_can_write(&st) && !sticky))
			return refuse(store, path, &st, err);
		if (!strcmp(path, "/"))
			return 0;
		char *above = et_folder_of(path);
		free(path);
		path = above;
	}
}

/* Resolves the folder that contains path, or the nearest one above it that exists. */
static char *existing_folder(const char *path, bool *contains_store)
{
	ET_AUTO_FREE char *folder = et_folder_of(path);
	char *resolved = realpath(folder, NULL);

	*contains_store = resolved;
	while (!resolved && errno == ENOENT && strcmp(folder, "/") && strcmp(folder, ".")) {
		char *above = et_folder_of(folder);
		free(folder);
		folder = above;
		resolved = realpath(folder, NULL);
	}
	return resolved;
}

static int check_owner(char **path, struct et_error *err)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal", "-claims" };
	bool contains_store;

	/* Links are resolved once, so that another user cannot change one after the check. */
	char *target = realpath(*path, NULL);
	ET_AUTO_FREE char *full = et_strdup(target ? target : *path);
	free(target);
	ET_AUTO_FREE char *folder = existing_folder(full, &contains_store);
	if (!folder)
		return 0; /* opening reports the cause */
	int rc = check_folders(*path, folder, contains_store, err);
	if (rc || !contains_store)
		return rc;
	const char *slash = strrchr(full, '/');
	ET_AUTO_FREE char *file =
		et_asprintf("%s/%s", strcmp(folder, "/") ? folder : "", slash ? slash + 1 : full);
	for (size_t i = 0; !rc && i < ET_LENGTH(suffixes); i++) {
		ET_AUTO_FREE char *beside = et_asprintf("%s%s", file, suffixes[i]);
		rc = check_file(*path, beside, err);
	}
	if (rc)
		return rc;
	free(*path);
	*path = et_strdup(file);
	return 0;
}

int et_sqlite_check_owner(char **path, struct et_error *err)
{
	struct stat st;

	/* Opening refuses a file of any other type. */
	if (geteuid() != 0 || (stat(*path, &st) == 0 && !S_ISREG(st.st_mode)))
		return 0;
	return check_owner(path, err);
}

bool et_sqlite_is_shared(const char *path)
{
	ET_AUTO_FREE char *resolved = et_strdup(path);
	struct stat st;

	return stat(path, &st) == 0 && check_owner(&resolved, NULL) != 0;
}

bool et_sqlite_is_own(const char *path)
{
	ET_AUTO_FREE char *resolved = et_strdup(path);
	struct stat st;

	return stat(path, &st) == 0 && is_trusted(st.st_uid) &&
	       et_sqlite_check_owner(&resolved, NULL) == 0;
}
