/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gives up the privileges that a command does not use. etalon often runs as root; a command that
 * only reads records, which may come from somebody else, must not be able to do more than that. All
 * of this is best effort: without seccomp or without capabilities the command works as before.
 */
#pragma once

#include <stdbool.h>

/*
 * The rights of a command. Each row of the table of commands has one of them.
 *
 * The programs that etalon measures are not affected: execve(2) computes their capabilities from
 * the bounding, inheritable and ambient sets and from the user id, which stay as the caller has
 * them. A seccomp filter and no_new_privs would be inherited, so only commands that measure no
 * program have them.
 */
enum et_rights {
	ET_RIGHTS_UNSTATED, /* a row without rights is a mistake; a test finds it */
	/*
	 * Reads and writes files and the store. Keeps the capabilities that override the
	 * permissions of files, because `sudo etalon show` reads the caller's store. Starts no
	 * program, uses no network and changes no other process.
	 */
	ET_RIGHTS_FILES,
	/* The same, and connects to servers. */
	ET_RIGHTS_NETWORK,
	/*
	 * Those of ET_RIGHTS_FILES, and starts programs that read a file for it. They have no more
	 * rights than it has: no_new_privs also keeps root's programs from getting capabilities.
	 */
	ET_RIGHTS_READERS,
	/* Starts programs, observes the machine and changes settings. */
	ET_RIGHTS_MACHINE,
	/* Is itself a program to be measured: nothing is changed. */
	ET_RIGHTS_SUBJECT,
};

void et_confine(enum et_rights rights);
/* The store may be on a server: from now on, ET_RIGHTS_FILES means ET_RIGHTS_NETWORK. */
void et_confine_expect_server(void);
/*
 * While programs run, the capabilities by which observers were set up are not in effect. They stay
 * permitted, because the observers are closed afterwards and a further experiment may begin. A
 * profile without a control group opens events for each run, which needs one of them.
 */
void et_confine_lower(bool profiles);
void et_confine_raise(void);
