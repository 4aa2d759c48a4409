/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The versions of EMP as tables (Tables II to VI and XIX of the papers), and their standard
 * deviation and relative error over the length of the task (Figure 17), in a terminal and as SVG.
 */
#pragma once

#include "draw/terminal.h"
#include "model/experiment/experiment.h"
#include "model/result/precision.h"

void et_versions_text(const struct et_versions *v, const struct et_page *page);
/* The experiments are those that v was judged by. */
void et_versions_json(const struct et_versions *v, const struct et_experiment *const *experiments,
	size_t n, FILE *out);
/* Figure 17 a to d. */
void et_versions_svg(const struct et_versions *v, FILE *out);
