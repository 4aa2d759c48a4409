/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The schema of hyperfine's --export-json, so that its scripts and plots accept our results:
 * elapsed seconds of the kept solo runs. A value that hyperfine always has and we do not is null.
 */
#pragma once

#include "model/result/result.h"

void et_hyperfine_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out);
