/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From samples to statements: every command summed up, every command compared with the reference,
 * and whatever makes these figures doubtful said beside them.
 */
#ifndef ET_STATS_JUDGE_H
#define ET_STATS_JUDGE_H

#include "model/result.h"

/* Fills *out, freed by et_judgement_free. Works on an experiment that is half done, too. */
void et_judge(const struct et_experiment *e, struct et_judgement *out);

#endif
