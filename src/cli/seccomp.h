/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A filter of system calls for commands that only read and write files. */
#pragma once

#include <stdbool.h>

/*
 * From now on this process can start no program and no process, use no network (with connects: it
 * can connect to a server, but not be one), and touch neither other processes nor the kernel's
 * settings: such calls fail with EPERM. It can still create threads. With starts, it can start and
 * end programs, which inherit the filter. Needs no_new_privs or CAP_SYS_ADMIN. Does nothing where
 * the kernel has no seccomp filters, on other processors than x86-64 and arm64, and in builds with
 * sanitizers, which trace their own process.
 */
void et_seccomp_files_only(bool connects, bool starts);
