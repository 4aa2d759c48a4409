/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The charts of an experiment's page. */
#pragma once

#include "model/result/result.h"

/* Why a sample was removed, in words. The caller frees the text. */
char *et_removal_text(const struct et_removal *r);

/* How the charts of a page are drawn. */
struct et_pictures {
	enum et_metric pairs; /* of the dual-execution plots */
	/* Ends of the axis of the samples in order, by metric; both 0: as the samples need it. */
	double lo[ET_METRICS], hi[ET_METRICS];
};

/* As published: pairs of elapsed times; each command has the axes that its samples need. */
extern const struct et_pictures et_default_pictures;
/* Stretches the axes so that they also hold the samples of this command. */
void et_pictures_stretch(struct et_pictures *p, const struct et_command_result *r);

/*
 * Draws the charts of one command: its samples in order by elapsed time and by CPU time, their
 * distribution, their autocorrelation, and the pairs of successive samples.
 */
void et_experiment_pictures(
	const struct et_command_result *r, const struct et_pictures *how, FILE *out);
/* Draws every ratio to the reference with its interval; nothing if there is none. */
void et_experiment_forest(const struct et_judgement *j, FILE *out);
