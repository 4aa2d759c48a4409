/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A flame graph: a box per calling context, above the context that called it, as wide as its mean
 * share of the samples. The faded right end of a box and the whisker through it are as long as the
 * expanded uncertainty of that share. It needs no script.
 */
#pragma once

#include "app/profile/view.h"

/* Writes an element of a page. */
void et_profile_flame_embed(const struct et_profiled *p, size_t command, FILE *out);
