/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The charts of an experiment's page. */
#ifndef ET_REPORT_EXPERIMENT_PICTURES_H
#define ET_REPORT_EXPERIMENT_PICTURES_H

#include "model/result.h"

/* Why a sample was removed, in words. The caller frees the text. */
char *et_removal_text(const struct et_removal *r);

/*
 * Draws the charts of one command: its samples in order, their distribution, their autocorrelation,
 * and the pairs of successive samples.
 */
void et_experiment_pictures(const struct et_command_result *r, FILE *out);
/* Draws every ratio to the reference with its interval; nothing if there is none. */
void et_experiment_forest(const struct et_judgement *j, FILE *out);

#endif
