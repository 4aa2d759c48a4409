/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the treatments of a design, in standard order. Signs and aliases: model/design/terms.h. */
#pragma once

#include "base/error.h"
#include "model/design/terms.h"

enum { ET_MOST_FACTORS = 20, ET_MOST_TREATMENTS = 100000 };

/*
 * Makes the treatments of all factors: the full factorial in Yates's standard order (the first
 * factor changes fastest), or the fraction in which the factors with a generator follow the others.
 */
int et_design_make_treatments(struct et_design *d, struct et_error *err) ET_CHECK;
