/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment as an HTML page: figures, warnings, charts, and removed samples with the reason. */
#pragma once

#include "model/result/result.h"

/* The charts of an experiment's page. */

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

/* Draws a command's samples in order, their distribution and autocorrelation, and the pairs. */
void et_experiment_pictures(
	const struct et_command_result *r, const struct et_pictures *how, FILE *out);
/* Draws every ratio to the reference with its interval; nothing if there is none. */
void et_experiment_forest(const struct et_judgement *j, FILE *out);

void et_experiment_page(const struct et_experiment *e, const struct et_judgement *j, FILE *out);

/* An experiment with its results. */
struct et_judged {
	const struct et_experiment *experiment;
	const struct et_judgement *judgement;
};

/* One page with several experiments, in this order. */
void et_experiment_pages(
	const struct et_judged *list, size_t n, const struct et_pictures *how, FILE *out);
