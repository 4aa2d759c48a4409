/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes this machine, from /proc and /sys below a root (base/sysroot.h). */
#pragma once

#include "base/error.h"
#include "model/experiment/experiment.h"

#include <sched.h>

/*
 * These read a file below the root, whose path is formatted: its first line, as et_sysroot_line
 * does; a number, or ET_UNKNOWN; a list of CPUs, or false and an empty set.
 */
ssize_t et_host_line(const char *root, char *buf, size_t size, const char *fmt, ...)
	ET_PRINTF(4, 5) ET_CHECK;
uint64_t et_host_number(const char *root, const char *fmt, ...) ET_PRINTF(2, 3);
bool et_host_cpus(const char *root, cpu_set_t *out, const char *fmt, ...) ET_PRINTF(3, 4);

void et_host_read(const char *root, struct et_host *host);
/*
 * Identifies this machine among others (model/experiment/machine_id.h): by the name in the variable
 * ETALON_MACHINE or in /etc/etalon/machine, or else by a digest of /etc/machine-id, which must not
 * itself leave the machine (machine-id(5)). A renamed host is the same machine. The name of the
 * host is added where others may have the same machine-id: in a container, which has PID and UTS
 * namespaces of its own, and without a machine-id.
 */
void et_host_identity(const char *root, char *out, size_t size);
/* Fails if a name was chosen that is not valid. */
int et_host_identity_check(const char *root, struct et_error *err) ET_CHECK;
/* Whether the path names the file that is open, and not another one that has replaced it. */
bool et_host_names_file(const char *path, int fd);
/* The load average of the last minute, or NaN if /proc does not show it. */
double et_host_load(const char *root);
