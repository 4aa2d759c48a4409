/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Table XXV and Figure 18 of the EMP paper: the same runs by clocks inside and around, and EMP. */
#pragma once

#include "draw/terminal.h"
#include "model/experiment/experiment.h"
#include "model/result/precision.h"

/* In all of these, list has one entry per command of the experiment. */
void et_clock_methods_text(const struct et_experiment *e, const struct et_clock_methods *list,
	const struct et_page *page);
void et_clock_methods_json(
	const struct et_experiment *e, const struct et_clock_methods *list, FILE *out);
void et_clock_methods_svg(
	const struct et_experiment *e, const struct et_clock_methods *list, FILE *out);
