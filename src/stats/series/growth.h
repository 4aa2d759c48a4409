/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The warnings about a fit of num/growth.h. */
#pragma once

#include "model/result/warning.h"
#include "num/growth.h"

/* Adds what speaks against the answer. */
void et_growth_warn(const struct et_growth *g, struct et_warnings *w);
