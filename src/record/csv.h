/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One row per sample with a column for each of its fields (model/experiment/field.h); lines end
 * with a line feed. The cell of an unknown value is empty; csv_text.h says how texts are written.
 */
#pragma once

#include "model/result/result.h"

/*
 * One row per command, as hyperfine's CSV: elapsed times in seconds, then a column parameter_NAME
 * for each parameter.
 */
void et_csv_write_summary(const struct et_experiment *e, const struct et_judgement *j, FILE *out);
void et_csv_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out);
