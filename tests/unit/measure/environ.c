/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/environ.h"
#include "base/parse.h"
#include "tap.h"

int main(void)
{
	char path[] = "PATH=/bin", store[] = "ETALON_STORE=postgresql://u:secret@h/db",
	     sudo[] = "SUDO_USER=me", home[] = "HOME=/root", odd[] = "no-equals";
	char *envp[] = { path, store, sudo, home, odd, NULL };
	struct et_identity id = { 0 };
	struct et_error err;

	char **mine = et_environ_make(envp, NULL);
	is_str(et_environ_get(mine, "PATH"), "/bin", "the environment of the user is kept");
	ok(!et_environ_get(mine, "ETALON_STORE"),
		"variables of etalon are removed (a store's password)");
	is_str(et_environ_get(mine, "HOME"), "/root", "HOME is kept for the same user");
	et_strv_free(mine);

	ok(et_identity_find("nobody", &id, &err) == 0 && id.uid != 0 && id.n_groups >= 1,
		"the user nobody is found, with its groups");
	char **theirs = et_environ_make(envp, &id);
	is_str(et_environ_get(theirs, "USER"), "nobody", "another user: USER is its name");
	is_str(et_environ_get(theirs, "HOME"), id.home, "another user: HOME is its home");
	ok(!et_environ_get(theirs, "SUDO_USER"),
		"another user: variables of the caller are removed");
	et_strv_free(theirs);
	et_identity_free(&id);
	ok(et_identity_find("no such user", &id, &err) < 0 && strstr(err.what, "no such user"),
		"an unknown user is refused");
	return tap_done();
}
