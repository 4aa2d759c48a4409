/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The environment and identity of the measured programs: those of the user, without etalon's. */
#ifndef ET_MEASURE_ENVIRON_H
#define ET_MEASURE_ENVIRON_H

#include "base/error.h"

#include <sys/types.h>

struct et_identity {
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	int n_groups;
	char *home, *name, *shell;
};

/* -ENOENT if there is no such user. */
int et_identity_find(const char *user, struct et_identity *out, struct et_error *err) ET_CHECK;
void et_identity_free(struct et_identity *id);

/*
 * Copies envp without our own variables (ETALON_…). For another identity it also omits those of
 * the caller (SUDO_…, XDG_…) and sets HOME, USER, LOGNAME and SHELL. NULL: no other identity.
 */
char **et_environ_make(char *const *envp, const struct et_identity *id);
const char *et_environ_get(char *const *envp, const char *name);

#endif
