/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The environment and identity the measured program gets: the user's, with nothing of ours. */
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

/* -ENOENT for a user that is not there. */
int et_identity_find(const char *user, struct et_identity *out, struct et_error *err) ET_CHECK;
void et_identity_free(struct et_identity *id);

/*
 * A copy of envp without our own variables (ETALON_…); for another identity also without what
 * belongs to the caller (SUDO_…, XDG_…), and with HOME, USER, LOGNAME and SHELL of that identity.
 */
char **et_environ_make(char *const *envp, const struct et_identity *id);
const char *et_environ_get(char *const *envp, const char *name);

#endif
