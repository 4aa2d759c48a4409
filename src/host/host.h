/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes this machine, from /proc and /sys below a root (base/sysroot.h). */
#ifndef ET_HOST_HOST_H
#define ET_HOST_HOST_H

#include "model/experiment.h"

void et_host_read(const char *root, struct et_host *host);
/* The load average of the last minute, or NaN if /proc does not show it. */
double et_host_load(const char *root);

#endif
