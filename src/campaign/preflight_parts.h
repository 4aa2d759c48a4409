/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that judge probes. */
#pragma once

#include "campaign/preflight.h"

/* Takes text. The exit status of the first error is that of the command. */
void et_preflight_add_error(
	struct et_preflight *out, int errnum, enum et_exit exit, char *text, const char *cure);
/* Adds an error if two clocks disagree. */
void et_preflight_clocks(const struct et_node_probe *probes, size_t n, struct et_preflight *out);
/* Adds the factors of the environment that differ. */
void et_preflight_compare(const struct et_node_probe *probes, size_t n, struct et_preflight *out);
