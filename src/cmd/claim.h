/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One process at a time runs an experiment: whoever holds its claim. */
#ifndef ET_CMD_CLAIM_H
#define ET_CMD_CLAIM_H

#include "base/error.h"

/* Takes the claim; the kernel gives it back when the descriptor is closed or the process ends. */
int et_claim(const char *id, int *fd, struct et_error *err);

#endif
