/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment as a page that stands alone: figures, doubts, pictures, what was removed and why.
 */
#ifndef ET_REPORT_EXPERIMENT_PAGE_H
#define ET_REPORT_EXPERIMENT_PAGE_H

#include "model/result.h"

void et_experiment_page(const struct et_experiment *e, const struct et_judgement *j, FILE *out);

#endif
