/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes this machine, from /proc and /sys below a root (base/sysroot.h). */
#ifndef ET_HOST_HOST_H
#define ET_HOST_HOST_H

#include "model/experiment.h"

void et_host_read(const char *root, struct et_host *host);
/*
 * Identifies this machine among others: the host's name and a digest of /etc/machine-id, which
 * must not itself leave the machine (machine-id(5)). Two containers may differ in the name alone.
 */
void et_host_identity(const char *root, char *out, size_t size);
/* The load average of the last minute, or NaN if /proc does not show it. */
double et_host_load(const char *root);

#endif
