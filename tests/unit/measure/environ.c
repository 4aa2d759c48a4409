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
	is_str(et_environ_get(mine, "PATH"), "/bin", "the user's environment");
	ok(!et_environ_get(mine, "ETALON_STORE"), "nothing of ours (a store's password)");
	is_str(et_environ_get(mine, "HOME"), "/root", "HOME as it was");
	et_strv_free(mine);

	ok(et_identity_find("nobody", &id, &err) == 0 && id.uid != 0 && id.n_groups >= 1,
		"nobody is somebody");
	char **theirs = et_environ_make(envp, &id);
	is_str(et_environ_get(theirs, "USER"), "nobody", "another user's name");
	is_str(et_environ_get(theirs, "HOME"), id.home, "and home");
	ok(!et_environ_get(theirs, "SUDO_USER"), "without the caller's traces");
	et_strv_free(theirs);
	et_identity_free(&id);
	ok(et_identity_find("no such user", &id, &err) < 0 && strstr(err.what, "no such user"),
		"an unknown user is refused");
	return tap_done();
}
