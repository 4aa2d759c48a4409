/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments of earlier versions, which had no figures (model/experiment/figure.h). Each series of
 * values was a command: its parameters were "clock", which named the series, load and length_ns,
 * and its samples had the values, rounded, as their elapsed times.
 */
#pragma once

#include "model/experiment/experiment.h"

/* Whether the commands of an experiment are such series, and no programs. */
bool et_old_series_only(const struct et_experiment *e);
/* Gives such an experiment the figures that it would have now. */
void et_old_series_read(struct et_experiment *e);
