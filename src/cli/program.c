/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/program.h"
#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/folders.h" /* generated */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Below the prefix of this program, which may be another one than it was built for. The names of
 * the last folders are compared: from /tmp/etalon, another user's /tmp/../libexec is not reached.
 */
static const struct {
	const char *here, *there;
} places[] = {
	{ "", "" },
	{ "/bin", "/../libexec/etalon" },
	{ "/libexec/etalon", "/../../bin" },
};

static const char *const configured[] = { ET_LIBEXEC, ET_BIN };

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* Returns 1 if the program is there, 0 if not. */
static int look(const char *folder, const char *below, const char *name, char path[PATH_MAX],
	struct et_error *err)
{
	ET_AUTO_FREE char *place = et_asprintf("%s%s/%s", folder, below, name);
	ET_AUTO_FREE char *whole = realpath(place, NULL);
	struct stat own, found;

	if (!whole || stat(whole, &found))
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : et_fail_file(err, errno, ET_EXIT_ENVIRONMENT, place);
	if (found.st_uid == 0 || (!stat("/proc/self/exe", &own) && own.st_uid == found.st_uid)) {
		snprintf(path, PATH_MAX, "%s", whole);
		return 1;
	}
	return et_hint(err,
		et_fail(err, EPERM, ET_EXIT_ENVIRONMENT,
			"%s does not belong to the owner of etalon", whole),
		"install all of etalon as one user");
}

int et_program_find(const char *name, char path[PATH_MAX], struct et_error *err)
{
	char own[PATH_MAX];
	int rc = et_cli_own_path(own, sizeof(own), err);

	if (rc)
		return rc;
	*strrchr(own, '/') = '\0';
	for (size_t i = 0; rc == 0 && i < ET_LENGTH(places); i++) {
		if (ends_with(own, places[i].here))
			rc = look(own, places[i].there, name, path, err);
	}
	for (size_t i = 0; rc == 0 && i < ET_LENGTH(configured); i++)
		rc = look(configured[i], "", name, path, err);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT, "the program %s of etalon is missing", name);
	return et_hint(err, rc, "install all of etalon, or copy %s beside it", name);
}

int et_program_execute(const char *name, char **argv, struct et_error *err)
{
	char path[PATH_MAX];
	int rc = et_program_find(name, path, err);

	if (rc)
		return rc;
	execv(path, argv);
	return et_fail_file(err, errno, ET_EXIT_ENVIRONMENT, path);
}
