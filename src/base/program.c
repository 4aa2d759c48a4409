/* SPDX-License-Identifier: MIT */
#include "base/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

int et_spawn(char *const *argv, char *const *environment, int out, int errors, bool own_group,
	pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	/* The calls that prepare the attributes fail on invalid flags only. */
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(
		&attributes, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
				     (own_group ? POSIX_SPAWN_SETPGROUP : 0)));
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawn_file_actions_init(&files);
	int rc = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
	if (rc == 0)
		rc = posix_spawnp(pid, argv[0], &files, &attributes, argv, environment);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return -rc;
}
