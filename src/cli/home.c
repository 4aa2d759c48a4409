/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the user's own files are. */
#include "base/alloc.h"
#include "cli/cli.h"

#include <pwd.h>
#include <unistd.h>

const char *et_cli_home(void)
{
	const char *home = getenv("HOME");
	const struct passwd *user = home && *home ? NULL : getpwuid(geteuid());

	if (home && *home)
		return home;
	return user && user->pw_dir && *user->pw_dir ? user->pw_dir : "/root";
}

char *et_cli_own_store(void)
{
	const char *data = getenv("XDG_DATA_HOME");

	if (data && data[0] == '/')
		return et_asprintf("%s/etalon/etalon.db", data);
	return et_asprintf("%s/.local/share/etalon/etalon.db", et_cli_home());
}

char *et_cli_state_dir(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && state[0] == '/')
		return et_asprintf("%s/etalon", state);
	if (home && home[0] == '/')
		return et_asprintf("%s/.local/state/etalon", home);
	return NULL;
}
