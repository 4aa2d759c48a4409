/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of an experiment's page. */
#ifndef ET_REPORT_EXPERIMENT_PICTURES_H
#define ET_REPORT_EXPERIMENT_PICTURES_H

#include "model/result.h"

/* Why a sample was removed, for a person. Caller frees. */
char *et_removal_text(const struct et_removal *r);

/* Of one command: its samples in their order, their distribution, and in pairs. */
void et_experiment_pictures(const struct et_command_result *r, FILE *out);
/* Every comparison with its interval; nothing where there is none. */
void et_experiment_forest(const struct et_judgement *j, FILE *out);

#endif
