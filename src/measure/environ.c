/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/environ.h"
#include "base/alloc.h"
#include "base/parse.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>

int et_identity_find(const char *user, struct et_identity *out, struct et_error *err)
{
	errno = 0;
	struct passwd *pw = getpwnam(user);

	if (!pw)
		return et_fail(err, ENOENT, ET_EXIT_USAGE, "--user: there is no user '%s'", user);
	out->uid = pw->pw_uid;
	out->gid = pw->pw_gid;
	out->home = et_strdup(pw->pw_dir);
	out->name = et_strdup(pw->pw_name);
	out->shell = et_strdup(pw->pw_shell);
	out->n_groups = 0;
	getgrouplist(user, pw->pw_gid, NULL, &out->n_groups);
	out->groups = et_calloc((size_t)out->n_groups, sizeof(*out->groups));
	if (getgrouplist(user, out->gid, out->groups, &out->n_groups) < 0)
		out->n_groups = 0;
	return 0;
}

void et_identity_free(struct et_identity *id)
{
	free(id->groups);
	free(id->home);
	free(id->name);
	free(id->shell);
	memset(id, 0, sizeof(*id));
}

static bool starts_with_any(const char *text, const char *const *prefixes)
{
	for (; *prefixes; prefixes++) {
		if (!strncmp(text, *prefixes, strlen(*prefixes)))
			return true;
	}
	return false;
}

char **et_environ_make(char *const *envp, const struct et_identity *id)
{
	static const char *const ours[] = { "ETALON_", NULL };
	static const char *const theirs[] = { "SUDO_", "XDG_", "DBUS_", "SSH_",
		"MAIL=", "HOME=", "USER=", "LOGNAME=", "SHELL=", NULL };
	char **out = et_calloc(et_strv_length(envp) + 5, sizeof(*out));
	size_t n = 0;

	for (char *const *p = envp; *p; p++) {
		if (!starts_with_any(*p, ours) && !(id && starts_with_any(*p, theirs)))
			out[n++] = et_strdup(*p);
	}
	if (id) {
		out[n++] = et_asprintf("HOME=%s", id->home);
		out[n++] = et_asprintf("USER=%s", id->name);
		out[n++] = et_asprintf("LOGNAME=%s", id->name);
		out[n++] = et_asprintf("SHELL=%s", id->shell);
	}
	return out;
}

const char *et_environ_get(char *const *envp, const char *name)
{
	size_t len = strlen(name);

	for (char *const *p = envp; *p; p++) {
		if (!strncmp(*p, name, len) && (*p)[len] == '=')
			return *p + len + 1;
	}
	return NULL;
}
