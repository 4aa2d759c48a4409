/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment as an HTML page: figures, warnings, charts, and removed samples with the reason. */
#ifndef ET_REPORT_EXPERIMENT_PAGE_H
#define ET_REPORT_EXPERIMENT_PAGE_H

#include "model/result.h"

void et_experiment_page(const struct et_experiment *e, const struct et_judgement *j, FILE *out);

#endif
