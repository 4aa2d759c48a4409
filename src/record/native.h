/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The native record: an experiment and its results as JSON, from which `import` restores the
 * experiment. Scripts depend on the keys: add keys, but never rename one.
 */
#pragma once

#include "model/result/result.h"

void et_native_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out);

/*
 * Writes the experiment without samples and results: as much as a machine needs that is to run it.
 * `import` reads it as it reads a record.
 */
void et_native_write_plan(const struct et_experiment *e, FILE *out);
