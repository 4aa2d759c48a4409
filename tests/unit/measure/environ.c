/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/environ.h"
#include "base/parse.h"
#include "model/sample/executor.h"
#include "tap.h"

#include <errno.h>

static void pad(void)
{
	char *envp[] = { (char *)"PATH=/bin", (char *)"ETALON_PAD=caller", NULL };
	char **padded =
		et_environ_with_number(et_environ_with_pad(et_environ_make(envp, NULL, NULL)));

	is_str(et_environ_get(padded, ET_PAD_VARIABLE), "", "a padding is empty at first");
	et_environ_number(padded, false, 12);
	et_environ_pad(padded, ET_MOST_PAD);
	ok(strlen(et_environ_get(padded, ET_PAD_VARIABLE)) == ET_MOST_PAD,
		"a padding can have %d bytes", ET_MOST_PAD);
	et_environ_pad(padded, 3);
	is_str(et_environ_get(padded, ET_PAD_VARIABLE), "xxx", "a padding can become shorter");
	is_str(et_environ_get(padded, "ETALON_ITERATION"), "12",
		"a padding leaves the number of the run as it is");
	ok(et_strv_length(padded) == 4, "a padding of the caller's is not passed on");
	et_strv_free(padded);
	padded = et_environ_with_pad(et_strv_of("ETALON_PAD=short", "A=1", NULL));
	et_environ_pad(padded, ET_MOST_PAD);
	ok(et_strv_length(padded) == 2 && !strcmp(padded[0], "A=1"),
		"a variable of the same name is replaced");
	et_strv_free(padded);
}

int main(void)
{
	char path[] = "PATH=/bin", store[] = "ETALON_STORE=postgresql://u:secret@h/db",
	     sudo[] = "SUDO_USER=me", home[] = "HOME=/root", odd[] = "no-equals";
	char locale[] = "LC_TIME=C", zone[] = "TZ=UTC", secret[] = "SECRET_TOKEN=1",
	     library[] = "LD_LIBRARY_PATH=/x", pathological[] = "PATHOLOGY=1";
	char *envp[] = { path, store, sudo, home, odd, locale, zone, secret, library, pathological,
		NULL };
	struct et_identity id = { 0 };
	struct et_error err;

	char **mine = et_environ_make(envp, NULL, NULL);
	is_str(et_environ_get(mine, "PATH"), "/bin", "the environment of the user is kept");
	ok(!et_environ_get(mine, "ETALON_STORE"),
		"variables of etalon are removed (a store's password)");
	is_str(et_environ_get(mine, "HOME"), "/root", "HOME is kept for the same user");
	et_strv_free(mine);

	ok(et_identity_find("nobody", &id, &err) == 0 && id.uid != 0 && id.n_groups >= 1,
		"the user nobody is found, with its groups");
	char **theirs = et_environ_make(envp, &id, NULL);
	is_str(et_environ_get(theirs, "USER"), "nobody", "another user: USER is its name");
	is_str(et_environ_get(theirs, "HOME"), id.home, "another user: HOME is its home");
	ok(!et_environ_get(theirs, "SUDO_USER"),
		"another user: variables of the caller are removed");
	is_str(et_environ_get(theirs, "PATH"), "/bin", "another user: PATH is the caller's");
	ok(et_environ_get(theirs, "LC_TIME") && et_environ_get(theirs, "TZ"),
		"another user: the locale and the time zone are kept");
	ok(!et_environ_get(theirs, "SECRET_TOKEN") && !et_environ_get(theirs, "PATHOLOGY") &&
			!et_environ_get(theirs, "ETALON_STORE"),
		"another user: other variables are removed");
	ok(!et_environ_get(theirs, "LD_LIBRARY_PATH"),
		"another user: variables of the dynamic linker are removed");
	et_strv_free(theirs);
	theirs = et_environ_make(envp, &id, "SECRET_TOKEN,HOME");
	is_str(et_environ_get(theirs, "SECRET_TOKEN"), "1",
		"another user: a named variable is passed");
	is_str(et_environ_get(theirs, "HOME"), "/root",
		"another user: HOME is passed if it is named");
	ok(!et_environ_get(theirs, "SUDO_USER"), "another user: the others are still removed");
	et_strv_free(theirs);
	ok(et_environ_check(NULL, envp, &err) == 0 && et_environ_check("TZ,HOME", envp, &err) == 0,
		"names of variables are accepted if they are set");
	ok(et_environ_check("TZ,NONE", envp, &err) == -ENOENT && strstr(err.what, "NONE"),
		"a variable that is not set is refused: %s", err.what);
	ok(et_environ_check("TZ=UTC", envp, &err) == -EINVAL &&
			et_environ_check(",", envp, &err) < 0,
		"a value, or no name, is refused: %s", err.what);
	et_identity_free(&id);
	ok(et_identity_find("no such user", &id, &err) < 0 && strstr(err.what, "no such user"),
		"an unknown user is refused");
	pad();
	return tap_done();
}
