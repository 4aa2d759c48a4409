/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this machine is, read from /proc and /sys below a root that a test can replace. */
#ifndef ET_HOST_HOST_H
#define ET_HOST_HOST_H

#include "model/experiment.h"

void et_host_read(const char *root, struct et_host *host);
/* Tasks that wanted a CPU in the last minute, on average; NaN: the kernel does not tell. */
double et_host_load(const char *root);

#endif
