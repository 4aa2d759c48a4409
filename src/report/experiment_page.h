/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment as an HTML page: figures, warnings, charts, and removed samples with the reason. */
#pragma once

#include "report/experiment_pictures.h"

void et_experiment_page(const struct et_experiment *e, const struct et_judgement *j, FILE *out);

/* An experiment with its results. */
struct et_judged {
	const struct et_experiment *experiment;
	const struct et_judgement *judgement;
};

/* One page with several experiments, in this order. */
void et_experiment_pages(
	const struct et_judged *list, size_t n, const struct et_pictures *how, FILE *out);
